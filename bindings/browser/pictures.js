/// Pictures: memory by stage, a step term by term, what more GPUs buy.  Each is an SVG as wide as its
/// place, with the numbers in a table below.

import { countInWords, escaped, gibInWords, percent, termInWords, timeInWords } from "./words.js";

/// Terms of memory that are shown as one, in the order in which they are drawn.
const memoryGroups = [
  ["weights", ["weights", "gathered_parameters", "reference"]],
  [
    "gradients",
    [
      "gradients",
      "unused_gradients",
      "deferred_gradient",
      "whole_gradients",
      "layer_gradients",
      "gradient_copy",
    ],
  ],
  ["optimizer", ["master_weights", "optimizer", "optimizer_temporaries"]],
  ["activations", ["activations", "recomputed"]],
  ["embedding + LM head", ["embedding", "head", "deferred_head", "logits", "head_gradients"]],
  ["buffers and context", ["buffers", "framework", "batch", "cuda_context", "communicators"]],
  ["fragmentation", ["fragmentation"]],
];
const grouped = new Map(
  memoryGroups.flatMap(([, terms], i) => terms.map(term => [`${term}_bytes`, i])),
);
const others = memoryGroups.findIndex(([name]) => name === "buffers and context");
const mostStages = 16;

/// On narrow screens a row of many columns is a card, whose cells say their head.
function table(heads, rows, rowClass = () => "") {
  const side = i => (heads[i].number ? ' class="number"' : "");
  const head = i => (heads[i].says ? ` data-head="${escaped(heads[i].name)}"` : "");
  const cells = row =>
    row
      .map((cell, i) => `<td role="cell"${side(i)}${cell === "" ? "" : head(i)}>${cell}</td>`)
      .join("");
  const cards = heads.some(one => one.says) ? ' class="cards"' : "";
  return (
    `<div class="table"><table role="table"${cards}><thead><tr>${heads.map((head, i) => `<th scope="col"${side(i)}>${escaped(head.name)}</th>`).join("")}</tr></thead>` +
    `<tbody>${rows.map((row, i) => `<tr role="row"${rowClass(i)}>${cells(row)}</tr>`).join("")}</tbody></table></div>`
  );
}

const numbers = (summary, made) =>
  `<details class="numbers"><summary>${summary}</summary>${made}</details>`;

function svg(width, height, words, inner) {
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(words)}">${inner}</svg>`;
}

