// Shapes of a scene as instanced meshes: one draw call per kind, role and opacity.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  LatheGeometry,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  TorusGeometry,
  Vector2,
  Vector3,
} from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Loaded } from "./data";
import type { Poses } from "./poses";
import type { Place, ShapePart, TiePart } from "./scene";

const MANY = 300; // shapes of one kind: beyond this, fewer sides
const FEW = 60; // up to this, rounder ones
const CREASE = 0.6; // rad: sharper edges of meshes stay sharp

function placed(at: Place): Matrix4 {
  const q = new Quaternion(at[3], at[4], at[5], at[6]);
  return new Matrix4().compose(new Vector3(at[0], at[1], at[2]), q, new Vector3(1, 1, 1));
}

/** Geometry of a kind with unit size, along z where it has an axis. */
function geometry(kind: ShapePart["kind"], sides: number, ratio: number): BufferGeometry {
  const upright = (g: BufferGeometry) => g.rotateX(Math.PI / 2); // three's axes lie along y
  switch (kind) {
    case "box":
      return new BoxGeometry(1, 1, 1);
    case "cylinder":
      return upright(new CylinderGeometry(1, 1, 1, sides));
    case "capsule":
      return upright(new CapsuleGeometry(1, ratio, Math.max(3, sides >> 2), sides));
    case "coil":
      return coil(3, ratio, 16);
    case "ring":
      return new TorusGeometry(1, ratio, 10, 56);
    default:
      return new SphereGeometry(1, sides, Math.max(6, sides >> 1));
  }
}

/** A wound wire of outer radius 1 from z = -1/2 to 1/2, with straight ends on the axis; the wire
 *  is round where the geometry is `slender` times as long as its radius. */
export function coil(turns: number, slender: number, sides: number): BufferGeometry {
  const wire = Math.min(0.16, 0.22 * (slender / turns));
  const path: Vector3[] = [new Vector3(0, 0, -0.5), new Vector3(0, 0, -0.45)];
  const steps = turns * sides;
  for (let k = 0; k <= steps; k++) {
    const turn = (2 * Math.PI * k) / sides;
    const grown = Math.min(1, (3 * Math.min(k, steps - k)) / sides) * (1 - wire); // leaves the axis
    path.push(new Vector3(grown * Math.cos(turn), grown * Math.sin(turn), -0.44 + (0.88 * k) / steps));
  }
  path.push(new Vector3(0, 0, 0.45), new Vector3(0, 0, 0.5));
  const around = 6;
  const points: number[] = [];
  const faces: number[] = [];
  const along = new Vector3();
  path.forEach((p, k) => {
    along.subVectors(path[Math.min(k + 1, path.length - 1)], path[Math.max(k - 1, 0)]);
    along.z *= slender;
    along.normalize();
    const out = new Vector3(p.x, p.y, 0);
    if (out.lengthSq() < 1e-12) out.set(1, 0, 0);
    out.addScaledVector(along, -out.dot(along)).normalize();
    const side = new Vector3().crossVectors(along, out);
    for (let j = 0; j < around; j++) {
      const angle = (2 * Math.PI * j) / around;
      const d = out.clone().multiplyScalar(Math.cos(angle)).addScaledVector(side, Math.sin(angle));
      points.push(p.x + wire * d.x, p.y + wire * d.y, p.z + (wire * d.z) / slender);
      if (!k) continue;
      const [a, b] = [k * around + j, k * around + ((j + 1) % around)];
      faces.push(a - around, b - around, a, a, b - around, b);
    }
  });
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  made.setIndex(faces);
  made.computeVertexNormals();
  return made;
}

/** A pot from one end, a rod from the other. */
function damper(): BufferGeometry {
  const outline = [[0.3, -0.5], [0.3, -0.42], [1, -0.42], [1, 0.08], [0.45, 0.08], [0.45, 0.5]];
  return new LatheGeometry(outline.map(([r, z]) => new Vector2(r, z)), 20).rotateX(Math.PI / 2);
}

