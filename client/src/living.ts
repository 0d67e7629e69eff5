// A page whose mechanism moves while it is looked at: bodies are dragged and pushed, set-points
// are moved, time is stopped and begun anew.

import { Matrix4, Plane, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import { Controls } from "./controls";
import { element, icon } from "./dom";
import { Engine, type LivingData } from "./engine";
import type { Page } from "./page";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];
const BUSY = 12; // ms of every picture for steps, at most
const REACH = 40; // pixels around a centre of mass that still mean its body
const BEAT = 2 * Math.PI * 1.5; // rad/s of the mass a hand feels on its spring
const PUSH = 0.1; // s

interface Grip {
  body: number;
  point: Vector3; // in the body's frame
  before: Vector3 | null; // where it was in the world one step ago
}

export class Living {
  playing = false;
  stopped = "";
  private frame = 0;
  private last = 0;
  private owed = 0; // s
  private speed = 1;
  private strength = 1;
  private grip: Grip | null = null;
  private push: { body: number; point: Vector3; force: Vector3; until: number } | null = null;
  private readonly mouse = new Vector2();
  private readonly goal = new Vector3();
  private readonly bodies: Matrix4[];
  private readonly play = element("button", { type: "button", class: "arm-play", title: "Run or pause (space)", "aria-label": "Run or pause" });
  private readonly time = element("output", { class: "arm-time" });
  private readonly say = element("p", { class: "arm-flat", role: "status", hidden: true });
  private readonly controls: Controls;
  private faster: (by: number) => void = () => {};
  private pace = 1; // simulated time by time that passed, lately
  private readonly line: SVGLineElement;
  private readonly drawing: SVGSVGElement;

  constructor(
    readonly page: Page,
    readonly engine: Engine,
  ) {
    this.bodies = page.data.scene.bodies.map(() => new Matrix4());
    this.controls = new Controls(engine, (value) => (this.strength = value));
    const space = "http://www.w3.org/2000/svg";
    this.drawing = document.createElementNS(space, "svg");
    this.drawing.setAttribute("class", "arm-spring");
    this.line = document.createElementNS(space, "line");
    this.drawing.append(this.line);
    const { pane } = page.view;
    pane.append(this.say, this.drawing);
    page.root.append(this.makeBar());
    const side = page.root.querySelector(".arm-side");
    side?.prepend(this.controls.root);
    side?.querySelectorAll("details.arm-panel").forEach((one) => {
      if (!this.controls.root.contains(one)) one.removeAttribute("open");
    });
    page.root.classList.add("arm-alive");
    pane.addEventListener("pointerdown", this.down, { capture: true });
    pane.addEventListener("pointermove", this.move);
    pane.addEventListener("pointerup", this.up);
    pane.addEventListener("pointercancel", this.up);
    document.addEventListener("keydown", this.key, { capture: true });
    page.clock.watch(() => this.show());
    this.show();
  }

