/// \file
/// gpuplan plan: the best layouts of a job, on one cluster or on several.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/pareto.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "comma_list.hpp"
#include "csv.hpp"
#include "html_file.hpp"
#include "inputs.hpp"
#include "launch/launch.hpp"
#include "layout_search.hpp"
#include "options.hpp"
#include "plan/answer.hpp"
#include "plan/page.hpp"
#include "plan/pool.hpp"
#include "plan/space.hpp"
#include "program.hpp"
#include "task.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_plan_options =
    "Tries every layout, keeps those that fit, and prints the best: memory by stage, time by "
    "term,\n"
    "the whole run with its failures and its cost, and what would help.  Where nothing fits it\n"
    "prints the closest miss, what to change, and which GPUs would do.\n"
    "\n"
    "Several clusters are compared: --gpus 64,128,256, --gpu H100,A100-80GB, or --gpu any, which "
    "is\n"
    "every type with a price.  With --deadline or --budget --gpus may be left out: 1, 2, 4, ... "
    "nodes\n"
    "are tried, and what lies between them where a deadline is first kept.\n"
    "\n"
    "In a pool that others use, too (--pool or --arrivals, and --pool-gpus), more GPUs run faster "
    "and\n"
    "wait longer: 1, 2, 4, ... nodes are tried, with the wait, the run and the cost of each.\n"
    "\n"
    "Exit code 4 where nothing fits, or no offer keeps the deadline and the budget.\n"
    "\n"
    "Examples:\n"
    "  gpuplan plan llama-3-8b --gpu H100 --gpus 64 --tokens 15T\n"
    "  gpuplan plan ./config.json --gpu A100-80GB --gpus 128 --fabric 200Gb/s --batch 1024 \\\n"
    "      --sequence 4096 --tensor 8 --price '$2.50/h'\n"
    "  gpuplan plan llama-3-8b --gpu H100,H200 --tokens 1T --deadline 14d\n"
    "  gpuplan plan llama-3-8b --gpu H100 --tokens 1T --arrivals 4/h --service 10h --pool-gpus "
    "512\n"
    "  gpuplan plan llama-3-70b --gpu H100 --gpus 512 --assert 'mfu > 0.4'\n"
    "  gpuplan plan llama-3-70b --gpu H100 --gpus 512 --html plan.html\n";

constexpr std::array wish_names{
    named<wish>{"time", wish::time},     named<wish>{"cost", wish::cost},
    named<wish>{"energy", wish::energy}, named<wish>{"gpu_hours", wish::gpu_hours},
    named<wish>{"memory", wish::memory}, named<wish>{"gpu_time", wish::gpu_hours}};

/// Nodes tried where --gpus is left out: powers of two up to this.
constexpr int most_nodes_tried = 8192;

struct plan_options {
  job_options job;
  run_options run;
  pool_options pool;
  band_options bands;
  answer_options answer;
  std::string by, top, deadline, budget, html, emit, task;
  bool what_if = false;
  bool quick = false;
  bool front = false;
  bool verbose = false;
  bool as_csv = false;
};

/// At one price and at one power for each GPU, the fewest GPU hours cost and take the least.
objective objective_of(wish by) {
  if (by == wish::time) return objective::time;
  return by == wish::memory ? objective::memory : objective::gpu_time;
}

std::vector<std::string> types_asked(const std::string& typed) {
  if (!same_name(typed, "any")) {
    const std::vector<std::string_view> parts = list_parts(typed, "--gpu");
    return {parts.begin(), parts.end()};
  }
  std::vector<std::string> priced;
  for (const auto& entry : catalog::accelerators)
    if (lowest_price(catalog::prices, entry.name, price_kind::on_demand) != nullptr)
      priced.emplace_back(entry.name);
  return priced;
}

/// Where no --gpus are given, counts are tried from one node on, each twice the one before: the
/// GPUs of that node where --gpus-per-node does not say them.
constexpr std::int64_t first_count_tried = 8;

