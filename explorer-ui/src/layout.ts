// Places the elements of a finite ordered set for a line diagram.
//
// The same steps, in the same order of floating-point operations, are taken by the Python twin;
// tests/layout/*.json holds inputs and outcomes that both are compared with. "Number" below is the
// number of an element; every tie is broken by it or by the order at hand, so that nothing depends
// on chance. Lists of neighbours are in the order of the given covers.
//
//  1 layers    longest path from the maximal elements (layer 0); then, from the lowest layer up and
//              by number within one, an element with slack goes down as far as it can if it has more
//              lower than upper covers, half of the way (rounded down) if it has as many of both.
//              Elements without covers come last, in rows of their own below the rest.
//  2 threads   an edge over several layers gets a waypoint of width 0 on each layer between, numbered
//              after the elements, edge by edge, from top to bottom.
//  3 order     first depth-first from the elements without upper covers, by number, upper neighbours
//              before lower; then sweeps down and up, sorting a layer by the mean place of the
//              neighbours on the layer before it (without neighbours: by its own place). Kept is the
//              order with the fewest crossings seen. Then neighbours on a layer change places as long
//              as that removes crossings.
//  4 abscissae each layer in turn is drawn to the means of its neighbours, by isotonic regression
//              that keeps the distances apart.
//  5 tidying   (up to 80 elements) an element that a straight edge would run through goes to the
//              nearest free place on its layer; what is left gets bends.
//  6 gap       (up to 80 elements) the layers are set as far apart as the flattest edge needs to pass
//              the elements beside it.

export interface Poset {
  /** The number of elements. */
  n: number;
  /** Pairs of an upper and a lower element: the covers of the order. */
  edges: [number, number][];
  /** The room that each element needs from left to right, its labels included. */
  widths: number[];
  /** The least distance between layers; the room for labels above and below is in it. */
  gap: number;
  /** How far an edge stays away from the centre of a foreign element. */
  clearance: number;
}

export interface Layout {
  /** The abscissa of each element's centre; the middle of all is 0. */
  x: number[];
  /** The layer of each element; the ordinate is the layer times the gap, downwards. */
  layer: number[];
  /** The distance between layers. */
  gap: number;
  /** For each edge the points on its way, as abscissa and layer; none if it is straight. */
  bends: [number, number][][];
}

/** Beyond so many elements nothing is tidied: there is no room for it. */
export const TIDY_LIMIT = 80;
const SPACE = 14; // between the rooms of neighbours on a layer
const ORDER_SWEEPS = 12;
const PLACE_SWEEPS = 10;
const SWITCH_LIMIT = 600; // elements and waypoints
const TIDY_ROUNDS = 30;

export function layout(poset: Poset): Layout {
  const { n, edges } = poset;
  const upper = lists(n);
  const lower = lists(n);
  for (const [u, v] of edges) {
    lower[u].push(v);
    upper[v].push(u);
  }
  const layer = layersOf(n, upper, lower);
  const graph = threaded(poset, layer);
  order(graph);
  const x = abscissae(graph);
  const tidy = n <= TIDY_LIMIT;
  if (tidy) tidyUp(poset, graph, x);
  centre(x, n);
  const bends = edges.map((edge) => (tidy ? bendsOf(edge, poset, graph, x) : []));
  const gap = tidy ? gapFor(poset, layer, x, bends) : poset.gap;
  return { x: x.slice(0, n), layer, gap, bends };
}

function lists(n: number): number[][] {
  return Array.from({ length: n }, () => []);
}

// 1 layers

function layersOf(n: number, upper: number[][], lower: number[][]): number[] {
  const layer = new Array<number>(n).fill(0);
  const sorted = topological(n, upper, lower);
  for (const v of sorted) for (const u of upper[v]) layer[v] = Math.max(layer[v], layer[u] + 1);
  const last = Math.max(-1, ...layer);
  const byDepth = range(n).sort((a, b) => layer[b] - layer[a] || a - b);
  for (const v of byDepth) {
    if (lower[v].length === 0) continue;
    let lowest = Infinity;
    for (const w of lower[v]) lowest = Math.min(lowest, layer[w] - 1);
    if (lower[v].length > upper[v].length) layer[v] = lowest;
    else if (lower[v].length === upper[v].length) layer[v] = Math.floor((layer[v] + lowest) / 2);
  }
  const alone = range(n).filter((v) => upper[v].length === 0 && lower[v].length === 0);
  if (alone.length === 0) return layer;
  const count = new Array<number>(last + 1).fill(0);
  for (const v of sorted) if (upper[v].length + lower[v].length > 0) count[layer[v]] += 1;
  const columns = Math.max(Math.ceil(Math.sqrt(3 * alone.length)), ...count);
  const first = alone.length === n ? 0 : last + 1;
  alone.forEach((v, i) => (layer[v] = first + Math.floor(i / columns)));
  return layer;
}

