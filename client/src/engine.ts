// A mechanism that moves: the loop of src/armillary/runtime/time_loop.py over one state, around
// kernels of WebAssembly.  It knows no page, so it runs in every engine of JavaScript.

import { gunzip } from "./data";
import { Events, heldBack, type Limit, type Stepping, type Watched } from "./events";

export interface Slider {
  kind: "target" | "gain" | "voltage" | "force";
  at: number; // its place among the targets, or among the joint forces
  label: string;
  unit: string;
  value: number;
  least: number;
  greatest: number;
}

export interface Pull {
  kernel: number; // body of the dynamics that takes the wrench; -1: it stands on the ground
  matrix: number[]; // 6 x 6, from a wrench (n; f) in the body's frame at its origin
  mass: number; // kg that a hand feels at the centre of mass; 0: it cannot move
  com: number[];
}

/** armillary.living/2, as src/armillary/viewer/living_data.py writes it. */
export interface LivingData {
  format: string;
  wasm: string;
  kernels: Record<string, [string, number][]>;
  results: Record<string, number>;
  sizes: { q: number; v: number; z: number };
  step: number;
  method: { a: number[][]; b: number[]; c: number[]; semi: boolean };
  policy: { corrections: number; small: number; lost: number; slow: number };
  start: { q: number[]; v: number[]; z: number[] };
  sliders: Slider[];
  periods: number[]; // of sampled blocks, in steps
  loads: number[]; // wrenches that always act, 6 for each body of the dynamics
  limits: Limit[];
  events: Watched[];
  labels: string[];
  units: string[];
  pulls: Pull[];
  checks: {
    start: { q: number[]; v: number[]; z: number[] };
    steps: { steps: number; q: number[]; v: number[] }[];
    poses: number[];
    wrench?: { body: number; wrench: number[]; v: number[]; a: number[] };
  };
}

export const LIVING = "armillary.living/2";
const LONGEST = 4; // steps over a place where one step cannot be taken
const CLOSE = 1e-9; // to the library's numbers, of their size

const FASTEST = 1000; // rad or m in one step
const WILD = "the motion grows beyond all bounds. Smaller gains or a shorter step (step=...) may help";
const SINGULAR =
  "from here no step could be taken, for the constraints lose their hold in a singular position. run.animate shows a run beyond it";
const OPEN = "the constraints could not be closed after this step";
const BRAKED = "the constraints took velocity away in one step: the mechanism locks or is braked";

type Kernel = (...addresses: number[]) => void; // of the inputs, then of the results

/** Kernels by role.  Each is called at a place of its own in this file: engines then go straight
 *  into WebAssembly, where one place for all of them costs as much as a small kernel. */
interface Kernels {
  dynamics: Kernel;
  regularised_dynamics?: Kernel;
  poses: Kernel;
  control?: Kernel;
  input?: Kernel;
  motion?: Kernel;
  sample?: Kernel;
  events?: Kernel;
  integrate?: Kernel;
  advance?: Kernel;
  rate?: Kernel;
  carried?: Kernel;
  to_center?: Kernel;
  from_center?: Kernel;
  center_rate?: Kernel;
  position?: Kernel;
  regularised_position?: Kernel;
  velocity?: Kernel;
  regularised_velocity?: Kernel;
}

/** q, v and z (or y, s and z) one behind the other: addresses in the memory, bytes. */
interface Block {
  q: number;
  v: number;
  z: number;
}

