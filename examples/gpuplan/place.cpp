/// \file
/// gpuplan place: which node each task gets, and what is left of the pool.

#include <array>
#include <cstddef>
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
#include "place_pool.hpp"
#include "program.hpp"
#include "summary.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_options =
    "Tables have a header line. Nodes: gpu, cpu_milli, and if there are memory_mib, model, rack.\n"
    "Jobs: num_gpu, and if there are gpu_milli (thousandths of each GPU), cpu_milli, memory_mib,\n"
    "gpu_spec (types with | between), creation_time, deletion_time, user. Other names of columns\n"
    "by --node-columns and --columns. Exit code 4 where no job finds a node.\n"
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
  std::array<spelling<T>, N> names{};
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
        fmt::format("{}: '{}' is not understood; write FIELD=NAME, where FIELD is one "
                    "of {}",
                    option, part, all)};
  }
}

int small_number(const std::string& text, const char* option, int usual, int least, int most) {
  return text.empty() ? usual : static_cast<int>(whole_number(text, option, least, most));
}

place_question question_of(const place_options& typed) {
  place_question asked;
  asked.node_file = typed.nodes;
  asked.job_file = typed.jobs;
  if (typed.nodes.empty() || typed.jobs.empty())
    throw bad_usage{"--nodes and --jobs are needed, each a file or - for standard input"};
  if (typed.nodes == "-" && typed.jobs == "-")
    throw bad_usage{"--nodes and --jobs cannot both be standard input"};

  const auto policies = names_of(placement_policies);
  if (typed.policies == "all") {
    asked.policies.assign(placement_policies.begin(), placement_policies.end());
  } else {
    for (std::string_view rest = typed.policies; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      asked.policies.push_back(choice(rest.substr(0, comma), policies, "--policy"));
      rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 1);
    }
  }
  asked.order = choice(typed.order, names_of(job_rankings), "--order");
  constexpr std::array ties{spelling<tie_break>{"first", tie_break::first},
                            spelling<tie_break>{"random", tie_break::random}};
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

  node_columns nodes;
  read_columns(typed.node_columns,
               std::array{column_name{"gpus", &nodes.gpus}, column_name{"cores", &nodes.cores},
                          column_name{"memory", &nodes.memory}, column_name{"type", &nodes.type},
                          column_name{"rack", &nodes.rack}},
               "--node-columns");
  task_columns jobs;
  read_columns(
      typed.columns,
      std::array{column_name{"gpus", &jobs.gpus}, column_name{"share", &jobs.share},
                 column_name{"cores", &jobs.cores}, column_name{"memory", &jobs.memory},
                 column_name{"types", &jobs.types}, column_name{"arrival", &jobs.arrival},
                 column_name{"departure", &jobs.departure}, column_name{"user", &jobs.user}},
      "--columns");

  const auto check = [](const std::string& path, const table_faults& faults, bool empty,
                        const char* what) {
    const std::string name = name_of_table(path);
    if (empty)
      throw bad_usage{name + ": no " + what +
                      (faults.first.empty() ? " in it" : ": " + description_of(faults.first[0]))};
    say_faults(name, faults.first, faults.count);
  };
  asked.nodes = read_nodes(table_text(typed.nodes), asked.types, nodes);
  check(typed.nodes, asked.nodes.faults, asked.nodes.nodes.empty(), "node");
  asked.tasks = read_tasks(table_text(typed.jobs), asked.types, asked.users, jobs);
  check(typed.jobs, asked.tasks.faults, asked.tasks.tasks.empty(), "job");
  return asked;
}

double in_gpus(std::int64_t thousandths) {
  return static_cast<double>(thousandths) / whole_gpu;
}

template <class Count>
std::string count_of(Count count) {
  return grouped(static_cast<double>(count));
}

