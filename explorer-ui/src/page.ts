// Starts the page. Its data are in the page itself, or the server that sent the page has them.

import { App } from "./app";
import { h, messageOf } from "./dom";
import { unpack } from "./payload";
import { Source } from "./source";
import { AddressTrail } from "./state";

export { layout } from "./layout";
export { transversals } from "./structure";

/** For tests and the browser's console. */
export let source: Source | null = null;

function inlined(): Uint8Array | null {
  const element = document.getElementById("conceptrank-data");
  if (element === null) return null;
  const text = atob(element.textContent!.trim());
  element.remove();
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

async function asked(path: "payload" | "more"): Promise<Uint8Array> {
  const token = new URLSearchParams(window.location.search).get("token") ?? "";
  const answer = await fetch(path, { headers: { "X-Token": token } });
  if (!answer.ok) throw new Error((await answer.text()).slice(0, 300));
  return new Uint8Array(await answer.arrayBuffer());
}

export async function start(root: HTMLElement): Promise<void> {
  try {
    const known = inlined();
    const data = await unpack(known ?? await asked("payload"));
    source = new Source(data);
    const more = async (): Promise<void> => void await asked("more");
    new App(root, source, new AddressTrail(), known === null && data.meta.more ? more : null).start();
    performance.mark("conceptrank-ready");
    root.dataset.ready = "true";
  } catch (error) {
    root.replaceChildren(h("p", { class: "cr-broken", role: "alert" }, `This page could not be shown: ${messageOf(error)}`));
    throw error;
  }
}

const root = document.getElementById("conceptrank");
if (root) void start(root);
