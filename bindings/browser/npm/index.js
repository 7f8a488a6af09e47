/// Plans as the program does: a request in, the object that it prints with --json out.

import { engineOf } from "./engine.js";

/// What a request asks cannot be answered: what, where in the request, what is allowed.
export class RequestError extends Error {
  constructor({ what, where, allowed, did_you_mean, exit_code }) {
    super(what);
    this.name = "RequestError";
    Object.assign(this, { what, where, allowed, did_you_mean, exit_code });
  }
}

async function bytesOf(address) {
  if (address.protocol !== "file:") return (await fetch(address)).arrayBuffer();
  const { readFile } = await import("node:fs/promises");
  return readFile(address);
}

/// The planner; `source` is the module, its bytes or its address, where it does not lie beside this
/// file.
export async function load(source = new URL("gpuplan.wasm", import.meta.url)) {
  const from = source instanceof Response ? await source.arrayBuffer() : source;
  const module =
    from instanceof WebAssembly.Module
      ? from
      : await WebAssembly.compile(
          from instanceof URL || typeof from === "string" ? await bytesOf(new URL(from)) : from,
        );
  const engine = await engineOf(module);
  return {
    answer(request) {
      const answer = JSON.parse(engine(JSON.stringify(request)));
      if (answer.error && typeof answer.error === "object") throw new RequestError(answer.error);
      return answer;
    },
  };
}
