/// Numbers and names in words.

const absent = "not known";

/// Three digits that count, in plain notation.
function digits(value) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function scaled(value, base, names) {
  let step = 0;
  while (step + 1 < names.length && Math.abs(value) >= base) {
    value /= base;
    ++step;
  }
  return `${digits(value)} ${names[step]}`;
}

const known = value => value !== null && value !== undefined;

const bytesInWords = value =>
  known(value) ? scaled(value, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]) : absent;

/// Memory of GPUs, whose sizes are compared.
const gibInWords = value => (known(value) ? `${(value / 2 ** 30).toFixed(1)} GiB` : absent);

const countInWords = value =>
  known(value) ? scaled(value, 1000, ["", "k", "M", "G", "T", "P"]).trim() : absent;

/// "8.03 billion".
const parametersInWords = value =>
  scaled(value, 1000, ["", "thousand", "million", "billion", "trillion"]);

const percent = (share, after = 1) => (known(share) ? `${(100 * share).toFixed(after)} %` : absent);

function probabilityInWords(share) {
  if (!known(share)) return absent;
  if (share > 0.99) return "more than 99 %";
  if (share < 0.01) return "less than 1 %";
  return `${Math.round(100 * share)} %`;
}

function timeInWords(seconds) {
  if (!known(seconds)) return absent;
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 1e-3) return `${digits(seconds * 1e6)} µs`;
  if (size < 1) return `${digits(seconds * 1e3)} ms`;
  if (size < 60) return `${digits(seconds)} s`;
  const pair = (large, largeName, small, smallName) => {
    const all = Math.round(seconds / small);
    const rest = all % Math.round(large / small);
    const whole = Math.floor(all / Math.round(large / small));
    return `${whole.toLocaleString("en")} ${largeName}${rest ? ` ${rest} ${smallName}` : ""}`;
  };
  if (size < 3600) return pair(60, "min", 1, "s");
  if (size < 86400) return pair(3600, "h", 60, "min");
  if (size < 730 * 86400) return pair(86400, "d", 3600, "h");
  return `${digits(seconds / (365.25 * 86400))} years`;
}

function moneyInWords(dollars) {
  if (!known(dollars)) return "no price known";
  if (dollars < 100) return `$${dollars.toFixed(2)}`;
  if (dollars < 1e6) return `$${Math.round(dollars).toLocaleString("en")}`;
  return `$${(dollars / 1e6).toFixed(2)} million`;
}

function energyInWords(joules) {
  return known(joules) ? scaled(joules / 3.6e6, 1000, ["kWh", "MWh", "GWh", "TWh"]) : absent;
}

function carbonInWords(grams) {
  return known(grams) ? scaled(grams / 1000, 1000, ["kg", "t", "kt", "Mt"]) : absent;
}

/// "gathered_parameters_bytes" as "gathered parameters".
function termInWords(key) {
  const name = key.replace(/_(bytes|s)$/, "").replaceAll("_", " ");
  const names = { products: "GEMM", ends: "embedding + LM head", head: "LM head" };
  return names[name] ?? name;
}

const axes = [
  ["data", "DP"],
  ["tensor", "TP"],
  ["pipeline", "PP"],
  ["context", "CP"],
  ["expert", "EP"],
];

/// "DP 16, TP 4, micro-batch 2".
function layoutInWords(layout) {
  const parts = axes
    .filter(([key]) => (layout[key] ?? 1) > 1)
    .map(([key, of]) => `${of} ${layout[key]}`);
  if ((layout.interleave ?? 1) > 1) parts.push(`${layout.interleave} chunks a stage`);
  parts.push(`micro-batch ${layout.micro_batch_size ?? 1}`);
  return parts.join(", ");
}

const zeroStages = { none: 0, optimizer: 1, gradients: 2, parameters: 3 };

/// "ZeRO 1, full recompute".
function recipeInWords(recipe) {
  const stage = zeroStages[recipe.zero] ?? recipe.zero ?? 0;
  const parts = [`ZeRO ${stage}`];
  if (recipe.recompute && recipe.recompute !== "none")
    parts.push(`${recipe.recompute.replaceAll("_", " ")} recompute`);
  if (recipe.sequence_parallel) parts.push("sequence parallel");
  return parts.join(", ");
}

function escaped(text) {
  return String(text).replace(/[&<>"']/g, letter => `&#${letter.charCodeAt(0)};`);
}

/// The parts of a text, each on one line where it has room: no name is broken at its hyphens.
const unbroken = (text, between = ", ") =>
  String(text)
    .split(between)
    .map((part, i, all) => part + (i + 1 < all.length ? between.trimEnd() : ""))
    .map(part => `<span class="whole">${escaped(part)}</span>`)
    .join(" ");

export {
  absent,
  axes,
  bytesInWords,
  carbonInWords,
  countInWords,
  digits,
  energyInWords,
  escaped,
  gibInWords,
  known,
  layoutInWords,
  moneyInWords,
  parametersInWords,
  percent,
  probabilityInWords,
  recipeInWords,
  termInWords,
  timeInWords,
  unbroken,
  zeroStages,
};
