// One file for browsers, src/armillary/viewer/assets/armillary.js, and what it was made of.
//   node build.mjs [--out FOLDER]

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const given = process.argv.indexOf("--out");
const out = given > 0 ? process.argv[given + 1] : join(here, "../src/armillary/viewer/assets");
const wanted = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const versions = { ...wanted.dependencies, esbuild: wanted.devDependencies.esbuild };
for (const [name, version] of Object.entries(versions)) {
  const found = JSON.parse(readFileSync(join(here, "node_modules", name, "package.json"), "utf8")).version;
  if (found !== version) throw new Error(`${name}: expected ${version}, found ${found}. Run: npm install --no-package-lock`);
}

const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const sources = ["package.json", "build.mjs", "tsconfig.json", ...readdirSync(join(here, "src")).sort().map((name) => `src/${name}`)];

const made = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "armillary",
  target: "es2022",
  charset: "ascii",
  loader: { ".css": "text" },
  legalComments: "none",
  banner: { js: "/* Armillary. Contains three.js and uPlot, MIT licence: see THIRD_PARTY.txt. */" },
  write: false,
});
const bundle = made.outputFiles[0].contents;
const licence = (name) => readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
const notice = Object.keys(wanted.dependencies)
  .map((name) => `${name} ${wanted.dependencies[name]}\n\n${licence(name)}\n`)
  .join("\n----------------------------------------------------------------\n\n");

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "armillary.js"), bundle);
writeFileSync(join(out, "THIRD_PARTY.txt"), `armillary.js contains these libraries.\n\n${notice}`);
const about = {
  bundle: sha256(bundle),
  versions,
  sources: Object.fromEntries(sources.map((name) => [name, sha256(readFileSync(join(here, name)))])),
};
writeFileSync(join(out, "bundle.json"), JSON.stringify(about, null, 1) + "\n");
console.log(`armillary.js: ${bundle.length} bytes`);
