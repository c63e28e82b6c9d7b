// Draws a line diagram as SVG. All styles are attributes, so that a saved file looks like the page.

import { Palette, colour } from "./colours";
import { clipped, plural, s, shown, whole } from "./dom";
import { Box, Label, Reach, boxesOf, leaderEnd } from "./labels";
import { Layout, layout } from "./layout";
import type { Kind } from "./places";
import type { Meta, Suborder } from "./types";
import type { Labels } from "./state";

export const LABEL_LIMIT = 150;
const FONT = 11;
const LINE = 13;
/** Where labels may be, and how many times as large the diagram is then. The first pair that has a place for every label is taken. */
const GROWTH: [Reach, number][] = [
  ["near", 1], ["near", 1.15], ["near", 1.35], ["near", 1.6], ["leader", 1], ["leader", 1.2], ["leader", 1.5], ["far", 1.2], ["far", 1.5], ["far", 2],
  ["far", 2.7], ["anywhere", 1.5],
];
/** Diagrams with more nodes than this have thinner lines. */
const CROWD = 80;
const FAMILY = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export interface Look {
  layout: Kind;
  labels: Labels;
  colour: number; // the place of the measure
  size: number; // -1: all alike
  /** Dragged nodes as `id:across,down`, separated by spaces. The numbers are shares of the diagram's width and height. */
  moved: string;
}

export interface Drawing {
  suborder: Suborder;
  kind: Kind;
  places: { x: number; y: number }[];
  bends: { x: number; y: number }[][];
  /** The bounds of the nodes before any is dragged: left, top, width, height. */
  span: [number, number, number, number];
  look: Look;
  radii: number[];
  colours: number[]; // shares from 0 to 1
  above: string[][];
  below: string[][];
  labels: Label[];
  /** The places of the labels. */
  boxes: Box[];
  /** The bounds of everything: left, top, width, height. */
  frame: [number, number, number, number];
}

const ruler = document.createElement("canvas").getContext("2d")!;

function widthOf(lines: string[]): number {
  ruler.font = `${FONT}px ${FAMILY}`;
  return Math.max(0, ...lines.map((line) => ruler.measureText(line).width * 1.04));
}

/** Compute places for a panel of some shape (height over width). */
export function compose(suborder: Suborder, meta: Meta, look: Look, shape: number): Drawing {
  const { nodes, edges } = suborder;
  const n = nodes.length;
  const [above, below] = texts(suborder, meta, look.labels);
  const shares = (m: number): number[] => {
    if (m < 0) return nodes.map(() => 0.35);
    const scores = nodes.map((node) => node.scores[m]);
    const known = scores.filter((score): score is number => score !== null && Number.isFinite(score));
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return scores.map((score) => (score === null || !(high > low) ? 0.5 : Math.min(1, Math.max(0, (score - low) / (high - low)))));
  };
  const small = n > LABEL_LIMIT;
  const radii = shares(look.size).map((share) => (n <= 30 ? 4.5 + 5 * share : small ? 3 + 3 * share : 3.5 + 3.5 * share));
  const largest = Math.max(0, ...radii);
  const lines = (list: string[][]): number => Math.max(0, ...list.map((each) => each.length));
  const labels: Label[] = nodes.flatMap((_, node) => [[above[node], -1], [below[node], 1]].flatMap(([text, side]) => {
    const own = text as string[];
    return own.length === 0 ? [] : [{ node, side: side as number, width: widthOf(own), height: LINE * own.length }];
  }));
  const wide = labels.reduce((sum, { width }) => sum + width, 0) / Math.max(1, labels.length);
  const found: Layout = layout({
    n, edges, levels: nodes.map((node) => node.intent.length), kind: look.layout, supports: nodes.map((node) => node.support), clearance: largest + 2,
    pitch: Math.max(2 * largest + 4, 0.36 * wide), gap: 2 * largest + LINE * (lines(above) + lines(below)) + (small ? 30 : 16),
  });
  const layers = Math.max(0, ...found.layer);
  // Stretch the diagram towards the shape of the panel; distances only grow.
  const width = Math.max(1, Math.max(0, ...found.x) - Math.min(0, ...found.x));
  const step = Math.max(found.gap, Math.min((width * shape) / Math.max(1, layers), 2.5 * found.gap));
  const stretch = Math.min(2.2, Math.max(1, (layers * step) / shape / width));
  // The diagram grows until every label has a place.
  for (const [reach, size] of GROWTH) {
    const places = nodes.map((_, i) => ({ x: found.x[i] * stretch * size, y: found.layer[i] * step * size }));
    const bends = found.bends.map((way) => way.map(([x, l]) => ({ x: x * stretch * size, y: l * step * size })));
    const [left, top] = [Math.min(...places.map(({ x }) => x)), Math.min(...places.map(({ y }) => y))];
    const across = Math.max(step * size, ...places.map(({ x }) => x - left));
    const down = Math.max(step * size, ...places.map(({ y }) => y - top));
    const drawing: Drawing = {
      suborder, kind: found.kind, places, bends, span: [left, top, across, down], look, radii, colours: shares(look.colour), above, below, labels, boxes: [],
      frame: [0, 0, 0, 0],
    };
    moveNodes(drawing);
    if (placeLabels(drawing, reach)) return drawing;
  }
  throw new Error("a label found no place, not even beside the diagram");
}