export class Engine implements Stepping {
  t = 0;
  notes: string[] = []; // what happened in the last step
  regularised = 0; // calls of the second solver since the start
  longer = 0; // steps that had to be longer
  readonly poses: Float64Array; // rotations, row by row, of all bodies; then their origins
  readonly target: Float64Array;
  readonly external: Float64Array; // wrenches, 6 for each body of the dynamics
  private readonly x: Float64Array; // the memory
  private readonly f: Kernels;
  private readonly actions: Kernel[]; // of events
  private readonly n: LivingData["sizes"];
  private readonly rows: number; // that may move
  private free = 0;
  private begun = 0; // time and steps since it changed last
  private taken = 0;
  private whole = 0; // steps in all, for the samples
  private partly = false; // within a step, after an event
  private braked = false; // the correction of the velocity was large
  private readonly events: Events | null;
  private readonly columns: Float64Array[] = []; // of the mobility, for limits
  private readonly now: Block;
  private readonly moving: Block;
  private readonly stage: Block;
  private readonly stageMoving: Block;
  private readonly next: Block;
  private readonly scratch: Block;
  private readonly saved: Block; // before a step
  private readonly rates: { q: number[]; v: number[]; z: number[] };
  private readonly at: Record<"theta" | "zero" | "time" | "middle" | "tau" | "input" | "control" | "offset" | "target" | "external" | "poses" | "change" | "due" | "kick" | "calm" | "g" | "motion", number>;

  constructor(
    readonly data: LivingData,
    instance: WebAssembly.Instance,
  ) {
    const exports = instance.exports as Record<string, unknown>;
    this.x = new Float64Array((exports.memory as WebAssembly.Memory).buffer);
    this.f = exports as unknown as Kernels;
    this.actions = data.events.map((_, k) => exports[`action${k}`] as Kernel);
    const { sizes } = data;
    this.n = sizes;
    const external = data.kernels.dynamics.find(([name]) => name === "external")?.[1] ?? 0;
    const moved = (data.results.motion ?? 0) / 3; // constraint rows, where some move
    this.rows = moved;
    this.now = this.block();
    this.next = this.block();
    this.stage = this.block();
    this.scratch = this.block();
    this.saved = this.block();
    const apart = this.f.carried; // steps are made with y and s
    this.moving = apart ? this.block() : this.now;
    this.stageMoving = apart ? this.block() : this.stage;
    const rows = (size: number) => data.method.b.map(() => this.take(size));
    this.rates = { q: rows(sizes.v), v: rows(sizes.v), z: rows(sizes.z) };
    this.at = {
      theta: this.take(sizes.v),
      zero: this.take(sizes.v),
      time: this.take(1),
      middle: this.take(1), // of a step: tables over time are read on the piece it lies in
      input: this.take(sizes.v),
      tau: this.take(sizes.v),
      control: this.take(sizes.v + sizes.z),
      offset: this.take(2 * sizes.v),
      change: this.take(sizes.v),
      target: this.take(data.sliders.filter((s) => s.kind !== "force").length),
      due: this.take(data.periods.length),
      kick: this.take(2 * sizes.v),
      calm: this.take(external + moved),
      g: this.take(data.events.length),
      motion: this.take(3 * moved),
      external: this.take(external),
      poses: this.take(data.results.poses),
    };
    this.target = this.part(this.at.target, data.sliders.filter((s) => s.kind !== "force").length);
    this.external = this.part(this.at.external, external);
    this.poses = this.part(this.at.poses, data.results.poses);
    for (const slider of data.sliders) this.set(slider, slider.value);
    for (let k = 0; k < sizes.v; k++) this.columns.push(new Float64Array(sizes.v));
    this.events = data.limits.length || data.events.length ? new Events(this, data.limits, data.events) : null;
    this.reset();
  }

  static async load(data: LivingData): Promise<Engine> {
    if (data.format !== LIVING) throw new Error(`expected ${LIVING}, found ${String(data.format).slice(0, 40)}`);
    const bytes = await gunzip(data.wasm);
    const made = await WebAssembly.instantiate(bytes as BufferSource, { Math: Math as unknown as WebAssembly.ModuleImports });
    return new Engine(data, (made as unknown as WebAssembly.WebAssemblyInstantiatedSource).instance);
  }

  private take(size: number): number {
    const first = this.free;
    this.free += 8 * size;
    if (this.free > 8 * this.x.length) throw new Error("the module has too little memory");
    return first;
  }

  private block(): Block {
    const { q, v, z } = this.n;
    const first = this.take(q + v + z);
    return { q: first, v: first + 8 * q, z: first + 8 * (q + v) };
  }

