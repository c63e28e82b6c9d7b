// Chooses the layer and the column of each element of a line diagram so that few straight lines cross.
//
// The core takes the same steps for the figures (cpp/diagram/places.cpp). All numbers are whole, and both have the same random
// numbers, so both find the same places.
//
//  1 layers   as low as the elements below allow; an element without covers is on the layer of one of similar depth.
//  2 order    on each layer by the mean column of the neighbours, in sweeps up and down.
//  3 search   threshold accepting. A step moves an element to another column, swaps it with the element there, or moves it to
//             another layer between its upper and lower neighbours. A step that costs more than the threshold of the round
//             is undone. Cost: crossings, lines too close to an element that is not one of their ends, lengths.

import { additive } from "./additive";
import { APART, CROSSING, Chance, STRUCK, THRESHOLDS, cross, crossings, spread, struck } from "./geometry";

/** The cost per layer that a line spans. */
const HEIGHT = 4;
/** The least and the largest number of steps of a round per element: as many as there are elements, if that is in between. */
const FEWEST_STEPS = 30;
const MOST_STEPS = 60;
const MOST_TESTS = 6_000_000;
const SWEEPS = 8;
const MOST_CACHED = 8;

/** With more elements than this, `auto` does not try an additive diagram. */
const SMALL = 50;

/** The kind of layout; `auto` chooses between additive and layered. */
export type Kind = "auto" | "layered" | "additive" | "support";

export interface Places {
  layer: number[];
  column: number[];
  /** The kind of layout, never `auto`. */
  kind: Kind;
}

/** The last results: they are needed again when a panel changes its size or its labels. */
const cache = new Map<string, Places>();

/** The places of n elements; `levels` is the depth of elements without covers. */
export function placesOf(n: number, edges: [number, number][], levels: number[], kind: Kind, supports: number[]): Places {
  const key = JSON.stringify([edges, levels, kind, kind === "support" ? supports : 0]);
  let places = cache.get(key);
  if (places === undefined) {
    places = searched(n, edges, levels, kind, supports);
    if (cache.size >= MOST_CACHED) cache.delete(cache.keys().next().value!);
    cache.set(key, places);
  }
  return places;
}

/** The distance between the first and the last layer or column. */
function span(places: ArrayLike<number>): number {
  let [least, most] = [places[0] ?? 0, places[0] ?? 0];
  for (let v = 1; v < places.length; v++) {
    least = Math.min(least, places[v]);
    most = Math.max(most, places[v]);
  }
  return most - least;
}

function searched(n: number, edges: [number, number][], levels: number[], kind: Kind, supports: number[]): Places {
  const search = new Search(n, edges);
  search.layered(levels);
  const { x, y, upper, lower } = search;
  if (kind === "support") search.bySupport(supports);
  else if (kind === "additive" || (kind === "auto" && n <= SMALL && search.joined)) {
    // Automatically chosen, an additive diagram must be at least as easy to read: no higher, at most half as wide again, no
    // more crossings.
    const other = additive(n, upper, lower, y, x, kind === "auto" ? span(y) : Infinity);
    const preferred = other.sound && 2 * span(other.x) <= 3 * span(x) && crossings(other.x, other.y, upper, lower) <= crossings(x, y, upper, lower);
    if (kind === "additive" || preferred) return { layer: [...other.y], column: [...other.x], kind: "additive" };
  }
  return { layer: [...search.y], column: [...search.x], kind: kind === "support" ? kind : "layered" };
}

class Search {
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly upper: Int32Array;
  readonly lower: Int32Array;
  private readonly incident: number[][];
  private readonly marked: Uint8Array;
  /** The layers of the ends of each line. */
  private readonly tops: Int32Array;
  private readonly bottoms: Int32Array;
  /** The lines of the elements that `local` was called for. */
  private readonly own: Int32Array;
  /** The elements of each layer. */
  private layers: number[][] = [];
  private readonly chance = new Chance();
  /** Whether elements stay on their layers. */
  private fixed = false;

  constructor(private readonly n: number, edges: [number, number][]) {
    this.x = new Int32Array(n);
    this.y = new Int32Array(n);
    this.upper = Int32Array.from(edges, ([u]) => u);
    this.lower = Int32Array.from(edges, ([, v]) => v);
    this.marked = new Uint8Array(edges.length);
    this.own = new Int32Array(edges.length);
    this.tops = new Int32Array(edges.length);
    this.bottoms = new Int32Array(edges.length);
    this.incident = Array.from({ length: n }, () => []);
    edges.forEach(([u, v], e) => {
      this.incident[u].push(e);
      this.incident[v].push(e);
    });
  }

  /** Whether every element has a cover. */
  get joined(): boolean {
    return this.incident.every((own) => own.length > 0);
  }