/** Apply dragged positions, unless an upper node would be below a lower one. */
function moveNodes({ suborder, places, bends, span: [left, top, across, down], look }: Drawing): void {
  const shares = new Map(look.moved.split(" ").map((text) => /^(\d+):(-?[\d.]+),(-?[\d.]+)$/.exec(text)).filter((found) => found !== null)
    .map(([, id, x, y]) => [Number(id), { x: left + Number(x) * across, y: top + Number(y) * down }]));
  const wanted = suborder.nodes.map(({ id }, i) => shares.get(id) ?? places[i]);
  if (suborder.edges.some(([u, v]) => !(wanted[u].y < wanted[v].y))) return;
  suborder.edges.forEach(([u, v], e) => { if (wanted[u] !== places[u] || wanted[v] !== places[v]) bends[e] = []; });
  wanted.forEach((place, i) => (places[i] = { ...place }));
}

/** The text for `Look.moved` after a node was dragged. */
export function movedBy({ suborder, places, span: [left, top, across, down], look }: Drawing, node: number): string {
  const { id } = suborder.nodes[node];
  const share = (value: number): number => Math.round(value * 1000) / 1000;
  const others = look.moved.split(" ").filter((text) => text !== "" && !text.startsWith(`${id}:`));
  return [...others, `${id}:${share((places[node].x - left) / across)},${share((places[node].y - top) / down)}`].join(" ");
}

/** Place every label within reach and compute the frame; false if some label has no place. */
export function placeLabels(drawing: Drawing, reach: Reach): boolean {
  const { suborder, places, bends, radii, labels } = drawing;
  const dots = places.map(({ x, y }, i) => ({ x, y, r: radii[i] + 1 }));
  const segments = suborder.edges.flatMap(([u, v], e) => {
    const way = [places[u], ...bends[e], places[v]];
    return way.slice(1).map((to, k): [number, number, number, number] => [way[k].x, way[k].y, to.x, to.y]);
  });
  const boxes = boxesOf(dots, segments, labels, reach);
  if (boxes === null) return false;
  drawing.boxes = boxes;
  const corners = [
    ...dots.flatMap(({ x, y, r }) => [[x - r, y - r], [x + r, y + r]]),
    ...boxes.flatMap(({ x, y }, k) => [[x - labels[k].width / 2, y - labels[k].height / 2], [x + labels[k].width / 2, y + labels[k].height / 2]]),
    ...bends.flat().map(({ x, y }) => [x, y]),
    ...(dots.length === 0 ? [[0, 0]] : []),
  ];
  const [left, top] = [0, 1].map((k) => Math.min(...corners.map((corner) => corner[k])) - 12);
  const [right, bottom] = [0, 1].map((k) => Math.max(...corners.map((corner) => corner[k])) + 12);
  drawing.frame = [left, top, right - left, bottom - top];
  return true;
}

