// What the reader of a living page may move, and what it tells him: sliders with fields, the state,
// what happened.

import { element } from "./dom";
import type { Engine, Slider } from "./engine";

const GROUPS: [Slider["kind"], string][] = [
  ["target", "targets"],
  ["gain", "gains"],
  ["voltage", "voltages"],
  ["force", "joint forces"],
];
const NOTES = 8; // that stay to be read

/** Four decimals: rounding is no news, and the columns stand still. */
export function steady(x: number): string {
  if (!Number.isFinite(x)) return "–";
  const text = Math.abs(x) >= 1e5 ? x.toExponential(3) : x.toFixed(4);
  return (/^-0\.0*$/.test(text) ? text.slice(1) : text).replace("-", "\u2212");
}

function panel(title: string, ...inside: Node[]): HTMLElement {
  return element("details", { class: "arm-panel", open: true }, element("summary", {}, element("span", {}, title)), ...inside);
}

/** A slider and a field that say the same; a number beyond the slider widens it. */
export function row(label: string, unit: string, range: { value: number; least: number; greatest: number }, changed: (value: number) => void, name = label): HTMLElement {
  const input = element("input", { type: "range", min: range.least, max: range.greatest, step: "any", value: range.value, "aria-label": name });
  const field = element("input", { type: "number", step: "any", value: Number(range.value.toPrecision(4)), "aria-label": `${name}, as a number` });
  const take = (value: number): void => {
    if (value < Number(input.min)) input.min = String(value);
    if (value > Number(input.max)) input.max = String(value);
    input.value = String(value);
    changed(value);
  };
  input.addEventListener("input", () => {
    field.value = String(Number(Number(input.value).toPrecision(4)));
    changed(Number(input.value));
  });
  field.addEventListener("change", () => {
    const value = field.value.trim() === "" ? NaN : Number(field.value);
    if (Number.isFinite(value)) take(value);
    else field.value = String(Number(Number(input.value).toPrecision(4))); // what was there stays
  });
  // of a long name the end stays: it tells names apart
  const cut = Math.max(0, label.length - 6);
  const shown = element("span", {}, element("span", {}, label.slice(0, cut)), element("b", {}, label.slice(cut)));
  return element("div", { class: "arm-target", title: label }, shown, input, field, element("i", {}, unit));
}

export class Controls {
  readonly root: HTMLElement;
  readonly sliders: HTMLElement[] = [];
  private readonly cells: HTMLElement[];
  private readonly said = element("ol", { class: "arm-said" });
  private readonly happened: HTMLElement;

  constructor(
    private readonly engine: Engine,
    strength: (value: number) => void,
  ) {
    const { data } = engine;
    this.cells = data.labels.map(() => element("td", { class: "arm-now" }));
    const parts: HTMLElement[] = [];
    for (const [kind, title] of GROUPS) {
      const own = data.sliders.filter((slider) => slider.kind === kind);
      if (!own.length) continue;
      const rows = own.map((slider) => {
        const made = row(slider.label, slider.unit, slider, (value) => engine.set(slider, value), `${kind} of ${slider.label}`);
        made.querySelector("input")?.setAttribute("data-target", String(data.sliders.indexOf(slider)));
        return made;
      });
      this.sliders.push(...rows);
      parts.push(panel(title, element("div", { class: "arm-scroll arm-list" }, ...rows)));
    }
    const hand = row("strength", "×", { value: 1, least: 0.1, greatest: 20 }, strength, "Strength of the hand");
    parts.push(panel("hand", element("div", { class: "arm-scroll arm-list" }, hand)));
    const body = element("tbody", {}, ...data.labels.map((label, k) => element("tr", {}, element("th", { scope: "row", title: label }, label), this.cells[k], element("td", {}, data.units[k] === "1" ? "" : data.units[k]))));
    parts.push(panel("now", element("div", { class: "arm-scroll" }, element("table", {}, body))));
    this.happened = panel("happened", this.said);
    this.happened.hidden = true;
    parts.push(this.happened);
    this.root = element("div", { class: "arm-living" }, ...parts);
  }

  show(): void {
    this.engine.q.forEach((x, k) => {
      const text = steady(x);
      if (this.cells[k].textContent !== text) this.cells[k].textContent = text;
    });
  }

  /** The last things that happened, the newest first. */
  tell(t: number, text: string): void {
    this.happened.hidden = false;
    this.said.prepend(element("li", {}, `${t.toFixed(2)} s: ${text}`));
    while (this.said.children.length > NOTES) this.said.lastChild?.remove();
  }

  clear(): void {
    this.said.replaceChildren();
    this.happened.hidden = true;
  }
}
