// Marks on a scene: frames, axes, arrows, trails, grid.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DynamicDrawUsage,
  GridHelper,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  Quaternion,
  Vector3,
} from "three";
import type { Loaded } from "./data";
import type { Poses } from "./poses";
import type { GroundPart, Place } from "./scene";

const COLORS = { force: 0xc8102e, moment: 0x7b3fa0 };
const RGB = [0xd0342c, 0x2e8b3d, 0x2b5fc7];
export const TRAILS = ["#d95f02", "#1b7f79", "#7a4fa3", "#3a6ea5", "#b0527c", "#5b7d1e"];
const UNIT = new Vector3(0, 0, 1);

/** Lines that move with bodies: pairs of points in the frames of bodies. */
class MovingLines {
  readonly lines: LineSegments;
  private readonly points: { body: number; at: Vector3 }[] = [];
  private readonly colors: number[] = [];

  constructor(opacity: number) {
    // They lie inside the bodies and are to be seen all the same.
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, opacity, depthTest: false });
    this.lines = new LineSegments(new BufferGeometry(), material);
    this.lines.renderOrder = 2;
    this.lines.frustumCulled = false;
  }

  add(body: number, a: Vector3, b: Vector3, color: number): void {
    this.points.push({ body, at: a }, { body, at: b });
    const c = new Color(color);
    this.colors.push(c.r, c.g, c.b, c.r, c.g, c.b);
  }

  finish(): void {
    const g = this.lines.geometry;
    const positions = new BufferAttribute(new Float32Array(3 * this.points.length), 3);
    g.setAttribute("position", positions.setUsage(DynamicDrawUsage));
    g.setAttribute("color", new BufferAttribute(new Float32Array(this.colors), 3));
  }

  update(poses: Poses): void {
    if (!this.lines.visible) return;
    const positions = this.lines.geometry.getAttribute("position") as BufferAttribute;
    const p = new Vector3();
    this.points.forEach(({ body, at }, k) => {
      p.copy(at);
      if (body >= 0) p.applyMatrix4(poses.of(body));
      positions.setXYZ(k, p.x, p.y, p.z);
    });
    positions.needsUpdate = true;
  }

  dispose(): void {
    this.lines.geometry.dispose();
    (this.lines.material as LineBasicMaterial).dispose();
  }
}

function vector(at: readonly number[]): Vector3 {
  return new Vector3(at[0], at[1], at[2]);
}

function directions(at: Place): Vector3[] {
  const q = new Quaternion(at[3], at[4], at[5], at[6]);
  return [0, 1, 2].map((k) => new Vector3().setComponent(k, 1).applyQuaternion(q));
}

/** Frames of bodies and others, as three short lines; axes of joints as long thin ones. */
export class Frames {
  readonly frames = new MovingLines(1);
  readonly axes = new MovingLines(0.7);

  constructor(data: Loaded) {
    const { scene } = data;
    const crowd = Math.min(1, Math.sqrt(30 / Math.max(scene.bodies.length, 1)));
    const length = scene.size * 0.1 * crowd;
    const triads = [{ body: -1, at: [0, 0, 0, 0, 0, 0, 1] as Place, own: false }, ...scene.frames];
    for (const frame of triads) {
      const origin = vector(frame.at);
      const size = frame.body < 0 ? 1.5 * length : frame.own ? length : 1.2 * length;
      directions(frame.at).forEach((d, k) => {
        this.frames.add(frame.body, origin, origin.clone().addScaledVector(d, size), RGB[k]);
      });
    }
    this.frames.finish();
    for (const axis of scene.axes) {
      const p = vector(axis.point);
      const d = vector(axis.direction).multiplyScalar(scene.size * 0.16 * crowd);
      this.axes.add(axis.body, p.clone().sub(d), p.clone().add(d), 0x445566);
    }
    this.axes.finish();
    this.frames.lines.visible = this.axes.lines.visible = false;
  }

  update(poses: Poses): void {
    this.frames.update(poses);
    this.axes.update(poses);
  }