function texts(suborder: Suborder, meta: Meta, labels: Labels): [string[][], string[][]] {
  const { nodes, edges } = suborder;
  const n = nodes.length;
  if (labels === "none" || n > LABEL_LIMIT) return [nodes.map(() => []), nodes.map(() => [])];
  const letters = n <= 12 ? 26 : n <= 30 ? 18 : 12;
  const most = n <= 12 ? 3 : 2;
  const list = (names: string[], total: number): string[] => wrapped(names, total, letters, most);
  if (labels === "counts") return [nodes.map(() => []), nodes.map((node) => [whole(node.support)])];
  const known = nodes.map(() => new Set<number>());
  if (labels === "reduced") for (const [u, v] of edges) for (const m of nodes[u].intent) known[v].add(m);
  const above = nodes.map((node, i) => {
    const fresh = node.intent.filter((m) => !known[i].has(m));
    return list(fresh.map((m) => meta.attributes[m]), fresh.length);
  });
  const below = nodes.map((node) =>
    labels === "full" ? [whole(node.support)] : node.ownCount > node.own.length ? [plural(node.ownCount, "object")] : list(node.own, node.ownCount));
  return [above, below];
}

/** Names in a few short lines; the last line ends with the number of names that don't fit. */
function wrapped(names: string[], total: number, letters: number, most: number): string[] {
  const lines: string[] = [];
  let used = 0;
  for (const name of names) {
    const text = clipped(name, letters);
    const last = lines.length - 1;
    if (last >= 0 && lines[last].length + text.length + 2 <= letters) lines[last] += `, ${text}`;
    else if (lines.length < most) lines.push(text);
    else break;
    used += 1;
  }
  if (used < total) {
    const rest = ` +${whole(total - used)}`;
    lines[lines.length - 1] = `${clipped(lines[lines.length - 1], letters)}${rest}`;
  }
  return lines;
}

/** The diagram as elements; `selected` is an index into the nodes, or -1. */
export function draw(drawing: Drawing, meta: Meta, palette: Palette, selected: number): SVGGElement {
  const { suborder, places, bends, radii, colours, above, below, labels, boxes } = drawing;
  const related = relatives(suborder, selected);
  // Without hinting, text has the measured width at every zoom.
  const group = s("g", { "font-family": FAMILY, "font-size": FONT, "text-rendering": "geometricPrecision" });
  // Lines keep their width when the diagram is scaled down, so that they stay visible.
  const thin = places.length > CROWD ? 0.7 : 1;
  suborder.edges.forEach(([u, v], e) => {
    const bold = related !== null && related.has(u) && related.has(v);
    const way = [places[u], ...bends[e], places[v]];
    group.append(s("polyline", {
      points: way.map(({ x, y }) => `${round(x)},${round(y)}`).join(" "),
      fill: "none", stroke: bold ? palette.accent : palette.line, "stroke-width": (bold ? 2 : 1.1) * thin, "vector-effect": "non-scaling-stroke", "data-edge": `${u},${v}`,
    }));
  });
  labels.forEach((label, k) => {
    if (!boxes[k].leader) return;
    const { x, y } = places[label.node];
    const end = leaderEnd({ x, y, r: radii[label.node] }, boxes[k], label);
    group.append(s("line", {
      x1: round(x), y1: round(y), x2: round(end.x), y2: round(end.y), stroke: palette.faint, "stroke-width": 0.8, "stroke-dasharray": "2 2", "vector-effect": "non-scaling-stroke", "data-leader": k, "data-of": label.node,
    }));
  });
  suborder.nodes.forEach((node, i) => {
    const { x, y } = places[i];
    const names = node.intent.slice(0, 12).map((m) => clipped(meta.attributes[m], 60)).join(", ");
    const title = `${node.intent.length ? names : "∅"}${node.intent.length > 12 ? ", …" : ""}\n${whole(node.support)} objects\n` +
      meta.measures.map((measure, m) => `${measure.key} ${shown(node.scores[m])}`).join("\n");
    const dot = s("g", {
      "data-node": i, tabindex: i === Math.max(0, selected) ? 0 : -1, role: "button", "aria-label": title.replaceAll("\n", "; "), opacity: node.matches ? 1 : 0.35,
      cursor: "pointer",
    }, s("title", {}, title));
    if (i === selected) {
      dot.append(s("circle", { cx: round(x), cy: round(y), r: radii[i] + 3, fill: "none", stroke: palette.second, "stroke-width": 2.4 }));
    }
    dot.append(s("circle", {
      cx: round(x), cy: round(y), r: round(radii[i]), fill: colour(colours[i], palette), stroke: palette.text, "stroke-width": 0.8,
    }));
    group.append(dot);
  });
  // Labels are not inside the nodes' groups, because a node has its own description for screen readers.
  labels.forEach((label, k) => {
    const [box, i] = [boxes[k], label.node];
    const [lines, fill, kind] = label.side < 0 ? [above[i], palette.text, "above"] as const : [below[i], palette.faint, "below"] as const;
    lines.forEach((line, at) => group.append(s("text", {
      x: round(box.x), y: round(box.y - label.height / 2 + LINE * (at + 0.78)), fill, "text-anchor": "middle", stroke: palette.background,
      "stroke-width": 2, "paint-order": "stroke", "stroke-linejoin": "round", "data-label": kind, "data-of": i, "aria-hidden": "true",
      opacity: suborder.nodes[i].matches ? null : 0.5, direction: rightToLeft(line) ? "rtl" : null, "unicode-bidi": "plaintext", cursor: "pointer",
    }, line)));
  });
  return group;
}

