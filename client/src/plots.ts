// Plots and numbers: one panel per quantity and unit, with the time of the page as a line.

import uPlot from "uplot";
import type { Clock } from "./clock";
import { locate, type Columns, type Loaded } from "./data";
import { element, shown } from "./dom";
import type { SeriesPart } from "./scene";

export const LINES = ["#2f6db3", "#dc8a12", "#1f8a6d", "#b8528f", "#56a3d9", "#c4501b", "#6b5bb0", "#7d8a1e", "#8a5a3c", "#5f6b7a"];
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const DRAWN = 24; // lines of one plot
const HEIGHT = 150;
const ROWS = 100; // of a table; the others come when they are asked for

class Panel {
  readonly root: HTMLDetailsElement;
  private readonly plotted = element("div", { class: "arm-plot" });
  private readonly cells: HTMLTableCellElement[] = [];
  private plot: uPlot | null = null;
  private mark: HTMLElement | null = null;
  private scrubbing = false;

  constructor(
    private readonly part: SeriesPart,
    private readonly values: Columns,
    private readonly time: Float64Array,
    private readonly clock: Clock,
  ) {
    const unit = part.unit && part.unit !== "1" ? ` [${part.unit}]` : "";
    this.root = element(
      "details",
      { class: "arm-panel", "data-series": part.name, "data-unit": part.unit, open: part.shown },
      element("summary", {}, element("span", {}, part.title), element("i", {}, unit)),
      this.plotted,
      this.table(),
    );
    this.root.addEventListener("toggle", () => this.opened());
  }

  private table(): HTMLElement {
    const body = element("tbody");
    this.fill(body, ROWS);
    const left = this.part.labels.length - ROWS;
    if (left > 0) {
      const more = element("button", { type: "button", class: "arm-chip" }, `${left} more`);
      const last = element("tr", { class: "arm-more" }, element("td", { colspan: 4 }, more));
      more.addEventListener("click", () => {
        last.remove();
        this.fill(body, Infinity);
        this.update(true);
      });
      body.append(last);
    }
    const heads = ["", "now", "least", "greatest"].map((h) => element("th", { scope: "col" }, h));
    return element("div", { class: "arm-scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
  }

  /** Rows of the columns up to a number. */
  private fill(body: HTMLElement, end: number): void {
    const begin = this.cells.length;
    this.part.labels.slice(begin, end).forEach((label, j) => {
      const k = begin + j;
      const color = LINES[k % LINES.length];
      const swatch = element("span", { class: "arm-swatch", style: k < DRAWN ? `background:${color}` : "" });
      const now = element("td", { class: "arm-now" }, "–");
      this.cells.push(now);
      const row = element(
        "tr",
        { "data-label": label },
        element("th", { scope: "row", title: label }, swatch, label),
        now,
        element("td", {}, shown(this.part.least[k])),
        element("td", {}, shown(this.part.greatest[k])),
      );
      row.addEventListener("click", () => this.fade(k, row));
      body.append(row);
    });
  }

  /** A click on a row takes its line out of the plot, or brings it back. */
  private fade(k: number, row: HTMLElement): void {
    if (!this.plot || k >= DRAWN) return;
    const off = row.classList.toggle("arm-off");
    this.plot.setSeries(k + 1, { show: !off });
  }

  opened(): void {
    if (this.root.open && !this.plot && this.time.length > 1) this.make();
    this.resize();
    this.update(true);
  }

  private make(): void {
    const columns = this.part.labels.slice(0, DRAWN).map((_, k) => {
      const column = this.values.column(k) as Float64Array;
      return column.every(Number.isFinite) ? column : Array.from(column, (x) => (Number.isFinite(x) ? x : null));
    });
    const grid = { stroke: "#e8ebef", width: 1 };
    const axis = { stroke: "#5a6573", grid, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const options: uPlot.Options = {
      width: this.width(),
      height: HEIGHT,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: false }, y: { range: (_, low, high) => range(low, high) } },
      axes: [
        { ...axis, size: 26, values: (_, ticks) => ticks.map((t) => `${shown(t)}`) },
        { ...axis, size: 58, space: 22, values: (_, ticks) => ticks.map((x) => shown(Number(x.toPrecision(4)))) },
      ],
      series: [
        {},
        ...this.part.labels.slice(0, DRAWN).map((label, k) => ({
          label,
          stroke: LINES[k % LINES.length],
          dash: DASHES[Math.floor(k / LINES.length) % DASHES.length],
          width: 1.4,
          points: { show: false },
        })),
      ],
    };
    this.plot = new uPlot(options, [this.time, ...columns] as uPlot.AlignedData, this.plotted);
    this.mark = element("div", { class: "arm-mark" });
    const over = this.plot.over;
    over.append(this.mark);
    const seek = (event: PointerEvent) => {
      const x = event.clientX - over.getBoundingClientRect().left;
      if (this.plot) this.clock.seek(this.plot.posToVal(x, "x"));
    };
    over.addEventListener("pointerdown", (event) => {
      this.scrubbing = true;
      over.setPointerCapture(event.pointerId);
      seek(event);
    });
    over.addEventListener("pointermove", (event) => this.scrubbing && seek(event));
    over.addEventListener("pointerup", () => (this.scrubbing = false));
    over.addEventListener("pointercancel", () => (this.scrubbing = false));
  }

  private width(): number {
    return Math.max(120, this.plotted.clientWidth);
  }

  resize(): void {
    if (!this.plot || !this.root.open || this.plot.width === this.width()) return;
    this.plot.setSize({ width: this.width(), height: HEIGHT });
    this.update(false);
  }

  update(numbers: boolean): void {
    if (!this.root.open) return;
    const { t } = this.clock;
    if (this.plot && this.mark) this.mark.style.transform = `translateX(${this.plot.valToPos(t, "x")}px)`;
    if (!numbers) return;
    const [row, share] = locate(this.time, t);
    const next = Math.min(row + 1, this.time.length - 1);
    this.cells.forEach((cell, k) => {
      const a = this.values.at(row, k);
      cell.textContent = shown(share ? a + share * (this.values.at(next, k) - a) : a);
    });
  }

  dispose(): void {
    this.plot?.destroy();
  }
}

/** Of the vertical axis: what is zero all the time is drawn in the middle. */
function range(low: number | null, high: number | null): [number | null, number | null] {
  if (low === null || high === null) return [null, null];
  return low === 0 && high === 0 ? [-1, 1] : uPlot.rangeNum(low, high, 0.1, true);
}

export class Plots {
  readonly root = element("div", { class: "arm-plots" });
  private readonly panels: Panel[];
  private readonly sizer = new ResizeObserver(() => this.panels.forEach((panel) => panel.resize()));
  private told = 0;

  constructor(data: Loaded, private readonly clock: Clock) {
    this.panels = data.scene.series.map((part, k) => new Panel(part, data.series[k], data.time, clock));
    this.root.append(...this.panels.map((panel) => panel.root));
    this.sizer.observe(this.root);
  }

  /** To be called when the root stands on the page. */
  begin(): void {
    for (const panel of this.panels) panel.opened();
  }

  /** Lines at every picture, numbers some times a second while it plays. */
  update(): void {
    const now = performance.now();
    const numbers = !this.clock.playing || now - this.told > 80;
    if (numbers) this.told = now;
    for (const panel of this.panels) panel.update(numbers);
  }

  dispose(): void {
    this.sizer.disconnect();
    for (const panel of this.panels) panel.dispose();
  }
}