/** The elements, each after those above it: always the ready one that got ready first. */
function topological(n: number, upper: number[][], lower: number[][]): number[] {
  const open = upper.map((list) => list.length);
  const sorted = range(n).filter((v) => open[v] === 0);
  for (let i = 0; i < sorted.length; i++) {
    for (const w of lower[sorted[i]]) {
      open[w] -= 1;
      if (open[w] === 0) sorted.push(w);
    }
  }
  if (sorted.length !== n) throw new Error("the covers have a cycle");
  return sorted;
}

// 2 threads

interface Graph {
  layer: number[]; // of elements and waypoints
  up: number[][]; // neighbours on the layer above
  down: number[][]; // neighbours on the layer below
  widths: number[];
  layers: number[][]; // the members of each layer, from left to right
}

function threaded(poset: Poset, elements: number[]): Graph {
  const layer = elements.slice();
  const widths = poset.widths.slice();
  const up = lists(poset.n);
  const down = lists(poset.n);
  const join = (a: number, b: number): void => {
    down[a].push(b);
    up[b].push(a);
  };
  for (const [u, v] of poset.edges) {
    let from = u;
    for (let l = layer[u] + 1; l < layer[v]; l++) {
      const point = layer.length;
      layer.push(l);
      widths.push(0);
      up.push([]);
      down.push([]);
      join(from, point);
      from = point;
    }
    join(from, v);
  }
  const layers = lists(Math.max(-1, ...elements) + 1);
  return { layer, up, down, widths, layers };
}

// 3 order

function order(graph: Graph): void {
  const { layer, up, down, layers } = graph;
  const seen = new Array<boolean>(layer.length).fill(false);
  for (let start = 0; start < layer.length; start++) {
    if (seen[start] || up[start].length > 0) continue;
    const stack = [start];
    while (stack.length > 0) {
      const v = stack.pop()!;
      if (seen[v]) continue;
      seen[v] = true;
      layers[layer[v]].push(v);
      // The last one pushed comes first.
      for (let i = down[v].length - 1; i >= 0; i--) stack.push(down[v][i]);
      for (let i = up[v].length - 1; i >= 0; i--) stack.push(up[v][i]);
    }
  }
  const place = new Array<number>(layer.length).fill(0);
  const settle = (members: number[]): void => members.forEach((v, i) => (place[v] = i));
  layers.forEach(settle);
  let best = layers.map((members) => members.slice());
  let fewest = crossings(graph, place);
  for (let sweep = 0; sweep < ORDER_SWEEPS && fewest > 0; sweep++) {
    const downwards = sweep % 2 === 0;
    const near = downwards ? up : down;
    for (let i = 0; i < layers.length; i++) {
      const members = layers[downwards ? i : layers.length - 1 - i];
      const key = new Map<number, number>();
      for (const v of members) key.set(v, near[v].length ? mean(near[v], place) : place[v]);
      members.sort((a, b) => key.get(a)! - key.get(b)! || place[a] - place[b]);
      settle(members);
    }
    const now = crossings(graph, place);
    if (now < fewest) {
      fewest = now;
      best = layers.map((members) => members.slice());
    }
  }
  best.forEach((members, l) => {
    layers[l] = members;
    settle(members);
  });
  if (layer.length <= SWITCH_LIMIT && fewest > 0) switchNeighbours(graph, place);
}

function mean(members: number[], values: number[]): number {
  let sum = 0;
  for (const v of members) sum += values[v];
  return sum / members.length;
}

