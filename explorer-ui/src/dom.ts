// Elements from code. Text becomes text nodes; there is no way to hand over markup.

type Child = Element | string | null | undefined | false;
type Props = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

const SVG = "http://www.w3.org/2000/svg";

function fill<T extends Element>(element: T, props: Props, children: Child[]): T {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, props: Props = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), props, children);
}

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K, props: Props = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], props, children);
}

/** A drop-down list: pairs of a value and what it is called. */
export function choice(
  label: string, options: [string, string][], value: string, change: (value: string) => void,
): HTMLSelectElement {
  const select = h("select", { "aria-label": label, title: label, change: () => change(select.value) });
  for (const [key, text] of options) {
    select.append(h("option", { value: key, selected: key === value }, text));
  }
  return select;
}

export function button(
  label: string, text: string, act: (event: MouseEvent) => void, props: Props = {},
): HTMLButtonElement {
  return h("button", { type: "button", title: label, "aria-label": label, click: act, ...props }, text);
}

export function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const plain = new Intl.NumberFormat("en");

export function whole(value: number): string {
  return plain.format(value);
}

/** A score as people read it: four significant digits, whole numbers as they are. */
export function shown(value: number | null): string {
  if (value === null) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return plain.format(value);
  const size = Math.abs(value);
  // What is not quite one must not look like it.
  if (size < 1 && size > 0.99995) return value > 0 ? ">0.9999" : "<−0.9999";
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return size >= 100 ? value.toFixed(1) : size >= 10 ? value.toFixed(2) : value.toFixed(4);
}

/** Two different scores, with as many digits as it takes to see that. */
export function apart(a: number | null, b: number | null): [string, string] {
  const texts: [string, string] = [shown(a), shown(b)];
  for (let digits = 5; a !== null && b !== null && texts[0] === texts[1] && digits <= 17; digits++) {
    [texts[0], texts[1]] = [a.toPrecision(digits), b.toPrecision(digits)];
  }
  return texts;
}

export function plural(n: number, word: string): string {
  return `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
}

/** Long names end in dots; what can't be seen, or would turn other text round, becomes a sign. */
export function clipped(text: string, most: number): string {
  const letters = [...text.slice(0, 4 * most)].map(visible);
  return letters.length <= most && text.length <= 4 * most ? letters.join("") : `${letters.slice(0, most - 1).join("")}…`;
}

function visible(letter: string): string {
  const code = letter.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  const turning = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const half = code >= 0xd800 && code <= 0xdfff;
  return code === 0x7f || turning || half ? "\ufffd" : letter;
}
