// Writes the outcomes of src/layout.ts for some ordered sets to tests/layout, or compares them:
//   node fixtures.mjs           write
//   node fixtures.mjs --check   exit 1 if an outcome differs
import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, "..", "tests", "layout");

const bundle = await build({
  entryPoints: [join(here, "src", "layout.ts")],
  bundle: true,
  format: "esm",
  write: false,
});
const source = Buffer.from(bundle.outputFiles[0].text).toString("base64");
const { layout } = await import(`data:text/javascript;base64,${source}`);

function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Sets ordered by inclusion, the largest below, as intents are. */
function inclusion(sets) {
  const below = (a, b) => a !== b && (sets[a] & sets[b]) === sets[a];
  const edges = [];
  for (let a = 0; a < sets.length; a++) {
    for (let b = 0; b < sets.length; b++) {
      if (!below(a, b)) continue;
      if (!sets.some((_, c) => below(a, c) && below(c, b))) edges.push([a, b]);
    }
  }
  return { n: sets.length, edges };
}

function intersections(seed, rows, bits, most) {
  const random = chance(seed);
  let sets = new Set([2 ** bits - 1]);
  for (let r = 0; r < rows; r++) {
    let row = 0;
    for (let b = 0; b < bits; b++) if (random() < 0.55) row |= 1 << b;
    sets = new Set([...sets, ...[...sets].map((set) => set & row)]);
  }
  return [...sets].sort((a, b) => a - b).slice(0, most);
}

function some(seed, bits, count) {
  const random = chance(seed);
  const sets = new Set();
  while (sets.size < count) sets.add(Math.floor(random() * 2 ** bits));
  return [...sets];
}

const powerSet = (bits) => Array.from({ length: 2 ** bits }, (_, i) => i);
const chain = (n) => ({ n, edges: Array.from({ length: n - 1 }, (_, i) => [i, i + 1]) });

const posets = {
  empty: { n: 0, edges: [] },
  one: { n: 1, edges: [] },
  two: chain(2),
  chain_6: chain(6),
  antichain_7: { n: 7, edges: [] },
  diamond_m3: { n: 5, edges: [[0, 1], [0, 2], [0, 3], [1, 4], [2, 4], [3, 4]] },
  pentagon_n5: { n: 5, edges: [[0, 1], [1, 2], [2, 4], [0, 3], [3, 4]] },
  long_edges: { n: 7, edges: [[0, 1], [1, 2], [2, 3], [0, 4], [4, 3], [0, 5], [5, 6], [6, 3]] },
  two_parts: { n: 8, edges: [[0, 2], [1, 2], [3, 4], [4, 5], [3, 5 + 1]] },
  power_set_3: inclusion(powerSet(3)),
  power_set_4: inclusion(powerSet(4)),
  intents_20: inclusion(intersections(7, 6, 7, 20)),
  intents_40: inclusion(intersections(3, 9, 8, 40)),
  intents_80: inclusion(intersections(5, 14, 9, 80)),
  some_sets_30: inclusion(some(1, 10, 30)),
  some_sets_60: inclusion(some(2, 8, 60)),
  untidied_120: inclusion(some(4, 8, 120)),
  bends_10: {
    n: 10,
    edges: [[0, 1], [0, 2], [1, 3], [3, 4], [0, 5], [2, 6], [3, 6], [3, 7], [4, 8], [6, 8], [5, 9], [7, 9], [8, 9]],
  },
};

/** How many elements lie below each one, itself included: larger above. */
function downsets({ n, edges }) {
  const sets = Array.from({ length: n }, (_, v) => new Set([v]));
  for (let changed = true; changed; ) {
    changed = false;
    for (const [u, v] of edges) {
      const before = sets[u].size;
      for (const w of sets[v]) sets[u].add(w);
      changed ||= sets[u].size > before;
    }
  }
  return sets.map((set) => set.size);
}

/** Other layouts than the layered one have a few cases each. */
const others = ["two", "two_parts", "power_set_3", "power_set_4", "intents_20", "intents_40", "some_sets_30", "bends_10"];
const cases = [
  ...Object.keys(posets).map((name) => [name, "layered"]),
  ...["additive", "support"].flatMap((kind) => others.map((name) => [name, kind])),
  ...["power_set_3", "intents_20", "bends_10"].map((name) => [name, "auto"]),
];

let stale = 0;
mkdirSync(folder, { recursive: true });
for (const [name, kind] of cases) {
  const { n, edges } = posets[name];
  const random = chance(Object.keys(posets).indexOf(name) + 100);
  const levels = Array.from({ length: n }, () => Math.floor(random() * 6));
  const input = { n, edges, levels, kind, supports: downsets(posets[name]), pitch: 24, gap: 70, clearance: 9 };
  const text = `${JSON.stringify({ input, output: layout(input) })}\n`;
  const path = join(folder, kind === "layered" ? `${name}.json` : `${name}_${kind}.json`);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${path}: differs`);
    stale += 1;
  }
}
process.exit(stale ? 1 : 0);