/** The crossings between neighbouring layers: inversions of the ends of edges sorted by start. */
function crossings(graph: Graph, place: number[]): number {
  let total = 0;
  for (let l = 0; l + 1 < graph.layers.length; l++) {
    const size = graph.layers[l + 1].length;
    const tree = new Int32Array(size + 1);
    let seen = 0;
    for (const v of graph.layers[l]) {
      const ends = graph.down[v].map((w) => place[w]);
      for (const end of ends) {
        let notRight = 0;
        for (let i = end + 1; i > 0; i -= i & -i) notRight += tree[i];
        total += seen - notRight;
      }
      for (const end of ends) for (let i = end + 1; i <= size; i += i & -i) tree[i] += 1;
      seen += ends.length;
    }
  }
  return total;
}

/** Let neighbours on a layer change places as long as crossings vanish, eight times through. */
function switchNeighbours(graph: Graph, place: number[]): void {
  for (let round = 0; round < 8; round++) {
    let better = false;
    for (const members of graph.layers) {
      for (let i = 0; i + 1 < members.length; i++) {
        const [a, b] = [members[i], members[i + 1]];
        const now = between(graph.up[a], graph.up[b], place) + between(graph.down[a], graph.down[b], place);
        const then = between(graph.up[b], graph.up[a], place) + between(graph.down[b], graph.down[a], place);
        if (then >= now) continue;
        [members[i], members[i + 1]] = [b, a];
        place[b] = i;
        place[a] = i + 1;
        better = true;
      }
    }
    if (!better) return;
  }
}

/** How many pairs of a left and a right neighbour list are the wrong way round. */
function between(left: number[], right: number[], place: number[]): number {
  let count = 0;
  for (const a of left) for (const b of right) if (place[a] > place[b]) count += 1;
  return count;
}

// 4 abscissae

/** How far the centres of two neighbours on a layer must be apart. */
function apart(widths: number[], a: number, b: number): number {
  return (widths[a] + widths[b]) / 2 + SPACE;
}

function abscissae(graph: Graph): number[] {
  const { layers, up, down, widths } = graph;
  const x = new Array<number>(graph.layer.length).fill(0);
  for (const members of layers) {
    let at = 0;
    members.forEach((v, i) => {
      if (i > 0) at += apart(widths, members[i - 1], v);
      x[v] = at;
    });
    for (const v of members) x[v] -= at / 2;
  }
  for (let sweep = 0; sweep < PLACE_SWEEPS; sweep++) {
    const last = sweep >= PLACE_SWEEPS - 2;
    const downwards = sweep % 2 === 0;
    for (let i = 0; i < layers.length; i++) {
      const members = layers[downwards ? i : layers.length - 1 - i];
      const wanted = members.map((v) => {
        const near = last ? up[v].concat(down[v]) : downwards ? up[v] : down[v];
        return near.length ? mean(near, x) : x[v];
      });
      spread(members, wanted, widths, x);
    }
  }
  return x;
}

/** Set a layer as near to the wanted abscissae as order and distances allow (least squares). */
function spread(members: number[], wanted: number[], widths: number[], x: number[]): void {
  const offset: number[] = [];
  const sums: number[] = [];
  const sizes: number[] = [];
  members.forEach((v, i) => {
    offset.push(i === 0 ? 0 : offset[i - 1] + apart(widths, members[i - 1], v));
    sums.push(wanted[i] - offset[i]);
    sizes.push(1);
    // Pool neighbouring blocks that are the wrong way round.
    while (sums.length > 1) {
      const k = sums.length - 1;
      if (sums[k - 1] / sizes[k - 1] <= sums[k] / sizes[k]) break;
      sums[k - 1] += sums[k];
      sizes[k - 1] += sizes[k];
      sums.pop();
      sizes.pop();
    }
  });
  let i = 0;
  sums.forEach((sum, k) => {
    for (let j = 0; j < sizes[k]; j++, i++) x[members[i]] = sum / sizes[k] + offset[i];
  });
}

function centre(x: number[], n: number): void {
  if (n === 0) return;
  let low = Infinity;
  let high = -Infinity;
  for (let v = 0; v < n; v++) {
    low = Math.min(low, x[v]);
    high = Math.max(high, x[v]);
  }
  const middle = (low + high) / 2;
  for (let v = 0; v < x.length; v++) x[v] -= middle;
}

// 5 tidying

/** Where a straight line from one point to another is on a layer between. */
function lineAt(x0: number, l0: number, x1: number, l1: number, l: number): number {
  return x0 + ((x1 - x0) * (l - l0)) / (l1 - l0);
}

