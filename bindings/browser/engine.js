/// The library as WebAssembly: from the bytes of the module to a function that answers requests.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/// What the module asks of its surroundings: nothing but a place for its last words, as it reads no
/// file, no clock and no network.
function surroundings(module, memoryOf, say) {
  const known = {
    fd_write(fd, vectors, count, written) {
      const memory = new DataView(memoryOf().buffer);
      let bytes = 0;
      for (let i = 0; i < count; ++i) {
        const begin = memory.getUint32(vectors + 8 * i, true);
        const size = memory.getUint32(vectors + 8 * i + 4, true);
        say(decoder.decode(new Uint8Array(memoryOf().buffer, begin, size)));
        bytes += size;
      }
      memory.setUint32(written, bytes, true);
      return 0;
    },
    environ_sizes_get(count, bytes) {
      const memory = new DataView(memoryOf().buffer);
      memory.setUint32(count, 0, true);
      memory.setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    emscripten_notify_memory_growth() {},
    proc_exit(code) {
      throw new Error(`the module ended with ${code}`);
    },
  };
  const refused = 52; // "function not implemented" of WASI
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = known[name] ?? (() => refused);
  }
  return imports;
}

/// A function from a request, as text, to its answer, as text.
async function engineOf(module, say = () => {}) {
  let memory;
  const instance = await WebAssembly.instantiate(
    module,
    surroundings(module, () => memory, say),
  );
  const library = instance.exports;
  memory = library.memory;
  library._initialize?.();
  return request => {
    const text = encoder.encode(request);
    const asked = library.malloc(text.length + 1);
    const place = new Uint8Array(memory.buffer, asked, text.length + 1);
    place.set(text);
    place[text.length] = 0;
    const answer = library.gpuplan_answer(asked);
    library.free(asked);
    if (answer === 0) throw new Error("out of memory");
    const bytes = new Uint8Array(memory.buffer);
    const read = decoder.decode(bytes.subarray(answer, bytes.indexOf(0, answer)));
    library.gpuplan_free(answer);
    return read;
  };
}

export { engineOf };
