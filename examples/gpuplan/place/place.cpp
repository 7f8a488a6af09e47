/// \file
/// gpuplan place: which node each task gets, and what is left of the pool.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/report/json.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "place/pool.hpp"
#include "place/report.hpp"
#include "program.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_place_options =
    "Tables have a header line. Nodes: gpu, cpu_milli; optional memory_mib, model, rack.\n"
    "Jobs: num_gpu; optional gpu_milli (thousandths of each GPU), cpu_milli, memory_mib,\n"
    "gpu_spec (types separated by |), creation_time, deletion_time, user. --node-columns and\n"
    "--columns give other names, and a column so named must exist. priority (the larger\n"
    "first) and deadline are read only if named. Exit code 4 if no job finds a node.\n"
    "\n"
    "Examples:\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --policy fgd\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --policy all --gang 4\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --leave --columns user=qos --json\n"
    "  gpuplan place --nodes nodes.csv --jobs - --order largest-first --migrations 20\n";

struct place_options {
  std::string nodes, jobs, columns, node_columns, policies = "fgd", order = "arrival",
                                                  ties = "first", seed, gang, migrations;
  bool leave = false, list = false, matrix = false;
  answer_options answer;
};

template <class T, std::size_t N>
auto names_of(const std::array<T, N>& values) {
  std::array<named<T>, N> names{};
  for (std::size_t i = 0; i < N; ++i) names[i] = {name_of(values[i]), values[i]};
  return names;
}

struct column_name {
  std::string_view field;
  std::string_view* name;
};

/// Reads "gpus=NGPU,cores=CPU" into the columns that it names.
template <std::size_t N>
void read_columns(std::string_view text, const std::array<column_name, N>& fields,
                  std::string_view option) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text = comma == text.npos ? std::string_view{} : text.substr(comma + 1);
    const std::size_t equals = part.find('=');
    const std::string_view field = part.substr(0, equals);
    bool known = false;
    for (const column_name& each : fields)
      if (each.field == field && equals != part.npos && equals + 1 < part.size()) {
        *each.name = part.substr(equals + 1);
        known = true;
      }
    if (known) continue;
    std::string all;
    for (const column_name& each : fields)
      all += (all.empty() ? "" : ", ") + std::string(each.field);
    throw bad_usage{
        fmt::format("{}: cannot read '{}'; write FIELD=NAME, where FIELD is one "
                    "of {}",
                    option, part, all)};
  }
}

/// The orders that the columns of a table give, each with what it needs.
constexpr std::array orders{job_ranking::arrival,        job_ranking::largest_first,
                            job_ranking::smallest_first, job_ranking::shortest_first,
                            job_ranking::smallest_work,  job_ranking::priority,
                            job_ranking::least_slack};

void check_columns_of(const place_question& asked, const task_columns& named) {
  if (asked.order == job_ranking::priority && named.priority.empty())
    throw bad_usage{"--order priority needs a column: --columns priority=NAME"};
  if (asked.order == job_ranking::least_slack && named.deadline.empty())
    throw bad_usage{"--order least-slack needs a column: --columns deadline=NAME"};
  const bool timed = asked.mode == replay_mode::leave ||
                     asked.order == job_ranking::shortest_first ||
                     asked.order == job_ranking::smallest_work;
  if (timed && std::none_of(asked.tasks.tasks.begin(), asked.tasks.tasks.end(),
                            [](const arriving_task& each) {
                              return each.departure <
                                     seconds{std::numeric_limits<double>::infinity()};
                            }))
    throw bad_usage{
        fmt::format("{} needs times, and no job has one in {}; name the column with "
                    "--columns departure=NAME",
                    asked.mode == replay_mode::leave ? "--leave" : "--order", named.departure)};
}

int small_number(const std::string& text, const char* option, int usual, int least, int most) {
  return text.empty() ? usual : static_cast<int>(whole_number(text, option, least, most));
}

