// The picture of a scene: three.js where there is WebGL, lines on a canvas where there is none.

import {
  DirectionalLight,
  HemisphereLight,
  PerspectiveCamera,
  Raycaster,
  Scene as Stage,
  Vector2,
  Vector3,
  WebGLRenderer,
  type GridHelper,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Loaded } from "./data";
import { element } from "./dom";
import { Arrows, Frames, grid, Trails } from "./marks";
import { Poses } from "./poses";
import { Solids } from "./solids";
import { Wires } from "./wires";

const FIELD = 32; // degrees
const HOVER = 60; // ms between two looks below the pointer

export class View {
  readonly poses: Poses;
  readonly solids: Solids;
  readonly frames: Frames;
  readonly arrows: Arrows;
  readonly trails: Trails;
  readonly camera = new PerspectiveCamera(FIELD, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  follow: number;
  drawn = 0; // ms of script that the last picture took
  private readonly stage = new Stage();
  private readonly grids: GridHelper[];
  private renderer: WebGLRenderer | null = null;
  private loss: { loseContext(): void } | null = null;
  private wires: Wires | null = null;
  private readonly still = element("img", { class: "arm-still", alt: "" });
  private readonly tip = element("div", { class: "arm-tip", hidden: true });
  private readonly light = new DirectionalLight(0xffffff, 1.9);
  private readonly watcher: IntersectionObserver;
  private readonly sizer: ResizeObserver;
  private pending = 0;
  private inside = false;
  private hovered = 0;
  private readonly followed = new Vector3();

  constructor(
    readonly pane: HTMLElement,
    readonly data: Loaded,
  ) {
    const { scene } = data;
    this.poses = new Poses(data);
    this.solids = new Solids(data);
    this.frames = new Frames(data);
    this.arrows = new Arrows(data);
    this.trails = new Trails(data, this.poses);
    this.follow = scene.camera.follow;
    const reach = scene.camera.radius;
    this.grids = scene.ground.map((part) => grid(part, reach, scene.camera.center));
    this.stage.add(new HemisphereLight(0xffffff, 0xb8bec8, 1.9), this.light, this.light.target);
    this.stage.add(this.solids.group, this.frames.frames.lines, this.frames.axes.lines);
    this.stage.add(this.arrows.group, this.arrows.shades, this.trails.group, ...this.grids);
    pane.append(this.still, this.tip);
    this.controls = new OrbitControls(this.camera, pane);
    this.controls.addEventListener("change", () => this.invalidate());
    this.look(0);
    pane.addEventListener("pointermove", this.hover);
    pane.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.sizer = new ResizeObserver(() => this.resize());
    this.sizer.observe(pane);
    this.watcher = new IntersectionObserver(
      (entries) => {
        const here = entries[entries.length - 1].isIntersecting;
        if (here) this.enter();
        else this.leave();
      },
      { rootMargin: "80px" },
    );
    this.watcher.observe(pane);
    this.set(data.time[0] ?? 0);
  }

  /** Whether the picture is one of WebGL. */
  get solid(): boolean {
    return this.wires === null;
  }

  /** A context of WebGL is scarce: a page has 16.  Views out of sight give theirs back. */
  private enter(): void {
    this.inside = true;
    if (this.renderer || this.wires) return;
    const canvas = element("canvas", { class: "arm-canvas" });
    const context = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (context) {
      this.renderer = new WebGLRenderer({ canvas, context, antialias: true, alpha: true });
    } else {
      this.wires = new Wires(this.pane, this.data, this.poses, this.camera, this.controls);
      this.pane.dispatchEvent(new CustomEvent("arm-flat", { bubbles: true }));
    }
    if (this.renderer) {
      this.loss = this.renderer.getContext().getExtension("WEBGL_lose_context");
      this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
      this.pane.prepend(this.renderer.domElement);
    }
    this.resize();
    this.draw();
    this.still.removeAttribute("src");
  }

  private leave(): void {
    this.inside = false;
    if (!this.renderer) return;
    this.draw();
    this.still.src = this.renderer.domElement.toDataURL("image/webp", 0.85);
    this.release();
  }

  private release(): void {
    if (!this.renderer) return;
    this.renderer.domElement.remove();
    this.renderer.dispose();
    this.loss?.loseContext();
    this.renderer = null;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.pane;
    if (!width || !height) return;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.renderer?.setSize(width, height, false);
    this.wires?.resize();
    this.draw();
  }

  /** From one of the directions of the scene. */
  look(k: number): void {
    const { camera } = this.data.scene;
    const view = camera.views[k];
    if (!view) return;
    const center = new Vector3(...camera.center);
    if (this.follow >= 0) this.poses.point(this.follow, [0, 0, 0], center);
    const narrow = Math.min(1, this.camera.aspect || 1);
    const distance = (1.04 * camera.radius) / Math.sin((FIELD * Math.PI) / 360) / narrow;
    this.camera.up.set(...view.up);
    this.camera.position.copy(center).addScaledVector(new Vector3(...view.direction), distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 60;
    this.camera.updateProjectionMatrix();
    // The controls keep the up of the camera they were made with.
    const controls = this.controls as unknown as { _quat?: { setFromUnitVectors(a: Vector3, b: Vector3): { clone(): { invert(): unknown } } }; _quatInverse?: unknown };
    if (controls._quat) {
      const turn = controls._quat.setFromUnitVectors(this.camera.up, new Vector3(0, 1, 0));
      controls._quatInverse = turn.clone().invert();
    }
    this.controls.target.copy(center);
    this.followed.copy(center);
    this.controls.update();
    this.invalidate();
  }

  setFollow(body: number): void {
    this.follow = body;
    if (body >= 0) this.poses.point(body, [0, 0, 0], this.followed);
  }

  set(t: number): void {
    this.poses.set(t);
    if (this.follow >= 0) {
      const now = this.poses.point(this.follow, [0, 0, 0], new Vector3());
      const moved = now.clone().sub(this.followed);
      this.camera.position.add(moved);
      this.controls.target.add(moved);
      this.followed.copy(now);
      this.controls.update();
    }
    this.invalidate();
  }

  showGround(visible: boolean): void {
    for (const one of this.grids) one.visible = visible;
    this.invalidate();
  }

  invalidate(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  private draw(): void {
    if (!this.inside) return;
    const begin = performance.now();
    if (this.wires) {
      this.wires.draw();
    } else if (this.renderer) {
      this.solids.update(this.poses);
      this.frames.update(this.poses);
      this.arrows.update(this.poses);
      this.trails.update();
      this.light.position.copy(this.camera.position).addScaledVector(this.camera.up, this.data.scene.camera.radius);
      this.light.target.position.copy(this.controls.target);
      this.renderer.render(this.stage, this.camera);
    }
    this.drawn = performance.now() - begin;
  }

  private readonly hover = (event: PointerEvent): void => {
    const now = performance.now();
    if (!this.renderer || now - this.hovered < HOVER || event.buttons) return;
    this.hovered = now;
    const box = this.pane.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / box.width - 1, 1 - (2 * y) / box.height), this.camera);
    const name = this.nameBelow(ray);
    this.tip.hidden = !name;
    this.tip.textContent = name;
    this.tip.style.left = `${Math.min(x + 14, box.width - 160)}px`;
    this.tip.style.top = `${y + 14}px`;
  };

  private nameBelow(ray: Raycaster): string {
    const objects = [...this.arrows.group.children, ...this.solids.group.children];
    const seen = objects.filter((o) => o.visible && (o.parent?.visible ?? true));
    const hit = ray.intersectObjects(seen, false)[0];
    if (!hit) return "";
    return this.arrows.nameOf(hit.object, hit.instanceId) || this.solids.nameOf(hit.object, hit.instanceId);
  }

  dispose(): void {
    cancelAnimationFrame(this.pending);
    this.watcher.disconnect();
    this.sizer.disconnect();
    this.controls.dispose();
    this.pane.removeEventListener("pointermove", this.hover);
    for (const part of [this.solids, this.frames, this.arrows, this.trails]) part.dispose();
    for (const one of this.grids) one.dispose();
    this.wires?.dispose();
    this.release();
    this.still.remove();
    this.tip.remove();
  }
}
