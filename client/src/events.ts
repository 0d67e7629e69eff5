// Limits of joints and other events within a step: which come first, when, and what they do.  The
// same as src/armillary/sim/loop/locating.py and events.py over one run.

export interface Limit {
  label: string;
  i: number; // entry of q
  k: number; // entry of v
  place: number;
  side: number; // side (q - place) >= 0
  unit: string;
  restitution: number;
  rest: number; // slower bounces end in rest
}

export interface Watched {
  name: string;
  direction: number;
  terminal: boolean;
  acts: boolean;
}

/** A run as the events see it: `before` is where a step begins, `after` where it ends. */
export interface Stepping {
  /** The state after h, into `after`; why it could not be taken, or "". */
  trial(h: number): string;
  qBefore(i: number): number;
  vBefore(k: number): number;
  qAfter(i: number): number;
  vAfter(k: number): number;
  values(after: boolean, h: number): ArrayLike<number>; // of the events
  accept(h: number): void; // `after` becomes `before`
  /** Accelerations per force of entry k of v, at `before`; null: no answer. */
  mobility(k: number): Float64Array | null;
  addVelocity(direction: Float64Array, size: number): void; // to `before`
  setVelocity(k: number, value: number): void;
  act(event: number): void;
  tell(text: string): void;
  t: number; // of `before`
}

interface Crossing {
  limit: number; // or -1
  event: number; // or -1
  g0: number;
  g1: number;
}

const MOST = 200; // events in one step
const BOUNCES = 50;
const LIFTED = 1e-6; // rad/s or m/s
const SWEEPS = 200; // of the impulses of several limits
const EPS = 2.220446049250313e-16;

export class Events {
  resting = new Map<number, number>(); // entries of v held at a limit, with their side
  ended = "";
  private acted = new Map<number, number>(); // values of events when they acted

  constructor(
    private readonly run: Stepping,
    private readonly limits: Limit[],
    private readonly events: Watched[],
  ) {}

  reset(): void {
    this.resting.clear();
    this.acted.clear();
    this.ended = "";
  }

  /** From `before` over h, through everything that happens; why that failed, or "". */
  through(h: number): string {
    const { run } = this;
    let left = h;
    for (let count = 0; count < MOST; count++) {
      const why = run.trial(left);
      if (why) return why;
      const found = this.crossings(left);
      if (!found.length) {
        run.accept(left);
        for (const [k, side] of this.resting) if (side * run.vBefore(k) > LIFTED) this.resting.delete(k);
        return "";
      }
      const first = this.earliest(left, found);
      if (typeof first === "string") return first;
      const { at, crossing } = first;
      const still = first.still || (count > BOUNCES && crossing.limit >= 0);
      if (at > 0) {
        const again = run.trial(at);
        if (again) return again;
        run.accept(at);
      }
      const together = this.others(found, crossing);
      const fault = this.act(crossing, still);
      if (fault) return fault;
      for (const other of together) {
        const also = this.act(other, false);
        if (also) return also;
      }
      if (this.ended) return "";
      left -= at;
      if (left <= 1e-14 * Math.max(1, Math.abs(run.t))) return "";
    }
    return `more than ${MOST} events in one step`;
  }

  private limitValue(limit: Limit, after: boolean): number {
    return limit.side * ((after ? this.run.qAfter(limit.i) : this.run.qBefore(limit.i)) - limit.place);
  }

  private crossings(h: number): Crossing[] {
    const { run } = this;
    const found: Crossing[] = [];
    this.limits.forEach((limit, number) => {
      if (this.resting.has(limit.k)) return;
      const g1 = this.limitValue(limit, true);
      if (g1 < 0 && limit.side * run.vAfter(limit.k) < 0) found.push({ limit: number, event: -1, g0: this.limitValue(limit, false), g1 });
    });
    if (!this.events.length) return found;
    const before = Array.from(run.values(false, 0));
    const after = run.values(true, h);
    this.events.forEach((event, number) => {
      const g0 = before[number] === this.acted.get(number) ? 0 : before[number];
      if (crossed(event, g0, after[number])) found.push({ limit: -1, event: number, g0, g1: after[number] });
    });
    return found;
  }

  /** Events of the same instant: they would not be seen again after it. */
  private others(found: Crossing[], first: Crossing): Crossing[] {
    const now = this.events.length ? this.run.values(false, 0) : [];
    return found.filter((x) => x !== first && x.event >= 0 && crossed(this.events[x.event], x.g0, now[x.event]));
  }

  /** When, what, and whether it is at rest there already. */
  private earliest(h: number, found: Crossing[]): { at: number; crossing: Crossing; still: boolean } | string {
    let best = { at: Infinity, crossing: found[0], still: false };
    for (const crossing of found) {
      let begin = 0;
      let { g0 } = crossing;
      if (crossing.limit >= 0 && g0 <= 0) {
        const left = this.flight(this.limits[crossing.limit], h); // it was there: did it leave?
        if (typeof left === "string") return left;
        [begin, g0] = left;
        if (g0 <= 0) return { at: 0, crossing, still: true };
      }
      const at = this.root(crossing, begin, h, g0, crossing.g1);
      if (typeof at === "string") return at;
      if (at < best.at) best = { at, crossing, still: false };
    }
    return best;
  }