/// The policies of a list with commas, or all.
std::vector<placement_policy> policies_of(const std::string& typed) {
  if (typed == "all") return {placement_policies.begin(), placement_policies.end()};
  const auto names = names_of(placement_policies);
  std::vector<placement_policy> policies;
  for (std::string_view rest = typed; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const placement_policy one = choice(rest.substr(0, comma), names, "--policy");
    if (std::find(policies.begin(), policies.end(), one) != policies.end())
      throw bad_usage{fmt::format("--policy: {} is named twice", name_of(one))};
    policies.push_back(one);
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return policies;
}

node_columns node_columns_of(const std::string& typed) {
  node_columns nodes;
  read_columns(typed,
               std::array{column_name{"gpus", &nodes.gpus}, column_name{"cores", &nodes.cores},
                          column_name{"memory", &nodes.memory}, column_name{"type", &nodes.type},
                          column_name{"rack", &nodes.rack}},
               "--node-columns");
  return nodes;
}

task_columns job_columns_of(const std::string& typed) {
  task_columns jobs;
  read_columns(
      typed,
      std::array{column_name{"gpus", &jobs.gpus}, column_name{"share", &jobs.share},
                 column_name{"cores", &jobs.cores}, column_name{"memory", &jobs.memory},
                 column_name{"types", &jobs.types}, column_name{"arrival", &jobs.arrival},
                 column_name{"departure", &jobs.departure}, column_name{"user", &jobs.user},
                 column_name{"priority", &jobs.priority}, column_name{"deadline", &jobs.deadline}},
      "--columns");
  return jobs;
}

/// Says which rows of a table could not be read.
/// \throws bad_usage if none could
void check_rows(const std::string& path, const table_faults& faults, bool empty, const char* what) {
  const std::string name = name_of_table(path);
  if (empty)
    throw bad_usage{name + ": no " + what +
                    (faults.first.empty() ? " in it" : ": " + description_of(faults.first[0]))};
  say_faults(name, faults.first, faults.count);
}

void read_tables(const place_options& typed, place_question& asked) {
  const node_columns nodes = node_columns_of(typed.node_columns);
  const task_columns jobs = job_columns_of(typed.columns);
  asked.nodes = read_nodes(table_text(typed.nodes), asked.types, nodes);
  check_rows(typed.nodes, asked.nodes.faults, asked.nodes.nodes.empty(), "node");
  asked.tasks = read_tasks(table_text(typed.jobs), asked.types, asked.users, jobs);
  check_rows(typed.jobs, asked.tasks.faults, asked.tasks.tasks.empty(), "job");
  check_columns_of(asked, jobs);
}

/// Options that would change nothing of the answer.
/// \throws bad_usage
void refuse_idle(const place_options& typed, const place_question& asked) {
  const bool has_json = typed.answer.as_json || !typed.answer.assertions.empty();
  if (typed.list && !has_json) throw bad_usage{"--list has no effect without --json"};
  if (typed.matrix && !has_json) throw bad_usage{"--matrix has no effect without --json"};
  const bool is_random = asked.ties == tie_break::random ||
                         std::find(asked.policies.begin(), asked.policies.end(),
                                   placement_policy::random) != asked.policies.end();
  if (!typed.seed.empty() && !is_random)
    throw bad_usage{
        "--seed has no effect: nothing is random without --policy random or --ties random"};
}

place_question question_of(const place_options& typed) {
  place_question asked;
  asked.node_file = typed.nodes;
  asked.job_file = typed.jobs;
  if (typed.nodes.empty() || typed.jobs.empty())
    throw bad_usage{"--nodes and --jobs are needed, each a file or - for standard input"};
  if (typed.nodes == "-" && typed.jobs == "-")
    throw bad_usage{"--nodes and --jobs cannot both be standard input"};

  asked.policies = policies_of(typed.policies);
  asked.order = choice(typed.order, names_of(orders), "--order");
  constexpr std::array ties{named<tie_break>{"first", tie_break::first},
                            named<tie_break>{"random", tie_break::random}};
  asked.ties = choice(typed.ties, ties, "--ties");
  asked.mode = typed.leave ? replay_mode::leave : replay_mode::stay;
  if (typed.leave && asked.order != job_ranking::arrival)
    throw bad_usage{"--order cannot be given with --leave: jobs are placed as they arrive"};
  if (!typed.seed.empty())
    asked.seed =
        static_cast<std::uint64_t>(whole_number(typed.seed, "--seed", 0, std::int64_t{1} << 53));
  asked.gang = small_number(typed.gang, "--gang", 8, 1, gpu_node::most_gpus);
  asked.migrations = small_number(typed.migrations, "--migrations", 0, 0, 1000000);
  asked.listed = typed.list;
  asked.matrix = typed.matrix;
  refuse_idle(typed, asked);
  read_tables(typed, asked);
  return asked;
}

exit_code run_place(const place_options& typed) {
  const place_question asked = question_of(typed);
  std::vector<place_outcome> all;
  {
    const progress shown{"placing"};
    for (const placement_policy policy : asked.policies) all.push_back(place_under(policy, asked));
  }
  report_json answer{{"schema_version", report_schema_version}};
  report_json outcomes = report_json::array();
  for (const place_outcome& out : all) outcomes.push_back(json_of(out, asked));
  answer["best"] = outcomes[0]["policy"];
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].replay.placed_thousandths > all[best].replay.placed_thousandths) best = i;
  answer["best"] = name_of(all[best].policy);
  answer["policies"] = std::move(outcomes);
  answer["faulty_rows"] = {{"nodes", asked.nodes.faults.count}, {"jobs", asked.tasks.faults.count}};
  answer["inputs"] = {{"nodes", asked.node_file},
                      {"jobs", asked.job_file},
                      {"order", name_of(asked.order)},
                      {"leave", asked.mode == replay_mode::leave},
                      {"ties", typed.ties},
                      {"seed", asked.seed},
                      {"gang", asked.gang},
                      {"migrations", asked.migrations}};
  const exit_code checked = typed.answer.check(answer);
  if (typed.answer.as_json)
    print_json(answer);
  else
    print(text_of(all, asked, style_of_output()));
  return all[best].replay.placed() == 0 ? exit_infeasible : checked;
}

}  // namespace