  /** Layers as low as the elements below allow. */
  layered(levels: number[]): void {
    this.setLayers(levels);
    this.setOrder();
    this.run();
  }

  /** One layer per support, the largest first; the search starts with the columns of the layered diagram. */
  bySupport(supports: number[]): void {
    const sizes = [...new Set(supports)].sort((a, b) => b - a);
    const rank = new Map(sizes.map((size, i) => [size, i]));
    supports.forEach((size, v) => (this.y[v] = rank.get(size)!));
    if (this.upper.some((u, e) => this.y[u] >= this.y[this.lower[e]])) throw new Error("an upper element must have the larger support");
    this.group();
    spread(this.x, this.y);
    this.fixed = true;
    this.run();
  }

  private group(): void {
    const { n, y } = this;
    this.layers = Array.from({ length: n === 0 ? 0 : y.reduce((most, each) => Math.max(most, each), 0) + 1 }, () => []);
    for (let v = 0; v < n; v++) this.layers[y[v]].push(v);
  }

  private run(): void {
    const { n, x, y } = this;
    const m = this.upper.length;
    if (n < 3 || m === 0) return;
    for (let v = 0; v < n; v++) this.setEnds(v);
    let cost = this.local(Array.from({ length: n }, (_, v) => v));
    let best = cost;
    const [keptX, keptY] = [x.slice(), y.slice()];
    let reach = this.fixed ? n : 4;
    for (const members of this.layers) reach = Math.max(reach, 2 * members.length + 2);
    // A step compares the lines of an element with all lines.
    const work = Math.max(1, Math.floor((2 * m * m) / n));
    const wanted = n * Math.max(FEWEST_STEPS, Math.min(MOST_STEPS, n));
    const steps = Math.max(n, Math.min(wanted, Math.floor(MOST_TESTS / work)));
    for (const threshold of THRESHOLDS) {
      // A round starts from the best places so far.
      if (cost > best) {
        this.restore(keptX, keptY);
        cost = best;
      }
      for (let step = 0; step < steps; step++) {
        const change = this.step(reach, threshold);
        cost += change;
        if (cost < best) {
          best = cost;
          keptX.set(x);
          keptY.set(y);
        }
      }
    }
    this.restore(keptX, keptY);
  }

  /** Try a step; returns the change of the cost, 0 if the step was undone. */
  private step(reach: number, threshold: number): number {
    const { x, y } = this;
    const v = this.chance.below(this.n);
    // An element without covers costs nothing anywhere, so it would drift away. Only others may swap with it.
    if (this.incident[v].length === 0) return 0;
    const kind = this.chance.below(4);
    // Half of the steps go near the neighbours, the others anywhere.
    const wanted = kind < 2 ? this.middle(v) + this.chance.below(5) - 2 : this.chance.below(2 * reach + 1) - reach;
    let level = y[v];
    if (kind % 2 === 1 && !this.fixed) {
      let [low, high] = [0, this.layers.length - 1];
      for (const e of this.incident[v]) {
        if (this.lower[e] === v) low = Math.max(low, y[this.upper[e]] + 1);
        else high = Math.min(high, y[this.lower[e]] - 1);
      }
      if (low < high) level = low + this.chance.below(high - low + 1);
    }
    if (wanted === x[v] && level === y[v]) return 0;
    const other = this.inTheWay(v, wanted, level);
    if (other === -2 || (other >= 0 && level !== y[v])) return 0;
    const moved = other < 0 ? [v] : [v, other];
    const before = this.local(moved);
    const [xv, yv] = [x[v], y[v]];
    if (other < 0) this.move(v, wanted, level);
    else [x[v], x[other]] = [x[other], x[v]];
    const change = this.local(moved, before + threshold) - before;
    if (change <= threshold) return change;
    if (other < 0) this.move(v, xv, yv);
    else [x[v], x[other]] = [x[other], x[v]];
    return 0;
  }

  private move(v: number, column: number, level: number): void {
    if (level !== this.y[v]) {
      const members = this.layers[this.y[v]];
      members.splice(members.indexOf(v), 1);
      this.layers[level].push(v);
      this.y[v] = level;
      this.setEnds(v);
    }
    this.x[v] = column;
  }

  private setEnds(v: number): void {
    for (const e of this.incident[v]) (this.upper[e] === v ? this.tops : this.bottoms)[e] = this.y[v];
  }

  private restore(x: Int32Array, y: Int32Array): void {
    for (let v = 0; v < this.n; v++) this.move(v, x[v], y[v]);
  }

  /** The mean column of the neighbours, rounded down. */
  private middle(v: number): number {
    const own = this.incident[v];
    let sum = 0;
    for (const e of own) sum += this.x[this.upper[e]] + this.x[this.lower[e]] - this.x[v];
    return Math.floor(sum / own.length);
  }