std::vector<std::int64_t> counts_asked(const plan_options& typed) {
  std::vector<std::int64_t> counts;
  if (!typed.job.cluster["gpus"].empty()) {
    for (const std::string_view one : list_parts(typed.job.cluster["gpus"], "--gpus"))
      counts.push_back(whole_number(one, "--gpus", 1, most_ranks));
    std::sort(counts.begin(), counts.end());
    const auto twice = std::adjacent_find(counts.begin(), counts.end());
    if (twice != counts.end())
      throw bad_usage{"--gpus: " + std::to_string(*twice) + " is named twice"};
    return counts;
  }
  const bool pooled = typed.pool.given();
  if (typed.deadline.empty() && typed.budget.empty() && !pooled)
    throw bad_usage{"--gpus is required, unless --deadline or --budget is given"};
  const std::int64_t node = typed.job.cluster["gpus_per_node"].empty()
                                ? first_count_tried
                                : whole_number(typed.job.cluster["gpus_per_node"],
                                               "--gpus-per-node", 1, most_ranks / most_nodes_tried);
  if (pooled) return typed.pool.sizes(node);
  for (int nodes = 1; nodes <= most_nodes_tried; nodes *= 2) counts.push_back(nodes * node);
  return counts;
}

run_limits limits_of(const plan_options& typed) {
  run_limits limits;
  if (!typed.deadline.empty()) limits.deadline = quantity_of<seconds>(typed.deadline, "--deadline");
  if (!typed.budget.empty()) limits.budget = quantity_of<dollars>(typed.budget, "--budget");
  if (!(limits.deadline > seconds{0})) throw bad_usage{"--deadline must be > 0 s"};
  if (!(limits.budget > dollars{0})) throw bad_usage{"--budget must be > 0 $"};
  return limits;
}

/// One price for all types, or one for each.
std::string price_of(const std::string& typed, std::size_t type, std::size_t types,
                     const char* option) {
  if (typed.empty()) return typed;
  const std::vector<std::string_view> parts = list_parts(typed, option);
  if (parts.size() == 1) return std::string(parts.front());
  if (parts.size() != types)
    throw bad_usage{std::string(option) + " must be one price, or one for each --gpu"};
  return std::string(parts[type]);
}

/// Refuses options that say of rented GPUs what no price makes use of.
void refuse_idle_rentals(const run_options& typed, const offer_request& request) {
  const auto has = [&](price_kind kind) {
    return std::any_of(request.clusters.begin(), request.clusters.end(),
                       [&](const plan_question& one) { return has_rental(one.terms, kind); });
  };
  if (!typed.term.empty() && !has(price_kind::reserved))
    throw bad_usage{"--term has no effect: no price of a reserved GPU is known"};
  if (!typed.reclaim.empty() && !has(price_kind::spot))
    throw bad_usage{"--reclaim has no effect: no price of a spot GPU is known"};
  const bool is_listed =
      std::any_of(request.clusters.begin(), request.clusters.end(),
                  [](const plan_question& one) { return has_listed_price(one.asked.asked.gpu); });
  if (!typed.provider.empty() && !is_listed)
    throw bad_usage{"--provider has no effect: the catalogue has no price of the GPU"};
}

/// Whose launch is asked for says what is usual: DeepSpeed and Accelerate make replicas alone.
void take_usual_of_launch(plan_options& typed) {
  typed.job.emit = framework_asked(typed.emit);
  if (!typed.job.emit) return;
  if (typed.answer.as_json) throw bad_usage{"--json has no effect: --emit prints a launch"};
  if (typed.as_csv) throw bad_usage{"--csv has no effect: --emit prints a launch"};
  if (!makes_replicas_alone(*typed.job.emit)) return;
  for (const char* axis : {"tensor", "pipeline", "context", "expert"})
    if (typed.job.layout[axis].empty()) typed.job.layout[axis] = "1";
}

/// A row for each cluster, or of one cluster for each layout.  In a pool a cluster's row, of layouts
/// that of the best, says when it is done.
report_json rows_of(const report_json& answer) {
  report_json rows = answer[answer["offers"].size() > 1 ? "offers" : "plans"];
  const report_json no_basis = without_values(gpuplan::json_of(estimate_bands{}, usual_level));
  for (report_json& row : rows) {
    row.erase("variants");
    if (row.contains("error_basis") && row["error_basis"].is_null()) row["error_basis"] = no_basis;
  }
  if (answer["completion"].is_null()) return rows;
  const report_json& sizes = answer["completion"]["sizes"];
  for (std::size_t i = 0; i < (std::min)(rows.size(), sizes.size()); ++i)
    for (const char* key : {"wait_s", "wait_low_s", "wait_high_s", "wait_probability", "done_s",
                            "done_low_s", "done_high_s", "reason"})
      rows[i][key] = sizes[i][key];
  return rows;
}

