// A line diagram as SVG. Everything is in attributes, so that the file looks as the page does.

import { Palette, colour } from "./colours";
import { clipped, plural, s, shown, whole } from "./dom";
import { Layout, layout } from "./layout";
import type { Meta, Suborder } from "./source";
import type { Labels } from "./state";

export const LABEL_LIMIT = 80;
const FONT = 11;
const LINE = 13;
const FAMILY = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

export interface Look {
  labels: Labels;
  colour: number; // the place of the measure
  size: number; // -1: all alike
}

export interface Drawing {
  suborder: Suborder;
  places: { x: number; y: number }[];
  bends: { x: number; y: number }[][];
  radii: number[];
  colours: number[]; // shares from 0 to 1
  above: string[][];
  below: string[][];
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
  const gap = 2 * largest + LINE * (lines(above) + lines(below)) + (small ? 30 : 18);
  const widths = nodes.map((_, i) => Math.max(2 * radii[i] + 8, widthOf(above[i]), widthOf(below[i])));
  const found: Layout = layout({ n, edges, widths, gap, clearance: largest + 2 });
  const layers = Math.max(0, ...found.layer);
  const margin = { top: largest + LINE * lines(above) + 14, bottom: largest + LINE * lines(below) + 14 };
  const sides = (stretch: number): [number, number] => [
    Math.min(0, ...nodes.map((_, i) => found.x[i] * stretch - widths[i] / 2)) - 12,
    Math.max(0, ...nodes.map((_, i) => found.x[i] * stretch + widths[i] / 2)) + 12,
  ];
  // A wide diagram may be drawn higher than it must be, and a high one wider: nothing gets nearer.
  let [left, right] = sides(1);
  const free = ((right - left) * shape - margin.top - margin.bottom) / Math.max(1, layers);
  const step = Math.max(found.gap, Math.min(free, 2.5 * found.gap));
  const height = layers * step + margin.top + margin.bottom;
  const stretch = Math.min(2.2, Math.max(1, height / shape / (right - left)));
  [left, right] = sides(stretch);
  return {
    suborder,
    places: nodes.map((_, i) => ({ x: found.x[i] * stretch, y: found.layer[i] * step })),
    bends: found.bends.map((way) => way.map(([x, l]) => ({ x: x * stretch, y: l * step }))),
    radii,
    colours: shares(look.colour),
    above,
    below,
    frame: [left, -margin.top, right - left, height],
  };
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
  const { suborder, places, bends, radii, colours, above, below } = drawing;
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
  suborder.nodes.forEach((node, i) => {
    const { x, y } = places[i];
    const names = node.intent.slice(0, 12).map((m) => clipped(meta.attributes[m], 60)).join(", ");
    const title = `${node.intent.length ? names : "∅"}${node.intent.length > 12 ? ", …" : ""}\n${whole(node.support)} objects\n` +
      meta.measures.map((measure, m) => `${measure.key} ${shown(node.scores[m])}`).join("\n");
    const dot = s("g", {
      "data-node": i, tabindex: 0, role: "button", "aria-label": title.replaceAll("\n", "; "), opacity: node.matches ? 1 : 0.35,
      cursor: "pointer",
    }, s("title", {}, title));
    if (i === selected) {
      dot.append(s("circle", { cx: round(x), cy: round(y), r: radii[i] + 4, fill: "none", stroke: palette.second, "stroke-width": 3 }));
    }
    dot.append(s("circle", {
      cx: round(x), cy: round(y), r: round(radii[i]), fill: colour(colours[i], palette), stroke: palette.text, "stroke-width": 0.8,
    }));
    const write = (lines: string[], top: number, fill: string, kind: string): void => {
      lines.forEach((line, k) => dot.append(s("text", {
        x: round(x), y: round(top + LINE * k), fill, "text-anchor": "middle", stroke: palette.background, "stroke-width": 3,
        "paint-order": "stroke", "stroke-linejoin": "round", "data-label": kind, direction: rightToLeft(line) ? "rtl" : null,
        "unicode-bidi": "plaintext",
      }, line)));
    };
    write(above[i], y - radii[i] - 6 - LINE * (above[i].length - 1), palette.text, "above");
    write(below[i], y + radii[i] + LINE, palette.faint, "below");
    group.append(dot);
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