  private get(place: number): number {
    return this.x[place >> 3];
  }

  private put(place: number, value: number): void {
    this.x[place >> 3] = value;
  }

  private part(first: number, size: number): Float64Array {
    return this.x.subarray(first / 8, first / 8 + size);
  }

  get q(): Float64Array {
    return this.part(this.now.q, this.n.q);
  }

  get v(): Float64Array {
    return this.part(this.now.v, this.n.v);
  }

  /** Move a target, a voltage or a joint force. */
  set(slider: Slider, value: number): void {
    this.put((slider.kind === "force" ? this.at.tau : this.at.target) + 8 * slider.at, value);
  }

  /** Only the loads that always act. */
  release(): void {
    this.external.fill(0);
    this.external.set(this.data.loads);
  }

  /** To the start; targets stay. */
  reset(start = this.data.start): void {
    const { q, v, z } = start;
    this.x.set([...q, ...v, ...z], this.now.q / 8);
    this.release();
    this.events?.reset();
    this.whole = 0;
    this.partly = false;
    this.t = this.begun = 0;
    this.taken = this.regularised = this.longer = 0;
    this.notes = [];
    this.sample(0, 0);
    this.look();
  }

  /** Poses of all bodies now. */
  look(): void {
    this.f.poses(this.now.q, this.at.poses);
  }

  /** A wrench (n; f) in the frame of a body, at its origin. */
  pull(body: number, wrench: ArrayLike<number>): void {
    const { kernel, matrix } = this.data.pulls[body];
    if (kernel < 0) return;
    for (let i = 0; i < 6; i++) {
      let sum = 0;
      for (let j = 0; j < 6; j++) sum += matrix[6 * i + j] * wrench[j];
      this.external[6 * kernel + i] += sum;
    }
  }

  /** One step; where no solver answers a longer one; else a sentence that says where it ended. */
  advance(): string {
    const h = this.data.step;
    const { q, v, z } = this.n;
    const size = q + v + z;
    const start = this.t;
    let why = "";
    this.notes = [];
    this.copy(this.saved.q, this.now.q, size);
    for (let k = 1; k <= LONGEST; k++) {
      if (this.events) why = this.events.through(k * h);
      else {
        why = this.trial(k * h);
        if (!why) this.accept(k * h);
      }
      this.partly = false;
      if (why) {
        this.copy(this.now.q, this.saved.q, size);
        this.t = start;
        continue;
      }
      if (this.events?.ended) return this.events.ended;
      if (k === 1) this.taken += 1;
      else {
        this.begun = start + k * h;
        this.taken = 0;
        this.longer += 1;
      }
      this.t = this.begun + this.taken * h;
      this.sample(this.whole, this.whole + k);
      this.whole += k;
      return "";
    }
    return `Stopped at t = ${this.t.toFixed(3)} s: ${why}.`;
  }

  /** Blocks whose period is over look at the state. */
  private sample(before: number, after: number): void {
    const { now, at } = this;
    if (!this.f.sample) return;
    let any = false;
    this.data.periods.forEach((period, k) => {
      const due = after === 0 || Math.floor(after / period) > Math.floor(before / period);
      this.put(at.due + 8 * k, due ? 1 : 0);
      any ||= due;
    });
    if (!any) return;
    this.put(at.time, this.t);
    this.f.sample(now.q, now.v, now.z, at.time, at.due, at.target, this.stage.z);
    this.copy(now.z, this.stage.z, this.n.z);
  }

  // -- what the events see ---------------------------------------------------------------------

  qBefore(i: number): number {
    return this.get(this.now.q + 8 * i);
  }

  vBefore(k: number): number {
    return this.get(this.now.v + 8 * k);
  }

  qAfter(i: number): number {
    return this.get(this.next.q + 8 * i);
  }

  vAfter(k: number): number {
    return this.get(this.next.v + 8 * k);
  }

