/// The page: what is asked, who computes it, and how the answer is shown.

import { Desk, workersFrom } from "./desk.js";
import { memoryPicture, numbers, scalePicture, stepPicture, table } from "./pictures.js";
import {
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
  typedValue,
  valueAt,
} from "./question.js";
import {
  axes,
  carbonInWords,
  countInWords,
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
  timeInWords,
  unbroken,
  zeroStages,
} from "./words.js";

const $ = id => document.getElementById(id);

/// All that the page knows.  `tried` is a layout that the user chose, or null for the best one.
const state = {
  question: emptyQuestion(),
  against: null,
  tried: null,
  fields: {},
  catalog: null,
  models: new Map(),
  plan: null,
  shown: null,
  againstAnswer: null,
  scale: null,
};
/// Workers: of single layouts, of the best layouts, and of what may come after these.
let quick;
let search;
let later;

// What is asked.

/// The question with the tried layout in it.
function triedQuestion(question = state.question, tried = state.tried) {
  const asked = copyOf(question);
  asked.parallelism = { ...asked.parallelism, ...tried.parallelism };
  asked.recipe = { ...tried.recipe, ...asked.recipe, ...tried.chosen };
  return asked;
}

/// A layout as it is tried: its fields are those that a plan says.
function triedOf(plan) {
  return { parallelism: flat(plan.parallelism), recipe: flat(plan.recipe), chosen: {} };
}

/// The best layout of before on the GPUs of now: replicas fill them; null where they cannot.
function adapted(plan, question) {
  const tried = triedOf(plan);
  const layout = tried.parallelism;
  const ranks = layout.tensor * layout.pipeline * layout.context;
  const gpus = question.cluster.gpus;
  if (gpus % ranks) return null;
  layout.data = gpus / ranks;
  delete layout.shard_group;
  delete layout.expert_tensor;
  return tried;
}

/// What evaluate is asked of a question: "options" say what of an answer, not what of a job.
function evaluated(question, more = {}) {
  const asked = requestOf("evaluate", question, more);
  delete asked.options;
  if (question.options.level) asked.options = { level: question.options.level };
  return asked;
}

let changes = 0;

/// After a change of the question: the best layout when it is found; before that, where the change
/// is of a single number, the layout of before.
async function ask(isNumber = false) {
  const change = ++changes;
  const began = performance.now();
  const question = state.question;
  remember();
  showCommand();
  if (!question.model && !question.config) return;
  search.forget("plan");
  later.forget("help", "scale", "against");
  document.body.classList.add("busy");
  for (const name of ["scale", "better", "help"]) $(name).classList.add("stale");
  const best = isNumber && state.plan?.parallelism ? adapted(state.plan, question) : null;
  const before = state.tried ?? best;
  if (before) askTried(before, change);
  else quick.forget("tried");
  try {
    const found = await search.ask("plan", quickly(question));
    if (!found || change !== changes) return;
    showFault(found.answer.error);
    if (found.answer.error) return;
    state.plan = found.answer;
    $("time").textContent = `This answer took ${Math.round(performance.now() - began)} ms.`;
    showPlan();
    if (!state.tried) showDetail(found.answer);
    askLater(change);
  } catch (error) {
    if (change === changes) showFault({ what: String(error.message ?? error) });
  } finally {
    if (change === changes) document.body.classList.remove("busy");
  }
}

/// The answer of one layout, which takes no search.
async function askTried(tried, change) {
  const question = triedQuestion(state.question, tried);
  const found = await quick.ask("tried", evaluated(question));
  if (!found || change !== changes) return;
  if (state.tried) showFault(found.answer.error);
  if (!found.answer.error) showDetail(found.answer);
}

/// The best layouts alone: what would help takes several searches more.
function quickly(question) {
  const request = requestOf("plan", question);
  request.options = { ...request.options, quick: true };
  return request;
}

/// What can wait: what would help, the set-up compared with, and what more GPUs buy.
function askLater(change) {
  clearTimeout(askLater.timer);
  askLater.timer = setTimeout(async () => {
    const question = state.question;
    const whole = await later.ask("help", requestOf("plan", question));
    if (!whole || change !== changes) return;
    if (!whole.answer.error) state.plan = whole.answer;
    showHelp(state.plan);
    showBetter(state.plan);
    await askAgainst();
    const found = await later.ask("scale", requestOf("scale", scaleQuestion()));
    if (!found || change !== changes) return;
    state.scale = found.answer.error ? null : found.answer;
    showScale(found.answer.error);
  }, 100);
}

/// The question of scale: the same batch on every size.
function scaleQuestion() {
  const question = copyOf(state.question);
  const { task, risk, headroom, level } = question.options;
  question.options = JSON.parse(JSON.stringify({ task, risk, headroom, level }));
  if (question.recipe.global_batch_size)
    question.options.fixed_batch = question.recipe.global_batch_size;
  delete question.recipe.global_batch_size;
  return question;
}

async function askAgainst() {
  if (!state.against || state.againstAnswer) return showComparison();
  const against = state.against;
  const found = await later.ask("against", quickly(against));
  if (!found || against !== state.against) return;
  state.againstAnswer = found.answer;
  showComparison();
}

