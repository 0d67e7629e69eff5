"""A scene as one HTML file that needs nothing else: no server, no network, no other file.

Everything is in the file: the client (gzip), the scene (JSON with packed arrays).  The content
security policy forbids every load and every request; names from models are data, never markup.
"""

from __future__ import annotations

import html
import json
from functools import cache
from importlib.resources import files

from armillary.viewer.pack import encoded
from armillary.viewer.schema import Scene

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Armillary">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>html,body{{margin:0;height:100%}}#view{{height:100%}}
.say{{font:14px/1.5 system-ui,sans-serif;color:#333;padding:2em}}</style>
</head>
<body>
<div id="view">{before}</div>
<script type="application/json" id="scene">{scene}</script>
{living}<script type="text/plain" id="client">{client}</script>
<script>{boot}</script>
</body>
</html>
"""
LIVING_POLICY = POLICY.replace("'unsafe-inline'", "'unsafe-inline' 'wasm-unsafe-eval'", 1)
_BEFORE = (
    '{picture}<p class="say">{title}: this page needs JavaScript of a browser from 2023 on.</p>'
)
# The client is started by a script element, which the policy allows, and not by eval.
_BOOT = """
(async () => {
  const say = (text) => { const p = document.createElement("p"); p.className = "say";
    p.textContent = text; document.getElementById("view").replaceChildren(p); };
  const waiting = document.querySelector("#view .say");
  if (waiting) waiting.textContent = "Opening\u2026";
  try {
    const text = (id) => document.getElementById(id).textContent;
    const letters = atob(text("client")), bytes = new Uint8Array(letters.length);
    for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
    const scene = JSON.parse(text("scene"));
    window.page = await armillary.mount(document.getElementById("view"), scene, OPTIONS);
    const living = document.getElementById("living");
    if (living) window.living = await armillary.live(window.page, JSON.parse(living.textContent));
    document.documentElement.dataset.ready = "yes";
  } catch (fault) { say("This page cannot be shown: " + fault.message); console.error(fault); }
})();
"""


def page(
    scene: Scene,
    title: str | None = None,
    play: bool = False,
    living: dict[str, object] | None = None,
) -> str:
    """The HTML text of a scene; play: begin at once.  living: what moves it (living_data.py)."""
    shown = html.escape(str(title or scene.name or "Armillary"))
    options = json.dumps({"keys": True, "play": play})
    image = f'<img alt="{shown}" src="{scene.picture}">' if scene.picture else ""
    moved = ""
    if living is not None:
        data = json.dumps(living, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
        moved = f'<script type="application/json" id="living">{data}</script>\n'
    return _PAGE.format(
        policy=POLICY if living is None else LIVING_POLICY,
        title=shown,
        before=_BEFORE.format(picture=image, title=shown),
        scene=as_script(scene),
        living=moved,
        client=client(),
        boot=_BOOT.replace("OPTIONS", options).strip(),
    )


def as_script(scene: Scene) -> str:
    """JSON that no text in it can leave: every < is written as an escape."""
    return scene.model_dump_json().replace("<", "\\u003c")


@cache
def client() -> str:
    """The client, gzip and base64."""
    return encoded(files("armillary.viewer").joinpath("assets", "armillary.js").read_bytes())
