// Where there is no WebGL: links, shapes and rods as lines on a plain canvas.

import { Matrix4, Quaternion, Vector3, type PerspectiveCamera } from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Loaded } from "./data";
import { element } from "./dom";
import type { Poses } from "./poses";
import type { ShapePart } from "./scene";

interface Stroke {
  body: number;
  a: Vector3;
  b: Vector3;
  color: string;
  width: number;
}

function css(color: readonly number[]): string {
  const [r, g, b] = color.map((x) => Math.round(255 * x));
  return `rgb(${r} ${g} ${b})`;
}

function along(shape: ShapePart): Vector3[] {
  const q = new Quaternion(shape.at[3], shape.at[4], shape.at[5], shape.at[6]);
  const half = shape.kind === "box" ? shape.size[2] / 2 : (shape.size[1] ?? 0) / 2;
  const d = new Vector3(0, 0, half).applyQuaternion(q);
  const p = new Vector3(shape.at[0], shape.at[1], shape.at[2]);
  return [p.clone().sub(d), p.clone().add(d)];
}

export class Wires {
  private readonly canvas = element("canvas", { class: "arm-canvas" });
  private readonly strokes: Stroke[] = [];

  constructor(
    private readonly pane: HTMLElement,
    private readonly data: Loaded,
    private readonly poses: Poses,
    private readonly camera: PerspectiveCamera,
    controls: OrbitControls,
  ) {
    pane.prepend(this.canvas);
    controls.update();
    const widths: Record<string, number> = { link: 4, skeleton: 4, joint: 7, wheel: 3 };
    for (const shape of data.scene.shapes) {
      const width = widths[shape.role];
      if (!width || shape.kind === "mesh") continue;
      const [a, b] = shape.kind === "ring" || shape.kind === "sphere" ? this.point(shape) : along(shape);
      this.strokes.push({ body: shape.body, a, b, color: css(shape.color), width });
    }
    this.resize();
  }

  private point(shape: ShapePart): Vector3[] {
    const p = new Vector3(shape.at[0], shape.at[1], shape.at[2]);
    return [p, p.clone()];
  }

  resize(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.max(1, this.pane.clientWidth * ratio);
    this.canvas.height = Math.max(1, this.pane.clientHeight * ratio);
  }

  draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const { width, height } = this.canvas;
    const ratio = width / Math.max(1, this.pane.clientWidth);
    this.camera.updateMatrixWorld();
    const project = new Matrix4().multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse);
    context.clearRect(0, 0, width, height);
    context.lineCap = "round";
    const spots = (a: Vector3, b: Vector3) =>
      [a, b].map((p) => p.applyMatrix4(project)).map((p) => [((p.x + 1) * width) / 2, ((1 - p.y) * height) / 2]);
    const stroke = (points: number[][], color: string, thick: number) => {
      context.strokeStyle = color;
      context.lineWidth = thick * ratio;
      context.beginPath();
      points.forEach(([x, y], k) => (k ? context.lineTo(x, y) : context.moveTo(x, y)));
      context.stroke();
    };
    const line = (a: Vector3, b: Vector3, color: string, thick: number) => stroke(spots(a, b), color, thick);
    const zigzag = (a: Vector3, b: Vector3, color: string, teeth: number) => {
      const [[x0, y0], [x1, y1]] = spots(a, b);
      const [dx, dy] = [x1 - x0, y1 - y0];
      const across = (6 * ratio) / Math.max(1, Math.hypot(dx, dy));
      const points = [[x0, y0]];
      for (let k = 1; k < teeth; k++) {
        const [s, side] = [k / teeth, k % 2 ? across : -across];
        points.push([x0 + s * dx - side * dy, y0 + s * dy + side * dx]);
      }
      stroke([...points, [x1, y1]], color, 1.6);
    };
    for (const { body, a, b, color, width: thick } of this.strokes) {
      const m = this.poses.of(body);
      line(a.clone().applyMatrix4(m), b.clone().applyMatrix4(m), color, thick);
    }
    const [p, q] = [new Vector3(), new Vector3()];
    for (const tie of this.data.scene.ties) {
      this.poses.point(tie.bodies[0], tie.points[0], p);
      this.poses.point(tie.bodies[1], tie.points[1], q);
      if (tie.kind === "coil") zigzag(p, q, css(tie.color), 12);
      else line(p, q, css(tie.color), tie.kind === "damper" ? 6 : 3);
    }
  }

  dispose(): void {
    this.canvas.remove();
  }
}
