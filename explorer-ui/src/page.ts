// Starts the page. Its data are in the page itself, or the server that sent the page has them.

import { App } from "./app";
import { h, messageOf } from "./dom";
import { LocalSource } from "./local";
import { unpack } from "./payload";
import { RemoteSource } from "./remote";
import type { Source } from "./source";
import { AddressTrail } from "./state";

export { layout } from "./layout";
export { transversals } from "./structure";

/** For tests and the browser's console. */
export let source: Source | null = null;

async function open(): Promise<Source> {
  const inlined = document.getElementById("conceptrank-data");
  if (inlined === null) return RemoteSource.open();
  const text = atob(inlined.textContent!.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  inlined.remove();
  return new LocalSource(await unpack(bytes));
}

export async function start(root: HTMLElement): Promise<void> {
  try {
    source = await open();
    await new App(root, source, new AddressTrail()).start();
    performance.mark("conceptrank-ready");
    root.dataset.ready = "true";
  } catch (error) {
    root.replaceChildren(h("p", { class: "cr-broken", role: "alert" },
      `This page could not be shown: ${messageOf(error)}`));
    throw error;
  }
}

const root = document.getElementById("conceptrank");
if (root) void start(root);