/// Rows, or where there are none a line that says so, beside the table that they would be in.
void print_csv(const report_json& rows) {
  print(csv_of(rows));
  if (rows.empty()) say("nothing fits; without --csv, why, and what would");
}

/// The launch of the best plan that the framework can say; nothing where no plan fits.
std::string launch_of_best(const offers& found, launch_framework with) {
  if (!found.kept()) return {};
  const offer& one = found.all[found.shown];
  const plan* best = one.study.found.best();
  if (best == nullptr) return {};
  const job& asked = one.asked.asked;
  for (const plan& other : one.study.found.plans) {
    if (!unsaid(with, asked, other.recipe(), other.parallelism()).empty()) continue;
    if (&other != best)
      say(fmt::format(
          "--emit {}: its launch cannot say {} of the best plan; this is another, whose "
          "step takes {} and not {}",
          spelled(launch_framework_names, with),
          unsaid(with, asked, best->recipe(), best->parallelism()),
          format_duration(other.what.time.total()), format_duration(best->what.time.total())));
    return launch_of(with, asked, other.recipe(), other.parallelism());
  }
  return launch_of(with, asked, best->recipe(), best->parallelism());
}

/// Why there is no launch, where there is none.
std::string why_no_launch(const offers& found, launch_framework with) {
  const offer& shown = found.all[found.shown];
  if (!shown.study.run) return why_nothing_fits(with, shown.asked.asked, shown.asked.asked.recipe);
  return found.limited() ? "no offer keeps the limits" : "no run finishes";
}

/// Takes the usual batch, or the task's, where none is typed; how many sequences, else 0.
int take_usual_batch(plan_options& typed) {
  std::string& said = typed.job.recipe["global_batch_size"];
  if (said.empty())
    said = std::to_string(default_sequences);
  else if (!has_batch_of_task(typed.job))
    return 0;
  return static_cast<int>(whole_number(said, "--batch", 1, most_ranks));
}

/// Refuses options whose words no format of the answer prints.
void refuse_unseen_words(const plan_options& typed) {
  if (typed.verbose && (typed.answer.as_json || typed.as_csv))
    throw bad_usage{std::string("--verbose has no effect: ") + (typed.as_csv ? "--csv" : "--json") +
                    " says everything"};
  refuse_two_formats(typed.as_csv, typed.answer.as_json);
  if (typed.quick && typed.what_if) throw bad_usage{"give --quick or --what-if, not both"};
  if (typed.as_csv && (typed.front || typed.what_if))
    throw bad_usage{std::string(typed.front ? "--front" : "--what-if") +
                    " has no effect: --csv prints the layouts alone"};
}

/// \throws bad_usage if a type has no row in the catalogue, or two have the same
void refuse_types_named_twice(const std::vector<std::string>& types) {
  std::vector<std::string_view> found;
  for (const std::string& type : types) {
    const std::string_view name = find_gpu(type, "--gpu").name;
    if (std::find(found.begin(), found.end(), name) != found.end())
      throw bad_usage{"--gpu: " + std::string(name) + " is named twice"};
    found.push_back(name);
  }
}

