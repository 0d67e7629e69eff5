// Matrices of all bodies at one time, from the columns of the scene.

import { Matrix4, Quaternion, Vector3 } from "three";
import { locate, type Loaded } from "./data";

export class Poses {
  readonly matrices: Matrix4[];
  private readonly p = new Vector3();
  private readonly q = new Quaternion();
  private readonly one = new Vector3(1, 1, 1);
  private readonly world = new Matrix4();
  row = 0;
  share = 0;

  constructor(private readonly data: Loaded) {
    this.matrices = data.scene.bodies.map(() => new Matrix4());
    this.set(data.time[0] ?? 0);
  }

  /** Bodies between two instants: positions on the straight line, quaternions along the chord. */
  set(t: number): void {
    const { poses, time } = this.data;
    const [row, share] = locate(time, t);
    this.row = row;
    this.share = share;
    const next = Math.min(row + 1, time.length - 1);
    const rows = poses.rows;
    const values = poses.values;
    const mix = (column: number) => {
      const a = values[column * rows + row];
      return share ? a + share * (values[column * rows + next] - a) : a;
    };
    for (let k = 0; k < this.matrices.length; k++) {
      const c = 7 * k;
      this.p.set(mix(c), mix(c + 1), mix(c + 2));
      this.q.set(mix(c + 3), mix(c + 4), mix(c + 5), mix(c + 6)).normalize();
      this.matrices[k].compose(this.p, this.q, this.one);
    }
  }

  of(body: number): Matrix4 {
    return body < 0 ? this.world : this.matrices[body];
  }

  /** A point of a body in the world. */
  point(body: number, at: readonly number[], into: Vector3): Vector3 {
    into.set(at[0], at[1], at[2]);
    return body < 0 ? into : into.applyMatrix4(this.matrices[body]);
  }

  /** A point of a body at a recorded instant. */
  pointAt(row: number, body: number, at: readonly number[], into: Vector3): Vector3 {
    into.set(at[0], at[1], at[2]);
    if (body < 0) return into;
    const { poses } = this.data;
    const c = 7 * body;
    this.q.set(poses.at(row, c + 3), poses.at(row, c + 4), poses.at(row, c + 5), poses.at(row, c + 6));
    into.applyQuaternion(this.q.normalize());
    this.p.set(poses.at(row, c), poses.at(row, c + 1), poses.at(row, c + 2));
    return into.add(this.p);
  }

  /** Three neighbouring columns between two instants. */
  triple(from: { at(row: number, column: number): number }, k: number, into: Vector3): Vector3 {
    const next = Math.min(this.row + 1, this.data.time.length - 1);
    const mix = (c: number) => {
      const a = from.at(this.row, c);
      return this.share ? a + this.share * (from.at(next, c) - a) : a;
    };
    return into.set(mix(3 * k), mix(3 * k + 1), mix(3 * k + 2));
  }
}
