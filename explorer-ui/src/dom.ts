// Helpers for elements, numbers and names. Children that are strings become text nodes, so names can't contain markup.

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

/** A drop-down list. Options are pairs of a value and its text. */
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

/** A score as text: whole numbers as they are, others with about four significant digits. */
export function shown(value: number | null): string {
  if (value === null) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return plain.format(value);
  const size = Math.abs(value);
  // A score just below 1 must not be rounded to 1.
  if (size < 1 && size > 0.99995) return value > 0 ? ">0.9999" : "<−0.9999";
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return size >= 100 ? value.toFixed(1) : size >= 10 ? value.toFixed(2) : value.toFixed(4);
}

/** A share from 0 to 1 as a percentage: one decimal below 10%, and never 0% or 100% for what is not quite so. */
export function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "under 0.1%";
  if (value < 100 && value > 99.5) return value > 99.9 ? "over 99.9%" : `${value.toFixed(1)}%`;
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}%`;
}

/** The words of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function plural(n: number, word: string): string {
  return `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
}

/** A name of at most `most` letters. Control characters, including those that change the direction of text, become visible signs. */
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
