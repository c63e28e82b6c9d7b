// `Source` answers the page's questions from its data.

import { add, count, members, within } from "./bits";
import type { Data } from "./payload";
import { MOST_OBJECTS, matching, parse } from "./search";
import { lowerBound, upperBound } from "./scale";
import { Structure, compare, someMembers, transversals } from "./structure";
import { Closed, Cover, Details, Dot, Node, Page, Part, Query, Row, RuleList, SortKey, Suborder } from "./types";

const MOST_GENERATORS = 400;
/** The most upper and the most lower covers in a neighbourhood. */
const MOST_COVERS = 12;
const OWN_SHOWN = 6;

/** The number of cached orders. A search, or a return to an earlier order, then needs no sorting. */
const MOST_ORDERS = 6;

/** All concepts in an order; `begins` marks the positions where a new rank begins. */
interface Order {
  ids: Uint32Array;
  begins: Uint8Array;
}

interface Selection {
  key: string;
  query: Query;
  order: Uint32Array;
  chosen: Uint8Array;
  unknown: string[];
  /** The rank of each concept; 0 if it does not match the query. */
  ranks: Uint32Array;
  /** The number of concepts with each rank. */
  sizes: Uint32Array;
}

export class Source {
  readonly meta;
  readonly summary;
  readonly structure: Structure;
  private readonly places: Map<string, number>;
  private readonly orders = new Map<string, Order>();
  private last: Selection | null = null;
  /** The arrays of the last selection, which the next one overwrites: new ones would cost more than the sorting. */
  private readonly arrays: Pick<Selection, "chosen" | "order" | "ranks" | "sizes">;
  private readonly scratch: Uint32Array<ArrayBuffer>;

  constructor(private readonly data: Data) {
    this.meta = data.meta;
    this.summary = data.summary;
    const { concepts } = data.meta;
    this.arrays = {
      chosen: new Uint8Array(concepts), order: new Uint32Array(concepts), ranks: new Uint32Array(concepts), sizes: new Uint32Array(concepts + 1),
    };
    this.scratch = new Uint32Array(concepts);
    this.structure = new Structure(data);
    this.places = new Map(this.meta.measures.map((measure, m) => [measure.key, m]));
  }

  rows(query: Query, offset: number, limit: number): Page {
    const { order, unknown } = this.select(query);
    const ids = [...order.subarray(offset, offset + limit)];
    return { total: order.length, rows: ids.map((id) => this.row(id, query)), unknown };
  }

  place(query: Query, id: number): number {
    return this.select(query).order.indexOf(id);
  }

  details(id: number, objects: number): Details {
    const { structure, data } = this;
    const intent = structure.intent(id);
    const extent = structure.extent(intent);
    const faces = structure.intentFaces(intent, extent);
    const { sets, cut } = transversals(faces, MOST_GENERATORS);
    const upper = faces.map((face): Cover => {
      const rest = intent.filter((m) => !face.includes(m));
      const support = count(structure.extent(rest));
      return { id: structure.find(rest, support), intent: rest, support, difference: face };
    });
    const lower = structure.lowerSteps(intent, extent).map(({ step, support }): Cover => {
      const more = intent.concat(step).sort((a, b) => a - b);
      return { id: structure.find(more, support), intent: more, support, difference: step };
    });
    const byOrder = (a: Cover, b: Cover): number => b.support - a.support || compare(a.intent, b.intent);
    return {
      row: this.row(id, null),
      extent: members(extent, 0, data.height).slice(0, this.meta.objectNames ? objects : 0).map(data.objectName),
      relevant: faces.filter((face) => face.length === 1).map(([m]) => m).sort((a, b) => a - b),
      generators: sets,
      generatorsCut: cut,
      upper: upper.sort(byOrder),
      lower: lower.sort(byOrder),
      inexact: this.meta.measures
        .filter((_, m) => ((data.scores[m].inexact?.[id >>> 3] ?? 0) >>> (id & 7)) & 1)
        .map((measure) => measure.key),
    };
  }

  suborder(query: Query, part: Part): Suborder {
    const { ids, found } = this.part(query, part);
    const { intents, width } = this.data;
    const { chosen } = this.select(query);
    // Concepts are numbered by decreasing support, so upper concepts come before lower ones.
    ids.sort((a, b) => a - b);
    const edges: [number, number][] = [];
    for (let j = 0; j < ids.length; j++) {
      const upper: number[] = [];
      for (let i = j - 1; i >= 0; i--) {
        if (!within(intents, ids[i] * width, intents, ids[j] * width, width)) continue;
        const known = upper.some((k) => within(intents, ids[i] * width, intents, ids[k] * width, width));
        if (!known) upper.push(i);
      }
      for (const i of upper.reverse()) edges.push([i, j]);
    }
    const extents = ids.map((id) => this.structure.extent(this.structure.intent(id)));
    const own = extents.map((extent) => extent.slice());
    for (const [i, j] of edges) for (let w = 0; w < own[i].length; w++) own[i][w] &= ~extents[j][w];
    const nodes = ids.map((id, i): Node => {
      const names = someMembers(own[i], this.meta.objectNames ? OWN_SHOWN : 0).map(this.data.objectName);
      return { ...this.row(id, query), matches: chosen[id] === 1, own: names, ownCount: count(own[i]) };
    });
    const support = ids.length ? this.structure.support(ids[ids.length - 1]) : 0;
    return { nodes, edges, found, support };
  }