/** How the unit geometry is stretched for a shape. */
function stretch(shape: ShapePart): Vector3 {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case "box":
    case "ellipsoid":
      return new Vector3(a, b, c);
    case "cylinder":
    case "coil":
      return new Vector3(a, a, b);
    default:
      return new Vector3(a, a, a);
  }
}

/** Kinds whose proportions cannot be stretched have their own geometry for each ratio. */
function ratio(shape: ShapePart): number {
  if (shape.kind === "capsule" || shape.kind === "ring" || shape.kind === "coil") return shape.size[1] / shape.size[0];
  return 0;
}

/** Length of a spring at the beginning, in radii; of others nothing depends on it. */
function slenderness(tie: TiePart): number {
  return tie.kind === "coil" ? Math.min(Math.max(tie.length / tie.radius, 1), 400) : 0;
}

/** As many windings as fit at the beginning, 4 to 12. */
function spring(tie: TiePart): BufferGeometry {
  const slender = slenderness(tie);
  return coil(Math.min(Math.max(Math.round(slender / 1.3), 4), 12), slender, 14);
}

interface Batch {
  mesh: InstancedMesh;
  bodies: Int32Array;
  locals: Matrix4[];
  role: string;
}

export interface Hit {
  name: string;
}

export class Solids {
  readonly group = new Group();
  private batches: Batch[] = [];
  private ties: { mesh: InstancedMesh; parts: TiePart[]; role: string }[] = [];
  private singles: { mesh: Mesh; body: number; local: Matrix4; role: string }[] = [];
  private readonly work = new Matrix4();
  private readonly names = new Map<object, string[]>();

  constructor(private readonly data: Loaded) {
    const groups = new Map<string, ShapePart[]>();
    for (const shape of data.scene.shapes) {
      if (shape.kind === "mesh") {
        this.addMesh(shape);
        continue;
      }
      const key = [shape.kind, shape.role, shape.color[3] < 1, ratio(shape).toPrecision(4)].join();
      const list = groups.get(key);
      if (list) list.push(shape);
      else groups.set(key, [shape]);
    }
    for (const shapes of groups.values()) this.addBatch(shapes);
    const ties = new Map<string, TiePart[]>();
    for (const tie of data.scene.ties) {
      const key = [tie.kind, tie.role, slenderness(tie).toPrecision(2)].join();
      ties.set(key, [...(ties.get(key) ?? []), tie]);
    }
    for (const parts of ties.values()) this.addTies(parts);
  }

  private material(opacity: number, role: string): MeshStandardMaterial {
    const clear = opacity < 1;
    const inner = role === "com" || role === "inertia"; // inside the bodies
    return new MeshStandardMaterial({
      roughness: role === "joint" ? 0.45 : 0.62,
      metalness: 0.05,
      transparent: clear || inner,
      opacity,
      depthWrite: !clear && !inner,
      depthTest: !inner,
    });
  }

  private addBatch(shapes: ShapePart[]): void {
    const first = shapes[0];
    const sides = shapes.length > MANY ? 8 : shapes.length > FEW ? 24 : 48;
    const mesh = new InstancedMesh(
      geometry(first.kind, sides, ratio(first)),
      this.material(first.color[3], first.role),
      shapes.length,
    );
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    if (first.role === "inertia") mesh.renderOrder = 1;
    if (first.role === "com") mesh.renderOrder = 3;
    shapes.forEach((shape, k) => {
      mesh.setColorAt(k, new Color().setRGB(shape.color[0], shape.color[1], shape.color[2], "srgb"));
    });
    this.batches.push({
      mesh,
      bodies: Int32Array.from(shapes, (s) => s.body),
      locals: shapes.map((s) => placed(s.at).scale(stretch(s))),
      role: first.role,
    });
    this.names.set(mesh, shapes.map((s) => s.name));
    this.group.add(mesh);
  }

