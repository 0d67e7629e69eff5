// A mechanism that moves: the loop of src/armillary/runtime/time_loop.py over one state, around
// kernels of WebAssembly.  It knows no page, so it runs in every engine of JavaScript.

import { gunzip } from "./data";

export interface Slider {
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

/** armillary.living/1, as src/armillary/viewer/living_data.py writes it. */
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
  targets: Slider[];
  labels: string[];
  units: string[];
  pulls: Pull[];
  checks: {
    steps: { steps: number; q: number[]; v: number[] }[];
    poses: number[];
    wrench?: { body: number; wrench: number[]; a: number[] };
  };
}

export const LIVING = "armillary.living/1";
const LONGEST = 4; // steps over a place where one step cannot be taken
const CLOSE = 1e-9; // to the library's numbers, of their size

type Kernel = (...addresses: number[]) => void;

/** q, v and z (or y, s and z) one behind the other: places in the memory, in numbers. */
interface Block {
  q: number;
  v: number;
  z: number;
}

export class Engine {
  t = 0;
  readonly poses: Float64Array; // rotations, row by row, of all bodies; then their origins
  readonly target: Float64Array;
  readonly external: Float64Array; // wrenches, 6 for each body of the dynamics
  private readonly x: Float64Array; // the memory
  private readonly calls = new Map<string, Kernel>();
  private readonly n: LivingData["sizes"];
  private free = 0;
  private begun = 0; // time and steps since it changed last
  private taken = 0;
  private readonly now: Block;
  private readonly moving: Block;
  private readonly stage: Block;
  private readonly stageMoving: Block;
  private readonly next: Block;
  private readonly scratch: Block;
  private readonly rates: { q: number[]; v: number[]; z: number[] };
  private readonly at: Record<"theta" | "zero" | "time" | "tau" | "control" | "offset" | "target" | "external" | "poses" | "change", number>;

  constructor(
    readonly data: LivingData,
    instance: WebAssembly.Instance,
  ) {
    const exports = instance.exports as Record<string, unknown>;
    this.x = new Float64Array((exports.memory as WebAssembly.Memory).buffer);
    for (const role of Object.keys(data.kernels)) this.calls.set(role, exports[role] as Kernel);
    const { sizes } = data;
    this.n = sizes;
    const external = data.kernels.dynamics.find(([name]) => name === "external")?.[1] ?? 0;
    this.now = this.block();
    this.next = this.block();
    this.stage = this.block();
    this.scratch = this.block();
    const apart = this.calls.has("carried"); // steps are made with y and s
    this.moving = apart ? this.block() : this.now;
    this.stageMoving = apart ? this.block() : this.stage;
    const rows = (size: number) => data.method.b.map(() => this.take(size));
    this.rates = { q: rows(sizes.v), v: rows(sizes.v), z: rows(sizes.z) };
    this.at = {
      theta: this.take(sizes.v),
      zero: this.take(sizes.v),
      time: this.take(1),
      tau: this.take(sizes.v),
      control: this.take(sizes.v + sizes.z),
      offset: this.take(2 * sizes.v),
      change: this.take(sizes.v),
      target: this.take(data.targets.length),
      external: this.take(external),
      poses: this.take(data.results.poses),
    };
    this.target = this.part(this.at.target, data.targets.length);
    this.external = this.part(this.at.external, external);
    this.poses = this.part(this.at.poses, data.results.poses);
    data.targets.forEach((slider, k) => (this.target[k] = slider.value));
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
    this.free += size;
    if (this.free > this.x.length) throw new Error("the module has too little memory");
    return first;
  }

  private block(): Block {
    const { q, v, z } = this.n;
    const first = this.take(q + v + z);
    return { q: first, v: first + q, z: first + q + v };
  }

  private part(first: number, size: number): Float64Array {
    return this.x.subarray(first, first + size);
  }

  get q(): Float64Array {
    return this.part(this.now.q, this.n.q);
  }