command place_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("place", "Which node each job gets, and what is left of the pool");
  options->footer(after_place_options);
  const auto typed = std::make_shared<place_options>();
  options->add_option("--nodes", typed->nodes, "Table of nodes; - for standard input");
  options->add_option("--jobs", typed->jobs, "Table of jobs; - for standard input");
  options->add_option("--policy", typed->policies,
                      "first-fit, random, best-fit, worst-fit, dot-product, tetris, norm, "
                      "gpu-packing, fgd, several with commas, or all [fgd]");
  options->add_option("--order", typed->order,
                      "Order of the jobs: arrival, largest-first, smallest-first, "
                      "shortest-first, smallest-work, priority, least-slack [arrival]");
  options->add_flag("--leave", typed->leave, "Jobs leave at their deletion_time");
  options->add_option("--ties", typed->ties, "Choice among equal nodes: first or random [first]");
  options->add_option("--seed", typed->seed, "Seed of the random choices [1]");
  options->add_option("--gang", typed->gang,
                      "Count the nodes that could take a job of this many GPUs [8]");
  options->add_option("--migrations", typed->migrations,
                      "Jobs that may move at the end to make room for such jobs [0]");
  options->add_option("--columns", typed->columns,
                      "Names of the columns of jobs: gpus=, share=, cores=, memory=, types=, "
                      "arrival=, departure=, user=, priority=, deadline=");
  options->add_option("--node-columns", typed->node_columns,
                      "Names of the columns of nodes: gpus=, cores=, memory=, type=, rack=");
  options->add_flag("--list", typed->list, "With --json: the node of each job");
  options->add_flag("--matrix", typed->matrix,
                    "With --json: shares of GPUs, cores and memory in use on each node");
  typed->answer.add(*options);
  return {options, [typed] { return run_place(*typed); }};
}

}  // namespace gpuplan::cli