// What is shown.

function showFault(error) {
  $("fault").textContent = error ? error.what : "";
  document.body.classList.toggle("faulty", Boolean(error));
  for (const input of document.querySelectorAll("[aria-invalid]"))
    input.removeAttribute("aria-invalid");
  if (!error) return;
  $("verdict").textContent = $("brief").firstChild.textContent =
    "There is no answer to this question.";
  $("basis").textContent = "";
  const at =
    error.where === "model"
      ? $("model")
      : typeof error.where === "string" &&
        document.querySelector(`[data-path="${CSS.escape(error.where)}"]`);
  if (at) at.setAttribute("aria-invalid", "true");
}

const gpusInWords = answer => `${answer.gpus_used} ${state.question.cluster.gpu}`;
const modelInWords = () =>
  state.question.config ? state.question.configName : state.question.model;

/// Of layouts none of which is possible.
function ruleOfAll({ search, reason }) {
  const rule = reason.replaceAll("_", " ");
  return `each of ${search.candidates.toLocaleString("en")} layouts breaks a rule, most of them that of ${rule}`;
}

/// One sentence: whether it fits, how sure, how fast.
function verdictOf(answer) {
  const sure = answer.fits_probability;
  const speed = known(answer.step_time_s)
    ? `A step takes ${timeInWords(answer.step_time_s)} (${timeInWords(answer.step_time_low_s)} to ${timeInWords(answer.step_time_high_s)} in nine of ten runs)`
    : "";
  if (answer.fits) {
    const word =
      sure >= 0.9
        ? '<strong class="good">It fits</strong>'
        : '<strong class="warn">It fits, at a risk</strong>';
    return `${word}: with a probability of ${probabilityInWords(sure)} the memory of ${unbroken(gpusInWords(answer), " ")} suffices for ${unbroken(`${modelInWords()}.`)} ${speed}, at ${percent(answer.mfu)} MFU.`;
  }
  const why = answer.rejected;
  const says = !why
    ? ruleOfAll(answer)
    : known(why.needed_bytes)
      ? `the fullest GPU needs ${gibInWords(why.needed_bytes)}, and ${gibInWords(why.available_bytes)} may be used${why.available_bytes < answer.memory.capacity_bytes ? ` of its ${gibInWords(answer.memory.capacity_bytes)}` : ""}`
      : `${why.rule}: ${countInWords(why.needed)} needed, ${countInWords(why.available)} available`;
  return `<strong class="bad">It does not fit</strong>: ${escaped(says)}.`;
}

/// The same in a few words, for small screens.
function briefOf(answer) {
  const says = [
    answer.fits ? `Fits, ${probabilityInWords(answer.fits_probability)}` : "Does not fit",
  ];
  if (known(answer.step_time_s)) says.push(`${timeInWords(answer.step_time_s)} a step`);
  if (known(answer.memory?.device_bytes)) says.push(gibInWords(answer.memory.device_bytes));
  return says.join(" · ");
}

function basisOf(answer) {
  const basis = answer.error_basis;
  if (!basis) return "";
  const words = {
    calibrated: "calibrated",
    validated: "validated",
    related: "judged by related jobs",
    extrapolated: "extrapolated: nobody measured this kind",
  };
  const one = of =>
    `${words[of.grade] ?? of.grade}${of.runs ? ` on ${of.runs} runs of ${of.sources} source${of.sources === 1 ? "" : "s"}` : ""}`;
  return `Time is ${one(basis.step_time)}; memory is ${one(basis.memory)}.`;
}