  dispose(): void {
    this.frames.dispose();
    this.axes.dispose();
  }
}

/** Forces as arrows, moments as arrows with a double head. */
export class Arrows {
  readonly group = new Group();
  readonly shades = new Group();
  scale = 1;
  readonly on = { force: true, moment: false };
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly materials: MeshStandardMaterial[];

  constructor(private readonly data: Loaded) {
    const count = Math.max(data.scene.arrows.length, 1);
    // Twice: what lies before the bodies, and pale what lies inside or behind them.
    const pale = { transparent: true, opacity: 0.3, depthTest: false, depthWrite: false };
    this.materials = [new MeshStandardMaterial({ roughness: 0.5 }), new MeshStandardMaterial(pale)];
    const shaft = new CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    this.shafts = new InstancedMesh(shaft, this.materials[0], count);
    this.heads = new InstancedMesh(head, this.materials[0], 2 * count);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      this.group.add(mesh);
    }
    data.scene.arrows.forEach((arrow, k) => {
      const color = new Color(COLORS[arrow.kind]);
      this.shafts.setColorAt(k, color);
      this.heads.setColorAt(2 * k, color);
      this.heads.setColorAt(2 * k + 1, color);
    });
    for (const mesh of [this.shafts, this.heads]) {
      const shade = new InstancedMesh(mesh.geometry, this.materials[1], mesh.count);
      shade.instanceMatrix = mesh.instanceMatrix;
      shade.instanceColor = mesh.instanceColor;
      shade.frustumCulled = false;
      shade.renderOrder = 1;
      this.shades.add(shade);
    }
    this.group.visible = this.shades.visible = data.scene.arrows.length > 0;
  }

  /** Length of an arrow for a magnitude: the 95th percentile of the run is a quarter of the size. */
  length(kind: "force" | "moment", magnitude: number): number {
    const large = this.data.scene.scale[kind];
    if (!(large > 0) || !Number.isFinite(magnitude)) return 0;
    return Math.min((magnitude / large) * this.scale, 2.5 * this.scale) * 0.34 * this.data.scene.size;
  }

  update(poses: Poses): void {
    const { scene, forces, tracks } = this.data;
    if (!forces || !this.group.visible) return;
    const f = new Vector3();
    const p = new Vector3();
    const q = new Quaternion();
    const m = new Matrix4();
    const none = new Matrix4().makeScale(0, 0, 0);
    const thick = 0.0085 * scene.size * Math.min(1, Math.sqrt(this.scale));
    scene.arrows.forEach((arrow, k) => {
      poses.triple(forces, k, f);
      const magnitude = f.length();
      const length = this.on[arrow.kind] ? this.length(arrow.kind, magnitude) : 0;
      if (!(length > 0.02 * scene.size)) {
        this.shafts.setMatrixAt(k, none);
        this.heads.setMatrixAt(2 * k, none);
        this.heads.setMatrixAt(2 * k + 1, none);
        return;
      }
      if (arrow.track >= 0 && tracks) poses.triple(tracks, arrow.track, p);
      else poses.point(arrow.body, arrow.point, p);
      const d = f.divideScalar(magnitude);
      q.setFromUnitVectors(UNIT, d);
      const head = Math.min(4.2 * thick, 0.5 * length);
      this.shafts.setMatrixAt(k, m.compose(p, q, new Vector3(thick, thick, length - 0.9 * head)));
      const tip = p.clone().addScaledVector(d, length);
      const cone = new Vector3(0.42 * head, 0.42 * head, head);
      this.heads.setMatrixAt(2 * k, m.compose(tip, q, cone));
      const second = arrow.kind === "moment" ? m.compose(tip.addScaledVector(d, -0.7 * head), q, cone) : none;
      this.heads.setMatrixAt(2 * k + 1, second);
    });
    for (const mesh of [this.shafts, this.heads]) {
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  nameOf(mesh: object, instance: number | undefined): string {
    const k = mesh === this.shafts ? (instance ?? 0) : mesh === this.heads ? (instance ?? 0) >> 1 : -1;
    return k < 0 ? "" : (this.data.scene.arrows[k]?.name ?? "");
  }

  dispose(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    for (const material of this.materials) material.dispose();
  }
}

/** Paths of points, drawn up to now. */
export class Trails {
  readonly group = new Group();
  private readonly lines = new Map<number, Line>();

  constructor(
    private readonly data: Loaded,
    private readonly poses: Poses,
  ) {
    data.scene.trails.forEach((trail, k) => {
      if (trail.shown) this.show(k, true);
    });
  }

  show(k: number, visible: boolean): void {
    let line = this.lines.get(k);
    if (!line && visible) {
      line = this.make(k);
      this.lines.set(k, line);
      this.group.add(line);
    }
    if (line) line.visible = visible;
  }

  shown(k: number): boolean {
    return this.lines.get(k)?.visible ?? false;
  }

  private make(k: number): Line {
    const trail = this.data.scene.trails[k];
    const count = this.data.time.length;
    const points = new Float32Array(3 * (count + 1));
    const p = new Vector3();
    for (let row = 0; row < count; row++) {
      this.poses.pointAt(row, trail.body, trail.point, p).toArray(points, 3 * row);
    }
    p.toArray(points, 3 * count);
    const g = new BufferGeometry();
    g.setAttribute("position", new BufferAttribute(points, 3).setUsage(DynamicDrawUsage));
    const line = new Line(g, new LineBasicMaterial({ color: TRAILS[k % TRAILS.length] }));
    line.frustumCulled = false;
    return line;
  }

  update(): void {
    const { row } = this.poses;
    const p = new Vector3();
    for (const [k, line] of this.lines) {
      if (!line.visible) continue;
      const trail = this.data.scene.trails[k];
      const positions = line.geometry.getAttribute("position") as BufferAttribute;
      const behind = row + 1; // where the point of now stands: behind the last instant that is past
      this.restore(positions, trail, p);
      this.poses.point(trail.body, trail.point, p);
      positions.setXYZ(behind, p.x, p.y, p.z);
      this.moved.set(positions, behind);
      positions.needsUpdate = true;
      line.geometry.setDrawRange(0, behind + 1);
    }
  }

  private readonly moved = new Map<BufferAttribute, number>();

  /** What stood where the last "now" was written. */
  private restore(positions: BufferAttribute, trail: { body: number; point: number[] }, p: Vector3): void {
    const k = this.moved.get(positions);
    if (k === undefined || k >= this.data.time.length) return;
    this.poses.pointAt(k, trail.body, trail.point, p);
    positions.setXYZ(k, p.x, p.y, p.z);
  }

  dispose(): void {
    for (const line of this.lines.values()) {
      line.geometry.dispose();
      (line.material as LineBasicMaterial).dispose();
    }
  }
}

/** A level grid around a point. */
export function grid(part: GroundPart, radius: number, around: readonly number[]): GridHelper {
  const n = vector(part.normal).normalize();
  const cell = 10 ** Math.round(Math.log10(radius / 4));
  const cells = 2 * Math.ceil((2.2 * radius) / cell);
  const made = new GridHelper(cell * cells, cells, 0xb9c0ca, 0xdfe3e8);
  made.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), n);
  const middle = vector(around);
  const p = middle.addScaledVector(n, vector(part.point).sub(middle).dot(n));
  const snapped = (d: Vector3) => {
    const along = p.dot(d);
    p.addScaledVector(d, Math.round(along / cell) * cell - along);
  };
  snapped(new Vector3(1, 0, 0).applyQuaternion(made.quaternion));
  snapped(new Vector3(0, 0, 1).applyQuaternion(made.quaternion));
  made.position.copy(p);
  const material = made.material as LineBasicMaterial;
  material.transparent = true;
  material.opacity = 0.9;
  material.depthWrite = false;
  return made;
}