  accept(h: number): void {
    const { q, v, z } = this.n;
    this.copy(this.now.q, this.next.q, q + v + z);
    this.t += h;
    this.partly = true;
    if (this.braked) this.tell(BRAKED);
  }

  values(after: boolean, h: number): Float64Array {
    const state = after ? this.next : this.now;
    this.put(this.at.time, this.t + h);
    this.f.events?.(state.q, state.v, this.at.time, this.at.g);
    return this.part(this.at.g, this.data.events.length);
  }

  mobility(k: number): Float64Array | null {
    return this.mobilityAt(this.now.q, k);
  }

  /** Accelerations are linear in the joint forces: differences of them, at rest, are exact. */
  private mobilityAt(q: number, k: number): Float64Array | null {
    const { zero, kick, calm, change } = this.at;
    const free = kick + 8 * this.n.v;
    this.part(kick, this.n.v).fill(0);
    if (!this.dynamics(q, zero, zero, calm, calm, free)) return null;
    this.put(kick + 8 * k, 1);
    if (!this.dynamics(q, zero, kick, calm, calm, change)) return null;
    const column = this.columns[k];
    for (let j = 0; j < this.n.v; j++) column[j] = this.get(change + 8 * j) - this.get(free + 8 * j);
    return column;
  }

  addVelocity(direction: Float64Array, size: number): void {
    const { v } = this;
    for (let k = 0; k < this.n.v; k++) v[k] += size * direction[k];
  }

  setVelocity(k: number, value: number): void {
    this.put(this.now.v + 8 * k, value);
  }

  act(event: number): void {
    this.put(this.at.time, this.t);
    this.actions[event](this.now.q, this.now.v, this.at.time, this.next.q);
    this.copy(this.now.q, this.next.q, this.n.q + this.n.v);
  }

  tell(text: string): void {
    this.notes.push(text);
  }

  // -- one step --------------------------------------------------------------------------------

  private copy(out: number, source: number, size: number): void {
    const { x } = this;
    const [to, from] = [out >> 3, source >> 3];
    for (let k = 0; k < size; k++) x[to + k] = x[from + k];
  }

  /** out = start + h Σ weights[j] rates[j], summed from the left */
  private combine(out: number, start: number, rates: number[], weights: number[], size: number, h: number): void {
    const { x } = this;
    const to = out >> 3;
    let sum = start >> 3;
    for (let j = 0; j < weights.length; j++) {
      const weight = weights[j] * h;
      if (weight === 0) continue;
      const from = rates[j] >> 3;
      for (let k = 0; k < size; k++) x[to + k] = x[sum + k] + weight * x[from + k];
      sum = to;
    }
    if (sum !== to) this.copy(out, start, size);
  }

  private move(out: number, rates: number[], weights: number[], h: number): void {
    const { theta, zero } = this.at;
    if (this.f.advance) {
      this.combine(theta, zero, rates, weights, this.n.v, h);
      this.f.advance(this.moving.q, theta, out);
    } else {
      this.combine(out, this.moving.q, rates, weights, this.n.q, h);
    }
  }

  /** Places and velocities of bodies to those of centres of mass, where steps are made with them. */
  private toCenter(q: number, v: number, out: Block): void {
    if (!this.f.carried) return;
    const { offset } = this.at;
    this.f.carried(q, v, offset);
    this.f.to_center?.(q, v, offset, offset + 8 * this.n.v, out.q);
  }

  /** And back. */
  private fromCenter(q: number, v: number, out: Block): void {
    if (!this.f.carried) return;
    const { offset } = this.at;
    this.f.carried(q, v, offset);
    this.f.from_center?.(q, v, offset, offset + 8 * this.n.v, out.q);
  }

  private finite(place: number, size: number): boolean {
    const { x } = this;
    const first = place >> 3;
    for (let k = first; k < first + size; k++) if (!Number.isFinite(x[k])) return false;
    return true;
  }

