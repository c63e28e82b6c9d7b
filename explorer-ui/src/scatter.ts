// A plot of two measures. A rectangle drawn in it sets limits on both.

import type { Palette } from "./colours";
import { clipped, download, h, plural, shown } from "./dom";
import { position, scoreAt } from "./scale";
import type { Source } from "./source";
import type { Dot, Limits, Measure, Query } from "./types";

const MARGIN = { left: 58, right: 14, top: 12, bottom: 40 };

export interface ScatterEvents {
  pick(id: number): void;
  brush(limits: Record<string, Limits> | null): void;
}

interface Point { x: number; y: number }

export class Scatter {
  readonly element: HTMLElement;
  readonly note = h("p", { class: "cr-note" });
  private readonly canvas: HTMLCanvasElement;
  private readonly box: HTMLElement;
  private dots: Dot[] | null = null;
  private key = "";
  private axes: [Measure, Measure] | null = null;
  private palette!: Palette;
  private marked: Point | null = null;
  private limits: Record<string, Limits> = {};
  private from: Point | null = null;
  private to: Point | null = null;
  private usual = "";
  private pointing = 0;

  constructor(private readonly source: Source, private readonly events: ScatterEvents) {
    this.canvas = h("canvas", {
      tabindex: 0, role: "img", "aria-label": "plot of two measures; by keyboard, filter in the search box",
      pointerdown: (event: PointerEvent) => this.down(event),
      pointermove: (event: PointerEvent) => this.move(event),
      pointerup: (event: PointerEvent) => this.up(event),
      pointerleave: () => {
        window.clearTimeout(this.pointing);
        this.note.textContent = this.usual;
      },
      pointercancel: () => { this.from = this.to = null; this.draw(); },
    });
    this.box = h("div", { class: "cr-plot" }, this.canvas);
    this.element = h("div", { class: "cr-scatter" }, this.box, this.note);
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  show(query: Query, x: Measure, y: Measure, palette: Palette, selected: number): void {
    const key = JSON.stringify([query.search, query.limits, x.key, y.key]);
    this.palette = palette;
    this.axes = [x, y];
    this.limits = query.limits;
    if (key !== this.key) {
      // Concepts outside the rectangle stay visible, so that another rectangle can be drawn.
      const rest = Object.fromEntries(Object.entries(query.limits).filter(([name]) => name !== x.key && name !== y.key));
      this.dots = this.source.cloud({ ...query, limits: rest }, x.key, y.key);
      this.key = key;
    }
    this.marked = null;
    if (selected >= 0) {
      const scores = this.source.scores(selected);
      const [a, b] = [x, y].map((measure) => scores[this.source.meta.measures.indexOf(measure)]);
      if (a !== null && b !== null && Number.isFinite(a) && Number.isFinite(b)) {
        this.marked = { x: position(x, a), y: position(y, b) };
      }
    }
    this.usual = this.dots!.length === 0
      ? "No concept has finite scores by both measures."
      : `${plural(this.dots!.length, "concept")}: each dot is one. Drag a rectangle to filter, click to pick.`;
    this.note.textContent = this.usual;
    this.draw();
  }

  private get size(): { width: number; height: number } {
    const { left, right, top, bottom } = MARGIN;
    return {
      width: Math.max(10, this.box.clientWidth - left - right),
      height: Math.max(10, this.box.clientHeight - top - bottom),
    };
  }

  private draw(): void {
    if (this.dots === null || this.axes === null || this.box.clientWidth === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.box;
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    const pen = this.canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    pen.clearRect(0, 0, clientWidth, clientHeight);
    this.drawAxes(pen);
    this.drawDots(pen);
    this.drawBrush(pen);
  }

  private drawAxes(pen: CanvasRenderingContext2D): void {
    const { width, height } = this.size;
    const { left, top } = MARGIN;
    const [x, y] = this.axes!;
    pen.font = "11px system-ui, sans-serif";
    pen.strokeStyle = this.palette.line;
    pen.globalAlpha = 0.45;
    pen.lineWidth = 1;
    const across = this.ticks(x, width / 90);
    const upwards = this.ticks(y, height / 50);
    for (const [at] of across) {
      pen.beginPath();
      pen.moveTo(left + at * width, top);
      pen.lineTo(left + at * width, top + height);
      pen.stroke();
    }
    for (const [at] of upwards) {
      pen.beginPath();
      pen.moveTo(left, top + (1 - at) * height);
      pen.lineTo(left + width, top + (1 - at) * height);
      pen.stroke();
    }
    pen.globalAlpha = 0.8;
    pen.strokeRect(left, top, width, height);
    pen.globalAlpha = 1;
    pen.fillStyle = this.palette.faint;
    for (const [at, text] of across) {
      pen.textAlign = at < 0.02 ? "left" : at > 0.96 ? "right" : "center";
      pen.fillText(text, left + at * width, top + height + 15);
    }
    pen.textAlign = "right";
    for (const [at, text] of upwards) pen.fillText(text, left - 6, top + (1 - at) * height + 4);
    pen.fillStyle = this.palette.text;
    pen.font = "600 12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText(`${x.key} →`, left + width / 2, top + height + 32, width);
    pen.save();
    pen.translate(12, top + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(`${y.key} →`, 0, 0, height);
    pen.restore();
  }

  /** The ticks of an axis with their texts: round scores. */
  private ticks(measure: Measure, room: number): [number, string][] {
    return niceTicks(measure.low, measure.high, Math.max(2, Math.min(8, Math.floor(room))))
      .map(([value, text]) => [position(measure, value), text]);
  }

  save(): void {
    // The canvas is transparent; the file gets a background.
    const copy = h("canvas", { width: this.canvas.width, height: this.canvas.height });
    const pen = copy.getContext("2d")!;
    pen.fillStyle = this.palette.background;
    pen.fillRect(0, 0, copy.width, copy.height);
    pen.drawImage(this.canvas, 0, 0);
    copy.toBlob((blob) => { if (blob) download(blob, "plot.png"); });
  }

  private drawDots(pen: CanvasRenderingContext2D): void {
    const { width, height } = this.size;
    const { left, top } = MARGIN;
    const [x, y] = this.axes!;
    const n = this.dots!.length;
    const radius = n > 10_000 ? 1 : n > 1500 ? 2 : n > 300 ? 3 : 4;
    const dark = n > 10_000 ? 0.25 : 0.55;
    pen.fillStyle = this.palette.accent;
    for (const [, a, b] of this.dots!) {
      pen.globalAlpha = this.inside(a, b) ? dark : dark / 4;
      const [across, down] = [left + position(x, a) * width, top + (1 - position(y, b)) * height];
      if (radius < 2) pen.fillRect(across - 1, down - 1, 2, 2);
      else {
        pen.beginPath();
        pen.arc(across, down, radius, 0, 7);
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
    if (this.marked) {
      pen.strokeStyle = this.palette.second;
      pen.lineWidth = 3;
      pen.beginPath();
      pen.arc(left + this.marked.x * width, top + (1 - this.marked.y) * height, 8, 0, 7);
      pen.stroke();
    }
  }

  private inside(a: number, b: number): boolean {
    const [x, y] = this.axes!;
    return within(a, this.limits[x.key]) && within(b, this.limits[y.key]);
  }

  private drawBrush(pen: CanvasRenderingContext2D): void {
    const { width, height } = this.size;
    const { left, top } = MARGIN;
    const [x, y] = this.axes!;
    let low: Point;
    let high: Point;
    if (this.from && this.to) {
      low = { x: Math.min(this.from.x, this.to.x), y: Math.min(this.from.y, this.to.y) };
      high = { x: Math.max(this.from.x, this.to.x), y: Math.max(this.from.y, this.to.y) };
    } else {
      const [lx, ly] = [this.limits[x.key], this.limits[y.key]];
      if (!lx && !ly) return;
      const end = (measure: Measure, value: number | null | undefined, other: number): number =>
        value === null || value === undefined ? other : position(measure, value);
      low = { x: end(x, lx?.[0], 0), y: end(y, ly?.[0], 0) };
      high = { x: end(x, lx?.[1], 1), y: end(y, ly?.[1], 1) };
    }
    pen.strokeStyle = this.palette.second;
    pen.fillStyle = this.palette.second;
    pen.lineWidth = 1.5;
    const box: [number, number, number, number] = [
      left + low.x * width, top + (1 - high.y) * height, (high.x - low.x) * width, (high.y - low.y) * height,
    ];
    pen.globalAlpha = 0.1;
    pen.fillRect(...box);
    pen.globalAlpha = 1;
    pen.strokeRect(...box);
  }

  private at(event: PointerEvent): Point {
    const box = this.canvas.getBoundingClientRect();
    const { width, height } = this.size;
    const clamp = (value: number): number => Math.min(1, Math.max(0, value));
    return {
      x: clamp((event.clientX - box.left - MARGIN.left) / width),
      y: clamp(1 - (event.clientY - box.top - MARGIN.top) / height),
    };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.from = this.at(event);
    this.to = null;
    this.canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (!this.from) {
      window.clearTimeout(this.pointing);
      const at = this.at(event);
      this.pointing = window.setTimeout(() => this.point(at), 80);
      return;
    }
    const to = this.at(event);
    const { width, height } = this.size;
    const far = Math.hypot((to.x - this.from.x) * width, (to.y - this.from.y) * height) > 5;
    if (far || this.to) this.to = to;
    this.draw();
  }

  private up(event: PointerEvent): void {
    if (!this.from) return;
    const [from, to] = [this.from, this.to];
    this.from = this.to = null;
    if (to) this.brush(from, to);
    else this.click(this.at(event));
    this.draw();
  }

  private brush(from: Point, to: Point): void {
    const [x, y] = this.axes!;
    const limitsOf = (measure: Measure, a: number, b: number): Limits => [
      a <= 0 ? null : scoreAt(measure, a),
      b >= 1 ? null : scoreAt(measure, b),
    ];
    const chosen: Record<string, Limits> = {};
    chosen[y.key] = limitsOf(y, Math.min(from.y, to.y), Math.max(from.y, to.y));
    if (x.key !== y.key) chosen[x.key] = limitsOf(x, Math.min(from.x, to.x), Math.max(from.x, to.x));
    this.events.brush(chosen);
  }

  /** The concept whose dot is nearest to a point; -1 if none is near. */
  private nearest(at: Point): number {
    const [x, y] = this.axes!;
    const { width, height } = this.size;
    let best = -1;
    let least = 14;
    for (const [id, a, b] of this.dots ?? []) {
      const away = Math.hypot((position(x, a) - at.x) * width, (position(y, b) - at.y) * height);
      if (away < least) [best, least] = [id, away];
    }
    return best;
  }

  /** Describe the dot at the pointer below the plot. */
  private point(at: Point): void {
    const id = this.nearest(at);
    if (id < 0) {
      this.note.textContent = this.usual;
      return;
    }
    const { row } = this.source.details(id, 0);
    const { attributes, measures } = this.source.meta;
    const names = row.intent.slice(0, 12).map((m) => clipped(attributes[m], 40)).join(" · ") || "∅";
    const scores = this.axes!.map((measure) => `${measure.key} ${shown(row.scores[measures.indexOf(measure)])}`).join(", ");
    this.note.textContent = `${clipped(names, 120)}: ${scores}, ${plural(row.support, "object")}`;
  }

  private click(at: Point): void {
    const id = this.nearest(at);
    if (id >= 0) this.events.pick(id);
    else this.events.brush(null);
  }
}

/** Round numbers within a range, and as text. */
export function niceTicks(low: number, high: number, most: number): [number, string][] {
  if (!(high > low)) return [[low, shown(low)]];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  if (!Number.isFinite(step) || step === 0) return [[low, shown(low)], [high, shown(high)]];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks: [number, string][] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) {
    const value = k * step || 0;
    ticks.push([value, Math.abs(value) >= 1e6 || digits > 6 ? value.toExponential(1) : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })]);
  }
  return ticks;
}

function within(value: number, limits: Limits | undefined): boolean {
  if (!limits) return true;
  return (limits[0] === null || value >= limits[0]) && (limits[1] === null || value <= limits[1]);
}