offer_request request_of(plan_options typed) {
  refuse_unseen_words(typed);
  take_usual_of_launch(typed);
  offer_request request{.limits = limits_of(typed),
                        .refine = typed.job.cluster["gpus"].empty() && !typed.pool.given()};
  if (!typed.by.empty()) request.by = choice(typed.by, wish_names, "--by");
  const std::vector<std::int64_t> counts = counts_asked(typed);
  const std::vector<std::string> types = types_asked(typed.job.cluster["gpu"]);
  if (typed.pool.given()) {
    if (types.size() > 1) throw bad_usage{"a pool goes with one --gpu: the type of all its GPUs"};
    request.pool = typed.pool.read(counts);
  }
  take_task(typed.task, typed.job, 1);
  const bool limited = !typed.deadline.empty() || !typed.budget.empty();
  space vary = space_of(typed.job);
  typed.bands.set(vary);
  const wish by = limited ? wish::time : request.by.value_or(wish::time);
  vary.by = objective_of(by);
  const int families =
      typed.top.empty() ? 5 : static_cast<int>(whole_number(typed.top, "--top", 1, 1000));
  const int usual_batch = take_usual_batch(typed);
  refuse_types_named_twice(types);
  if (types.size() > 1 && !typed.job.cluster["gpu_memory_bytes"].empty())
    throw bad_usage{"--memory goes with one --gpu"};

  for (std::size_t i = 0; i < types.size(); ++i) {
    run_options run = typed.run;
    run.price = price_of(typed.run.price, i, types.size(), "--price");
    run.reserved = price_of(typed.run.reserved, i, types.size(), "--reserved-price");
    run.spot = price_of(typed.run.spot, i, types.size(), "--spot-price");
    for (const std::int64_t gpus : counts) {
      typed.job.cluster["gpu"] = types[i];
      typed.job.cluster["gpus"] = std::to_string(gpus);
      plan_question one{.asked = typed.job.resolved(recompute_of(vary)), .vary = vary, .by = by};
      if (typed.job.emit) require_launch(*typed.job.emit, one.asked.asked.gpu, one.asked.recipe);
      one.families = families;
      one.further = typed.quick     ? further_search::none
                    : typed.what_if ? further_search::to_the_end
                                    : further_search::usual;
      one.level = typed.bands.level_asked();
      one.terms = run.read(one.asked);
      one.usual_batch = usual_batch;
      fit_batch(one);
      one.alone = {{"--gpu", types[i]}, {"--gpus", std::to_string(gpus)}};
      for (const auto& [option, price] : {std::pair{"--price", &run.price},
                                          {"--reserved-price", &run.reserved},
                                          {"--spot-price", &run.spot}})
        if (!price->empty()) one.alone.push_back({option, *price});
      request.clusters.push_back(std::move(one));
    }
  }
  refuse_idle_rentals(typed.run, request);
  return request;
}

/// The front of the layouts that are best by time, by GPU time and by memory.
front front_of(const plan_question& q) {
  front even_better;
  pareto_front members;
  for (const objective by : {objective::time, objective::gpu_time, objective::memory}) {
    space vary = q.vary;
    vary.by = by;
    vary.keep = 2000;
    const search_result found = searched(q.asked, vary);
    for (const plan& one : found.plans) members.offer(one);
    even_better.of += found.plans.size();
  }
  even_better.plans = members.plans();
  return even_better;
}

/// Where nothing fits, what is offloaded to the host and more GPUs are among the changes.
void refuse_idle_of_offers(const plan_options& typed, const offers& made) {
  const plan_study& shown = made.all[made.shown].study;
  const bool is_miss = shown.found.plans.empty() && shown.shown.has_value();
  if (is_miss) return;
  const job& first = made.all.front().asked.asked;
  typed.job.refuse_idle_of_cluster(first);
  const bool all_alone = std::all_of(made.all.begin(), made.all.end(), [](const offer& one) {
    return one.asked.asked.asked.gpus == 1;
  });
  if (all_alone) typed.job.refuse_idle_of_one_gpu(first);
}

