// Arrays of a scene: base64, gzip, byte planes, columns.

import type { Packed, Scene } from "./scene";

export type Numbers = Float32Array | Float64Array | Uint16Array | Uint32Array;

const TYPES = { f4: Float32Array, f8: Float64Array, u2: Uint16Array, u4: Uint32Array };

/** One array, column by column: value (row, column) stands at column * rows + row. */
export class Columns {
  constructor(
    readonly values: Numbers,
    readonly rows: number,
    readonly count: number,
  ) {}

  at(row: number, column: number): number {
    return this.values[column * this.rows + row];
  }

  column(k: number): Numbers {
    return this.values.subarray(k * this.rows, (k + 1) * this.rows);
  }
}

export async function gunzip(text: string): Promise<Uint8Array> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length); // a plain loop: Uint8Array.from takes ten times as long
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpack(part: Packed): Promise<Columns> {
  const planes = await gunzip(part.gz);
  const Type = TYPES[part.type];
  const width = Type.BYTES_PER_ELEMENT;
  const total = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < width; plane++) {
    const start = plane * total;
    for (let k = 0; k < total; k++) bytes[k * width + plane] = planes[start + k];
  }
  const rows = part.shape[0];
  return new Columns(new Type(bytes.buffer), rows, rows ? total / rows : 0);
}

/** A scene with its arrays at hand. */
export interface Loaded {
  scene: Scene;
  time: Float64Array;
  poses: Columns;
  tracks: Columns | null;
  forces: Columns | null;
  series: Columns[];
  meshes: Map<string, { corners: Columns; triangles: Columns }>;
}

export async function load(scene: Scene): Promise<Loaded> {
  const maybe = (part: Packed | null) => (part ? unpack(part) : Promise.resolve(null));
  const ids = Object.keys(scene.meshes);
  const [time, poses, tracks, forces, series, meshes] = await Promise.all([
    unpack(scene.time),
    unpack(scene.poses),
    maybe(scene.tracks),
    maybe(scene.forces),
    Promise.all(scene.series.map((s) => unpack(s.values))),
    Promise.all(
      ids.map(async (id) => ({
        corners: await unpack(scene.meshes[id].corners),
        triangles: await unpack(scene.meshes[id].triangles),
      })),
    ),
  ]);
  return {
    scene,
    time: time.values as Float64Array,
    poses,
    tracks,
    forces,
    series,
    meshes: new Map(ids.map((id, k) => [id, meshes[k]])),
  };
}

/** Where time t lies: the instant before it, and how far on to the next one (0 to 1). */
export function locate(time: Float64Array, t: number): [number, number] {
  let low = 0;
  let high = time.length - 1;
  if (high <= 0 || t <= time[0]) return [0, 0];
  if (t >= time[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle] <= t) low = middle;
    else high = middle;
  }
  const span = time[high] - time[low];
  return [low, span > 0 ? (t - time[low]) / span : 0];
}