  /** The chosen concepts with finite scores by two measures: a number and both scores. */
  cloud(query: Query, x: string, y: string): Dot[] {
    const [sx, sy] = [x, y].map((key) => this.data.scores[this.places.get(key)!]);
    const dots = [...this.select(query).order].map((id): Dot => [id, sx.values[sx.codes[id]], sy.values[sy.codes[id]]]);
    return dots.filter(([, a, b]) => Number.isFinite(a) && Number.isFinite(b));
  }

  rules(basis: string): RuleList {
    return this.data.rules.find((list) => list.basis === basis)!;
  }

  closed(sets: number[][]): Closed[] {
    return sets.map((set) => {
      const extent = this.structure.extent(set);
      const intent = this.structure.common(extent);
      const support = count(extent);
      return { id: this.structure.find(intent, support), intent, support };
    });
  }

  csv(query: Query, columns: string[], extents: boolean): Blob {
    const { order } = this.select(query);
    const shown = columns.map((key) => this.places.get(key)!);
    const lines = [["rank", ...columns, "intent", ...(extents ? ["extent"] : [])].map(cell).join(",")];
    for (const id of order) {
      const { rank, scores, intent } = this.row(id, query);
      const lists = [intent.map((m) => this.meta.attributes[m]).join("; ")];
      if (extents) lists.push(members(this.structure.extent(intent), 0, this.data.height).map(this.data.objectName).join("; "));
      lines.push([rank, ...shown.map((m) => scores[m] ?? ""), ...lists.map(cell)].join(","));
    }
    return new Blob([lines.join("\r\n"), "\r\n"], { type: "text/csv;charset=utf-8" });
  }

  private row(id: number, query: Query | null): Row {
    const selection = query === null ? null : this.select(query);
    const rank = selection?.ranks[id] ?? 0;
    return {
      id,
      rank,
      tied: selection?.sizes[rank] ?? 0,
      intent: this.structure.intent(id),
      support: this.structure.support(id),
      scores: this.scores(id),
    };
  }

  /** The scores of a concept, in the order of the measures; null where there is no number. */
  scores(id: number): (number | null)[] {
    return this.data.scores.map(({ values, codes }) => (Number.isNaN(values[codes[id]]) ? null : values[codes[id]]));
  }

  private part(query: Query, { view, id, most }: Part): { ids: number[]; found: number } {
    const { concepts } = this.meta;
    const { intents, width } = this.data;
    if (view === "top") {
      const { order } = this.select(query);
      return { ids: [...order.subarray(0, most)], found: order.length };
    }
    if (view === "iceberg") {
      let end = Math.min(most, concepts);
      // End before a support whose concepts don't all fit.
      if (end < concepts && this.structure.support(end - 1) === this.structure.support(end)) {
        let cut = end - 1;
        while (cut > 0 && this.structure.support(cut - 1) === this.structure.support(end)) cut -= 1;
        if (cut > 0) end = cut;
      }
      return { ids: range(end), found: concepts };
    }
    if (view === "near") {
      const { upper, lower } = this.details(id, 0);
      const sides = [upper, lower].map((covers) => covers.filter((cover) => cover.id >= 0).map((c) => c.id));
      const { order } = this.select({ ...query, search: "", limits: {} });
      const kept = sides.map((ids) => bestOf(ids, order, MOST_COVERS));
      return { ids: [id, ...kept[0], ...kept[1]], found: 1 + sides[0].length + sides[1].length };
    }
    const related: number[] = [];
    for (let i = 0; i < concepts; i++) {
      const inside =
        view === "below"
          ? within(intents, id * width, intents, i * width, width)
          : within(intents, i * width, intents, id * width, width);
      if (inside) related.push(i);
    }
    // Nearest in support first.
    if (view === "above") related.reverse();
    return { ids: related.slice(0, most), found: related.length };
  }

  private select(query: Query): Selection {
    if (this.last?.query === query) return this.last;
    const key = JSON.stringify(query);
    if (this.last?.key === key) return (this.last = { ...this.last, query });
    const { concepts } = this.meta;
    const chosen = this.arrays.chosen.fill(1);
    for (const [name, [low, high]] of Object.entries(query.limits)) {
      const m = this.places.get(name);
      if (m === undefined || (low === null && high === null)) continue;
      const { values, codes, numbers } = this.data.scores[m];
      const ordered = values.subarray(0, numbers);
      const from = low === null ? 0 : lowerBound(ordered, low);
      const to = high === null ? numbers : upperBound(ordered, high);
      for (let i = 0; i < concepts; i++) if (codes[i] < from || codes[i] >= to) chosen[i] = 0;
    }
    const unknown = this.filter(query.search, chosen);
    this.last = { ...this.arrays, key, query, unknown, order: this.rank(this.sorted(query)) };
    return this.last;
  }