/// The answer of the layout that is shown: verdict, figures, memory and step.
function showDetail(answer) {
  state.shown = answer;
  document.body.classList.remove("empty");
  showLaunch();
  const tried = state.tried !== null;
  $("verdict").innerHTML = verdictOf(answer);
  $("brief").firstChild.textContent = briefOf(answer);
  $("basis").textContent = basisOf(answer);
  const run = tried ? null : state.plan?.run?.with_failures;
  const rows = [
    [
      "Layout",
      answer.parallelism || answer.inputs
        ? layoutInWords(answer.parallelism ?? answer.inputs.parallelism)
        : null,
    ],
    [
      "With",
      answer.recipe || answer.inputs ? recipeInWords(answer.recipe ?? answer.inputs.recipe) : null,
    ],
    ["Tokens a second", known(answer.tokens_per_s) ? countInWords(answer.tokens_per_s) : null],
    [
      "Memory of a GPU",
      known(answer.memory?.device_bytes)
        ? `${gibInWords(answer.memory.device_bytes)}, ${percent(answer.memory.device_bytes / answer.memory.capacity_bytes, 0)}`
        : null,
    ],
    ["Bound by", answer.binding === "products" ? "GEMM" : answer.binding],
    ["The whole run", run ? timeInWords(run.time_s) : null],
    ["Cost", run ? moneyInWords(run.cost_dollars) : null],
  ];
  $("figures").innerHTML = rows
    .filter(([, value]) => value)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${unbroken(value)}</dd></div>`)
    .join("");
  drawPictures();
  showSliders();
  showRows();
}

const widthOf = element => Math.max(280, Math.round(element.clientWidth || 640));

function drawPictures() {
  const answer = state.shown;
  if (!answer) return;
  const open = [...document.querySelectorAll("#memory details, #step details")].map(
    one => one.open,
  );
  $("memory").innerHTML = memoryPicture(answer.memory, widthOf($("memory")));
  $("step").innerHTML = stepPicture(answer.step_terms, answer.step_time_s, widthOf($("step")));
  document.querySelectorAll("#memory details, #step details").forEach((one, i) => {
    one.open = open[i] ?? false;
  });
}

/// What the search found: layouts, the run, what would help.
function showPlan() {
  const plan = state.plan;
  showRows();
  showRun(plan);
  showHelp(plan);
  showBetter(plan);
  showComparison();
  showCommand();
  showUsual();
}

const same = (a, b) =>
  axes.every(([key]) => (a[key] ?? 1) === (b[key] ?? 1)) &&
  a.micro_batch_size === b.micro_batch_size &&
  a.interleave === b.interleave;

function showRows() {
  const plan = state.plan;
  if (!plan) return;
  const layout = state.shown?.parallelism ?? state.shown?.inputs?.parallelism;
  const capacity = plan.memory.capacity_bytes;
  const counts = plan.search;
  const words = `${counts.candidates.toLocaleString("en")} layouts: ${counts.fitting.toLocaleString("en")} fit, ${counts.dominated.toLocaleString("en")} cannot be better, the others break a rule or need too much memory.`;
  const heads = [
    { name: "" },
    { name: "Layout" },
    { name: "With" },
    { name: "Step", number: true, says: true },
    { name: "MFU", number: true, says: true },
    { name: "Memory", number: true, says: true },
    { name: "Fits", number: true, says: true },
    { name: "Bound by", says: true },
  ];
  const rows = plan.plans.map((one, i) => [
    `<button type="button" data-row="${i}" aria-label="Show layout ${i + 1}: ${escaped(layoutInWords(one.parallelism))}">${i + 1}</button>`,
    unbroken(layoutInWords(one.parallelism)),
    unbroken(recipeInWords(one.recipe)),
    timeInWords(one.step_time_s),
    percent(one.mfu),
    percent(one.worst_stage_bytes / capacity, 0),
    probabilityInWords(one.fits_probability).replace("more than ", ">").replace("less than ", "<"),
    one.binding === "products" ? "GEMM" : escaped(one.binding),
  ]);
  const shown = i => (layout && same(plan.plans[i].parallelism, layout) ? ' class="shown"' : "");
  const at = document.activeElement?.dataset?.row;
  $("layouts").innerHTML =
    `<p class="note">${words}</p>${rows.length ? table(heads, rows, shown) : ""}`;
  if (at !== undefined) document.querySelector(`[data-row="${at}"]`)?.focus();
}

function showRun(plan) {
  const run = plan.run;
  if (!run) {
    $("run").innerHTML = '<p class="note">Nothing fits, so that there is no run.</p>';
    return;
  }
  const whole = run.with_failures;
  const failures = run.failures;
  const rows = [
    [
      "Tokens",
      `${countInWords(plan.inputs.run.tokens)} in ${run.steps.toLocaleString("en")} steps`,
    ],
    [
      "Time",
      `${timeInWords(whole.time_s)} (${timeInWords(whole.time_low_s)} to ${timeInWords(whole.time_high_s)})`,
    ],
    ["GPU hours", Math.round(whole.gpu_time_s / 3600).toLocaleString("en")],
    [
      "Interruptions",
      `${failures.interruptions.toPrecision(3)}, one every ${timeInWords(failures.job_mtbf_s)}; a checkpoint every ${timeInWords(failures.checkpoint_interval_s)}`,
    ],
    [
      "Energy",
      known(whole.energy_joules)
        ? `${energyInWords(whole.energy_joules)} at most; ${carbonInWords(run.carbon_grams)} of CO2e`
        : "not known",
    ],
  ];
  const names = {
    on_demand: "Cost on demand",
    reserved: "Cost of reserved GPUs",
    spot: "Cost of spot GPUs",
  };
  for (const one of run.rentals)
    rows.push([
      names[one.terms] ?? one.terms,
      `${moneyInWords(one.cost_dollars)} (${moneyInWords(one.cost_low_dollars)} to ${moneyInWords(one.cost_high_dollars)}), at $${(one.gpu_price_dollars_per_s * 3600).toFixed(2)} a GPU hour${one.date ? `, ${one.date}` : ""}`,
    ]);
  if (!run.rentals.length) rows.push(["Cost", "no price known; give one above"]);
  $("run").innerHTML = table(
    [{ name: "" }, { name: "With failures and checkpoints" }],
    rows.map(row => row.map(escaped)),
  );
}

/// The answer of before stays, pale, until the next is there.
function wait(name) {
  $(name).classList.add("stale");
  if (!$(name).hasChildNodes()) $(name).innerHTML = '<p class="note">Being searched.</p>';
}

const costNames = {
  nothing: "time only",
  numerics: "other number formats",
  training: "other training",
  hardware: "other hardware",
};

function showHelp(plan) {
  $("help-section").hidden = plan.fits;
  if (plan.fits) return;
  const list = plan.what_fits;
  if (!list) return wait("help");
  $("help").classList.remove("stale");
  const heads = [
    { name: "" },
    { name: "Change" },
    { name: "It costs", says: true },
    { name: "Memory", number: true, says: true },
    { name: "Fits", number: true, says: true },
    { name: "Step", number: true, says: true },
    { name: "Run", number: true, says: true },
  ];
  const rows = list.map((one, i) => [
    `<button type="button" data-apply="${i}" aria-label="Apply ${escaped(one.options)}">Apply</button>`,
    `<code>${unbroken(one.options, " ")}</code>`,
    costNames[one.costs] ?? escaped(one.costs),
    gibInWords(one.worst_stage_bytes),
    probabilityInWords(one.fits_probability),
    timeInWords(one.step_time_s),
    moneyInWords(one.run_cost_dollars),
  ]);
  $("help").innerHTML = rows.length
    ? table(heads, rows)
    : '<p class="note">No change of those that were tried makes it fit.</p>';
}

function showBetter(plan) {
  $("better-section").hidden = !plan.fits;
  if (!plan.fits) return;
  const help = plan.help;
  if (!help) return wait("better");
  $("better").classList.remove("stale");
  const lines = help.changes.map(
    one =>
      `<li>${one.change.startsWith("--") ? `<code>${unbroken(one.change, " ")}</code>` : escaped(one.change)}: ${one.speedup.toFixed(2)} times the tokens a second</li>`,
  );
  const slopes = Object.entries(help.elasticities)
    .filter(([, slope]) => slope < -0.005)
    .map(([name, slope]) => `${name.replaceAll("_", " ")} ${percent(-slope / 100, 2)}`);
  if (slopes.length) lines.push(`<li>1 % more of: ${escaped(slopes.join(", "))} less time</li>`);
  lines.push(
    `<li>twice the ${escaped(help.twice.resource)}: ${help.twice.speedup.toFixed(2)} times as fast</li>`,
  );
  $("better").innerHTML = `<ul>${lines.join("")}</ul>`;
}

function showScale(error) {
  $("scale").classList.remove("stale");
  if (error) {
    $("scale").innerHTML = `<p class="note">${escaped(error.what)}</p>`;
    return;
  }
  const answer = state.scale;
  if (!answer) return;
  const heads = [
    { name: "GPUs", number: true, says: true },
    { name: "Step", number: true, says: true },
    { name: "nine of ten", number: true, says: true },
    { name: "Tokens/s", number: true, says: true },
    { name: "Efficiency", number: true, says: true },
    { name: "MFU", number: true, says: true },
    { name: "Fits", number: true, says: true },
    { name: "Regime", says: true },
  ];
  const rows = answer.points.map(one => [
    one.gpus.toLocaleString("en"),
    one.fits ? timeInWords(one.step_time_s) : "",
    one.fits ? `${timeInWords(one.step_time_low_s)} to ${timeInWords(one.step_time_high_s)}` : "",
    one.fits ? countInWords(one.tokens_per_s) : "",
    one.fits ? percent(one.efficiency) : "",
    one.fits ? percent(one.mfu) : "",
    probabilityInWords(one.fits_probability),
    escaped(one.regime.replaceAll("_", " ")),
  ]);
  const picture = scalePicture(answer, widthOf($("scale")));
  const words = picture
    ? "The best plan of each size, with the same batch. Dashed: no loss from the smallest size that fits."
    : "Fewer than two sizes fit, so that there is no curve.";
  $("scale").innerHTML =
    `<p class="note">${words}</p>${picture}${numbers("Every size", table(heads, rows))}`;
}

/// Two set-ups side by side, as their plans say.
function showComparison() {
  const there = state.against && state.againstAnswer && state.plan;
  $("compare-section").hidden = !there;
  if (!there) return;
  const a = state.againstAnswer;
  const b = state.plan;
  if (a.error) {
    $("compare").innerHTML = `<p class="fault">${escaped(a.error.what)}</p>`;
    return;
  }
  const value = (name, of) => [name, of(a), of(b)];
  const differing = [...new Set([...Object.keys(a.inputs.cluster), "model"])].map(key =>
    key === "model"
      ? ["model", nameOfModel(state.against), nameOfModel(state.question)]
      : [key, a.inputs.cluster[key], b.inputs.cluster[key]],
  );
  for (const part of ["recipe", "workspace"]) {
    const of = { a: flat(a.inputs[part]), b: flat(b.inputs[part]) };
    for (const key of Object.keys(of.a)) differing.push([key, of.a[key], of.b[key]]);
  }
  const inputs = differing
    .filter(([, x, y]) => JSON.stringify(x) !== JSON.stringify(y))
    .map(([key, x, y]) => [
      escaped(key.replaceAll("_", " ")),
      unbroken(x),
      unbroken(y),
    ]);
  const rows = [
    ...inputs,
    value("fits", one => (one.fits ? "yes" : "no")),
    value("probability of that", one => probabilityInWords(one.fits_probability)),
    value("layout", one => (one.parallelism ? unbroken(layoutInWords(one.parallelism)) : "")),
    value("step", one => timeInWords(one.step_time_s)),
    value("nine of ten", one =>
      known(one.step_time_low_s)
        ? `${timeInWords(one.step_time_low_s)} to ${timeInWords(one.step_time_high_s)}`
        : "",
    ),
    value("tokens a second", one => countInWords(one.tokens_per_s)),
    value("MFU", one => percent(one.mfu)),
    value("memory of a GPU", one => gibInWords(one.memory?.device_bytes)),
    value("the whole run", one => (one.run ? timeInWords(one.run.with_failures.time_s) : "")),
    value("cost", one => (one.run ? moneyInWords(one.run.with_failures.cost_dollars) : "")),
    value("energy", one => (one.run ? energyInWords(one.run.with_failures.energy_joules) : "")),
  ];
  $("compare").innerHTML = table([{ name: "" }, { name: "Kept" }, { name: "Now" }], rows);
}

const nameOfModel = question => (question.config ? question.configName : question.model);

function commandNow() {
  return state.tried
    ? commandOf("fit", fitQuestion(), state.fields)
    : commandOf("plan", state.question, state.fields);
}

/// The tried layout as options: those of the question, the axes, and what the sliders set.
function fitQuestion(tried = state.tried) {
  const asked = copyOf(state.question);
  const { task, level } = asked.options;
  asked.options = JSON.parse(JSON.stringify({ task, level }));
  const { recipe, parallelism, chosen } = tried;
  for (const key of [
    "data",
    "tensor",
    "pipeline",
    "context",
    "expert",
    "interleave",
    "micro_batch_size",
  ])
    if (parallelism[key] > 1) asked.parallelism[key] = parallelism[key];
  for (const key of ["global_batch_size", "zero", "recompute", "sequence_parallel"]) {
    const value = chosen[key] ?? asked.recipe[key] ?? recipe[key];
    if (
      value !== undefined &&
      value !== false &&
      value !== "none" &&
      !(key === "zero" && value === 0)
    )
      asked.recipe[key] = value;
  }
  return asked;
}

function showCommand() {
  const asked = state.question.model || state.question.config;
  $("command").innerHTML = asked ? unbroken(commandNow(), " ") : "";
}

// The layout that is tried.

const sliders = [
  ["tensor", "TP: ranks that share each matrix"],
  ["pipeline", "PP: stages of layers"],
  ["context", "CP: ranks that share each sequence"],
  ["expert", "EP: ranks that share the experts"],
  ["micro_batch_size", "Micro-batch, in sequences"],
  ["interleave", "Chunks of layers on each stage"],
  ["zero", "ZeRO stage"],
  ["recompute", "Recompute"],
  ["sequence_parallel", "Sequence parallel"],
];
const recomputeNames = ["none", "selective", "full"];

function shownLayout() {
  if (state.tried) return state.tried;
  const answer = state.shown;
  if (answer?.parallelism) return triedOf(answer);
  return answer?.inputs ? triedOf(answer.inputs) : null;
}

const divisors = count => {
  const all = [];
  for (let i = 1; i * i <= count; ++i)
    if (count % i === 0) {
      all.push(i);
      if (i * i !== count) all.push(count / i);
    }
  return all.sort((a, b) => a - b);
};

/// The values that a slider goes through.
function valuesOf(key, tried) {
  const gpus = state.question.cluster.gpus;
  const layout = tried.parallelism;
  const with_ = (list, value) =>
    list.includes(value) ? list : [...list, value].sort((a, b) => a - b);
  if (key === "zero") return [0, 1, 2, 3];
  if (key === "recompute") return recomputeNames;
  if (key === "sequence_parallel") return [false, true];
  if (key === "micro_batch_size") return with_([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64], layout[key]);
  if (key === "interleave") return with_([1, 2, 3, 4, 5, 6, 8, 10, 12, 16], layout[key]);
  if (key === "expert")
    return with_(
      divisors(gpus).filter(one => one <= 512),
      layout[key],
    );
  const others = ["tensor", "pipeline", "context"]
    .filter(one => one !== key)
    .reduce((product, one) => product * layout[one], 1);
  return with_(
    divisors(Math.max(1, Math.floor(gpus / others))).filter(one => one <= 4096),
    layout[key],
  );
}

function valueOfSlider(key, tried) {
  const recipe = { ...tried.recipe, ...state.question.recipe, ...tried.chosen };
  if (key === "zero") return zeroStages[recipe.zero] ?? recipe.zero ?? 0;
  if (key === "recompute") return recipe.recompute ?? "none";
  if (key === "sequence_parallel") return recipe.sequence_parallel ?? false;
  return tried.parallelism[key];
}

const shownValue = value =>
  value === true ? "on" : value === false ? "off" : String(value).replaceAll("_", " ");

function showSliders() {
  const tried = shownLayout();
  $("best").disabled = !state.tried;
  if (!tried) return;
  const focused = document.activeElement?.dataset?.slider;
  for (const [key, name] of sliders) {
    let input = document.querySelector(`[data-slider="${key}"]`);
    if (!input) {
      $("try").insertAdjacentHTML(
        "beforeend",
        `<div><label for="try-${key}">${name}: <output id="try-${key}-value"></output></label><input type="range" min="0" step="1" id="try-${key}" data-slider="${key}"></div>`,
      );
      input = $(`try-${key}`);
    }
    const value = valueOfSlider(key, tried);
    const values = valuesOf(key, tried);
    if (!values.includes(value)) values.push(value);
    if (focused !== key) input.dataset.values = JSON.stringify(values);
    const now = JSON.parse(input.dataset.values);
    input.max = now.length - 1;
    if (focused !== key || !state.tried) input.value = now.indexOf(value);
    input.disabled = now.length < 2;
    input.setAttribute("aria-valuetext", shownValue(value));
    $(`try-${key}-value`).textContent = shownValue(value);
  }
}

function moveSlider(input) {
  const key = input.dataset.slider;
  const value = JSON.parse(input.dataset.values)[Number(input.value)];
  state.tried = copyOf(shownLayout());
  const layout = state.tried.parallelism;
  if (["zero", "recompute", "sequence_parallel"].includes(key)) {
    state.tried.chosen[key] = value;
  } else {
    layout[key] = value;
    const ranks = layout.tensor * layout.pipeline * layout.context;
    layout.data = Math.max(1, Math.floor(state.question.cluster.gpus / ranks));
    delete layout.shard_group;
    if (key === "tensor" || key === "expert") delete layout.expert_tensor;
  }
  input.setAttribute("aria-valuetext", shownValue(value));
  $(`try-${key}-value`).textContent = shownValue(value);
  showCommand();
  askTried(state.tried, changes);
}

// The form.

const powers = [
  ["gpus", "cluster.gpus"],
  ["sequence", "recipe.sequence_length"],
  ["batch", "recipe.global_batch_size"],
];
const usual = { model: "llama-3-8b", gpu: "H100-SXM5-80GB", gpus: 64, sequence: 2048, batch: 1024 };

function rowAt(path) {
  const [part, ...key] = path.split(".");
  return state.fields[part]?.find(row => row.key === key.join("."));
}

function change(path, text) {
  const row = rowAt(path);
  setAt(state.question, path, row ? typedValue(row, text) : text);
  if (path === "cluster.gpus") state.question.cluster.gpus ??= 1;
  ask(powers.some(([, one]) => one === path));
}

/// A name that the list lacks, as links may have another one for the same, becomes a row of it.
function choose(list, value) {
  list.value = value;
  if (list.selectedIndex < 0) list.add(new Option(value, value, false, true));
}

/// Every input says what the question says.
function fillForm() {
  for (const input of document.querySelectorAll("[data-path]")) {
    if (input === document.activeElement) continue;
    const value = valueAt(state.question, input.dataset.path);
    const shown =
      value === undefined
        ? ""
        : Array.isArray(value)
          ? value.join(",")
          : typeof value === "boolean"
            ? shownValue(value)
            : value;
    if (input.type === "number" && !Number.isFinite(value)) input.value = "";
    else if (input.tagName === "SELECT") choose(input, shown);
    else input.value = shown;
  }
  if ($("model") !== document.activeElement)
    $("model").value = state.question.config ? "" : state.question.model;
  showUsual();
  showModelNote();
}

/// What is usual where nothing is typed, as the last answer says; sliders stand there.
function showUsual() {
  for (const [name, path] of powers) {
    const [part, key] = path.split(".");
    const value = state.plan?.inputs?.[part][key] ?? usual[name];
    $(name).placeholder = value;
    if (document.activeElement !== $(`${name}-slider`))
      $(`${name}-slider`).value = Math.log2(valueAt(state.question, path) ?? value);
  }
}

function showModelNote() {
  if (state.question.config) {
    $("model-note").innerHTML =
      `The model of ${escaped(state.question.configName)}. <button type="button" id="drop-config">Use the catalogue</button>`;
    return;
  }
  const model = state.models.get(state.question.model);
  const active =
    model && model.active_parameters < model.parameters
      ? `, ${parametersInWords(model.active_parameters)} active`
      : "";
  $("model-note").textContent = model
    ? `${parametersInWords(model.parameters)} parameters${active}`
    : "";
}

function optionsOf(values, none) {
  return (
    (none === undefined ? "" : `<option value="">${escaped(none)}</option>`) +
    values.map(value => `<option value="${escaped(value)}">${escaped(value)}</option>`).join("")
  );
}

/// Names as answers print them, each once.
const namesOf = row => [...new Set(Object.values(row.names))];

/// An input for each field that the form does not show already.
function makeFields() {
  const there = new Set(
    [...document.querySelectorAll("[data-path]")].map(input => input.dataset.path),
  );
  const titles = {
    cluster: "Cluster",
    recipe: "Recipe",
    parallelism: "Layout: fixed, not searched",
    workspace: "Memory beside the model",
  };
  $("fields").innerHTML =
    parts
      .map(
        part =>
          `<details><summary>${titles[part]}</summary>${(state.fields[part] ?? [])
            .filter(row => !there.has(`${part}.${row.key}`))
            .map(row => fieldOf(part, row))
            .join("")}</details>`,
      )
      .join("") +
    `<details><summary>Answer</summary>${planOptions
      .filter(option => !there.has(`options.${option}`))
      .map(
        option =>
          `<label for="f-options-${option}">--${option}</label><input id="f-options-${option}" data-path="options.${option}" spellcheck="false">`,
      )
      .join("")}</details>`;
}

function fieldOf(part, row) {
  const id = `f-${part}-${row.key.replaceAll(".", "-")}`;
  const label = `<label for="${id}" title="${escaped(row.help)}">${escaped(row.key.replaceAll("_", " ").replaceAll(".", ", "))}: ${escaped(row.help.split(/[:;]/)[0])}</label>`;
  const common = `id="${id}" data-path="${part}.${row.key}"`;
  const absent = row.usual || "as usual";
  const names = namesOf(row);
  if (row.kind === "flag")
    return `${label}<select ${common}>${optionsOf(["on", "off"], absent)}</select>`;
  if (names.length && !row.kind.startsWith("array"))
    return `${label}<select ${common}>${optionsOf(names, absent)}</select>`;
  return `${label}<input ${common} placeholder="${escaped(absent)}${row.unit ? `, in ${row.unit}` : ""}" spellcheck="false">`;
}

function makeLists() {
  const { accelerators, fabrics, models } = state.catalog;
  for (const model of models) state.models.set(model.name, model);
  $("models").innerHTML = models
    .map(
      one =>
        `<option value="${escaped(one.name)}">${parametersInWords(one.parameters)} parameters</option>`,
    )
    .join("");
  const vendors = [...new Set(accelerators.map(one => one.vendor))];
  $("gpu").innerHTML = vendors
    .map(
      vendor =>
        `<optgroup label="${escaped(vendor)}">${optionsOf(
          accelerators
            .filter(one => one.vendor === vendor)
            .reverse()
            .map(one => one.name),
        )}</optgroup>`,
    )
    .join("");
  $("fabric").innerHTML = optionsOf(
    fabrics.map(one => one.name),
    "InfiniBand of the GPU's time",
  );
  $("precision").innerHTML = optionsOf(
    namesOf(rowAt("recipe.precision")),
    "mixed_bf16, or what the GPU has",
  );
  $("framework").innerHTML = optionsOf(
    ["megatron", "megatron-bridge", "torchtitan", "deepspeed", "accelerate"],
    "none",
  );
}

/// A config.json that was pasted, dropped or opened.
function takeConfig(text, name) {
  $("config-fault").textContent = "";
  let config;
  try {
    config = JSON.parse(text);
  } catch (error) {
    $("config-fault").textContent = `${name} is not JSON: ${error.message}`;
    return;
  }
  if (config === null || typeof config !== "object" || Array.isArray(config)) {
    $("config-fault").textContent = `${name} must be a JSON object`;
    return;
  }
  Object.assign(state.question, { config, configName: name, model: "" });
  state.tried = null;
  state.plan = null;
  fillForm();
  ask();
}

const largestFile = 16 * 2 ** 20;

async function takeFile(file) {
  if (!file) return;
  if (file.size > largestFile) {
    $("config-fault").textContent = `${file.name} is longer than 16 MiB, so it is no config.json`;
    return;
  }
  takeConfig(await file.text(), file.name);
}

function setModel(name) {
  if (name === state.question.model && !state.question.config) return;
  Object.assign(state.question, { model: name, config: null, configName: "" });
  state.tried = null;
  state.plan = null;
  showModelNote();
  ask();
}

// Links, copies, the launch.

let writing = Promise.resolve();

/// The address holds the question; nothing else does.
function remember() {
  const question = copyOf(state.question);
  const against = state.against;
  writing = writing.then(async () => {
    const link = await linkOf(question, against);
    history.replaceState(null, "", `#${link}`);
  });
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  $("copied").textContent = `${what} is copied.`;
  setTimeout(() => {
    $("copied").textContent = "";
  }, 3000);
}