  /** Accelerations by the first solver that answers: NaN is its word for a state it has not solved
   *  (algorithms/closed/residual.py).  motion is read only where rows move.  False: none did. */
  private dynamics(q: number, v: number, tau: number, external: number, motion: number, out: number): boolean {
    const { f, n, rows } = this;
    if (rows) f.dynamics(q, v, tau, external, motion, out);
    else f.dynamics(q, v, tau, external, out);
    if (this.finite(out, n.v)) return true;
    if (!f.regularised_dynamics) return false;
    this.regularised += 1;
    if (rows) f.regularised_dynamics(q, v, tau, external, motion, out);
    else f.regularised_dynamics(q, v, tau, external, out);
    return this.finite(out, n.v);
  }

  /** What brings v onto the constraints, in the same way. */
  private velocity(q: number, v: number, out: number): boolean {
    const { f, n, rows } = this;
    const rates = this.at.motion + 8 * rows;
    if (rows) f.velocity?.(q, v, rates, out);
    else f.velocity?.(q, v, out);
    if (this.finite(out, n.v)) return true;
    if (!f.regularised_velocity) return false;
    this.regularised += 1;
    if (rows) f.regularised_velocity(q, v, rates, out);
    else f.regularised_velocity(q, v, out);
    return this.finite(out, n.v);
  }

  private largest(place: number): number {
    const { x } = this;
    const first = place >> 3;
    let most = 0;
    for (let k = first; k < first + this.n.v; k++) {
      const size = Math.abs(x[k]);
      if (!(size <= most)) most = size; // not a number counts as large
    }
    return most;
  }

  /** The state after h, from now; or the words that say why there is none. */
  trial(h: number): string {
    const { q, v, z } = this.n;
    this.braked = false;
    const why = this.stages(h);
    if (why) return why;
    this.arrive(h);
    if (!this.finite(this.next.q, q + v + z) || this.largest(this.next.v) * h > FASTEST) return WILD;
    if (this.rows) {
      this.setTime(h, 1);
      this.f.motion?.(this.at.time, this.at.motion);
    }
    return this.correct();
  }

  /** The instant of a part of a step of h. */
  private setTime(h: number, part: number): void {
    const even = h === this.data.step && !this.partly;
    this.put(this.at.time, even ? this.begun + (this.taken + part) * h : this.t + part * h);
  }

  /** Accelerations and rates of every stage; else why there are none. */
  private stages(h: number): string {
    const { at, f, now, moving, stage, stageMoving, rates, n } = this;
    const { a, c, b, semi } = this.data.method;
    this.toCenter(now.q, now.v, moving);
    this.setTime(h, 0.5);
    this.put(at.middle, this.get(at.time));
    for (let i = 0; i < b.length; i++) {
      if (i) {
        this.combine(stageMoving.v, moving.v, rates.v, a[i], n.v, h);
        this.combine(stage.z, now.z, rates.z, a[i], n.z, h);
        this.move(stageMoving.q, rates.q, a[i], h);
        this.fromCenter(stageMoving.q, stageMoving.v, stage);
      }
      const state = i ? stage : now;
      this.setTime(h, c[i]);
      const given = this.given();
      let force = given;
      if (f.control) {
        force = at.control;
        f.control(state.q, state.v, state.z, at.time, given, at.target, force);
        this.copy(rates.z[i], force + 8 * n.v, n.z);
      }
      const change = f.carried ? at.change : rates.v[i];
      if (this.rows) f.motion?.(at.time, at.motion);
      if (!this.dynamics(state.q, state.v, force, at.external, at.motion + 16 * this.rows, change)) {
        const known = this.finite(state.q, n.q + n.v) && this.finite(force, n.v);
        return known && f.velocity ? SINGULAR : WILD;
      }
      const held = this.events?.resting;
      if (held?.size && !this.hold(held, state.q, change)) return SINGULAR;
      if (f.carried) f.center_rate?.(state.q, state.v, change, rates.v[i]);
      if (semi) continue;
      const speed = i ? stageMoving.v : moving.v;
      if (f.rate) f.rate(speed, i ? at.theta : at.zero, rates.q[i]);
      else this.copy(rates.q[i], speed, n.v);
    }
    return "";
  }

