// A line diagram as SVG. Everything is in attributes, so that the file looks as the page does.

import { Palette, colour } from "./colours";
import { clipped, plural, s, shown, whole } from "./dom";
import { Box, Label, Reach, boxesOf, leaderEnd } from "./labels";
import { Layout, layout } from "./layout";
import type { Kind } from "./places";
import type { Meta, Suborder } from "./source";
import type { Labels } from "./state";

export const LABEL_LIMIT = 80;
const FONT = 11;
const LINE = 13;
/** How far away labels may be, and how many times as large the diagram is then: the first that has a place for all is taken. */
const GROWTH: [Reach, number][] = [
  ["near", 1], ["near", 1.15], ["near", 1.35], ["near", 1.6], ["leader", 1], ["leader", 1.2], ["leader", 1.5], ["leader", 2], ["leader", 2.7],
  ["anywhere", 1.5],
];
const FAMILY = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export interface Look {
  layout: Kind;
  labels: Labels;
  colour: number; // the place of the measure
  size: number; // -1: all alike
}

export interface Drawing {
  suborder: Suborder;
  kind: Kind;
  places: { x: number; y: number }[];
  bends: { x: number; y: number }[][];
  radii: number[];
  colours: number[]; // shares from 0 to 1
  above: string[][];
  below: string[][];
  labels: Label[];
  /** Where the labels are. */
  boxes: Box[];
  /** What the diagram covers: left, top, width, height. */
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
  // A wide diagram may be drawn higher than it must be, and a high one wider: nothing gets nearer.
  const width = Math.max(1, Math.max(0, ...found.x) - Math.min(0, ...found.x));
  const step = Math.max(found.gap, Math.min((width * shape) / Math.max(1, layers), 2.5 * found.gap));
  const stretch = Math.min(2.2, Math.max(1, (layers * step) / shape / width));
  // All of it grows until every label has a place.
  for (const [reach, size] of GROWTH) {
    const places = nodes.map((_, i) => ({ x: found.x[i] * stretch * size, y: found.layer[i] * step * size }));
    const bends = found.bends.map((way) => way.map(([x, l]) => ({ x: x * stretch * size, y: l * step * size })));
    const dots = places.map(({ x, y }, i) => ({ x, y, r: radii[i] + 1 }));
    const segments = edges.flatMap(([u, v], e) => {
      const way = [places[u], ...bends[e], places[v]];
      return way.slice(1).map((to, k): [number, number, number, number] => [way[k].x, way[k].y, to.x, to.y]);
    });
    const boxes = boxesOf(dots, segments, labels, reach);
    if (boxes === null) continue;
    const corners = [
      ...dots.flatMap(({ x, y, r }) => [[x - r, y - r], [x + r, y + r]]),
      ...boxes.flatMap(({ x, y }, k) => [[x - labels[k].width / 2, y - labels[k].height / 2], [x + labels[k].width / 2, y + labels[k].height / 2]]),
      ...bends.flat().map(({ x, y }) => [x, y]),
      ...(n === 0 ? [[0, 0]] : []),
    ];
    const [left, top] = [0, 1].map((k) => Math.min(...corners.map((corner) => corner[k])) - 12);
    const [right, bottom] = [0, 1].map((k) => Math.max(...corners.map((corner) => corner[k])) + 12);
    return { suborder, kind: found.kind, places, bends, radii, colours: shares(look.colour), above, below, labels, boxes, frame: [left, top, right - left, bottom - top] };
  }
  throw new Error("labels have a place beside the diagram");
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

/** Names in a few short lines; the last line says how many don't fit. */
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

/** The diagram as elements; `selected` and `near` are places in the nodes. */
export function draw(drawing: Drawing, meta: Meta, palette: Palette, selected: number): SVGGElement {
  const { suborder, places, bends, radii, colours, above, below, labels, boxes } = drawing;
  const related = relatives(suborder, selected);
  const group = s("g", { "font-family": FAMILY, "font-size": FONT });
  suborder.edges.forEach(([u, v], e) => {
    const bold = related !== null && related.has(u) && related.has(v);
    const way = [places[u], ...bends[e], places[v]];
    group.append(s("polyline", {
      points: way.map(({ x, y }) => `${round(x)},${round(y)}`).join(" "),
      fill: "none", stroke: bold ? palette.accent : palette.line, "stroke-width": bold ? 2 : 1.1, "data-edge": `${u},${v}`,
    }));
  });
  labels.forEach((label, k) => {
    if (!boxes[k].leader) return;
    const { x, y } = places[label.node];
    const end = leaderEnd({ x, y, r: radii[label.node] }, boxes[k], label);
    group.append(s("line", {
      x1: round(x), y1: round(y), x2: round(end.x), y2: round(end.y), stroke: palette.faint, "stroke-width": 0.8, "stroke-dasharray": "2 2", "data-leader": k,
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
      dot.append(s("circle", { cx: round(x), cy: round(y), r: radii[i] + 4, fill: "none", stroke: palette.second, "stroke-width": 3 }));
    }
    dot.append(s("circle", {
      cx: round(x), cy: round(y), r: round(radii[i]), fill: colour(colours[i], palette), stroke: palette.text, "stroke-width": 0.8,
    }));
    group.append(dot);
  });
  // Not inside the nodes: a node has a name of its own for those who hear the page.
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

/** The nodes above and below one, itself included; null without one. */
function relatives({ edges, nodes }: Suborder, selected: number): Set<number> | null {
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
  return found.size <= nodes.length ? found : null;
}

/** The diagram as a file of its own. */
export function standalone(drawing: Drawing, meta: Meta, palette: Palette, selected: number): SVGSVGElement {
  const [left, top, width, height] = drawing.frame.map(round);
  const svg = s("svg", {
    xmlns: "http://www.w3.org/2000/svg", viewBox: `${left} ${top} ${width} ${height}`, width, height,
  });
  svg.append(s("rect", { x: left, y: top, width, height, fill: palette.background }), draw(drawing, meta, palette, selected));
  return svg;
}

function rightToLeft(text: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/.test(text);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
