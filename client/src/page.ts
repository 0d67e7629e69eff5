// The page around a view: title, switches, plots, tables, time line, keys.

import { SPEEDS, type Clock } from "./clock";
import { locate, type Loaded } from "./data";
import { brief, element, icon, shown } from "./dom";
import type { Options } from "./main";
import { TRAILS } from "./marks";
import { Plots } from "./plots";
import { View } from "./view";

interface Switch {
  name: string;
  key: string;
  title: string;
  on: boolean;
  set: (on: boolean) => void;
}

const HELP = [
  ["space", "play or pause"],
  ["← →", "one picture back or on; with shift ten"],
  ["home end", "first and last instant"],
  ["− +", "slower, faster"],
  ["L", "play again at the end"],
  ["1 … 4", "views"],
  ["drag, wheel", "turn, zoom; with the right button: shift"],
];

const FEW = 100; // bodies whose table is open in a still picture

export class Page {
  readonly root: HTMLElement;
  readonly view: View;
  readonly plots: Plots;
  private readonly switches: Switch[];
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly pane = element("div", { class: "arm-pane" });
  private readonly flat = element("p", { class: "arm-flat", hidden: true },
    "This browser has no WebGL: the mechanism is drawn as lines. Time, plots and numbers work.");
  private readonly scaleText = element("div", { class: "arm-scale" });
  private slider: HTMLInputElement | null = null;
  private now: HTMLElement | null = null;
  private playButton: HTMLButtonElement | null = null;
  private speed: HTMLSelectElement | null = null;
  private loopButton: HTMLButtonElement | null = null;
  private readonly keysOn: HTMLElement | Document;

  constructor(
    readonly target: HTMLElement,
    readonly data: Loaded,
    readonly clock: Clock,
    options: Options,
    private readonly undress: () => void,
  ) {
    const { scene } = data;
    const moving = data.time.length > 1;
    this.root = element("div", { class: "arm", tabindex: 0, "aria-label": `Armillary: ${scene.name}` });
    target.replaceChildren(this.root);
    this.pane.append(this.flat, this.scaleText);
    this.view = new View(this.pane, data);
    this.plots = new Plots(data, clock);
    this.switches = this.makeSwitches();
    const side = this.makeSide();
    this.root.classList.toggle("arm-alone", !side);
    const main = element("div", { class: "arm-main" }, this.makeTools(), this.pane);
    this.root.append(this.makeHead(), main);
    if (side) this.root.append(side);
    if (moving) this.root.append(this.makeBar());
    this.pane.addEventListener("arm-flat", () => (this.flat.hidden = false));
    this.keysOn = options.keys ? document : this.root;
    this.keysOn.addEventListener("keydown", this.key as EventListener);
    clock.watch(() => this.tick());
    for (const one of this.switches) one.set(one.on);
    this.plots.begin();
    this.tick();
  }

  seek(t: number): void {
    this.clock.seek(t);
  }

  /** Time of every instant, for programs. */
  get times(): Float64Array {
    return this.data.time;
  }

  private makeHead(): HTMLElement {
    const { scene } = this.data;
    return element(
      "header",
      { class: "arm-head" },
      element("h1", {}, scene.name),
      element("p", {}, scene.subtitle),
      this.makeViews(),
    );
  }

  private makeSwitches(): Switch[] {
    const { scene } = this.data;
    const { solids, frames, arrows } = this.view;
    const roles = (...names: string[]) => names.some((name) => solids.has(name));
    const found: Switch[] = [];
    const add = (name: string, key: string, title: string, on: boolean, set: (on: boolean) => void) =>
      found.push({ name, key, title, on, set: (x) => { set(x); this.view.invalidate(); } });
    const role = (...names: string[]) => (on: boolean) => names.forEach((name) => solids.show(name, on));
    if (roles("shape")) add("Shapes", "s", "Shapes of bodies", true, role("shape"));
    if (roles("skeleton")) {
      add("Skeleton", "k", "Links drawn from the kinematics", false, role("skeleton"));
    }
    add("Joints", "j", "Symbols of joints, wheels and ground", true, role("joint", "wheel", "ground"));
    if (roles("element")) add("Springs", "e", "Springs, dampers, cables and other force elements", true, role("element"));
    add("Axes", "x", "Axes of joints", false, (on) => (frames.axes.lines.visible = on));
    add("Frames", "f", "Frames of bodies and others: x red, y green, z blue", false, (on) => (frames.frames.lines.visible = on));
    if (roles("com")) add("Centres", "c", "Centres of mass", false, role("com"));
    if (roles("inertia")) add("Inertia", "i", "Solid ellipsoids with the inertia of the bodies", false, role("inertia"));
    if (scene.arrows.some((a) => a.kind === "force")) {
      add("Forces", "v", "Forces in joints, constraints, wheels and force elements", true, (on) => { arrows.on.force = on; this.scales(); });
    }
    if (scene.arrows.some((a) => a.kind === "moment")) {
      add("Moments", "m", "Moments: arrows with a double head", false, (on) => { arrows.on.moment = on; this.scales(); });
    }
    if (scene.trails.length && this.data.time.length > 1) {
      add("Trails", "t", "Paths of points", true, (on) => (this.view.trails.group.visible = on));
    }
    if (scene.ground.length) add("Grid", "g", "Level ground", true, (on) => this.view.showGround(on));
    return found;
  }