async function showLaunch() {
  const framework = $("framework").value;
  $("launch-fault").textContent = "";
  $("launch").hidden = $("copy-launch").hidden = true;
  const tried = shownLayout();
  if (!framework || !tried) return;
  const question = fitQuestion(tried);
  question.options.emit = framework;
  const found = await quick.ask("launch", requestOf("fit", question));
  if (!found) return;
  if (found.answer.error) {
    $("launch-fault").textContent = found.answer.error.what;
    return;
  }
  if (found.answer.launch === null) {
    $("launch-fault").textContent = "The layout does not fit, so that there is nothing to launch.";
    return;
  }
  $("launch").textContent = found.answer.launch;
  $("launch").hidden = $("copy-launch").hidden = false;
}

function applyChange(one) {
  const question = state.question;
  for (const [path, row, text] of fieldsOfOptions(one.options, state.fields))
    setAt(question, path, typedValue(row, text));
  if (one.gpu !== question.cluster.gpu) question.cluster.gpu = one.gpu;
  question.cluster.gpus = one.gpus;
  state.tried = null;
  fillForm();
  ask();
}

function listenToForm() {
  $("question").addEventListener("submit", event => event.preventDefault());
  $("question").addEventListener("input", event => {
    const input = event.target;
    const slider = powers.find(([name]) => input.id === `${name}-slider`);
    if (slider) {
      const value = 2 ** Number(input.value);
      $(slider[0]).value = value;
      return change(slider[1], value);
    }
    if (!input.dataset.path) return;
    const number = powers.find(([, path]) => path === input.dataset.path);
    if (number && Number(input.value) > 0)
      $(`${number[0]}-slider`).value = Math.log2(Number(input.value));
    change(input.dataset.path, input.value);
  });
  $("model").addEventListener("input", () => {
    if (state.models.has($("model").value)) setModel($("model").value);
  });
  $("model").addEventListener("change", () => {
    if ($("model").value) setModel($("model").value.trim());
  });
  $("config").addEventListener("input", () => {
    if ($("config").value.trim()) takeConfig($("config").value, "config.json");
  });
  $("config-file").addEventListener("change", () => takeFile($("config-file").files[0]));
  $("reset").addEventListener("click", () => start(emptyQuestion(), null));
}