report_json json_of(const place_outcome& out, const place_question& asked) {
  report_json refused = report_json::object();
  constexpr std::array keys{"placed", "no_node_large_enough", "no_cores", "no_memory", "no_gpus"};
  for (std::size_t why = 1; why < placement_refusals; ++why)
    refused[keys[why]] = out.replay.count[why];
  report_json types = report_json::array();
  for (const type_usage& of : out.types)
    types.push_back({{"type", of.name},
                     {"nodes", of.nodes},
                     {"gpus", of.gpus},
                     {"cores", of.cores},
                     {"memory", of.memory},
                     {"imbalance", of.imbalance}});
  report_json answer{
      {"policy", name_of(out.policy)},
      {"jobs", out.replay.tasks},
      {"placed", out.replay.placed()},
      {"refused", std::move(refused)},
      {"asked_gpus", in_gpus(out.replay.asked_thousandths)},
      {"placed_gpus", in_gpus(out.replay.placed_thousandths)},
      {"pool_gpus", in_gpus(out.replay.pool_thousandths)},
      {"most_gpus_in_use", in_gpus(out.replay.most_in_use)},
      {"allocation", asked.mode == replay_mode::stay ? json_number(out.replay.allocation())
                                                     : report_json(nullptr)},
      {"utilization_over_time", asked.mode == replay_mode::leave
                                    ? json_number(out.replay.utilization())
                                    : report_json(nullptr)},
      {"free",
       {{"gpus", in_gpus(out.free.thousandths)},
        {"whole_gpus", out.free.whole},
        {"whole_nodes", out.free.whole_nodes},
        {"largest_block", out.free.largest_block},
        {"gangs", out.free.gangs}}},
      {"fragmentation",
       {{"unusable_share", out.free.unusable_share()},
        {"index", out.free.fragmentation_index()},
        {"expected_unusable_share", json_number(out.expected_unusable)},
        {"imbalance", json_number(out.imbalance)}}},
      {"fairness", out.fairness ? json_number(*out.fairness) : report_json(nullptr)},
      {"violations",
       {{"nodes_beyond_capacity", out.beyond_capacity},
        {"jobs_that_fit_no_node",
         out.replay.count[static_cast<std::size_t>(placement_refusal::never)]}}},
      {"utilization", std::move(types)}};
  if (asked.migrations > 0)
    answer["migrations"] = {{"moved", out.moved},
                            {"gangs_before", out.free.gangs},
                            {"gangs_after", out.gangs_after_moves}};
  if (asked.matrix) answer["utilization_matrix"] = out.matrix;
  if (asked.listed) {
    report_json nodes = report_json::array();
    for (const auto& where : out.where)
      nodes.push_back(where ? report_json(where->node) : report_json(nullptr));
    answer["node_of_job"] = std::move(nodes);
  }
  return answer;
}

std::string percent(double part) {
  return fmt::format("{:.2f} %", 100 * part);
}