  private filter(search: string, chosen: Uint8Array): string[] {
    const { intents, width, rows, meta, objectName } = this.data;
    const unknown: string[] = [];
    for (const term of parse(search)) {
      const attributes = new Uint32Array(width);
      let found = 0;
      if (term.side !== "object") {
        for (const m of matching(term, meta.attributes.length, (i) => meta.attributes[i], Infinity)) {
          add(attributes, 0, m);
          found += 1;
        }
      }
      const objects =
        term.side === "attribute" || !meta.objectNames ? [] : matching(term, meta.objects, objectName, MOST_OBJECTS);
      if (found + objects.length === 0) unknown.push(term.text);
      const holds = new Uint8Array(chosen.length);
      for (let w = 0; w < width; w++) {
        const word = attributes[w];
        if (word === 0) continue;
        for (let i = 0, at = w; i < holds.length; i++, at += width) if ((intents[at] & word) !== 0) holds[i] = 1;
      }
      for (const g of objects) {
        for (let i = 0; i < holds.length; i++) {
          if (holds[i] === 0 && chosen[i] === 1 && within(intents, i * width, rows, g * width, width)) holds[i] = 1;
        }
      }
      const kept = term.negated ? 0 : 1;
      for (let i = 0; i < chosen.length; i++) if (holds[i] !== kept) chosen[i] = 0;
    }
    return unknown;
  }

  /** All concepts sorted by the keys, ties in the lattice's order: one stable counting sort per key, the last key first. */
  private sorted(query: Query): Order {
    const keys: SortKey[] = [[query.sort, query.descending], ...query.then];
    const name = JSON.stringify(keys);
    const known = this.orders.get(name);
    if (known) return known;
    const { concepts } = this.meta;
    // The passes alternate between two arrays. The last one writes to the new array.
    let [from, to] = [this.scratch, new Uint32Array(concepts)];
    if (keys.length % 2 === 0) [from, to] = [to, from];
    for (let i = 0; i < concepts; i++) from[i] = i;
    for (const [key, descending] of keys.slice().reverse()) {
      this.sortBy(from, to, key, descending);
      [from, to] = [to, from];
    }
    const ids = from;
    const begins = new Uint8Array(concepts);
    for (const [key] of keys) {
      const { codes } = this.data.scores[this.places.get(key)!];
      for (let k = 1, before = codes[ids[0]]; k < concepts; k++) {
        const code = codes[ids[k]];
        if (code !== before) begins[k] = 1;
        before = code;
      }
    }
    if (this.orders.size >= MOST_ORDERS) this.orders.delete(this.orders.keys().next().value!);
    this.orders.set(name, { ids, begins });
    return { ids, begins };
  }

  /** Write `ids` in the order of a measure to `sorted`; ties keep their order. */
  private sortBy(ids: Uint32Array, sorted: Uint32Array, key: string, descending: boolean): void {
    const { codes, counts, numbers } = this.data.scores[this.places.get(key)!];
    const start = new Uint32Array(counts.length + 1);
    let total = 0;
    const shift = (code: number): void => {
      start[code] = total;
      total += counts[code];
    };
    if (descending) for (let code = numbers - 1; code >= 0; code--) shift(code);
    else for (let code = 0; code < numbers; code++) shift(code);
    for (let code = numbers; code < counts.length; code++) shift(code);
    for (let k = 0; k < ids.length; k++) sorted[start[codes[ids[k]]]++] = ids[k];
  }

  /** Compute the ranks of the chosen concepts and the number of concepts per rank; returns the chosen concepts in order. */
  private rank({ ids, begins }: Order): Uint32Array {
    const { chosen, order, ranks, sizes } = this.arrays;
    ranks.fill(0);
    sizes.fill(0);
    let total = 0;
    let rank = 0;
    let fresh = 1;
    for (let k = 0; k < ids.length; k++) {
      fresh |= begins[k];
      const id = ids[k];
      if (chosen[id] === 0) continue;
      rank += fresh;
      fresh = 0;
      order[total++] = id;
      ranks[id] = rank;
      sizes[rank] += 1;
    }
    return order.subarray(0, total);
  }
}

function bestOf(ids: number[], order: Uint32Array, most: number): number[] {
  if (ids.length <= most) return ids;
  const wanted = new Set(ids);
  const best: number[] = [];
  for (let i = 0; i < order.length && best.length < most; i++) {
    if (wanted.has(order[i])) best.push(order[i]);
  }
  return best;
}

function cell(text: string): string {
  // Quote a leading sign that makes a spreadsheet read the text as a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