  private makeTools(): HTMLElement {
    const { scene } = this.data;
    const chips = this.switches.map((one) => {
      const b = element("button", { type: "button", class: "arm-chip", "aria-pressed": String(one.on), "data-switch": one.name, title: `${one.title} (${one.key.toUpperCase()})` }, one.name);
      b.addEventListener("click", () => this.flip(one));
      this.buttons.set(one.name, b);
      return b;
    });
    const groups: HTMLElement[] = [element("div", { class: "arm-group" }, ...chips)];
    if (scene.arrows.length) groups.push(this.arrowSize());
    return element("div", { class: "arm-tools" }, ...groups);
  }

  private makeViews(): HTMLElement {
    const { scene } = this.data;
    const views = scene.camera.views.map((view, k) => {
      const b = element("button", { type: "button", title: `View: ${view.name} (${k + 1})` }, view.name);
      b.addEventListener("click", () => this.view.look(k));
      return b;
    });
    return element("div", { class: "arm-group arm-views" }, ...views, this.followButton());
  }

  private followButton(): HTMLElement {
    const { scene } = this.data;
    const body = scene.camera.follow >= 0 ? scene.camera.follow : scene.bodies.length - 1;
    const b = element("button", { type: "button", class: "arm-chip", "aria-pressed": String(this.view.follow >= 0), title: "The camera goes along" }, "follow");
    b.addEventListener("click", () => {
      this.view.setFollow(this.view.follow >= 0 ? -1 : body);
      b.setAttribute("aria-pressed", String(this.view.follow >= 0));
    });
    b.hidden = this.data.time.length < 2;
    return b;
  }

  private arrowSize(): HTMLElement {
    const input = element("input", { type: "range", min: -1, max: 1, step: 0.05, value: 0, "aria-label": "Length of arrows" });
    input.addEventListener("input", () => {
      this.view.arrows.scale = 10 ** Number(input.value);
      this.scales();
      this.view.invalidate();
    });
    return element("label", { class: "arm-group arm-size", title: "Length of arrows" }, "arrows", input);
  }

  /** What a length of an arrow stands for, in words. */
  private scales(): void {
    const { arrows } = this.view;
    const { scene } = this.data;
    const texts = (["force", "moment"] as const)
      .filter((kind) => arrows.on[kind] && scene.scale[kind] > 0 && scene.arrows.some((a) => a.kind === kind))
      .map((kind) => {
        const unit = kind === "force" ? "N" : "N m";
        const length = arrows.length(kind, scene.scale[kind]);
        return element("span", { class: `arm-${kind}` }, `${kind}: ${brief(length)} m is ${brief(scene.scale[kind])} ${unit}`);
      });
    this.scaleText.replaceChildren(...texts);
  }

  private flip(one: Switch): void {
    one.on = !one.on;
    one.set(one.on);
    this.buttons.get(one.name)?.setAttribute("aria-pressed", String(one.on));
  }

  private makeSide(): HTMLElement | null {
    const { scene } = this.data;
    const parts: HTMLElement[] = [];
    if (scene.notes.length) {
      parts.push(element("ul", { class: "arm-notes" }, ...scene.notes.map((text) => element("li", {}, text))));
    }
    if (scene.series.length) parts.push(this.plots.root);
    if (scene.events.length) parts.push(this.events());
    parts.push(this.bodies());
    if (scene.trails.length && this.data.time.length > 1) parts.push(this.trails());
    parts.push(this.help());
    return element("aside", { class: "arm-side" }, ...parts);
  }

  /** A panel; what is inside is made when it is opened first. */
  private fold(title: string, make: () => HTMLElement, open = false): HTMLElement {
    const made = element("details", { class: "arm-panel", open }, element("summary", {}, element("span", {}, title)));
    const fill = () => made.childElementCount > 1 || made.append(make());
    if (open) fill();
    else made.addEventListener("toggle", fill, { once: true });
    return made;
  }

  private events(): HTMLElement {
    const { events } = this.data.scene;
    const rows = () => events.map((event) => {
      const row = element("tr", { class: "arm-event" }, element("td", {}, `${shown(event.time)} s`), element("td", {}, event.text));
      row.addEventListener("click", () => this.clock.seek(event.time));
      return row;
    });
    const table = () => element("div", { class: "arm-scroll" }, element("table", { class: "arm-words" }, ...rows()));
    return this.fold(`events (${events.length})`, table, events.length <= 8);
  }

  private bodies(): HTMLElement {
    const { bodies } = this.data.scene;
    const heads = ["body", "joint", "kind", "mass kg"].map((h) => element("th", { scope: "col" }, h));
    const rows = () => bodies.map((b) =>
      element("tr", {}, element("th", { scope: "row" }, b.name), element("td", {}, b.joint), element("td", {}, b.kind), element("td", {}, shown(b.mass))));
    const table = () => element("div", { class: "arm-scroll" },
      element("table", { class: "arm-words" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows())));
    return this.fold(`bodies (${bodies.length})`, table, this.data.time.length < 2 && bodies.length <= FEW);
  }