  run(): void {
    if (this.playing || this.stopped) return;
    this.playing = true;
    this.pace = this.speed;
    this.last = performance.now();
    this.owed = 0;
    this.frame = requestAnimationFrame(this.tick);
    this.face();
  }

  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.frame);
    this.face();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.run();
  }

  /** To the start; it goes on running if it ran or had stopped. */
  reset(): void {
    const going = this.playing || this.stopped !== "";
    this.pause();
    this.tell("");
    this.grip = this.push = null;
    this.controls.clear();
    this.engine.reset();
    this.show();
    if (going) this.run();
  }

  /** So many steps at once, for programs. */
  steps(count: number): void {
    for (let k = 0; k < count && !this.stopped; k++) this.step();
    this.engine.look();
    this.show();
  }

  /** Take hold of a body at a point of its frame, and lead it to a point of the world. */
  hold(body: number, point: readonly number[], goal: readonly number[]): void {
    this.grip = { body, point: new Vector3(...(point as [number, number, number])), before: null };
    this.goal.set(goal[0], goal[1], goal[2]);
  }

  release(): void {
    this.grip = null;
    this.show();
  }

  private tell(text: string): void {
    this.stopped = text;
    this.say.textContent = text;
    this.say.hidden = !text;
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    const { engine } = this;
    const h = engine.data.step;
    const passed = Math.max(0, now - this.last) / 1000;
    this.owed += Math.min(passed, 0.1) * this.speed;
    this.last = now;
    if (this.grip) this.aim();
    const begin = performance.now();
    const started = engine.t;
    let enough = true;
    while (this.owed >= h && !this.stopped) {
      const before = engine.t;
      this.step();
      this.owed -= engine.t - before || h;
      enough = performance.now() - begin < BUSY;
      if (!enough) break;
    }
    if (!enough) this.owed = 0; // slower than it should: the page stays responsive
    if (passed > 0 && passed < 0.5) this.pace += 0.05 * ((engine.t - started) / passed - this.pace);
    engine.look();
    this.show();
    if (this.stopped) {
      this.pause();
      this.show();
    }
    if (this.playing) this.frame = requestAnimationFrame(this.tick);
  };

  private step(): void {
    const { engine } = this;
    engine.release();
    if (this.grip || this.push) {
      engine.look();
      if (this.grip) this.pull(this.grip);
      if (this.push) this.shove();
    }
    const fault = engine.advance();
    for (const text of engine.notes) this.controls.tell(engine.t, text);
    if (fault) this.tell(`${fault} Reset begins anew.`);
  }

  /** A force of the world at a point of a body, as a wrench in the body's frame. */
  private apply(body: number, point: Vector3, force: Vector3): void {
    const { poses } = this.engine;
    const r = 9 * body;
    const own = new Vector3(
      poses[r] * force.x + poses[r + 3] * force.y + poses[r + 6] * force.z,
      poses[r + 1] * force.x + poses[r + 4] * force.y + poses[r + 7] * force.z,
      poses[r + 2] * force.x + poses[r + 5] * force.y + poses[r + 8] * force.z,
    );
    const moment = new Vector3().crossVectors(point, own);
    this.engine.pull(body, [moment.x, moment.y, moment.z, own.x, own.y, own.z]);
  }

  /** A point of a body's frame in the world. */
  private place(body: number, point: Vector3): Vector3 {
    const { poses } = this.engine;
    const r = 9 * body;
    const p = 9 * this.bodies.length + 3 * body;
    const row = (k: number) => poses[r + k] * point.x + poses[r + k + 1] * point.y + poses[r + k + 2] * point.z;
    return new Vector3(poses[p] + row(0), poses[p + 1] + row(3), poses[p + 2] + row(6));
  }

  /** The spring and damper of the hand, sized by the mass it feels. */
  private pull(grip: Grip): void {
    const { mass } = this.engine.data.pulls[grip.body];
    const now = this.place(grip.body, grip.point);
    const speed = grip.before ? now.clone().sub(grip.before).divideScalar(this.engine.data.step) : new Vector3();
    grip.before = now;
    const beat = BEAT * Math.sqrt(this.strength);
    const force = this.goal.clone().sub(now).multiplyScalar(mass * beat * beat).addScaledVector(speed, -mass * beat);
    this.apply(grip.body, grip.point, force);
  }

  private shove(): void {
    if (!this.push) return;
    if (this.engine.t >= this.push.until) this.push = null;
    else this.apply(this.push.body, this.push.point, this.push.force);
  }

  // -- the mouse ------------------------------------------------------------------------------

  private at(event: PointerEvent): void {
    const box = this.page.view.pane.getBoundingClientRect();
    this.mouse.set((2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
  }

  private ray(): Raycaster {
    const ray = new Raycaster();
    this.page.view.camera.updateMatrixWorld();
    ray.setFromCamera(this.mouse, this.page.view.camera);
    return ray;
  }

  /** The body below the mouse that can be moved, and where it was touched. */
  private below(): { body: number; point: Vector3 } | null {
    const { view } = this.page;
    const { pulls } = this.engine.data;
    view.solids.update(view.poses); // where they are now, not where they were drawn last
    const seen = view.solids.group.children.filter((o) => o.visible);
    const ray = this.ray();
    const hit = view.solid ? ray.intersectObjects(seen, false)[0] : undefined;
    const body = hit ? view.solids.bodyOf(hit.object, hit.instanceId) : -1;
    if (hit && body >= 0) return pulls[body].mass > 0 ? { body, point: hit.point } : null;
    const box = view.pane.getBoundingClientRect();
    let best: { body: number; point: Vector3 } | null = null;
    let least = hit ? 0 : REACH;
    pulls.forEach((pull, k) => {
      if (!(pull.mass > 0)) return;
      const point = this.place(k, new Vector3(...(pull.com as [number, number, number])));
      const flat = point.clone().project(view.camera);
      const far = Math.hypot(((flat.x - this.mouse.x) * box.width) / 2, ((flat.y - this.mouse.y) * box.height) / 2);
      if (far < least) {
        least = far;
        best = { body: k, point };
      }
    });
    return best;
  }

  private readonly down = (event: PointerEvent): void => {
    if (event.button !== 0 || this.stopped) return;
    this.at(event);
    const found = this.below();
    if (!found) return;
    event.stopPropagation(); // the camera stays where it is
    const matrix = this.bodies[found.body].clone().invert();
    const point = found.point.clone().applyMatrix4(matrix);
    if (event.shiftKey) {
      const { mass } = this.engine.data.pulls[found.body];
      const force = this.ray().ray.direction.clone().multiplyScalar((mass * this.strength * this.page.data.scene.size) / PUSH);
      this.push = { body: found.body, point, force, until: this.engine.t + PUSH };
    } else {
      this.hold(found.body, point.toArray(), found.point.toArray());
      this.page.view.pane.setPointerCapture(event.pointerId);
    }
    this.run();
  };

  private readonly move = (event: PointerEvent): void => {
    if (!this.grip) return;
    this.at(event);
    this.aim();
  };

  private readonly up = (): void => {
    if (this.grip) this.release();
  };

  /** The goal: below the mouse, as far away as the body. */
  private aim(): void {
    if (!this.grip || !this.mouse.lengthSq()) return;
    const { camera } = this.page.view;
    const normal = camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, this.place(this.grip.body, this.grip.point));
    this.ray().ray.intersectPlane(plane, this.goal);
  }

  private readonly key = (event: KeyboardEvent): void => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " ") this.toggle();
    else if (event.key.toLowerCase() === "r") this.reset();
    else if (event.key === "+" || event.key === "=") this.faster(1);
    else if (event.key === "-") this.faster(-1);
    else if (event.key === ".") {
      this.pause();
      this.steps(1);
    }
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // -- the picture ----------------------------------------------------------------------------

  private show(): void {
    const { poses } = this.engine;
    const { values } = this.page.data.poses;
    const count = this.bodies.length;
    const turn = new Quaternion();
    for (let k = 0; k < count; k++) {
      const r = 9 * k;
      const p = 9 * count + 3 * k;
      this.bodies[k].set(
        poses[r], poses[r + 1], poses[r + 2], poses[p], poses[r + 3], poses[r + 4], poses[r + 5], poses[p + 1],
        poses[r + 6], poses[r + 7], poses[r + 8], poses[p + 2], 0, 0, 0, 1,
      );
      turn.setFromRotationMatrix(this.bodies[k]);
      values.set([poses[p], poses[p + 1], poses[p + 2], turn.x, turn.y, turn.z, turn.w], 7 * k);
    }
    this.page.view.set(0);
    const slow = this.playing && this.pace < 0.9 * this.speed;
    this.time.textContent = `${this.engine.t.toFixed(2)} s${slow ? ` (${this.pace.toFixed(2)} ×)` : ""}`;
    this.time.title = slow ? "This computer draws slower than the speed that was asked for." : "";
    this.controls.show();
    this.spring();
  }

  private spring(): void {
    this.drawing.style.display = this.grip ? "" : "none";
    if (!this.grip) return;
    const { camera, pane } = this.page.view;
    const ends = [this.place(this.grip.body, this.grip.point), this.goal.clone()];
    ends.forEach((end, k) => {
      end.project(camera);
      this.line.setAttribute(`x${k + 1}`, String(((end.x + 1) / 2) * pane.clientWidth));
      this.line.setAttribute(`y${k + 1}`, String(((1 - end.y) / 2) * pane.clientHeight));
    });
  }

  private face(): void {
    this.play.setAttribute("aria-pressed", String(this.playing));
    this.play.replaceChildren(icon(this.playing ? "pause" : "play"));
  }

  private makeBar(): HTMLElement {
    const reset = element("button", { type: "button", class: "arm-reset", title: "Begin anew (R)" }, "reset");
    const speed = element("select", { title: "Speed", "aria-label": "Speed" }, ...SPEEDS.map((s) => element("option", { value: s }, `${s} ×`)));
    speed.value = "1";
    speed.addEventListener("change", () => (this.speed = this.pace = Number(speed.value)));
    this.faster = (by) => {
      const k = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by));
      speed.value = String(SPEEDS[k]);
      this.speed = this.pace = SPEEDS[k];
    };
    reset.addEventListener("click", () => this.reset());
    this.play.addEventListener("click", () => this.toggle());
    const hint = element("span", { class: "arm-hint" }, "Drag a body to pull it, shift and click to push it; drag beside it to turn the view.");
    this.face();
    return element("footer", { class: "arm-bar" }, this.play, reset, hint, this.time, speed);
  }

  dispose(): void {
    this.pause();
    document.removeEventListener("keydown", this.key, { capture: true });
    const { pane } = this.page.view;
    pane.removeEventListener("pointerdown", this.down, { capture: true });
    pane.removeEventListener("pointermove", this.move);
    pane.removeEventListener("pointerup", this.up);
    pane.removeEventListener("pointercancel", this.up);
    this.drawing.remove();
    this.say.remove();
  }
}

