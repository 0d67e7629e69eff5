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
    const line = (a: Vector3, b: Vector3, color: string, thick: number) => {
      a.applyMatrix4(project);
      b.applyMatrix4(project);
      context.strokeStyle = color;
      context.lineWidth = thick * ratio;
      context.beginPath();
      context.moveTo(((a.x + 1) * width) / 2, ((1 - a.y) * height) / 2);
      context.lineTo(((b.x + 1) * width) / 2, ((1 - b.y) * height) / 2);
      context.stroke();
    };
    for (const { body, a, b, color, width: thick } of this.strokes) {
      const m = this.poses.of(body);
      line(a.clone().applyMatrix4(m), b.clone().applyMatrix4(m), color, thick);
    }
    const [p, q] = [new Vector3(), new Vector3()];
    for (const tie of this.data.scene.ties) {
      this.poses.point(tie.bodies[0], tie.points[0], p);
      this.poses.point(tie.bodies[1], tie.points[1], q);
      line(p, q, css(tie.color), 3);
    }
  }

  dispose(): void {
    this.canvas.remove();
  }
}