  /** A time after which a coordinate that left its limit is off it, and how far. */
  private flight(limit: Limit, h: number): [number, number] | string {
    let g = 0;
    if (limit.side * this.run.vBefore(limit.k) > limit.rest) {
      for (let turn = 0; turn < 40 && !(g > 0); turn++) {
        h *= 0.5;
        const why = this.run.trial(h);
        if (why) return why;
        g = this.limitValue(limit, true);
      }
    }
    return [h, g];
  }

  /** The end of the bracket just after the sign change (Illinois). */
  private root(crossing: Crossing, low: number, high: number, g0: number, g1: number): number | string {
    const { run } = this;
    const tiny = 4 * EPS * Math.max(Math.abs(run.t), Math.abs(run.t + high), high);
    let side = 0;
    let nudged = false;
    for (let turn = 0; turn < 100 && high - low > tiny && g1 !== 0; turn++) {
      let middle = high - (g1 * (high - low)) / (g1 - g0);
      const inside = low + 0.25 * tiny < middle && middle < high - 0.25 * tiny;
      if (!inside && !nudged) middle = 2 * middle > low + high ? high - 0.5 * tiny : low + 0.5 * tiny;
      else if (!inside) middle = 0.5 * (low + high);
      nudged = !(inside || nudged);
      const why = run.trial(middle);
      if (why) return why;
      const g = crossing.limit >= 0 ? this.limitValue(this.limits[crossing.limit], true) : run.values(true, middle)[crossing.event];
      if (g > 0 === g1 > 0 || g === 0) {
        high = middle;
        g1 = g;
        if (side === 1) g0 *= 0.5;
        side = 1;
      } else {
        low = middle;
        g0 = g;
        if (side === -1) g1 *= 0.5;
        side = -1;
      }
    }
    return high;
  }

  private act(crossing: Crossing, still: boolean): string {
    const { run } = this;
    if (crossing.event >= 0) {
      const event = this.events[crossing.event];
      this.acted.set(crossing.event, run.values(false, 0)[crossing.event]);
      if (event.acts) run.act(crossing.event);
      run.tell(event.name);
      if (event.terminal) this.ended = `Ended by '${event.name}' at t = ${run.t.toFixed(3)} s.`;
      return "";
    }
    const limit = this.limits[crossing.limit];
    const speed = run.vBefore(limit.k);
    const resting = still || limit.restitution * Math.abs(speed) < limit.rest;
    const where = `at its ${limit.side > 0 ? "lower" : "upper"} limit`;
    if (!this.impact(limit.k, resting ? 0 : -limit.restitution * speed)) return `'${limit.label}' cannot be stopped ${where}`;
    if (resting) {
      run.setVelocity(limit.k, 0);
      this.resting.set(limit.k, limit.side);
    }
    run.tell(`'${limit.label}' ${resting ? "comes to rest" : "bounces"} ${where}`);
    return "";
  }

  /** Impulses that give entry k of v a velocity and keep those that rest at limits from passing
   *  them (projected Gauss-Seidel); whether that could be. */
  private impact(k: number, wanted: number): boolean {
    const { run } = this;
    const own = run.mobility(k);
    if (!own || !(own[k] > 0)) return false;
    const others: { j: number; side: number; column: Float64Array; push: number }[] = [];
    for (const [j, side] of this.resting) {
      const column = j === k ? null : run.mobility(j);
      if (column && column[j] > 0) others.push({ j, side, column, push: 0 });
    }
    for (let sweep = 0; sweep < (others.length ? SWEEPS : 1); sweep++) {
      run.addVelocity(own, (wanted - run.vBefore(k)) / own[k]);
      for (const other of others) {
        const { j, side, column } = other;
        const more = Math.max(0, other.push - (side * run.vBefore(j)) / column[j]) - other.push;
        other.push += more;
        run.addVelocity(column, side * more);
      }
    }
    for (const { j, side } of others) run.setVelocity(j, side * Math.max(0, side * run.vBefore(j)));
    return true;
  }
}

function crossed(event: Watched, g0: number, g1: number): boolean {
  const up = g0 < 0 && g1 >= 0;
  const down = g0 > 0 && g1 <= 0;
  return (up && event.direction >= 0) || (down && event.direction <= 0);
}

/** Entries at rest on a limit are pushed back as far as needed: min ½ λ Y λ + a λ, λ ≥ 0. */
export function heldBack(a: Float64Array, held: Map<number, number>, columns: Float64Array[]): void {
  const entries = [...held];
  const push = entries.map(() => 0);
  const b = entries.map(([k, side]) => side * a[k]);
  const A = entries.map(([k, side]) => entries.map(([, other], j) => side * other * columns[j][k]));
  const turns = entries.length === 1 ? 1 : 100; // projected Gauss-Seidel
  for (let turn = 0; turn < turns; turn++) {
    for (let i = 0; i < push.length; i++) {
      let sum = b[i];
      for (let j = 0; j < push.length; j++) sum += A[i][j] * push[j];
      push[i] = Math.max(0, push[i] - sum / A[i][i]);
    }
  }
  entries.forEach(([, side], j) => {
    for (let k = 0; k < a.length; k++) a[k] += columns[j][k] * side * push[j];
  });
}