/// Buttons that come and go with an answer.
function listenToAnswers() {
  document.addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.id === "drop-config") {
      setModel(usual.model);
      fillForm();
      $("model").focus();
    }
    if (button.dataset.apply !== undefined && state.plan?.what_fits) {
      applyChange(state.plan.what_fits[Number(button.dataset.apply)]);
      $("verdict-heading").focus();
    }
    if (button.dataset.row !== undefined) {
      state.tried = triedOf(state.plan.plans[Number(button.dataset.row)]);
      showCommand();
      askTried(state.tried, changes);
    }
  });
  $("try").addEventListener("input", event => moveSlider(event.target));
  $("best").addEventListener("click", () => {
    state.tried = null;
    showCommand();
    if (state.plan) showDetail(state.plan);
  });
  $("framework").addEventListener("change", showLaunch);
}

function listenToButtons() {
  const link = async () =>
    `${location.href.split("#")[0]}#${await linkOf(state.question, state.against)}`;
  $("copy-command").addEventListener("click", () => copy(commandNow(), "The command"));
  $("copy-link").addEventListener("click", async () => copy(await link(), "The link"));
  $("copy-launch").addEventListener("click", () => copy($("launch").textContent, "The launch"));
  $("print").addEventListener("click", () => print());
  const compare = (against, againstAnswer) => {
    Object.assign(state, { against, againstAnswer });
    remember();
    showComparison();
  };
  $("keep").addEventListener("click", () => compare(copyOf(state.question), state.plan));
  $("drop").addEventListener("click", () => {
    compare(null, null);
    $("keep").focus();
  });
  $("swap").addEventListener("click", () => {
    const { question, against, plan, againstAnswer } = state;
    Object.assign(state, {
      question: against,
      against: question,
      plan: againstAnswer,
      againstAnswer: plan,
      tried: null,
    });
    fillForm();
    ask();
  });
}

