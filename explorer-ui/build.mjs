// Builds the page and the widget into the Python package, with a digest of the sources beside them.
//   node build.mjs           write
//   node build.mjs --check   exit 1 if what is there differs
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "src", "conceptrank", "explorer", "static");

async function bundle(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true, minify: true, write: false, target: "es2022", charset: "ascii", legalComments: "none",
    loader: { ".css": "text" }, ...options,
  });
  return outputFiles[0].text;
}

/** Of every source, by name: what the test compares that has no Node. */
function digest() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(here, "src")).sort().map((name) => join("src", name));
  for (const name of [...sources, "build.mjs", "package.json", "package-lock.json", "tsconfig.json"]) {
    hash.update(`${name.replaceAll("\\", "/")}\0`);
    hash.update(readFileSync(join(here, name)));
    hash.update("\0");
  }
  return hash.digest("hex");
}

const css = await build({
  entryPoints: [join(here, "src", "theme.css")], minify: true, write: false, charset: "ascii",
});
const theme = css.outputFiles[0].text;
const minified = {
  name: "minified-css",
  setup(setup) {
    setup.onLoad({ filter: /\.css$/ }, () => ({ contents: theme, loader: "text" }));
  },
};
const files = {
  "explorer.js": await bundle("page.ts", { format: "iife", globalName: "conceptrankExplorer" }),
  "explorer.css": theme,
  "widget.js": await bundle("widget.ts", { format: "esm", plugins: [minified] }),
  "sources.sha256": `${digest()}\n`,
};
let stale = 0;
mkdirSync(target, { recursive: true });
for (const [name, text] of Object.entries(files)) {
  const path = join(target, name);
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${name} is stale: run \`make explorer\``);
    stale += 1;
  }
}
process.exit(stale ? 1 : 0);
