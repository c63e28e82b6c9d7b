// What follows from the crosses alone: extents, faces, covers, minimal generators.
// Scores are never computed here; they come with the data.

import { Words, add, count, has, members, same, within } from "./bits";
import type { Data } from "./payload";

export class Structure {
  private readonly everyObject: Words;
  private readonly supports: Float64Array;
  private readonly supportCodes: Uint32Array;

  constructor(private readonly data: Data) {
    this.everyObject = new Uint32Array(data.height);
    for (let g = 0; g < data.meta.objects; g++) add(this.everyObject, 0, g);
    const support = data.meta.measures.findIndex((measure) => measure.key === "support");
    this.supports = data.scores[support].values;
    this.supportCodes = data.scores[support].codes;
  }

  support(id: number): number {
    return this.supports[this.supportCodes[id]];
  }

  intent(id: number): number[] {
    return members(this.data.intents, id * this.data.width, this.data.width);
  }

  /** The objects that have all of some attributes. */
  extent(intent: number[]): Words {
    const { columns, height } = this.data;
    const extent = this.everyObject.slice();
    for (const m of intent) {
      const at = m * height;
      for (let i = 0; i < height; i++) extent[i] &= columns[at + i];
    }
    return extent;
  }

  /** The attributes that each lower cover adds to an intent. */
  lowerSteps(intent: number[], extent: Words): { step: number[]; extent: Words }[] {
    const { columns, height, meta } = this.data;
    const inside = new Set(intent);
    const groups: { step: number[]; extent: Words; size: number }[] = [];
    const bySize = new Map<string, number[]>();
    for (let m = 0; m < meta.attributes.length; m++) {
      if (inside.has(m)) continue;
      const part = new Uint32Array(height);
      let mix = 0;
      for (let i = 0; i < height; i++) {
        part[i] = extent[i] & columns[m * height + i];
        mix = (Math.imul(mix, 31) + part[i]) | 0;
      }
      const size = count(part);
      const key = `${size},${mix}`;
      const alike = bySize.get(key) ?? [];
      const known = alike.find((k) => same(groups[k].extent, part));
      if (known !== undefined) groups[known].step.push(m);
      else {
        alike.push(groups.length);
        bySize.set(key, alike);
        groups.push({ step: [m], extent: part, size });
      }
    }
    groups.sort((a, b) => b.size - a.size);
    const largest: typeof groups = [];
    for (const group of groups) {
      const below = largest.some((other) => within(group.extent, 0, other.extent, 0, height));
      if (!below) largest.push(group);
    }
    return largest;
  }

  /** The intent faces: the least sets of attributes of an intent that an object outside lacks. */
  intentFaces(intent: number[], extent: Words): number[][] {
    const { rows, width, meta } = this.data;
    const own = new Uint32Array(width);
    for (const m of intent) add(own, 0, m);
    const seen = new Map<string, { words: Words; size: number }>();
    for (let g = 0; g < meta.objects; g++) {
      if (has(extent, 0, g)) continue;
      let key = "";
      for (let i = 0; i < width; i++) key += `${own[i] & ~rows[g * width + i]},`;
      if (seen.has(key)) continue;
      const words = new Uint32Array(width);
      for (let i = 0; i < width; i++) words[i] = own[i] & ~rows[g * width + i];
      seen.set(key, { words, size: count(words) });
    }
    const sorted = [...seen.values()].sort((a, b) => a.size - b.size);
    const least: Words[] = [];
    for (const { words } of sorted) {
      if (!least.some((face) => within(face, 0, words, 0, width))) least.push(words);
    }
    return least.map((words) => members(words, 0, width));
  }

  /** The place of the concept with an intent; -1 if it is not listed. */
  find(intent: number[], support: number): number {
    // The concepts are in the order of support, largest first, then of intents.
    const { intents, width, meta } = this.data;
    const wanted = new Uint32Array(width);
    for (const m of intent) add(wanted, 0, m);
    let low = 0;
    let high = meta.concepts;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.support(middle);
      const before = other !== support ? other > support : precedes(intents, middle * width, wanted, width);
      if (before) low = middle + 1;
      else high = middle;
    }
    if (low === meta.concepts) return -1;
    for (let i = 0; i < width; i++) if (intents[low * width + i] !== wanted[i]) return -1;
    return low;
  }
}

/** Whether a set comes before another in the order of their ascending lists. */
function precedes(x: Words, at: number, y: Words, width: number): boolean {
  for (let i = 0; i < width; i++) {
    const differing = x[at + i] ^ y[i];
    if (differing === 0) continue;
    const low = differing & -differing;
    const above = ~(low | (low - 1));
    // The one without the lowest differing element comes first only if it ends there.
    const [other, from] = (x[at + i] & low) !== 0 ? [y, 0] : [x, at];
    let ends = (other[from + i] & above) === 0;
    for (let j = i + 1; ends && j < width; j++) ends = other[from + j] === 0;
    return (other === x) === ends;
  }
  return false;
}

/** The minimal sets that meet every face, by size, then by members; none if there are more than `most`. */
export function transversals(faces: number[][], most: number): { sets: number[][]; cut: boolean } {
  const sets: number[][] = [];
  const chosen: number[] = [];
  // For each chosen element the faces that only it meets; for each face how many chosen meet it.
  const hits = new Array<number>(faces.length).fill(0);
  const containing = new Map<number, number[]>();
  faces.forEach((face, f) => {
    for (const m of face) containing.set(m, [...(containing.get(m) ?? []), f]);
  });
  const allowed = new Set(containing.keys());
  let steps = 0;
  let cut = false;

  const critical = (): boolean =>
    chosen.every((m) => containing.get(m)!.some((f) => hits[f] === 1));

  const search = (): void => {
    if (cut || ++steps > 200_000 || sets.length > most) {
      cut = true;
      return;
    }
    let open = -1;
    let fewest = Infinity;
    faces.forEach((face, f) => {
      if (hits[f] > 0) return;
      const size = face.reduce((sum, m) => sum + (allowed.has(m) ? 1 : 0), 0);
      if (size < fewest) [open, fewest] = [f, size];
    });
    if (open < 0) {
      sets.push(chosen.slice().sort((a, b) => a - b));
      return;
    }
    const tried = faces[open].filter((m) => allowed.has(m));
    for (const m of tried) allowed.delete(m);
    for (const m of tried) {
      chosen.push(m);
      for (const f of containing.get(m)!) hits[f] += 1;
      if (critical()) search();
      for (const f of containing.get(m)!) hits[f] -= 1;
      chosen.pop();
      allowed.add(m);
    }
  };

  search();
  // Some of too many would only mislead.
  if (cut || sets.length > most) return { sets: [], cut: true };
  sets.sort((a, b) => a.length - b.length || compare(a, b));
  return { sets, cut };
}

export function compare(a: number[], b: number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