const STYLE = `
.arm-said{margin:0;padding:0 14px 8px 14px;list-style:none;font-size:12px;max-height:150px;overflow:auto}
.arm-said li{overflow-wrap:anywhere}
.arm-spring{position:absolute;inset:0;width:100%;height:100%;pointer-events:none;z-index:2}
.arm-spring line{stroke:#d0342c;stroke-width:2;stroke-dasharray:5 3}
.arm-hint{flex:1;min-width:0;color:var(--soft);font-size:12px}
.arm-list .arm-target{display:grid;grid-template-columns:minmax(90px,1.2fr) minmax(60px,1fr) 74px 30px;gap:6px;align-items:center}
.arm-target>span{display:flex;min-width:0;white-space:pre}
.arm-target>span>span{overflow:hidden;text-overflow:ellipsis}
.arm-target b{font-weight:inherit;flex:none}
.arm-target i{font-style:normal;color:var(--soft);font-size:12px}
.arm-target input{min-width:0;margin:0;accent-color:var(--main)}
.arm-target input[type=number]{font:inherit;font-size:12px;padding:1px 4px;text-align:right;color:var(--ink);background:transparent;border:1px solid var(--line);border-radius:4px;appearance:textfield;-moz-appearance:textfield}
.arm-living td:last-child{width:38px}
.arm-living .arm-now{width:96px}
@media (max-width:760px){.arm-alive .arm-hint{order:6;flex-basis:100%}.arm-alive .arm-time{margin-left:auto}.arm-target input[type=range]{height:28px}}
@media (prefers-color-scheme:dark){
.arm-alive{--ink:#e6eaf0;--soft:#a3adba;--line:#39424e;--wash:#232a33;--main:#5b9be0;background:#1b2129;color-scheme:dark}
.arm-alive .arm-tools,.arm-alive .arm-panel,.arm-alive .arm-bar,.arm-alive thead th,.arm-alive .arm-words kbd{background:#1b2129}
.arm-alive .arm-pane{background:linear-gradient(#b4bcc6,#8d97a3)}
.arm-alive .arm-chip[aria-pressed=true]{background:#22364d;border-color:#31506f}
.arm-alive .arm-flat{background:#463a17;color:#ffe7a8}
.arm-alive .arm-notes{background:#2c2818;border-color:#4a4228;color:#e7d9a8}
.arm-alive select option{background:#1b2129}
}`;

/** Bring a mounted page to life, unless this browser computes other numbers than the library. */
export async function live(page: Page, data: LivingData, play = true): Promise<Living | null> {
  document.head.append(element("style", { "data-living": "" }, STYLE));
  let why: string;
  try {
    if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly");
    const engine = await Engine.load(data);
    const fault = engine.check();
    if (!fault) {
      const living = new Living(page, engine);
      if (play) living.run();
      return living;
    }
    why = `this browser does not give the library's numbers (${fault})`;
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  page.view.pane.append(element("p", { class: "arm-flat", role: "alert" }, `Nothing is simulated here: ${why}.`));
  return null;
}
