// Places the elements of a finite ordered set for a line diagram.
//
//  1 places   layers and columns by `places.ts`. They depend on the order alone, so that the page and the figures have the same
//             diagram whatever the labels are.
//  2 bends    (up to 150 elements) a line that would run through another element gets bends around it.
//  3 gap      (up to 150 elements) the distance of layers is large enough that the flattest line keeps clear of the elements.
//
// `plot/layout.py` takes the same steps. tests/layout/*.json has inputs and results for both.

import { Kind, placesOf } from "./places";

export interface Poset {
  /** The number of elements. */
  n: number;
  /** Pairs of an upper and a lower element: the covers of the order. */
  edges: [number, number][];
  /** The depth of each element, such as the size of its intent; it decides the layer of elements without covers. */
  levels: number[];
  /** The kind of layout, and the support of each element. */
  kind: Kind;
  supports: number[];
  /** The distance between columns; neighbours on a layer are at least two columns apart. */
  pitch: number;
  /** The least distance between layers. */
  gap: number;
  /** The least distance between a line and the centre of an element that is not one of its ends. */
  clearance: number;
}

export interface Layout {
  /** The kind of layout: never `auto`. */
  kind: Kind;
  /** The abscissa of each element's centre; the middle of all is 0. */
  x: number[];
  /** The layer of each element; the ordinate is the layer times the gap, downwards. */
  layer: number[];
  /** The distance between layers. */
  gap: number;
  /** For each edge its bends, as abscissa and layer; none if it is straight. */
  bends: [number, number][][];
}

/** With more elements than this, lines have no bends: there is no room for them. */
export const TIDY_LIMIT = 150;

/** The distance between a line and an element on a layer that it passes, in clearances. */
const ROOM = 1.5;

/** The height of a diagram by support in gaps, however many layers it has. */
const SUPPORT_GAPS = 12;

export function layout(poset: Poset): Layout {
  const { n, edges, pitch } = poset;
  const { layer, column, kind } = placesOf(n, edges, poset.levels, poset.kind, poset.supports);
  const middle = n > 0 ? (Math.min(...column) + Math.max(...column)) / 2 : 0;
  const x = column.map((each) => (each - middle) * pitch);
  const tidy = n <= TIDY_LIMIT;
  if (kind === "support") {
    const layers = Math.max(1, ...layer);
    poset = { ...poset, gap: Math.max(Math.min(poset.gap, 2.5 * poset.clearance), poset.gap * Math.min(1, SUPPORT_GAPS / layers)) };
  }
  const bends = edges.map((edge) => (tidy ? bendsOf(edge, poset, layer, x) : []));
  const gap = tidy ? gapFor(poset, layer, x, bends) : poset.gap;
  return { kind, x, layer, gap, bends };
}

/** The abscissa of a straight line between two points on a layer in between. */
function lineAt(x0: number, l0: number, x1: number, l1: number, l: number): number {
  return x0 + ((x1 - x0) * (l - l0)) / (l1 - l0);
}

/** The free abscissa nearest to a wanted one; of two at the same distance the left one. */
function nearestFree(wanted: number, taken: [number, number][]): number {
  const free = [wanted, ...taken.flat()].filter((at) => !taken.some(([low, high]) => low < at && at < high));
  return free.reduce((best, at) => {
    const nearer = Math.abs(at - wanted) - Math.abs(best - wanted);
    return nearer < 0 || (nearer === 0 && at < best) ? at : best;
  });
}

/** The bends that lead an edge around the elements that a straight line would run through. */
function bendsOf([u, v]: [number, number], poset: Poset, layer: number[], x: number[]): [number, number][] {
  const room = ROOM * poset.clearance;
  const path: [number, number][] = [
    [x[u], layer[u]],
    [x[v], layer[v]],
  ];
  for (;;) {
    let changed = false;
    for (let k = 0; k + 1 < path.length && !changed; k++) {
      const [[x0, l0], [x1, l1]] = [path[k], path[k + 1]];
      for (let l = l0 + 1; l < l1 && !changed; l++) {
        const at = lineAt(x0, l0, x1, l1, l);
        const taken = x.flatMap((each, w): [number, number][] => (layer[w] === l ? [[each - room, each + room]] : []));
        // Allow for rounding: an edge that touches the border needs no bend.
        if (!taken.some(([low, high]) => low + 1e-6 < at && at < high - 1e-6)) continue;
        path.splice(k + 1, 0, [nearestFree(at, taken), l]);
        changed = true;
      }
    }
    if (!changed) return path.slice(1, -1);
  }
}

/** The least gap with which every edge keeps its clearance from every element that is not one of its ends. */
function gapFor(poset: Poset, layer: number[], x: number[], bends: [number, number][][]): number {
  const c = poset.clearance;
  let gap = poset.gap;
  poset.edges.forEach(([u, v], e) => {
    const path: [number, number][] = [[x[u], layer[u]], ...bends[e], [x[v], layer[v]]];
    for (let k = 0; k + 1 < path.length; k++) {
      const [[x0, l0], [x1, l1]] = [path[k], path[k + 1]];
      for (let w = 0; w < poset.n; w++) {
        if (w === u || w === v || layer[w] < l0 || layer[w] > l1) continue;
        // On the layer of an end, only elements on the edge's side can be too close.
        if (layer[w] === l0 && (x[w] - x0) * (x1 - x0) <= 0) continue;
        if (layer[w] === l1 && (x[w] - x1) * (x0 - x1) <= 0) continue;
        const beside = Math.abs(x[w] - lineAt(x0, l0, x1, l1, layer[w]));
        if (beside <= c) continue;
        gap = Math.max(gap, (c * Math.abs(x1 - x0)) / ((l1 - l0) * Math.sqrt(beside * beside - c * c)));
      }
    }
  });
  return gap;
}
