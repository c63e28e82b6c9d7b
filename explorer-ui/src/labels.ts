// Places the labels of a line diagram: boxes that no line, no leader, no node and no other label touches.
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
  /** Whether a dashed line joins the label to its node. */
  leader: boolean;
}

interface Dot {
  x: number;
  y: number;
  r: number;
}

/** The two ends of a line: x, y, x, y. */
type Segment = [number, number, number, number];

/** Left, right, top, bottom. */
type Frame = [number, number, number, number];

/** Between a node and its label, and around every label. */
const GAP = 2;
const AROUND = 1.5;
/** The lengths of leaders in pixels, and the number of directions. */
const SHORT = [14, 24, 36, 50, 66, 84];
const LONG = [104, 126, 150, 176, 204, 234, 266, 300, 336, 374, 414, 456];
const TURNS = 48;

/** Where a label may be: beside its node, at the end of a short leader, of a long one, or to the right of the diagram. */
export type Reach = "near" | "leader" | "far" | "anywhere";

/** A box for each label; null if some label has no free place within reach. */
export function boxesOf(dots: Dot[], segments: Segment[], labels: Label[], reach: Reach): Box[] | null {
  const boxes: Box[] = [];
  const taken: Frame[] = [];
  const lines = [...segments];
  let bottom = Math.min(0, ...dots.map(({ y }) => y));
  for (const label of labels) {
    const dot = dots[label.node];
    const frameOf = ({ x, y }: Box): Frame => {
      const [w, h] = [label.width / 2 + AROUND, label.height / 2 + AROUND];
      return [x - w, x + w, y - h, y + h];
    };
    const leaderOf = (box: Box): Segment => {
      const end = leaderEnd(dot, box, label);
      return [dot.x, dot.y, end.x, end.y];
    };
    const free = (box: Box): boolean => {
      const frame = frameOf(box);
      const [left, right, top, low] = frame;
      for (const [l, r, t, b] of taken) if (left < r && l < right && top < b && t < low) return false;
      for (const { x, y, r } of dots) {
        const [dx, dy] = [Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - low)];
        if (dx * dx + dy * dy < r * r) return false;
      }
      if (lines.some((line) => hits(line, frame))) return false;
      if (!box.leader) return true;
      const leader = leaderOf(box);
      return !taken.some((other) => hits(leader, other))
        && !dots.some((other) => other !== dot && hits(leader, [other.x - other.r, other.x + other.r, other.y - other.r, other.y + other.r]));
    };
    let box = candidates(dot, label, reach).find(free);
    if (!box) {
      if (reach !== "anywhere") return null;
      const right = Math.max(...dots.map(({ x, r }) => x + r), ...taken.map(([, r]) => r), ...segments.flatMap(([x0, , x1]) => [x0, x1]));
      box = { x: right + label.width / 2 + AROUND + GAP, y: bottom + label.height / 2 + AROUND, leader: true };
      bottom += label.height + 2 * AROUND;
    }
    boxes.push(box);
    taken.push(frameOf(box));
    if (box.leader) lines.push(leaderOf(box));
  }
  return boxes;
}

/** The places to try, the best first. */
function candidates({ x, y, r }: Dot, { side, width, height }: Label, reach: Reach): Box[] {
  const [w, h] = [width / 2 + AROUND, height / 2 + AROUND];
  const [up, across] = [side * (r + GAP + h), r + GAP + w];
  const near = [[0, up], [w - 1, up], [1 - w, up], [across, side * h], [-across, side * h], [across, 0], [-across, 0],
    [across, -side * h], [-across, -side * h], [0, -up], [w - 1, -up], [1 - w, -up]];
  const found = near.map(([dx, dy]): Box => ({ x: x + dx, y: y + dy, leader: false }));
  for (const length of reach === "near" ? [] : reach === "leader" ? SHORT : [...SHORT, ...LONG]) {
    for (let turn = 0; turn < TURNS; turn++) {
      // Start at the label's own side and alternate between left and right.
      const angle = ((turn % 2 === 0 ? turn : -turn - 1) * Math.PI) / TURNS;
      const [dx, dy] = [Math.sin(angle), side * Math.cos(angle)];
      found.push({ x: x + dx * (r + length + w), y: y + dy * (r + length + h), leader: true });
    }
  }
  return found;
}

/** Whether a line has a point inside a frame. */
function hits([x0, y0, x1, y1]: Segment, [left, right, top, bottom]: Frame): boolean {
  if (Math.max(x0, x1) <= left || Math.min(x0, x1) >= right || Math.max(y0, y1) <= top || Math.min(y0, y1) >= bottom) return false;
  let from = 0;
  let to = 1;
  if (x0 !== x1) {
    const [a, b] = [(left - x0) / (x1 - x0), (right - x0) / (x1 - x0)];
    from = Math.max(from, Math.min(a, b));
    to = Math.min(to, Math.max(a, b));
  }
  if (y0 !== y1) {
    const [a, b] = [(top - y0) / (y1 - y0), (bottom - y0) / (y1 - y0)];
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