/** How far from a line an element on a layer between should be; the flatter the line, the farther. */
function roomOf(poset: Poset, across: number, layers: number): number {
  const slope = across / (layers * poset.gap);
  const wanted = poset.clearance * Math.sqrt(1 + slope * slope);
  return Math.min(4 * poset.clearance, Math.max(1.5 * poset.clearance, wanted));
}

function tidyUp(poset: Poset, graph: Graph, x: number[]): void {
  const { n, edges, widths } = poset;
  const layer = graph.layer;
  const long = edges.filter(([u, v]) => layer[v] - layer[u] > 1);
  const elements = graph.layers.map((members) => members.filter((v) => v < n));
  for (let round = 0; round < TIDY_ROUNDS; round++) {
    let moved = false;
    for (const members of elements) {
      for (const w of members) {
        // The intervals in which w must not be: too near to an edge or to a neighbour.
        const lines: [number, number][] = [];
        for (const [u, v] of long) {
          if (layer[u] < layer[w] && layer[w] < layer[v]) {
            const at = lineAt(x[u], layer[u], x[v], layer[v], layer[w]);
            const room = roomOf(poset, x[v] - x[u], layer[v] - layer[u]);
            lines.push([at - room, at + room]);
          }
        }
        if (!lines.some(([low, high]) => low < x[w] && x[w] < high)) continue;
        const others = members.filter((v) => v !== w);
        const taken = lines.concat(
          others.map((v): [number, number] => [x[v] - apart(widths, v, w), x[v] + apart(widths, v, w)]),
        );
        x[w] = nearestFree(x[w], taken);
        moved = true;
      }
    }
    if (!moved) return;
  }
}

/** The free place nearest to a wanted one, the left one of two as near. */
function nearestFree(wanted: number, taken: [number, number][]): number {
  const free = (at: number): boolean => !taken.some(([low, high]) => low < at && at < high);
  if (free(wanted)) return wanted;
  let best = Infinity;
  for (const [low, high] of taken) {
    for (const at of [low, high]) {
      if (!free(at)) continue;
      const nearer = Math.abs(at - wanted) - Math.abs(best - wanted);
      if (nearer < 0 || (nearer === 0 && at < best)) best = at;
    }
  }
  return best;
}

/** The points that lead an edge around the elements that a straight line would run through. */
function bendsOf([u, v]: [number, number], poset: Poset, graph: Graph, x: number[]): [number, number][] {
  const { layer, layers } = graph;
  const path: [number, number][] = [
    [x[u], layer[u]],
    [x[v], layer[v]],
  ];
  for (;;) {
    let changed = false;
    for (let k = 0; k + 1 < path.length && !changed; k++) {
      const [[x0, l0], [x1, l1]] = [path[k], path[k + 1]];
      const room = roomOf(poset, x1 - x0, l1 - l0);
      for (let l = l0 + 1; l < l1 && !changed; l++) {
        const at = lineAt(x0, l0, x1, l1, l);
        const taken = layers[l]
          .filter((w) => w < poset.n)
          .map((w): [number, number] => [x[w] - room, x[w] + room]);
        // Rounding must not make an edge bend that touches the border.
        if (!taken.some(([low, high]) => low + 1e-6 < at && at < high - 1e-6)) continue;
        path.splice(k + 1, 0, [nearestFree(at, taken), l]);
        changed = true;
      }
    }
    if (!changed) return path.slice(1, -1);
  }
}

// 6 gap

/** The least gap with which every edge is a clearance away from every foreign element. */
function gapFor(poset: Poset, layer: number[], x: number[], bends: [number, number][][]): number {
  const c = poset.clearance;
  let gap = poset.gap;
  poset.edges.forEach(([u, v], e) => {
    const path: [number, number][] = [[x[u], layer[u]], ...bends[e], [x[v], layer[v]]];
    for (let k = 0; k + 1 < path.length; k++) {
      const [[x0, l0], [x1, l1]] = [path[k], path[k + 1]];
      for (let w = 0; w < poset.n; w++) {
        if (w === u || w === v || layer[w] < l0 || layer[w] > l1) continue;
        // Beside an end only what lies on the edge's side is in danger.
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

function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