  /** The only element of a layer that is too close to a column; -1 if there is none, -2 if there are several. */
  private inTheWay(v: number, column: number, level: number): number {
    let found = -1;
    for (const w of this.layers[level]) {
      if (w === v || Math.abs(this.x[w] - column) >= APART) continue;
      if (found >= 0) return -2;
      found = w;
    }
    return found;
  }

  /** The cost of everything that depends on the places of some elements, or any larger number than `most` if it is larger. */
  private local(moved: number[], most = Infinity): number {
    const { x, y, marked, incident, upper, lower, own, tops, bottoms } = this;
    const m = upper.length;
    let count = 0;
    for (const v of moved) {
      for (const e of incident[v]) {
        if (marked[e] !== 0) continue;
        marked[e] = 1;
        own[count++] = e;
      }
    }
    let cost = 0;
    for (let i = 0; i < count && cost <= most; i++) {
      const e = own[i];
      const a = upper[e];
      const b = lower[e];
      const top = tops[e];
      const bottom = bottoms[e];
      cost += Math.abs(x[a] - x[b]) + HEIGHT * (bottom - top);
      for (let f = 0; f < m; f++) {
        // Lines on other layers can't cross. Pairs of two own lines are counted once.
        if (tops[f] >= bottom || bottoms[f] <= top || (marked[f] !== 0 && f <= e)) continue;
        if (cross(x, y, a, b, upper[f], lower[f])) cost += CROSSING;
      }
      for (let level = top + 1; level < bottom; level++) {
        for (const w of this.layers[level]) if (struck(x, y, w, a, b)) cost += STRUCK;
      }
    }
    for (let i = 0; i < moved.length && cost <= most; i++) {
      const v = moved[i];
      const level = y[v];
      for (let f = 0; f < m; f++) {
        if (tops[f] < level && level < bottoms[f] && marked[f] === 0 && struck(x, y, v, upper[f], lower[f])) cost += STRUCK;
      }
    }
    for (let i = 0; i < count; i++) marked[own[i]] = 0;
    return cost;
  }

  private setLayers(levels: number[]): void {
    const { n, y, upper, lower, incident } = this;
    // The longest way to a minimal element, then counted from the top.
    const height = new Int32Array(n);
    const open = incident.map((own, v) => own.filter((e) => upper[e] === v).length);
    const ready: number[] = [];
    for (let v = 0; v < n; v++) if (open[v] === 0) ready.push(v);
    for (let i = 0; i < ready.length; i++) {
      for (const e of incident[ready[i]]) {
        if (lower[e] !== ready[i]) continue;
        const u = upper[e];
        height[u] = Math.max(height[u], height[ready[i]] + 1);
        if (--open[u] === 0) ready.push(u);
      }
    }
    if (ready.length !== n) throw new Error("the covers have a cycle");
    const highest = height.reduce((most, each) => Math.max(most, each), 0);
    const joined: number[] = [];
    const alone: number[] = [];
    for (let v = 0; v < n; v++) {
      (incident[v].length > 0 ? joined : alone).push(v);
      y[v] = highest - height[v];
    }
    if (joined.length === 0) {
      // Without covers the elements fill a rectangle of rows.
      let columns = 1;
      while (columns * columns < 3 * n) columns += 1;
      alone.forEach((v, i) => (y[v] = Math.floor(i / columns)));
    } else {
      for (const v of alone) {
        // The layer of an element of similar depth.
        let nearest = joined[0];
        for (const w of joined) if (Math.abs(levels[w] - levels[v]) < Math.abs(levels[nearest] - levels[v])) nearest = w;
        y[v] = y[nearest];
      }
    }
    this.group();
  }

  private setOrder(): void {
    const { x, y, upper, lower, incident, layers } = this;
    const settle = (members: number[]): void => members.forEach((v, i) => (x[v] = APART * i - members.length + 1));
    for (const members of layers) settle(members);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const downwards = sweep % 2 === 0;
      for (let k = 0; k < layers.length; k++) {
        const members = layers[downwards ? k : layers.length - 1 - k];
        const sums = new Map<number, [number, number]>();
        for (const v of members) {
          let [sum, count] = [0, 0];
          for (const e of incident[v]) {
            const w = upper[e] === v ? lower[e] : upper[e];
            if (y[w] < y[v] !== downwards) continue;
            sum += x[w];
            count += 1;
          }
          sums.set(v, count > 0 ? [sum, count] : [x[v], 1]);
        }
        members.sort((v, w) => {
          const [[a, b], [c, d]] = [sums.get(v)!, sums.get(w)!];
          return a * d - c * b || x[v] - x[w];
        });
        settle(members);
      }
    }
  }
}