function text(x, y, words, anchor = "start", of = "") {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${of ? ` class="${of}"` : ""}>${escaped(words)}</text>`;
}

function bar(x, y, width, height, of, tip) {
  if (!(width > 0)) return "";
  return `<rect x="${x.toFixed(2)}" y="${y}" width="${width.toFixed(2)}" height="${height}" class="${of}"><title>${escaped(tip)}</title></rect>`;
}

/// From the low to the high end of a range.
function whisker(low, high, y, tip) {
  return `<path class="whisker" d="M${low.toFixed(1)} ${y - 5}v10m0 -5H${high.toFixed(1)}m0 -5v10"><title>${escaped(tip)}</title></path>`;
}

const legend = names =>
  `<ul class="legend">${names.map((name, i) => `<li><span class="c${i}"></span>${escaped(name)}</li>`).join("")}</ul>`;

function groupsOf(stage) {
  const sums = memoryGroups.map(() => 0);
  for (const [term, bytes] of Object.entries(stage.at_peak))
    sums[grouped.get(term) ?? others] += bytes;
  return sums;
}

/// The stages that are drawn: all, or the first of many and the fullest.
function drawnStages(memory) {
  if (memory.stages.length <= mostStages) return memory.stages;
  const first = memory.stages.slice(0, mostStages - 1);
  return first.some(one => one.stage === memory.worst_stage)
    ? memory.stages.slice(0, mostStages)
    : [...first, memory.stages.find(one => one.stage === memory.worst_stage)];
}

/// Memory of each stage against that of the GPU.
function memoryPicture(memory, width) {
  if (!memory?.stages?.length)
    return '<p class="note">The layout breaks a rule: there is no memory to show.</p>';
  const stages = drawnStages(memory);
  const capacity = memory.capacity_bytes;
  const most =
    Math.max(
      capacity ?? 0,
      memory.worst_stage_high_bytes ?? 0,
      ...stages.map(one => one.device_bytes),
    ) * 1.02;
  const narrow = width < 520;
  const left = narrow ? 0 : 110;
  const right = width - (narrow ? 4 : 84);
  const at = bytes => left + (bytes / most) * (right - left);
  const row = narrow ? 42 : 28;
  const top = 26;
  let inner = "";
  stages.forEach((stage, i) => {
    const y = top + i * row + (narrow ? 14 : 0);
    const name = memory.stages.length > 1 ? `stage ${stage.stage + 1}` : "every GPU";
    const total = gibInWords(stage.device_bytes);
    inner += narrow
      ? text(0, y - 4, `${name}: ${total}`)
      : text(left - 8, y + 14, name, "end") + text(right + 8, y + 14, total);
    let x = 0;
    groupsOf(stage).forEach((bytes, group) => {
      inner += bar(
        at(x),
        y,
        at(x + bytes) - at(x),
        20,
        `c${group}`,
        `${name}, ${memoryGroups[group][0]}: ${gibInWords(bytes)}`,
      );
      x += bytes;
    });
    inner += `<line class="limit" x1="${at(capacity).toFixed(1)}" x2="${at(capacity).toFixed(1)}" y1="${y - 2}" y2="${y + 22}"/>`;
    if (stage.stage === memory.worst_stage && memory.worst_stage_high_bytes)
      inner += whisker(
        at(memory.worst_stage_low_bytes),
        at(memory.worst_stage_high_bytes),
        y + 10,
        `${name}, in nine of ten: ${gibInWords(memory.worst_stage_low_bytes)} to ${gibInWords(memory.worst_stage_high_bytes)}`,
      );
  });
  const bottom = top + stages.length * row;
  const limit = at(capacity);
  const anchor = limit > width * 0.6 ? "end" : "start";
  if (!narrow)
    inner += `<line class="limit" x1="${limit.toFixed(1)}" x2="${limit.toFixed(1)}" y1="18" y2="${bottom}"/>`;
  inner += text(
    limit + (anchor === "end" ? -4 : 4),
    13,
    `the GPU has ${gibInWords(capacity)}`,
    anchor,
  );
  const used = memoryGroups.map((_, group) => stages.some(stage => groupsOf(stage)[group] > 0));
  const names = memoryGroups.map(([name]) => name);
  const words = `The fullest stage needs ${gibInWords(memory.worst_stage_bytes)} of ${gibInWords(capacity)}.`;
  const hidden = memory.stages.length - stages.length;
  return (
    `<ul class="legend">${names.map((name, i) => (used[i] ? `<li><span class="c${i}"></span>${name}</li>` : "")).join("")}</ul>` +
    svg(width, bottom + 4, words, inner) +
    '<p class="note">The line across a bar: between its ends the fullest GPU is in nine of ten.</p>' +
    (hidden > 0 ? `<p class="note">${hidden} more stages are not drawn.</p>` : "") +
    numbers("Every term of the fullest stage", memoryTable(memory))
  );
}

function memoryTable(memory) {
  const stage = memory.stages.find(one => one.stage === memory.worst_stage) ?? memory.stages[0];
  const rows = Object.entries(stage.at_peak).map(([term, bytes]) => [
    escaped(termInWords(term)),
    gibInWords(bytes),
  ]);
  rows.push(["tensors (max_memory_allocated)", gibInWords(memory.allocated_bytes)]);
  rows.push(["reserved (max_memory_reserved)", gibInWords(memory.reserved_bytes)]);
  rows.push(["total (nvidia-smi)", gibInWords(memory.device_bytes)]);
  rows.push([
    "total, in nine of ten",
    `${gibInWords(memory.device_low_bytes)} to ${gibInWords(memory.device_high_bytes)}`,
  ]);
  rows.push(["of the GPU's", gibInWords(memory.capacity_bytes)]);
  return table([{ name: "Term" }, { name: "At its peak", number: true }], rows);
}

/// Where the time of a step goes.
function stepPicture(terms, total, width) {
  if (!terms || !total)
    return '<p class="note">The layout breaks a rule: there is no time to show.</p>';
  const shown = Object.entries(terms).filter(([, time]) => time > 0);
  const narrow = width < 520;
  const left = narrow ? 0 : 150;
  const right = width - (narrow ? 4 : 130);
  const at = time => left + (time / total) * (right - left);
  const row = narrow ? 36 : 24;
  let inner = "";
  let passed = 0;
  shown.forEach(([key, time], i) => {
    const y = 4 + i * row + (narrow ? 14 : 0);
    const words = `${timeInWords(time)}, ${percent(time / total)}`;
    const name = termInWords(key);
    inner += narrow ? text(0, y - 3, `${name}: ${words}`) : text(left - 8, y + 13, name, "end");
    inner += bar(
      at(passed),
      y,
      Math.max(at(passed + time) - at(passed), 1),
      17,
      `c${colourOfTerm(key)}`,
      `${name}: ${words}`,
    );
    passed += time;
    if (!narrow) inner += text(at(passed) + 6, y + 13, words);
  });
  return (
    legend(["compute", "messages", "waiting"]) +
    svg(
      width,
      8 + shown.length * row,
      `A step takes ${timeInWords(total)}; the longest term is ${termInWords(longest(shown))}.`,
      inner,
    ) +
    numbers(
      "Every term",
      table(
        [{ name: "Term" }, { name: "Time", number: true }, { name: "Share", number: true }],
        [
          ...shown.map(([key, time]) => [
            escaped(termInWords(key)),
            timeInWords(time),
            percent(time / total),
          ]),
          ["total", timeInWords(total), ""],
        ],
      ),
    )
  );
}

const longest = shown => shown.reduce((most, one) => (one[1] > most[1] ? one : most))[0];

/// Terms are of three kinds: computing, messages between GPUs, and waiting.
function colourOfTerm(key) {
  if (/^(tensor|context|expert|gather|pipeline|data|offload)_s$/.test(key)) return 1;
  if (/^(bubble|stragglers|input|launch)_s$/.test(key)) return 2;
  return 0;
}

/// Round numbers: of each power of ten 1, 2 and 5, or 1 alone where that is enough.
function ticksBetween(least, most) {
  const ticks = [];
  const steps = most / least > 1000 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power)
    ticks.push(...steps.map(step => step * 10 ** power));
  return ticks.filter(tick => tick >= least && tick <= most);
}

/// Tokens a second by GPUs, both in powers.
function scalePicture(answer, width) {
  const points = answer.points.filter(one => one.fits && one.tokens_per_s > 0);
  if (points.length < 2) return "";
  const height = 300;
  const box = { left: 58, right: width - 14, top: 26, bottom: height - 40 };
  const log = Math.log2;
  const xs = points.map(one => one.gpus);
  const low = one => one.tokens_per_s * (one.step_time_s / one.step_time_high_s);
  const high = one => one.tokens_per_s * (one.step_time_s / one.step_time_low_s);
  const base = points[0];
  const ideal = one => (base.tokens_per_s * one.gpus) / base.gpus;
  const ends = (least, most) => [log(least), Math.max(log(most), log(least) + 1e-9)];
  const [x0, x1] = ends(xs[0], xs.at(-1));
  const [y0, y1] = ends(
    Math.min(...points.map(low)),
    Math.max(...points.map(high), ...points.map(ideal)),
  );
  const x = gpus => box.left + ((log(gpus) - x0) / (x1 - x0)) * (box.right - box.left);
  const y = rate => box.bottom - ((log(rate) - y0) / (y1 - y0)) * (box.bottom - box.top);
  const path = of =>
    points
      .map((one, i) => `${i ? "L" : "M"}${x(one.gpus).toFixed(1)} ${y(of(one)).toFixed(1)}`)
      .join("");
  const back = [...points]
    .reverse()
    .map(one => `L${x(one.gpus).toFixed(1)} ${y(low(one)).toFixed(1)}`)
    .join("");
  let inner = `<path class="band" d="${path(high)}${back}Z"/><path class="ideal" d="${path(ideal)}"/><path class="curve" d="${path(one => one.tokens_per_s)}"/>`;
  let free = -Infinity;
  for (const one of points) {
    const tip = `${one.gpus} GPUs: ${countInWords(one.tokens_per_s)} tokens/s, efficiency ${percent(one.efficiency)}`;
    inner += `<circle cx="${x(one.gpus).toFixed(1)}" cy="${y(one.tokens_per_s).toFixed(1)}" r="4" class="c0"><title>${escaped(tip)}</title></circle>`;
    if (x(one.gpus) - free < 36) continue;
    free = x(one.gpus);
    inner += text(Math.min(free, box.right - 6), box.bottom + 18, String(one.gpus), "middle");
  }
  inner += `<line class="axis" x1="${box.left}" x2="${box.right}" y1="${box.bottom}" y2="${box.bottom}"/>`;
  for (const rate of ticksBetween(2 ** y0, 2 ** y1))
    inner +=
      `<line class="axis" x1="${box.left}" x2="${box.right}" y1="${y(rate).toFixed(1)}" y2="${y(rate).toFixed(1)}"/>` +
      text(box.left - 6, y(rate) + 4, countInWords(rate), "end");
  inner +=
    text(box.right, height - 4, "GPUs", "end", "soft") +
    text(4, 12, "tokens/s", "start", "soft");
  return svg(
    width,
    height,
    `Tokens a second from ${xs[0]} to ${xs.at(-1)} GPUs; efficiency at the end ${percent(points.at(-1).efficiency)}.`,
    inner,
  );
}

export { memoryPicture, numbers, scalePicture, stepPicture, table };