  /** Joint forces from outside: those of sliders, and those that change with time. */
  private given(): number {
    const { tau, input, time, middle } = this.at;
    if (!this.f.input) return tau;
    this.f.input(time, middle, input);
    this.combine(input, input, [tau], [1], this.n.v, 1);
    return input;
  }

  /** Limits push entries of v back that rest there. */
  private hold(held: Map<number, number>, q: number, a: number): boolean {
    const own = this.part(a, this.n.v).slice();
    const columns: Float64Array[] = [];
    for (const k of held.keys()) {
      const column = this.mobilityAt(q, k);
      if (!column) return false;
      columns.push(column);
    }
    heldBack(own, held, columns);
    this.x.set(own, a / 8);
    return true;
  }

  /** The new state from the rates of the stages. */
  private arrive(h: number): void {
    const { now, moving, stageMoving, next, rates, n } = this;
    const { b, semi } = this.data.method;
    const to = this.f.carried ? stageMoving : next;
    this.combine(to.v, moving.v, rates.v, b, n.v, h);
    this.combine(next.z, now.z, rates.z, b, n.z, h);
    if (semi) this.move(to.q, [to.v], [1], h);
    else this.move(to.q, rates.q, b, h);
    this.fromCenter(to.q, to.v, next);
  }

  /** Position, then velocity, back onto the constraints; else why not. */
  private correct(): string {
    const { f, next, n, scratch } = this;
    const { lost, slow } = this.data.policy;
    const step = this.rates.v[0];
    if (f.position) {
      if (!this.close(f.position) && !(f.regularised_position && this.close(f.regularised_position))) return OPEN;
      if (f.carried) {
        this.fromCenter(next.q, this.stageMoving.v, scratch);
        this.copy(next.v, scratch.v, n.v);
      }
    }
    if (f.velocity) {
      if (!this.velocity(next.q, next.v, step)) return SINGULAR;
      if (this.largest(step) > lost * this.largest(next.v) + slow) this.braked = true;
      this.combine(next.v, next.v, [step], [1], n.v, 1);
    }
    return "";
  }

  /** Newton's steps of one solver, until they are small. */
  private close(position: Kernel): boolean {
    const { f, next, stage, n } = this;
    const { corrections, small } = this.data.policy;
    const step = this.rates.v[0];
    for (let turn = 0; turn < corrections; turn++) {
      if (this.rows) position(next.q, this.at.motion, step);
      else position(next.q, step);
      if (!this.finite(step, n.v)) return false;
      if (f.integrate) f.integrate(next.q, step, stage.q);
      else this.combine(stage.q, next.q, [step], [1], n.q, 1);
      this.copy(next.q, stage.q, n.q);
      if (this.largest(step) < small) return true;
    }
    return false;
  }

  /** Whether this engine gives the numbers of the library: "" or what differs. */
  check(): string {
    const { checks } = this.data;
    const far = (found: ArrayLike<number>, wanted: number[]) => {
      const size = wanted.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
      return wanted.some((x, k) => !(Math.abs(found[k] - x) <= CLOSE * size));
    };
    this.reset(checks.start);
    let done = 0;
    for (const { steps, q, v } of checks.steps) {
      for (; done < steps; done++) {
        const fault = this.advance();
        if (fault) return fault;
      }
      if (far(this.q, q) || far(this.v, v)) return `the state after ${steps} steps is another one`;
    }
    this.look();
    if (far(this.poses, checks.poses)) return "the poses are other ones";
    if (checks.wrench) {
      this.external.fill(0);
      this.v.set(checks.wrench.v);
      this.pull(checks.wrench.body, checks.wrench.wrench);
      this.dynamics(this.now.q, this.now.v, this.at.zero, this.at.external, this.at.calm, this.at.change);
      if (far(this.part(this.at.change, this.n.v), checks.wrench.a)) return "a wrench does something else";
    }
    this.reset();
    return "";
  }
}
