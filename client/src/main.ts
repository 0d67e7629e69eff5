// mount(element, scene): a scene on a page, in a notebook cell, in a gallery or in the studio.

import uplotStyle from "uplot/dist/uPlot.min.css";
import { Clock } from "./clock";
import { load } from "./data";
import { element } from "./dom";
import { Page } from "./page";
import { FORMAT, type Scene } from "./scene";
import style from "./style.css";

export { Engine } from "./engine";
export { live } from "./living";

export interface Options {
  /** Keys work on the whole document: for a page with one view. */
  keys?: boolean;
  /** Begin to play at once. */
  play?: boolean;
}

let mounted = 0;
let sheet: HTMLStyleElement | null = null;

function dress(): void {
  if (mounted++ === 0) {
    sheet = element("style", { "data-armillary": "" }, uplotStyle, style);
    document.head.append(sheet);
  }
}

function undress(): void {
  if (--mounted === 0) {
    sheet?.remove();
    sheet = null;
  }
}

/** Show a scene in an element; gives the page, whose dispose() takes everything away again. */
export async function mount(target: HTMLElement, scene: Scene, options: Options = {}): Promise<Page> {
  if (scene.format !== FORMAT) {
    const found = String(scene.format).slice(0, 40);
    target.textContent = `This page shows scenes of the format ${FORMAT}, and found ${found}. Write it again with the same version of Armillary.`;
    throw new Error(target.textContent);
  }
  const data = await load(scene);
  dress();
  const clock = new Clock(data.time[0] ?? 0, data.time[data.time.length - 1] ?? 0);
  const page = new Page(target, data, clock, options, undress);
  if (options.play) clock.play();
  return page;
}
