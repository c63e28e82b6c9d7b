// The panel of the line diagram: zooming, dragging, keyboard, and saving as SVG or PNG.

import { LIGHT, Palette, colour } from "./colours";
import { button, download, h, plural, s, shown, whole } from "./dom";
import { Drawing, LABEL_LIMIT, Look, compose, draw, movedBy, placeLabels, rangeOf, standalone } from "./drawing";
import type { Source } from "./source";
import type { Part, Query, Suborder, View } from "./types";

/** The most nodes of a diagram: more can't be told apart. */
export const NODE_LIMIT = 500;

/** The height of the legend and the buttons, in pixels. */
const TOOLS = 34;
/** The zoom below which labels are hard to read. */
const READABLE = 0.6;
/** The pixels that an arrow key moves a node. */
const NUDGE = 12;

export interface DiagramEvents {
  pick(id: number): void;
  centre(id: number): void;
  enlarge(): void;
  /** Nodes were dragged: the new `Look.moved`. */
  moved(text: string): void;
}

interface Point {
  x: number;
  y: number;
}

export class Diagram {
  readonly element: HTMLElement;
  private readonly note = h("p", { class: "cr-note" });
  private readonly legend = h("div", { class: "cr-scale" });
  private readonly svg: SVGSVGElement;
  private readonly box: HTMLElement;
  private drawing: Drawing | null = null;
  private suborder: Suborder | null = null;
  private key = "";
  private look: Look = { layout: "auto", labels: "reduced", colour: 0, size: -1, moved: "" };
  private palette: Palette = LIGHT;
  private selected = -1;
  private part: Part | null = null;
  private zoom = 1;
  private shift = { x: 0, y: 0 };
  private fitted = true;
  private printing = false;
  /** Whether the last step was made by keyboard; then its node keeps the focus. */
  private keyboard = false;
  /** The touches on the drawing: two of them zoom. */
  private readonly touching = new Map<number, Point>();
  private readonly back = button("Put dragged nodes back", "↺", () => this.events.moved(""), { class: "cr-back" });
  private held: { node: number; x: number; y: number; moved: boolean } | null = null;

  constructor(private readonly source: Source, private readonly events: DiagramEvents) {
    this.svg = s("svg", {
      class: "cr-canvas", role: "group", "aria-label": "line diagram",
      pointerdown: (event: PointerEvent) => this.down(event),
      pointermove: (event: PointerEvent) => this.move(event),
      pointerup: (event: PointerEvent) => this.up(event),
      pointercancel: (event: PointerEvent) => this.release(event),
      dblclick: (event: MouseEvent) => this.twice(event),
      keydown: (event: KeyboardEvent) => this.onKey(event),
    });
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box = h("div", { class: "cr-drawing" }, this.svg, this.legend, h("div", { class: "cr-tools" },
      this.back,
      button("Zoom in", "+", () => this.scale(1.3)),
      button("Zoom out", "−", () => this.scale(1 / 1.3)),
      button("Fit the diagram into the panel", "fit", () => this.fit()),
      button("Enlarge the diagram, or shrink it again", "⤢", () => this.events.enlarge(), { class: "cr-enlarge" }),
      button("Save the diagram as SVG", "SVG", () => this.saveSvg()),
      button("Save the diagram as PNG", "PNG", () => void this.savePng())));
    this.element = h("div", { class: "cr-diagram" }, this.box, this.note);
    new ResizeObserver(() => { if (this.fitted && !this.printing) this.recompose(); }).observe(this.box);
  }

  show(query: Query, part: Part, look: Look, palette: Palette, selected: number): void {
    const uses = part.view === "top" || part.view === "iceberg" ? { ...part, id: -1 } : part;
    const key = JSON.stringify([query, uses]);
    const looks = JSON.stringify(look) !== JSON.stringify(this.look);
    this.palette = palette;
    this.selected = selected;
    this.part = uses;
    this.look = look;
    if (key !== this.key) {
      const suborder = uses.id < 0 && uses.view !== "top" && uses.view !== "iceberg"
        ? { nodes: [], edges: [], found: 0, support: 0 } : this.source.suborder(query, uses);
      this.suborder = suborder;
      this.key = key;
      this.recompose();
    } else if (looks) this.recompose();
    else this.redraw();
    this.note.textContent = this.noteText(query);
  }