  get v(): Float64Array {
    return this.part(this.now.v, this.n.v);
  }

  /** To the start; targets stay. */
  reset(): void {
    const { q, v, z } = this.data.start;
    this.x.set([...q, ...v, ...z], this.now.q);
    this.external.fill(0);
    this.t = this.begun = 0;
    this.taken = 0;
    this.look();
  }

  /** Poses of all bodies now. */
  look(): void {
    this.call("poses", [this.now.q], this.at.poses);
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

  /** One step; where it cannot be taken a longer one; else a sentence that says where it ended. */
  advance(): string {
    const h = this.data.step;
    for (let k = 1; k <= LONGEST; k++) {
      if (!this.step(k * h)) continue;
      if (k === 1) this.taken += 1;
      else {
        this.begun = this.t + k * h;
        this.taken = 0;
      }
      this.t = this.begun + this.taken * h;
      return "";
    }
    return `Stopped at t = ${this.t.toFixed(3)} s: from here no step could be taken, for the constraints lose their hold or the motion grows beyond all bounds.`;
  }

  private call(role: string, inputs: number[], out: number): void {
    const f = this.calls.get(role) as Kernel;
    const [a, b, c, d, e] = inputs; // by hand: spreading arrays takes longer than a small kernel
    switch (inputs.length) {
      case 1:
        return f(8 * a, 8 * out);
      case 2:
        return f(8 * a, 8 * b, 8 * out);
      case 3:
        return f(8 * a, 8 * b, 8 * c, 8 * out);
      case 4:
        return f(8 * a, 8 * b, 8 * c, 8 * d, 8 * out);
      default:
        return f(8 * a, 8 * b, 8 * c, 8 * d, 8 * e, 8 * inputs[5], 8 * out);
    }
  }

  private has(role: string): boolean {
    return this.calls.has(role);
  }

  private copy(out: number, source: number, size: number): void {
    this.x.copyWithin(out, source, source + size);
  }

  /** out = start + h Σ weights[j] rates[j] */
  private combine(out: number, start: number, rates: number[], weights: number[], size: number, h: number): void {
    const { x } = this;
    for (let k = 0; k < size; k++) x[out + k] = x[start + k];
    for (let j = 0; j < weights.length; j++) {
      const weight = weights[j] * h;
      if (weight === 0) continue;
      const from = rates[j];
      for (let k = 0; k < size; k++) x[out + k] += weight * x[from + k];
    }
  }

  private move(out: number, rates: number[], weights: number[], h: number): void {
    if (this.has("advance")) {
      this.combine(this.at.theta, this.at.zero, rates, weights, this.n.v, h);
      this.call("advance", [this.moving.q, this.at.theta], out);
    } else {
      this.combine(out, this.moving.q, rates, weights, this.n.q, h);
    }
  }

  /** Places and velocities from one form to the other, where they are not the same. */
  private center(way: string, q: number, v: number, toQ: number, toV: number): void {
    if (!this.has("carried")) return;
    const { offset } = this.at;
    this.call("carried", [q, v], offset);
    this.call(way, [q, v, offset, offset + this.n.v], this.scratch.q);
    this.copy(toQ, this.scratch.q, this.n.q);
    this.copy(toV, this.scratch.v, this.n.v);
  }

  private largest(first: number): number {
    let most = 0;
    for (let k = first; k < first + this.n.v; k++) {
      const size = Math.abs(this.x[k]);
      if (!(size <= most)) most = size; // not a number counts as large
    }
    return most;
  }

  /** Whether a step of h could be taken; the state moves on then. */
  private step(h: number): boolean {
    this.stages(h);
    this.arrive(h);
    const rest = this.correct();
    const { q, v, z } = this.n;
    const size = q + v + z;
    for (let k = this.next.q; k < this.next.q + size; k++) if (!Number.isFinite(this.x[k])) return false;
    if (!(rest < this.data.policy.small)) return false;
    this.copy(this.now.q, this.next.q, size);
    return true;
  }

  /** Accelerations and rates of every stage. */
  private stages(h: number): void {
    const { now, moving, stage, stageMoving, rates, n } = this;
    const { a, c, b, semi } = this.data.method;
    this.center("to_center", now.q, now.v, moving.q, moving.v);
    for (let i = 0; i < b.length; i++) {
      if (i) {
        this.combine(stageMoving.v, moving.v, rates.v, a[i], n.v, h);
        this.combine(stage.z, now.z, rates.z, a[i], n.z, h);
        this.move(stageMoving.q, rates.q, a[i], h);
        this.center("from_center", stageMoving.q, stageMoving.v, stage.q, stage.v);
      }
      const state = i ? stage : now;
      let force = this.at.tau;
      if (this.has("control")) {
        force = this.at.control;
        this.x[this.at.time] = h === this.data.step ? this.begun + (this.taken + c[i]) * h : this.t + c[i] * h;
        this.call("control", [state.q, state.v, state.z, this.at.time, this.at.tau, this.at.target], force);
        this.copy(rates.z[i], force + n.v, n.z);
      }
      const change = this.has("carried") ? this.at.change : rates.v[i];
      this.call("dynamics", [state.q, state.v, force, this.at.external], change);
      if (this.has("carried")) this.call("center_rate", [state.q, state.v, change], rates.v[i]);
      if (semi) continue;
      const speed = i ? stageMoving.v : moving.v;
      if (this.has("rate")) this.call("rate", [speed, i ? this.at.theta : this.at.zero], rates.q[i]);
      else this.copy(rates.q[i], speed, n.v);
    }
  }

  /** The new state from the rates of the stages. */
  private arrive(h: number): void {
    const { now, moving, stageMoving, next, rates, n } = this;
    const { b, semi } = this.data.method;
    const to = this.has("carried") ? stageMoving : next;
    this.combine(to.v, moving.v, rates.v, b, n.v, h);
    this.combine(next.z, now.z, rates.z, b, n.z, h);
    if (semi) this.move(to.q, [to.v], [1], h);
    else this.move(to.q, rates.q, b, h);
    this.center("from_center", to.q, to.v, next.q, next.v);
  }

  /** Position, then velocity, back onto the constraints; gives the last correction. */
  private correct(): number {
    const { next, stage, n } = this;
    const { corrections, small, lost, slow } = this.data.policy;
    const step = this.rates.v[0];
    let rest = 0;
    if (this.has("position")) {
      for (let turn = 0; turn < corrections; turn++) {
        this.call("position", [next.q], step);
        if (this.has("integrate")) this.call("integrate", [next.q, step], stage.q);
        else this.combine(stage.q, next.q, [step], [1], n.q, 1);
        this.copy(next.q, stage.q, n.q);
        rest = this.largest(step);
        if (rest < small) break;
      }
      this.center("from_center", next.q, this.stageMoving.v, stage.q, next.v);
    }
    if (this.has("velocity")) {
      this.call("velocity", [next.q, next.v], step);
      if (!(this.largest(step) <= lost * this.largest(next.v) + slow)) rest = 1;
      this.combine(next.v, next.v, [step], [1], n.v, 1);
    }
    return rest;
  }

  /** Whether this engine gives the numbers of the library: "" or what differs. */
  check(): string {
    const { checks } = this.data;
    const far = (found: ArrayLike<number>, wanted: number[]) => {
      const size = wanted.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
      return wanted.some((x, k) => !(Math.abs(found[k] - x) <= CLOSE * size));
    };
    this.reset();
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
      this.pull(checks.wrench.body, checks.wrench.wrench);
      this.call("dynamics", [this.now.q, this.now.v, this.at.tau, this.at.external], this.at.change);
      if (far(this.part(this.at.change, this.n.v), checks.wrench.a)) return "a wrench does something else";
    }
    this.reset();
    return "";
  }
}