  private trails(): HTMLElement {
    const items = () => this.data.scene.trails.map((trail, k) => {
      const box = element("input", { type: "checkbox" });
      box.checked = trail.shown;
      box.addEventListener("change", () => {
        this.view.trails.show(k, box.checked);
        this.view.invalidate();
      });
      const swatch = element("span", { class: "arm-swatch", style: `background:${TRAILS[k % TRAILS.length]}` });
      return element("label", {}, box, swatch, trail.name);
    });
    return this.fold("trails", () => element("div", { class: "arm-scroll arm-list" }, ...items()));
  }

  private help(): HTMLElement {
    const keys = [...HELP, ...this.switches.map((one) => [one.key.toUpperCase(), one.title])];
    const rows = keys.map(([key, text]) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, text)));
    return this.fold("keys", () => element("table", { class: "arm-words" }, ...rows));
  }

  private makeBar(): HTMLElement {
    const { clock } = this;
    const button = (face: Node | string, title: string, act: () => void, extra: Record<string, string> = {}) => {
      const b = element("button", { type: "button", title, "aria-label": title, ...extra }, face);
      b.addEventListener("click", act);
      return b;
    };
    this.playButton = button(icon("play"), "Play or pause (space)", () => clock.toggle(), { class: "arm-play" });
    const back = button(icon("first"), "First instant (home)", () => clock.seek(clock.start));
    this.slider = element("input", { type: "range", class: "arm-slider", min: clock.start, max: clock.end, step: "any", value: clock.start, "aria-label": "Time" });
    this.slider.addEventListener("input", () => clock.seek(Number(this.slider?.value)));
    this.now = element("output", { class: "arm-time" });
    this.speed = element("select", { title: "Speed (− +)", "aria-label": "Speed" },
      ...SPEEDS.map((s) => element("option", { value: s }, `${s} ×`)));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => {
      clock.speed = Number(this.speed?.value);
    });
    this.loopButton = button("loop", "Play again at the end (L)", () => this.flipLoop(), { class: "arm-chip", "aria-pressed": "true" });
    const line = element("div", { class: "arm-line" }, this.slider, ...this.ticks());
    return element("footer", { class: "arm-bar" }, this.playButton, back, line, this.now, this.speed, this.loopButton);
  }

  /** Events on the time line. */
  private ticks(): HTMLElement[] {
    const { clock } = this;
    const span = clock.end - clock.start;
    return this.data.scene.events
      .filter((event) => event.time >= clock.start && event.time <= clock.end)
      .slice(0, 60)
      .map((event) => element("i", { class: "arm-tick", title: event.text, style: `left:${(100 * (event.time - clock.start)) / span}%` }));
  }

  private flipLoop(): void {
    this.clock.loop = !this.clock.loop;
    this.loopButton?.setAttribute("aria-pressed", String(this.clock.loop));
  }

  private tick(): void {
    const { clock } = this;
    this.view.set(clock.t);
    this.plots.update();
    if (this.slider && this.now && this.playButton && this.speed) {
      if (document.activeElement !== this.slider || clock.playing) this.slider.value = String(clock.t);
      this.now.textContent = `${clock.t.toFixed(3)} s`;
      if (this.playButton.ariaPressed !== String(clock.playing)) {
        this.playButton.ariaPressed = String(clock.playing);
        this.playButton.replaceChildren(icon(clock.playing ? "pause" : "play"));
      }
      this.speed.value = String(clock.speed);
    }
  }

  private step(pictures: number): void {
    const { time } = this.data;
    const [row, share] = locate(time, this.clock.t);
    const from = pictures < 0 && share > 0 ? row + 1 : row;
    this.clock.pause();
    this.clock.seek(time[Math.min(Math.max(from + pictures, 0), time.length - 1)]);
  }

  private readonly key = (event: KeyboardEvent): void => {
    const on = event.target as HTMLElement | null;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (on instanceof HTMLInputElement && on.type !== "range" && on.type !== "checkbox") return;
    if (on instanceof HTMLSelectElement) return;
    const { clock } = this;
    const many = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => clock.toggle(),
      ArrowLeft: () => this.step(-many),
      ArrowRight: () => this.step(many),
      Home: () => clock.seek(clock.start),
      End: () => clock.seek(clock.end),
      "+": () => clock.faster(1),
      "-": () => clock.faster(-1),
      l: () => this.flipLoop(),
    };
    this.data.scene.camera.views.forEach((_, k) => (actions[String(k + 1)] = () => this.view.look(k)));
    for (const one of this.switches) actions[one.key] = () => this.flip(one);
    const act = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  };

  dispose(): void {
    this.keysOn.removeEventListener("keydown", this.key as EventListener);
    this.clock.dispose();
    this.plots.dispose();
    this.view.dispose();
    this.root.remove();
    this.undress();
  }
}