void print_outcomes(const std::vector<place_outcome>& all, const place_question& asked) {
  const text_style style = style_of_output();
  const bool leave = asked.mode == replay_mode::leave;
  const place_outcome& one = all.front();
  print(bold(fmt::format("{} jobs on {} nodes with {} GPUs", count_of(one.replay.tasks),
                         count_of(asked.nodes.nodes.size()),
                         grouped(in_gpus(one.replay.pool_thousandths))),
             style) +
        fmt::format(
            "\nJobs ask for {} GPUs{}.\n\n",
            grouped(std::round(in_gpus(one.replay.asked_thousandths))),
            leave ? ", and leave again; one that finds no node is lost" : " in all, and stay"));
  table compared{{{"policy"},
                  {"placed", column_side::right},
                  {leave ? "in use" : "allocated", column_side::right},
                  {"free GPUs", column_side::right},
                  {"unusable", column_side::right},
                  {fmt::format("gangs of {}", asked.gang), column_side::right},
                  {"imbalance", column_side::right},
                  {"fairness", column_side::right}}};
  for (const place_outcome& out : all)
    compared.row({name_of(out.policy), count_of(out.replay.placed()),
                  percent(leave ? out.replay.utilization() : out.replay.allocation()),
                  fmt::format("{:.1f}", in_gpus(out.free.thousandths)),
                  percent(out.expected_unusable), count_of(out.free.gangs),
                  fmt::format("{:.3f}", out.imbalance),
                  out.fairness ? fmt::format("{:.3f}", *out.fairness) : "-"});
  print(compared.text(style));
  print(
      "unusable: free GPUs that the next job could not use, on average over the jobs' kinds\n"
      "imbalance: standard deviation over GPUs, cores and memory in use, mean over the nodes\n\n");

  table refused{{{"refused by " + std::string(name_of(one.policy))}, {"jobs", column_side::right}}};
  for (std::size_t why = 1; why < placement_refusals; ++why)
    if (one.replay.count[why] > 0)
      refused.row({name_of(static_cast<placement_refusal>(why)), count_of(one.replay.count[why])});
  if (!refused.empty()) print(refused.text(style) + "\n");

  table use{{{"in use under " + std::string(name_of(one.policy))},
             {"nodes", column_side::right},
             {"GPUs", column_side::right},
             {"cores", column_side::right},
             {"memory", column_side::right},
             {"imbalance", column_side::right}}};
  for (const type_usage& of : one.types)
    use.row({of.name.empty() ? "all" : of.name, count_of(of.nodes), percent(of.gpus),
             percent(of.cores), percent(of.memory), fmt::format("{:.3f}", of.imbalance)});
  print(use.text(style));
  if (asked.migrations > 0 && one.moved == 0)
    print(fmt::format("\nNo moves make room for more gangs of {} GPUs than {}.\n", asked.gang,
                      count_of(one.free.gangs)));
  if (one.moved > 0)
    print(fmt::format("\nMoving {} jobs makes room for {} gangs of {} GPUs instead of {}.\n",
                      count_of(one.moved), count_of(one.gangs_after_moves), asked.gang,
                      count_of(one.free.gangs)));
  for (const place_outcome& out : all)
    if (out.beyond_capacity > 0)
      print(fmt::format("{}: {} nodes give more than they have.\n", name_of(out.policy),
                        out.beyond_capacity));
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
    print_outcomes(all, asked);
  return all[best].replay.placed() == 0 ? exit_infeasible : checked;
}

}  // namespace

command place_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("place", "Which node each job gets, and what is left of the pool");
  options->footer(after_options);
  const auto typed = std::make_shared<place_options>();
  options->add_option("--nodes", typed->nodes, "Table of nodes; - for standard input");
  options->add_option("--jobs", typed->jobs, "Table of jobs; - for standard input");
  options->add_option("--policy", typed->policies,
                      "first-fit, random, best-fit, worst-fit, dot-product, tetris, norm, "
                      "gpu-packing, fgd, several with commas, or all [fgd]");
  options->add_option("--order", typed->order,
                      "In which jobs are taken: arrival, largest-first, smallest-first, "
                      "shortest-first, smallest-work, least-slack [arrival]");
  options->add_flag("--leave", typed->leave, "Jobs leave at their deletion_time");
  options->add_option("--ties", typed->ties, "Of equal nodes the first or a random one [first]");
  options->add_option("--seed", typed->seed, "Of what is random [1]");
  options->add_option("--gang", typed->gang, "GPUs of one node that free ones are judged by [8]");
  options->add_option("--migrations", typed->migrations,
                      "Jobs that may move at the end to make room for such gangs [0]");
  options->add_option("--columns", typed->columns,
                      "Names of columns of jobs: gpus=, share=, cores=, memory=, types=, "
                      "arrival=, departure=, user=");
  options->add_option("--node-columns", typed->node_columns,
                      "Of nodes: gpus=, cores=, memory=, type=, rack=");
  options->add_flag("--list", typed->list, "With --json: the node of each job");
  options->add_flag("--matrix", typed->matrix,
                    "With --json: parts of GPUs, cores, memory in use, node by node");
  typed->answer.add(*options);
  return {options, [typed] { return run_place(*typed); }};
}

}  // namespace gpuplan::cli