function listenToWindow() {
  for (const name of ["dragover", "dragleave", "drop"])
    document.addEventListener(name, event => {
      event.preventDefault();
      document.body.classList.toggle("dropping", name === "dragover");
      if (name === "drop") takeFile(event.dataTransfer.files[0]);
    });
  let drawing;
  addEventListener("resize", () => {
    cancelAnimationFrame(drawing);
    drawing = requestAnimationFrame(() => {
      drawPictures();
      if (!$("scale").classList.contains("stale")) showScale();
    });
  });
  addEventListener("hashchange", async () => {
    await writing;
    const { question, against } = await questionsOfLink(location.hash.slice(1));
    const now = await linkOf(state.question, state.against);
    if (question && (await linkOf(question, against)) !== now) start(question, against);
  });
}

/// Begins with a question, what it lacks as usual.
function start(question, against) {
  const complete = one => {
    if (!one.model && !one.config) one.model = usual.model;
    one.cluster.gpu ??= usual.gpu;
    one.cluster.gpus ??= usual.gpus;
    return one;
  };
  Object.assign(state, {
    question: complete(question),
    against: against && complete(against),
    againstAnswer: null,
    tried: null,
    plan: null,
    scale: null,
  });
  fillForm();
  ask();
}

async function open() {
  try {
    const begin = await workersFrom($("module").textContent, $("worker").textContent);
    $("module").remove();
    quick = new Desk(begin, 2000);
    search = new Desk(begin, 150);
    later = new Desk(begin, 150);
    const [lists, fields] = await Promise.all([
      quick.ask("catalog", { question: "catalog" }),
      search.ask("fields", { question: "evaluate", options: { fields: true } }),
    ]);
    state.catalog = lists.answer;
    state.fields = fields.answer;
    makeFields();
    makeLists();
    for (const listen of [listenToForm, listenToAnswers, listenToButtons, listenToWindow]) listen();
    // For the console: what `gpuplan QUESTION --json` prints, asked as docs/json.md says.
    let asked = 0;
    window.gpuplan = async request => (await search.ask(`console ${++asked}`, request)).answer;
    let linked = { question: null, against: null };
    try {
      linked = await questionsOfLink(location.hash.slice(1));
    } catch {
      $("fault").textContent = "The link is damaged; this is the usual question.";
    }
    start(linked.question ?? emptyQuestion(), linked.against);
  } catch (error) {
    $("verdict").textContent =
      `This browser cannot run the page: ${error.message ?? error}. It needs WebAssembly with exceptions, and DecompressionStream.`;
  }
}

open();