/** The nodes above and below the selected one, and itself; null if none is selected. */
function relatives({ edges }: Suborder, selected: number): Set<number> | null {
  if (selected < 0) return null;
  const found = new Set([selected]);
  const reach = (from: 0 | 1): void => {
    const seen = new Set([selected]);
    const stack = [selected];
    while (stack.length > 0) {
      const v = stack.pop()!;
      for (const edge of edges) {
        const next = edge[1 - from];
        if (edge[from] !== v || seen.has(next)) continue;
        seen.add(next);
        found.add(next);
        stack.push(next);
      }
    }
  };
  reach(0);
  reach(1);
  return found;
}

/** The least and the largest finite score of the nodes by a measure; null if they are equal or there are none. */
export function rangeOf({ nodes }: Suborder, measure: number): [number, number] | null {
  const scores = measure < 0 ? [] : nodes.map((node) => node.scores[measure]).filter((score): score is number => score !== null && Number.isFinite(score));
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  return high > low ? [low, high] : null;
}

/** What colours and sizes mean, for a file; empty if they mean nothing. */
function legend({ suborder, look }: Drawing, meta: Meta): string {
  const kinds: [string, number, string, string][] = [["colour", look.colour, "light", "dark"], ["size", look.size, "small", "large"]];
  return kinds.flatMap(([kind, measure, low, high]) => {
    const range = rangeOf(suborder, measure);
    return range ? [`${kind}: ${clipped(meta.measures[measure].key, 40)} from ${shown(range[0])} (${low}) to ${shown(range[1])} (${high})`] : [];
  }).join("; ");
}

/** The diagram with its legend, for a file. */
export function standalone(drawing: Drawing, meta: Meta, palette: Palette, selected: number): SVGSVGElement {
  const [left, top] = drawing.frame.map(round);
  const words = legend(drawing, meta);
  const bottom = top + drawing.frame[3];
  const width = round(Math.max(drawing.frame[2], words ? widthOf([words]) + 24 : 0));
  const height = round(drawing.frame[3] + (words ? 26 : 0));
  const svg = s("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `${left} ${top} ${width} ${height}`, width, height });
  svg.append(s("rect", { x: left, y: top, width, height, fill: palette.background }), draw(drawing, meta, palette, selected),
    s("text", { x: left + 12, y: round(bottom + 14), fill: palette.text, "font-family": FAMILY, "font-size": FONT }, words));
  return svg;
}

/** Whether the first letter is from a right-to-left script. */
function rightToLeft(text: string): boolean {
  return /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/u.test(text);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