void add_options(CLI::App& options, plan_options& typed) {
  typed.job.add_model(options);
  typed.job.add_cluster(options);
  // Joined without a comma, which would take empty parts out, and the next option in their place.
  options.get_option("--gpu")->join()->description(
      "Name of the catalogue, as H100 or A100-40GB; several with commas, or any");
  options.get_option("--gpus")->join()->description("How many in all; several with commas");
  add_task_option(options, typed.task);
  typed.job.add_training(options, fields_searched());
  typed.job.add_workspace(options);
  options.get_option("--batch")->description(
      "Sequences of one optimizer step [1024, made a multiple of the GPUs]");
  typed.run.add(options);
  typed.pool.add(options);
  for (const char* price : {"--price", "--reserved-price", "--spot-price"})
    options.get_option(price)->join();
  const auto add = [&](const char* name, std::string& text, const char* what) {
    options.add_option(name, text, what)->group("Run");
  };
  add("--by,--objective", typed.by, "time, cost, energy, gpu_hours or memory [time]");
  add("--deadline", typed.deadline, "The run must end in this time, as 30d");
  add("--budget", typed.budget, "The run must cost no more, as '$1M'");
  const auto flag = [&](const char* name, bool& is_set, const char* what) {
    options.add_flag(name, is_set, what)->group("Answer");
  };
  options.add_option("--top", typed.top, "Layouts to print [5]")->group("Answer");
  flag("--front", typed.front, "Print the Pareto front of time, memory and GPU time, too");
  flag("--what-if", typed.what_if, "Search for what would help, however long that takes");
  flag("--quick", typed.quick, "Search for the layouts alone, not for what would help or fit");
  flag("--csv", typed.as_csv,
       "A line for each layout, or for each cluster where several are compared, for spreadsheets");
  flag("--verbose", typed.verbose, "Every term of memory and time, every reason of refusal");
  typed.bands.add_risk(options);
  typed.bands.add_level(options);
  typed.answer.add(options);
  add_emit_option(options, typed.emit);
  add_html_option(options, typed.html);
}

}  // namespace

std::string_view name_of(wish by) {
  return spelled(wish_names, by);
}

namespace {

/// Lets a question be asked again with words changed; the model's file is read once.
void keep_words(offer_request& request, const command_words& words);

/// What words ask of the first cluster that they name.
plan_question question_of(const command_words& words, const job& model) {
  CLI::App command;
  plan_options typed;
  add_options(command, typed);
  read_words(command, words);
  typed.job.described = named_transformer{model.model_name, model.model, model.model_echo};
  offer_request request = request_of(std::move(typed));
  keep_words(request, words);
  return std::move(request.clusters.front());
}

void keep_words(offer_request& request, const command_words& words) {
  for (plan_question& one : request.clusters) {
    one.in_pool = words;
    if (request.pool) one.in_pool.set("--gpus", std::to_string(one.asked.asked.gpus));
    if (request.clusters.size() > 1)
      for (const typed_option& own : one.alone) one.in_pool.set(own.name, own.value);
    one.words = one.in_pool;  // what would help is asked of GPUs that are at hand
    if (request.pool) pool_options::erase_from(one.words);
    one.asked_by = [model = one.asked](const command_words& other) {
      return question_of(other, model);
    };
  }
}

}  // namespace

command plan_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand("plan", "The best ways to train a model on a cluster");
  options->footer(after_plan_options);
  const auto typed = std::make_shared<plan_options>();
  add_options(*options, *typed);

  return {options, [typed, options] {
            std::vector<std::string> read = typed->job.files();
            for (const std::string& path : typed->pool.files()) read.push_back(path);
            require_page(typed->html, read);
            offer_request request = request_of(*typed);
            keep_words(request, words_of(*options));
            std::optional<front> even_better;
            const offers found = [&] {
              const progress shown{"gpuplan: searching"};
              offers made = offers_of(request);
              refuse_idle_of_offers(*typed, made);
              const offer& one = made.all[made.shown];
              const bool wants_front = typed->front || !typed->html.empty();
              if (wants_front && one.study.run) even_better = front_of(one.asked);
              if (!typed->html.empty()) {
                html_page page = page_of(made, even_better);
                page.facts.push_back({"Command", words_of(*options).text()});
                write_page(typed->html, page);
              }
              if (!typed->front) even_better.reset();
              return made;
            }();
            const bool wants_json =
                typed->answer.as_json || typed->as_csv || !typed->answer.assertions.empty();
            const report_json answer = wants_json ? answer_of(found, even_better) : report_json();
            if (typed->answer.as_json)
              print_json(answer);
            else if (typed->as_csv)
              print_csv(rows_of(answer));
            else if (const auto with = framework_asked(typed->emit))
              print_launch(launch_of_best(found, *with), why_no_launch(found, *with));
            else
              print_for_people(found, even_better,
                               typed->verbose ? table_detail::full : table_detail::brief);
            const exit_code checked = typed->answer.check(answer);
            return found.kept() ? checked : exit_infeasible;
          }};
}

}  // namespace gpuplan::cli
