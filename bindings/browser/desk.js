/// Who computes: workers that answer requests, the newest of each kind.

/// One worker.  A request of a kind takes the place of one of the same kind that waits; `most` says
/// after how long work on a question that nobody asks any more is ended.
class Desk {
  constructor(start, most) {
    this.start = start;
    this.most = most;
    this.waiting = new Map();
    this.running = null;
    this.open();
  }

  open() {
    this.worker = this.start(message => this.hear(message));
    this.ready = false;
  }

  /// Resolves with the answer, or with null where a newer request took its place.
  ask(kind, request) {
    this.waiting.get(kind)?.done(null);
    const asked = new Promise((done, fail) =>
      this.waiting.set(kind, { kind, request, done, fail }),
    );
    const old = this.running;
    if (old && old.kind === kind) this.leave(old);
    this.next();
    return asked;
  }

  /// Gives up questions of some kinds.
  forget(...kinds) {
    for (const kind of kinds) {
      this.waiting.get(kind)?.done(null);
      this.waiting.delete(kind);
    }
    if (this.running && kinds.includes(this.running.kind)) this.leave(this.running);
  }

  /// Nobody asks for this any more: it ends soon, or is ended.
  leave(old) {
    old.done(null);
    const end = () => {
      if (this.running !== old) return;
      this.worker.terminate();
      this.running = null;
      this.open();
    };
    const left = this.most - (performance.now() - old.began);
    if (left <= 0) end();
    else setTimeout(end, left);
  }

  next() {
    if (!this.ready || this.running || this.waiting.size === 0) return;
    const [kind, one] = this.waiting.entries().next().value;
    this.waiting.delete(kind);
    this.running = one;
    one.began = performance.now();
    this.worker.postMessage({ id: 0, request: one.request });
  }

  hear(message) {
    if (message.ready) {
      this.ready = true;
    } else if (this.running) {
      const one = this.running;
      this.running = null;
      if (message.failed) {
        one.fail(new Error(message.failed));
        this.worker.terminate();
        this.open();
      } else {
        one.done({ answer: message.answer, time: message.time });
      }
    } else if (message.failed) {
      this.failed?.(message.failed);
    }
    this.next();
  }
}

const letters =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";

/// Bytes of letters that stand for 85 values each, as assemble.py writes them: 4 bytes in 5 letters,
/// the last of which may be fewer.
function bytesOfLetters(text) {
  const values = new Uint8Array(128);
  [...letters].forEach((letter, i) => {
    values[letter.charCodeAt(0)] = i;
  });
  const lacking = (5 - (text.length % 5)) % 5;
  const bytes = new Uint8Array(((text.length + lacking) / 5) * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0, at = 0; i < text.length; i += 5, at += 4) {
    let word = 0;
    for (let k = i; k < i + 5; ++k)
      word = word * 85 + (k < text.length ? values[text.charCodeAt(k)] : 84);
    view.setUint32(at, word);
  }
  return bytes.subarray(0, bytes.length - lacking);
}

/// What starts workers: the module is unpacked and compiled once.
async function workersFrom(text, source) {
  const packed = bytesOfLetters(text.trim());
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  return hear => {
    const worker = new Worker(address);
    worker.onmessage = ({ data }) => hear(data);
    worker.onerror = event => hear({ failed: event.message || "the worker cannot start" });
    worker.postMessage({ module });
    return worker;
  };
}

export { bytesOfLetters, Desk, workersFrom };
