/// The question that the page asks: as fields, as a link, as a command.

const parts = ["cluster", "recipe", "parallelism", "workspace"];

/// Options of the answer that are no fields of a request, by the option of the command line.
const planOptions = [
  "task",
  "tokens",
  "samples",
  "epochs",
  "price",
  "risk",
  "deadline",
  "budget",
  "by",
  "level",
  "headroom",
];

function emptyQuestion() {
  return {
    model: "",
    config: null,
    configName: "",
    cluster: {},
    recipe: {},
    parallelism: {},
    workspace: {},
    options: {},
  };
}

function copyOf(question) {
  return JSON.parse(JSON.stringify(question));
}

/// The value at "recipe.overlap.data": keys of a part may have points.
function valueAt(question, path) {
  const [part, ...key] = path.split(".");
  return question[part][key.join(".")];
}

function setAt(question, path, value) {
  const [part, ...key] = path.split(".");
  if (value === "" || value === null || value === undefined) delete question[part][key.join(".")];
  else question[part][key.join(".")] = value;
}

/// {"overlap.data": 1} as {"overlap": {"data": 1}}.
function nested(fields) {
  const made = {};
  for (const [key, value] of Object.entries(fields)) {
    const steps = key.split(".");
    const last = steps.pop();
    let at = made;
    for (const step of steps) at = at[step] ??= {};
    at[last] = value;
  }
  return made;
}

/// The other way round.
function flat(fields, prefix = "") {
  const made = {};
  for (const [key, value] of Object.entries(fields ?? {}))
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      Object.assign(made, flat(value, `${prefix}${key}.`));
    else made[prefix + key] = value;
  return made;
}

/// What a worker is asked.
function requestOf(kind, question, more = {}) {
  const request = { question: kind, model: question.config ?? question.model };
  for (const part of parts)
    if (Object.keys(question[part]).length) request[part] = nested(question[part]);
  if (Object.keys(question.options).length) request.options = { ...question.options };
  return Object.assign(request, more);
}

/// A word as a shell reads it.
function shellWord(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/// The option of a field, and its aliases.
const optionsOfRow = row => row.option.split(",");

function valueWord(value) {
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.join(",");
  return String(value);
}

/// The command that prints the same answer; `fields` are the rows of `gpuplan evaluate --fields`.
function commandOf(kind, question, fields, more = []) {
  const words = [
    "gpuplan",
    kind,
    question.config ? question.configName || "config.json" : question.model,
  ];
  for (const part of parts)
    for (const row of fields[part] ?? []) {
      const value = question[part][row.key];
      if (value !== undefined) words.push(optionsOfRow(row)[0], valueWord(value));
    }
  for (const option of planOptions)
    if (question.options[option] !== undefined)
      words.push(`--${option}`, String(question.options[option]));
  return [...words, ...more].map(shellWord).join(" ");
}

/// Options of a command as fields: [path, text].
function fieldsOfOptions(options, fields) {
  const words = options.match(/'[^']*'|[^\s']+/g)?.map(word => word.replace(/^'|'$/g, "")) ?? [];
  const found = [];
  for (let i = 0; i < words.length; ++i) {
    if (!words[i].startsWith("--")) continue;
    for (const part of parts)
      for (const row of fields[part] ?? [])
        if (optionsOfRow(row).includes(words[i]))
          found.push([`${part}.${row.key}`, row, words[i + 1]]);
  }
  return found;
}

/// A text of a field as JSON has it: numbers as numbers, flags as flags.
function typedValue(row, text) {
  if (text === "" || text === undefined) return undefined;
  if (typeof text !== "string") return text;
  const number = Number(text);
  if (row.kind.startsWith("flag")) {
    if (["on", "true", "yes"].includes(text)) return true;
    if (["off", "false", "no"].includes(text)) return false;
  }
  if (row.kind.startsWith("array")) {
    const list = text.split(",").map(one => one.trim());
    return row.kind === "array of integers" ? list.map(Number) : list;
  }
  if (Number.isFinite(number) && text.trim() !== "") return number;
  return text;
}

/// Bytes as letters that an address may have.
function toLetters(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromLetters(text) {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(bytes, letter => letter.charCodeAt(0));
}

async function through(stream, bytes) {
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer(),
  );
}

const pack = text =>
  through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)).then(toLetters);
const unpack = async text =>
  new TextDecoder().decode(
    await through(new DecompressionStream("deflate-raw"), fromLetters(text)),
  );

/// The question as the fragment of an address; all fields of `a.` belong to the set-up compared with.
async function linkOf(question, against = null) {
  const words = new URLSearchParams();
  const add = async (one, prefix) => {
    if (one.config) {
      words.set(`${prefix}config`, await pack(JSON.stringify(one.config)));
      words.set(`${prefix}name`, one.configName);
    } else {
      words.set(`${prefix}model`, one.model);
    }
    for (const part of [...parts, "options"])
      for (const [key, value] of Object.entries(one[part]))
        words.set(`${prefix}${part}.${key}`, Array.isArray(value) ? JSON.stringify(value) : value);
  };
  await add(question, "");
  if (against) await add(against, "a.");
  return words.toString();
}

/// The question of a fragment, and that compared with; null where there is none.
async function questionsOfLink(fragment) {
  const words = new URLSearchParams(fragment);
  const read = async prefix => {
    const question = emptyQuestion();
    let any = false;
    for (const [name, text] of words) {
      if (!name.startsWith(prefix) || (prefix === "" && name.startsWith("a."))) continue;
      const path = name.slice(prefix.length);
      any = true;
      if (path === "model") question.model = text;
      else if (path === "config") question.config = JSON.parse(await unpack(text));
      else if (path === "name") question.configName = text;
      else if ([...parts, "options"].includes(path.split(".")[0]))
        setAt(question, path, valueOfLink(path, text));
    }
    return any ? question : null;
  };
  return { question: await read(""), against: await read("a.") };
}

function valueOfLink(path, text) {
  if (path.startsWith("options.")) return text;
  if (text === "true" || text === "false") return text === "true";
  if (text.startsWith("[")) return JSON.parse(text);
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

export {
  commandOf,
  copyOf,
  emptyQuestion,
  fieldsOfOptions,
  flat,
  linkOf,
  parts,
  planOptions,
  questionsOfLink,
  requestOf,
  setAt,
  shellWord,
  typedValue,
  valueAt,
};
