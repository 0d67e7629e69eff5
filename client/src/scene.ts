// The scene armillary.scene/1, field by field as src/armillary/viewer/schema.py has it.

export type Point = [number, number, number];
export type Place = [number, number, number, number, number, number, number];
export type Color = [number, number, number, number];

export const FORMAT = "armillary.scene/1";

export interface Packed {
  type: "f4" | "f8" | "u2" | "u4";
  shape: number[];
  gz: string;
}

export interface BodyPart {
  name: string;
  parent: number;
  joint: string;
  kind: string;
  mass: number;
  com: Point;
}

export interface ShapePart {
  kind: "box" | "cylinder" | "sphere" | "capsule" | "coil" | "ring" | "ellipsoid" | "mesh";
  role: "shape" | "link" | "skeleton" | "joint" | "wheel" | "ground" | "element" | "com" | "inertia";
  body: number;
  at: Place;
  size: number[];
  color: Color;
  name: string;
  mesh: string;
}

export interface TiePart {
  name: string;
  kind: "bar" | "coil" | "damper";
  role: "link" | "joint" | "element";
  bodies: [number, number];
  points: [Point, Point];
  radius: number;
  length: number;
  color: Color;
}

export interface FramePart {
  name: string;
  body: number;
  at: Place;
  own: boolean;
}

export interface AxisPart {
  name: string;
  body: number;
  point: Point;
  direction: Point;
}

export interface TrailPart {
  name: string;
  body: number;
  point: Point;
  shown: boolean;
}

export interface MeshPart {
  low: Point;
  step: Point;
  corners: Packed;
  triangles: Packed;
}

export interface ArrowPart {
  name: string;
  kind: "force" | "moment";
  group: "joint" | "constraint" | "wheel" | "element";
  body: number;
  point: Point;
  track: number;
}

export interface ArrowScale {
  force: number;
  moment: number;
}

export interface SeriesPart {
  name: string;
  title: string;
  unit: string;
  labels: string[];
  values: Packed;
  least: (number | null)[];
  greatest: (number | null)[];
  shown: boolean;
}

export interface EventPart {
  time: number;
  text: string;
}

export interface GroundPart {
  point: Point;
  normal: Point;
}

export interface ViewPart {
  name: string;
  direction: Point;
  up: Point;
}

export interface Camera {
  center: Point;
  radius: number;
  follow: number;
  views: ViewPart[];
}

export interface Scene {
  format: "armillary.scene/1";
  name: string;
  subtitle: string;
  size: number;
  up: Point;
  bodies: BodyPart[];
  shapes: ShapePart[];
  ties: TiePart[];
  frames: FramePart[];
  axes: AxisPart[];
  trails: TrailPart[];
  ground: GroundPart[];
  meshes: Record<string, MeshPart>;
  camera: Camera;
  time: Packed;
  poses: Packed;
  tracks: Packed | null;
  arrows: ArrowPart[];
  forces: Packed | null;
  scale: ArrowScale;
  series: SeriesPart[];
  events: EventPart[];
  notes: string[];
  picture: string;
}
