// Places the labels of a line diagram: boxes that no line, no node and no other label touches.
// plot/label_boxes.py places them in the same way for figures.

export interface Label {
  /** The number of the node. */
  node: number;
  /** -1 for a label that belongs above its node, 1 for one below. */
  side: number;
  width: number;
  height: number;
}

export interface Box {
  /** The centre. */
  x: number;
  y: number;
  /** Whether a line must show what it belongs to. */
  leader: boolean;
  /** Whether it hides lines behind it. */
  over: boolean;
}

interface Dot {
  x: number;
  y: number;
  r: number;
}

type Segment = [number, number, number, number];

/** Between a node and its label, and around every label. */
const GAP = 2;
const AROUND = 1.5;
/** The distances at which a label gets a leader, in pixels. */
const RINGS = [14, 24, 36, 50, 66, 84];
const TURNS = 24;

/** How far from its node a label may be: beside it, at the end of a leader, there and over lines, or right of the diagram. */
export type Reach = "near" | "leader" | "over" | "anywhere";

/** A box for each label; null if one of them has no free place within reach. */
export function boxesOf(dots: Dot[], segments: Segment[], labels: Label[], reach: Reach): Box[] | null {
  const taken: [number, number, number, number][] = [];
  const boxes: Box[] = [];
  let bottom = Math.min(0, ...dots.map(({ y }) => y));
  for (const label of labels) {
    const [w, h] = [label.width / 2 + AROUND, label.height / 2 + AROUND];
    const free = ({ x, y }: { x: number; y: number }): boolean => {
      const [left, right, top, low] = [x - w, x + w, y - h, y + h];
      for (const [l, r, t, b] of taken) if (left < r && l < right && top < b && t < low) return false;
      for (const dot of dots) {
        const [dx, dy] = [Math.max(left - dot.x, 0, dot.x - right), Math.max(top - dot.y, 0, dot.y - low)];
        if (dx * dx + dy * dy < dot.r * dot.r) return false;
      }
      return true;
    };
    const lines = ({ x, y }: Box): number => segments.reduce((sum, segment) => sum + (hits(segment, x - w, x + w, y - h, y + h) ? 1 : 0), 0);
    const dot = dots[label.node];
    // A leader must not strike another label or another node through.
    const clear = (box: Box): boolean => {
      if (!box.leader) return true;
      const end = leaderEnd(dot, box, label);
      const strikes = (l: number, r: number, t: number, b: number): boolean => hits([dot.x, dot.y, end.x, end.y], l, r, t, b);
      return !taken.some((frame) => strikes(...frame))
        && !dots.some((other) => other !== dot && strikes(other.x - other.r, other.x + other.r, other.y - other.r, other.y + other.r));
    };
    let found: Box | undefined;
    let fewest = reach === "over" ? Infinity : 1;
    for (const box of candidates(dot, label, reach !== "near")) {
      if (fewest === 0) break;
      if (!free(box) || !clear(box)) continue;
      const count = lines(box);
      if (count < fewest) [found, fewest] = [{ ...box, over: count > 0 }, count];
    }
    if (!found) {
      if (reach !== "anywhere") return null;
      // Beside the diagram, one below the other.
      const right = Math.max(...dots.map(({ x, r }) => x + r), ...taken.map(([, r]) => r), ...segments.flat().filter((_, i) => i % 2 === 0));
      found = { x: right + w + GAP, y: bottom + h, leader: true, over: false };
      bottom += 2 * h;
    }
    boxes.push(found);
    taken.push([found.x - w, found.x + w, found.y - h, found.y + h]);
  }
  return boxes;
}

function candidates({ x, y, r }: Dot, { side, width, height }: Label, leaders: boolean): Box[] {
  const [w, h] = [width / 2 + AROUND, height / 2 + AROUND];
  const [up, across] = [side * (r + GAP + h), r + GAP + w];
  const near = [[0, up], [w - 1, up], [1 - w, up], [across, side * h], [-across, side * h], [across, 0], [-across, 0],
    [across, -side * h], [-across, -side * h], [0, -up], [w - 1, -up], [1 - w, -up]];
  const found = near.map(([dx, dy]): Box => ({ x: x + dx, y: y + dy, leader: false, over: false }));
  for (const ring of leaders ? RINGS : []) {
    for (let turn = 0; turn < TURNS; turn++) {
      // From the label's own side on, to the left and to the right in turn.
      const angle = ((turn % 2 === 0 ? turn : -turn - 1) * Math.PI) / TURNS;
      const [dx, dy] = [Math.sin(angle), side * Math.cos(angle)];
      found.push({ x: x + dx * (r + ring + w), y: y + dy * (r + ring + h), leader: true, over: false });
    }
  }
  return found;
}

/** Whether a line has a point inside a box. */
function hits([x0, y0, x1, y1]: Segment, left: number, right: number, top: number, bottom: number): boolean {
  let [from, to] = [0, 1];
  for (const [start, step, low, high] of [[x0, x1 - x0, left, right], [y0, y1 - y0, top, bottom]]) {
    if (step === 0) {
      if (start <= low || start >= high) return false;
      continue;
    }
    const [a, b] = [(low - start) / step, (high - start) / step];
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  return from < to;
}

/** The end of a leader: the point of a box that is nearest to its node. */
export function leaderEnd(dot: Dot, box: Box, { width, height }: Label): { x: number; y: number } {
  const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));
  return {
    x: clamp(dot.x, box.x - width / 2, box.x + width / 2),
    y: clamp(dot.y, box.y - height / 2, box.y + height / 2),
  };
}
