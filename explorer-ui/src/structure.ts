// Extents, faces, covers and minimal generators, computed from the table. Scores are not computed here: they come with the data.

import { Words, add, count, has, members, same } from "./bits";
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

  /** The attributes that all of some objects have. */
  common(extent: Words): number[] {
    const { columns, height, meta } = this.data;
    return meta.attributes.map((_, m) => m).filter((m) => {
      for (let i = 0; i < height; i++) if ((extent[i] & ~columns[m * height + i]) !== 0) return false;
      return true;
    });
  }

  /** For each lower cover the attributes that it adds to the intent, and its number of objects. */
  lowerSteps(intent: number[], extent: Words): { step: number[]; support: number }[] {
    const { begins, items, columns, height, meta } = this.data;
    const q = meta.attributes.length;
    const objects = members(extent, 0, height);
    // For each attribute the list of the objects of the extent that have it. All lists are in one array.
    const sizes = new Uint32Array(q);
    for (const g of objects) for (let k = begins[g]; k < begins[g + 1]; k++) sizes[items[k]] += 1;
    for (const m of intent) sizes[m] = 0;
    const ends = new Uint32Array(q);
    let total = 0;
    for (let m = 0; m < q; m++) ends[m] = total += sizes[m];
    const inside = new Uint8Array(q);
    for (const m of intent) inside[m] = 1;
    const lists = new Uint32Array(total);
    const mixes = new Int32Array(q);
    const filled = Uint32Array.from(ends, (end, m) => end - sizes[m]);
    for (const g of objects) {
      for (let k = begins[g]; k < begins[g + 1]; k++) {
        const m = items[k];
        if (inside[m]) continue;
        lists[filled[m]++] = g;
        mixes[m] = (Math.imul(mixes[m], 31) + g) | 0;
      }
    }
    const list = (m: number): Uint32Array => lists.subarray(ends[m] - sizes[m], ends[m]);
    const groups: number[][] = [];
    const alike = new Map<string, number[][]>();
    const absent: number[] = [];
    for (let m = 0; m < q; m++) {
      if (inside[m]) continue;
      if (sizes[m] === 0) {
        absent.push(m);
        continue;
      }
      const key = `${sizes[m]},${mixes[m]}`;
      const candidates = alike.get(key) ?? [];
      const known = candidates.find(([other]) => same(list(other), list(m)));
      if (known) known.push(m);
      else {
        const group = [m];
        groups.push(group);
        candidates.push(group);
        alike.set(key, candidates);
      }
    }
    if (groups.length === 0) return absent.length === 0 ? [] : [{ step: absent, support: 0 }];
    // An attribute whose list contains another list is an attribute of each object of that list. So compare only with the
    // attributes of one object, the one with the fewest.
    const largest = groups.filter(([m]) => {
      const own = list(m);
      let least = own[0];
      for (let k = 1; k < Math.min(own.length, 32); k++) {
        if (begins[own[k] + 1] - begins[own[k]] < begins[least + 1] - begins[least]) least = own[k];
      }
      for (let k = begins[least]; k < begins[least + 1]; k++) {
        const other = items[k];
        if (sizes[other] > sizes[m] && own.every((g) => has(columns, other * height, g))) return false;
      }
      return true;
    });
    return largest.map((step) => ({ step, support: sizes[step[0]] }));
  }

  /** The intent faces: the least sets of attributes of an intent that an object outside lacks. */
  intentFaces(intent: number[], extent: Words): number[][] {
    const { rows, width, meta } = this.data;
    const own = new Uint32Array(width);
    for (const m of intent) add(own, 0, m);
    // The words that contain attributes of the intent.
    const used = [...new Set(intent.map((m) => m >>> 5))];
    const seen = new Map<string, { words: Words; size: number }>();
    for (let g = 0; g < meta.objects; g++) {
      if (has(extent, 0, g)) continue;
      let key = "";
      for (const i of used) key += `${own[i] & ~rows[g * width + i]},`;
      if (seen.has(key)) continue;
      const words = new Uint32Array(width);
      for (const i of used) words[i] = own[i] & ~rows[g * width + i];
      seen.set(key, { words, size: count(words) });
    }
    const sorted = [...seen.values()].sort((a, b) => a.size - b.size);
    const least: Words[] = [];
    for (const { words } of sorted) {
      if (!least.some((face) => used.every((i) => (face[i] & ~words[i]) === 0))) least.push(words);
    }
    return least.map((words) => members(words, 0, width));
  }

  /** The number of the concept with an intent; -1 if it is not listed. */
  find(intent: number[], support: number): number {
    // Concepts are sorted by support, largest first, then by intent.
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

/** The first members of a set. */
export function someMembers(words: Words, most: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < words.length && found.length < most; i++) {
    if (words[i] !== 0) found.push(...members(words, i, 1).map((bit) => (i << 5) + bit));
  }
  return found.slice(0, most);
}

/** Whether a set comes before another in the order of their ascending lists. */
function precedes(x: Words, at: number, y: Words, width: number): boolean {
  for (let i = 0; i < width; i++) {
    const differing = x[at + i] ^ y[i];
    if (differing === 0) continue;
    const low = differing & -differing;
    const above = ~(low | (low - 1));
    // The set without the lowest differing element comes first only if it has no further elements.
    const [other, from] = (x[at + i] & low) !== 0 ? [y, 0] : [x, at];
    let ends = (other[from + i] & above) === 0;
    for (let j = i + 1; ends && j < width; j++) ends = other[from + j] === 0;
    return (other === x) === ends;
  }
  return false;
}

/** The minimal sets that meet every face, sorted by size, then by members; none if there are more than `most`. */
export function transversals(faces: number[][], most: number): { sets: number[][]; cut: boolean } {
  const sets: number[][] = [];
  const chosen: number[] = [];
  // The number of chosen elements in each face.
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
  // An incomplete list would be misleading.
  if (cut || sets.length > most) return { sets: [], cut: true };
  sets.sort((a, b) => a.length - b.length || compare(a, b));
  return { sets, cut };
}

export function compare(a: number[], b: number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] - b[i];
  return a.length - b.length;
}