  private addMesh(shape: ShapePart): void {
    const source = this.data.meshes.get(shape.mesh);
    const part = this.data.scene.meshes[shape.mesh];
    if (!source || !part) return;
    const { corners, triangles } = source;
    const points = new Float32Array(3 * corners.rows);
    for (let axis = 0; axis < 3; axis++) {
      const column = corners.column(axis);
      for (let k = 0; k < corners.rows; k++) points[3 * k + axis] = part.low[axis] + part.step[axis] * column[k];
    }
    const order = new Uint32Array(3 * triangles.rows);
    for (let side = 0; side < 3; side++) {
      const column = triangles.column(side);
      for (let k = 0; k < triangles.rows; k++) order[3 * k + side] = column[k];
    }
    const plain = new BufferGeometry();
    plain.setAttribute("position", new BufferAttribute(points, 3));
    plain.setIndex(new BufferAttribute(order, 1));
    const material = this.material(shape.color[3], shape.role);
    material.color.setRGB(shape.color[0], shape.color[1], shape.color[2], "srgb");
    material.side = 2;
    const mesh = new Mesh(toCreasedNormals(plain, CREASE), material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    const local = placed(shape.at).scale(new Vector3(shape.size[0], shape.size[1], shape.size[2]));
    this.singles.push({ mesh, body: shape.body, local, role: shape.role });
    this.names.set(mesh, [shape.name]);
    this.group.add(mesh);
  }

  private addTies(parts: TiePart[]): void {
    const { kind, role } = parts[0];
    const made = { bar: () => geometry("cylinder", parts.length > MANY ? 8 : 20, 0), coil: () => spring(parts[0]), damper };
    const mesh = new InstancedMesh(
      made[kind](),
      this.material(1, role),
      parts.length,
    );
    mesh.frustumCulled = false;
    parts.forEach((tie, k) => {
      mesh.setColorAt(k, new Color().setRGB(tie.color[0], tie.color[1], tie.color[2], "srgb"));
    });
    this.ties.push({ mesh, parts, role });
    this.names.set(mesh, parts.map((tie) => tie.name));
    this.group.add(mesh);
  }

  update(poses: Poses): void {
    for (const { mesh, bodies, locals } of this.batches) {
      if (!mesh.visible) continue;
      for (let k = 0; k < bodies.length; k++) {
        mesh.setMatrixAt(k, this.work.multiplyMatrices(poses.of(bodies[k]), locals[k]));
      }
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null; // hovering asks for it anew
    }
    for (const { mesh, body, local } of this.singles) {
      if (mesh.visible) mesh.matrix.multiplyMatrices(poses.of(body), local);
      mesh.matrixWorldNeedsUpdate = true;
    }
    const a = new Vector3();
    const b = new Vector3();
    const z = new Vector3(0, 0, 1);
    const q = new Quaternion();
    for (const { mesh, parts } of this.ties) {
      if (!mesh.visible) continue;
      parts.forEach((tie, k) => {
        poses.point(tie.bodies[0], tie.points[0], a);
        poses.point(tie.bodies[1], tie.points[1], b).sub(a);
        const length = Math.max(b.length(), 1e-12);
        q.setFromUnitVectors(z, b.clone().divideScalar(length));
        a.addScaledVector(b, 0.5);
        this.work.compose(a, q, new Vector3(tie.radius, tie.radius, length));
        mesh.setMatrixAt(k, this.work);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  show(role: string, visible: boolean): void {
    for (const part of [...this.batches, ...this.ties, ...this.singles]) {
      if (part.role === role) part.mesh.visible = visible;
    }
  }

  has(role: string): boolean {
    return [...this.batches, ...this.ties, ...this.singles].some((part) => part.role === role);
  }

  nameOf(mesh: object, instance: number | undefined): string {
    return this.names.get(mesh)?.[instance ?? 0] ?? "";
  }

  /** The body that a shape belongs to; -1: none, or several. */
  bodyOf(mesh: object, instance: number | undefined): number {
    const single = this.singles.find((part) => part.mesh === mesh);
    if (single) return single.body;
    return this.batches.find((part) => part.mesh === mesh)?.bodies[instance ?? 0] ?? -1;
  }

  dispose(): void {
    for (const { mesh } of [...this.batches, ...this.ties, ...this.singles]) {
      mesh.geometry.dispose();
      (mesh.material as MeshStandardMaterial).dispose();
      if (mesh instanceof InstancedMesh) mesh.dispose();
    }
  }
}