  private noteText(query: Query): string {
    const { view, most } = this.part!;
    const { nodes, found, support } = this.suborder!;
    const n = nodes.length;
    if (n === 0) return view === "top" || view === "iceberg" ? "Nothing to draw." : "Pick a concept to draw its neighbours.";
    const rest = (of: string): string => (n === found ? `all ${whole(n - 1)} ${of}` : `${whole(n - 1)} of the ${whole(found - 1)} ${of}`);
    const what: Record<View, string> = {
      top: `The best ${whole(n)} of ${plural(found, "concept")} by ${query.sort}: a part of the order, in general not a lattice.`,
      iceberg: `All ${whole(n)} concepts with at least ${plural(support, "object")}.`,
      near: `The selected concept and ${rest("neighbours")}, the best by ${query.sort} first.`,
      below: `The selected concept and ${rest("below it")}, the nearest in support first.`,
      above: `The selected concept and ${rest("above it")}, the nearest in support first.`,
    };
    const { concepts, complete } = this.source.meta;
    const parts = [n < concepts || !complete ? what[view] : n === 1 ? "The only concept." : `All ${whole(n)} concepts.`];
    if (n <= LABEL_LIMIT && this.look.labels !== "none" && this.zoom < READABLE) parts.push("Zoom in to read the labels.");
    if (n > LABEL_LIMIT) parts.push(`An overview: beyond ${LABEL_LIMIT} concepts there are no labels. Point at a dot to read it.`);
    if (most >= NODE_LIMIT && found > n) parts.push(`A diagram has at most ${NODE_LIMIT} concepts.`);
    if (nodes.some((node) => !node.matches)) parts.push("Pale concepts are not in the filtered table.");
    return parts.join(" ");
  }

  private recompose(): void {
    if (this.suborder === null) return;
    const shape = Math.max(80, this.box.clientHeight - TOOLS) / Math.max(1, this.box.clientWidth);
    this.drawing = compose(this.suborder, this.source.meta, this.look, shape || 0.7);
    this.back.hidden = this.look.moved === "";
    this.fit();
  }

  private redraw(): void {
    if (this.drawing === null) return;
    const selected = this.suborder!.nodes.findIndex((node) => node.id === this.selected);
    const focus = document.activeElement?.getAttribute("data-node");
    const group = draw(this.drawing, this.source.meta, this.printing ? LIGHT : this.palette, selected);
    this.svg.replaceChildren(group);
    this.place();
    if (focus && this.svg.contains(document.activeElement) === false) {
      const again = group.querySelector<SVGElement>(`[data-node="${focus}"]`);
      if (this.keyboard) again?.focus();
    }
    this.drawLegend();
  }

