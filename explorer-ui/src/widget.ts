// Starts the page in a notebook. anywidget passes the model with the data and the element to draw in.

import css from "./theme.css";
import { App } from "./app";
import { h } from "./dom";
import { unpack } from "./payload";
import { Source } from "./source";
import { ListTrail } from "./state";

interface Model {
  get(name: "payload"): DataView;
  get(name: "height"): number;
}

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<void> {
  const packed = model.get("payload");
  // The attribute stops JupyterLab from handling the keys typed here.
  const root = h("div", { "data-lm-suppress-shortcuts": "true" });
  root.style.height = `${model.get("height")}px`;
  const style = h("style");
  style.textContent = css;
  el.replaceChildren(style, root);
  const data = await unpack(new Uint8Array(packed.buffer, packed.byteOffset, packed.byteLength));
  new App(root, new Source(data), new ListTrail(), null).start();
  root.dataset.ready = "true";
}

export default { render };