  private drawLegend(): void {
    const range = rangeOf(this.suborder!, this.look.colour);
    if (range === null) {
      this.legend.replaceChildren();
      return;
    }
    const bar = h("span", { class: "cr-ramp" });
    const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => colour(share, this.printing ? LIGHT : this.palette));
    bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    this.legend.replaceChildren(h("span", {}, `${this.source.meta.measures[this.look.colour].key} ${shown(range[0])}`), bar, h("span", {}, shown(range[1])));
  }

  /** On paper the whole diagram is drawn, in dark colours on white, whatever the panel shows. */
  print(printing: boolean): void {
    this.printing = printing;
    this.redraw();
  }

  private place(): void {
    const group = this.svg.firstElementChild;
    if (this.printing && this.drawing) {
      this.svg.setAttribute("viewBox", this.drawing.frame.join(" "));
      group?.removeAttribute("transform");
      return;
    }
    this.svg.removeAttribute("viewBox");
    group?.setAttribute("transform", `translate(${this.shift.x} ${this.shift.y}) scale(${this.zoom})`);
  }

  private fit(): void {
    if (this.drawing === null) return;
    const { clientWidth } = this.box;
    const clientHeight = this.box.clientHeight - TOOLS;
    if (clientWidth === 0) return;
    const [left, top, width, height] = this.drawing.frame;
    this.zoom = Math.min(1.5, clientWidth / width, clientHeight / height);
    this.shift = {
      x: (clientWidth - width * this.zoom) / 2 - left * this.zoom,
      y: (clientHeight - height * this.zoom) / 2 - top * this.zoom,
    };
    this.fitted = true;
    this.redraw();
  }

  private scale(by: number, at?: { x: number; y: number }): void {
    const point = at ?? { x: this.box.clientWidth / 2, y: this.box.clientHeight / 2 };
    const zoom = Math.min(6, Math.max(0.05, this.zoom * by));
    const actual = zoom / this.zoom;
    this.shift = { x: point.x - (point.x - this.shift.x) * actual, y: point.y - (point.y - this.shift.y) * actual };
    this.zoom = zoom;
    this.fitted = false;
    this.place();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.svg.getBoundingClientRect();
    this.scale(Math.exp(-event.deltaY * 0.0015), { x: event.clientX - box.left, y: event.clientY - box.top });
  }

  private nodeAt(event: Event): number {
    const found = (event.target as Element).closest("[data-node], [data-of]");
    return found ? Number(found.getAttribute("data-node") ?? found.getAttribute("data-of")) : -1;
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.keyboard = false;
    this.touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
    // A second finger zooms, and what the first one holds stays where it is.
    this.held = this.touching.size > 1 ? null : { node: this.nodeAt(event), x: event.clientX, y: event.clientY, moved: false };
    this.svg.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (this.touching.size > 1 && this.touching.has(event.pointerId)) {
      this.pinch(event);
      return;
    }
    if (!this.held || !this.drawing) return;
    const [dx, dy] = [event.clientX - this.held.x, event.clientY - this.held.y];
    if (!this.held.moved && Math.hypot(dx, dy) < 4) return;
    this.held.moved = true;
    this.held.x = event.clientX;
    this.held.y = event.clientY;
    if (this.held.node < 0) {
      this.shift = { x: this.shift.x + dx, y: this.shift.y + dy };
      this.fitted = false;
      this.place();
    } else this.drag(this.held.node, dx / this.zoom, dy / this.zoom);
  }

  /** Zoom by as much as the first two fingers go apart, about the point between them, and follow that point. */
  private pinch(event: PointerEvent): void {
    const two = (): [Point, Point] => [...this.touching.values()].slice(0, 2) as [Point, Point];
    const [a, b] = two();
    this.touching.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const [c, d] = two();
    const box = this.svg.getBoundingClientRect();
    const middle = { x: (c.x + d.x) / 2 - box.left, y: (c.y + d.y) / 2 - box.top };
    this.shift = { x: this.shift.x + (c.x + d.x - a.x - b.x) / 2, y: this.shift.y + (c.y + d.y - a.y - b.y) / 2 };
    this.scale(Math.hypot(c.x - d.x, c.y - d.y) / Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)), middle);
  }

  /** Move a node. It stays between its upper and lower neighbours. */
  private drag(node: number, dx: number, dy: number): void {
    const { places, bends, radii, suborder } = this.drawing!;
    let [low, high] = [-Infinity, Infinity];
    suborder.edges.forEach(([u, v], e) => {
      if (u !== node && v !== node) return;
      bends[e] = [];
      if (v === node) low = Math.max(low, places[u].y + radii[u] + radii[v]);
      else high = Math.min(high, places[v].y - radii[u] - radii[v]);
    });
    const { x, y } = places[node];
    const place = { x: x + dx, y: Math.min(high, Math.max(low, y + dy)) };
    places[node] = place;
    const { labels, boxes } = this.drawing!;
    labels.forEach((label, k) => {
      if (label.node === node) boxes[k] = { ...boxes[k], x: boxes[k].x + place.x - x, y: boxes[k].y + place.y - y };
    });
    this.redraw();
  }

  /** End a drag: labels get new places, and the address keeps the node's position. */
  private drop(node: number): void {
    const drawing = this.drawing!;
    if (!(["near", "leader", "far"] as const).some((reach) => placeLabels(drawing, reach))) placeLabels(drawing, "anywhere");
    const moved = movedBy(drawing, node);
    this.look = drawing.look = { ...this.look, moved };
    this.back.hidden = false;
    this.redraw();
    this.events.moved(moved);
  }

  private up(event: PointerEvent): void {
    const held = this.held;
    this.release(event);
    if (held && held.node >= 0) {
      if (held.moved) this.drop(held.node);
      else this.events.pick(this.suborder!.nodes[held.node].id);
    }
  }

  private release(event: PointerEvent): void {
    this.held = null;
    this.touching.delete(event.pointerId);
    if (this.svg.hasPointerCapture(event.pointerId)) this.svg.releasePointerCapture(event.pointerId);
  }

  private twice(event: MouseEvent): void {
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-node]");
    if (target) this.events.centre(this.suborder!.nodes[Number(target.getAttribute("data-node"))].id);
  }

  private onKey(event: KeyboardEvent): void {
    const node = this.nodeAt(event);
    this.keyboard = true;
    if (event.key === "+" || event.key === "=") this.scale(1.3);
    else if (event.key === "-") this.scale(1 / 1.3);
    else if (event.key === "0") this.fit();
    else if (node >= 0 && (event.key === "Enter" || event.key === " ")) {
      const { id } = this.suborder!.nodes[node];
      if (event.shiftKey) this.events.centre(id);
      else this.events.pick(id);
    } else if (node >= 0 && event.shiftKey && event.key.startsWith("Arrow")) {
      const across = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
      const down = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
      this.drag(node, (across * NUDGE) / this.zoom, (down * NUDGE) / this.zoom);
      this.drop(node);
    } else if (node >= 0 && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      const up = event.key === "ArrowUp";
      const edge = this.suborder!.edges.find(([u, v]) => (up ? v : u) === node);
      if (edge) this.focus(up ? edge[0] : edge[1]);
    } else if (node >= 0 && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      // Prefer nodes at the same height.
      const { places } = this.drawing!;
      const side = event.key === "ArrowLeft" ? -1 : 1;
      const far = (v: number): number => Math.abs(places[v].x - places[node].x) + 20 * Math.abs(places[v].y - places[node].y);
      const others = places.map((_, v) => v).filter((v) => (places[v].x - places[node].x) * side > 0);
      if (others.length > 0) this.focus(others.reduce((best, v) => (far(v) < far(best) ? v : best)));
    } else return;
    event.preventDefault();
  }

  /** The diagram is one stop of the Tab key; arrows move inside it. */
  private focus(node: number): void {
    for (const each of this.svg.querySelectorAll("[data-node]")) each.setAttribute("tabindex", "-1");
    const next = this.svg.querySelector<SVGElement>(`[data-node="${node}"]`);
    next?.setAttribute("tabindex", "0");
    next?.focus({ preventScroll: true });
    // Scroll the focused node into view.
    const { x, y } = this.drawing!.places[node];
    const inside = (value: number, size: number): number => Math.min(size - 8, Math.max(8, value)) - value;
    const [dx, dy] = [inside(x * this.zoom + this.shift.x, this.box.clientWidth), inside(y * this.zoom + this.shift.y, this.box.clientHeight - TOOLS)];
    if (dx === 0 && dy === 0) return;
    this.shift = { x: this.shift.x + dx, y: this.shift.y + dy };
    this.fitted = false;
    this.place();
  }

  private file(): SVGSVGElement {
    const selected = this.suborder!.nodes.findIndex((node) => node.id === this.selected);
    return standalone(this.drawing!, this.source.meta, LIGHT, selected);
  }

  private saveSvg(): void {
    if (!this.drawing) return;
    const text = new XMLSerializer().serializeToString(this.file());
    download(new Blob([text], { type: "image/svg+xml" }), "concepts.svg");
  }

  private async savePng(): Promise<void> {
    if (!this.drawing) return;
    const svg = this.file();
    const { width, height } = svg.viewBox.baseVal;
    // Twice the size, but not larger than browsers can paint.
    const ratio = Math.min(2, 12_000 / Math.max(width, height));
    const canvas = h("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const image = new Image();
    const text = new XMLSerializer().serializeToString(svg);
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => { if (blob) download(blob, "concepts.png"); }, "image/png");
  }
}
