/// \file
/// gpuplan place: which node each task gets, and what is left of the pool.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/report/json.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/text/visible.hpp>

#include "comma_list.hpp"
#include "html_file.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "output_file.hpp"
#include "place/aims.hpp"
#include "place/page.hpp"
#include "place/pool.hpp"
#include "place/report.hpp"
#include "place/rules.hpp"
#include "place/usage.hpp"
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
    "A node has 0 to 16 GPUs, and so has a row of jobs, which is what a job asks of one node. A\n"
    "larger job is several rows of one name in --columns job=.\n"
    "\n"
    "Aims: wait (f1, mean), throughput (f2, jobs ended over the time), utilization (f3, of the\n"
    "GPUs), energy (f4, power of a GPU from the catalogue by its type, or --node-columns power=)\n"
    "and fairness (f5, Jain's index of GPU time held over GPU time wanted, by user), each over "
    "the\n"
    "time from the first arrival to the last end. Each is scaled to 0 .. 1 over the policies. "
    "With\n"
    "--weights dynamic a weight is multiplied by 1 + gamma (f - mean) / sigma: f is the aim in "
    "the\n"
    "last window, mean over the policies; mean and sigma are of the same aim in the windows "
    "before.\n"
    "Windows are equal parts of the time from the first arrival to the last.\n"
    "\n"
    "Rules, counted by policy: capacity (of nodes at every moment; --columns network=, "
    "gpu_memory=\n"
    "are checked, not obeyed), integrity (rows of one name in --columns job= are one job: all of\n"
    "its GPUs at once), locality, topology (--max-nodes), service (--columns deadline=).\n"
    "\n"
    "Examples:\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --policy fgd\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --policy all --gang 4\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --leave --columns user=qos --json\n"
    "  gpuplan place --nodes nodes.csv --jobs - --order largest-first --migrations 20\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --policy all --wait in-turn \\\n"
    "      --aims wait=0.5,utilization=0.5 --html place.html\n";

struct place_options {
  std::string nodes, jobs, columns, node_columns, policies = "fgd", order, ties = "first", seed,
                                                  gang, migrations;
  std::string wait, aims, weights, gamma, windows, locality, max_nodes, csv, html, bad_rows;
  framework_typed framework;
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
  if (text.empty()) return;
  for (const std::string_view part : list_parts(text, option)) {
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
                            job_ranking::least_slack,    job_ranking::urgency};

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
                    asked.waiting                      ? "--wait"
                    : asked.mode == replay_mode::leave ? "--leave"
                                                       : "--order",
                    named.departure)};
  if (asked.locality && named.data.empty())
    throw bad_usage{"--locality needs names of nodes: --columns data=NAME"};
  if (!asked.locality && !named.data.empty())
    throw bad_usage{"--columns data= has no effect without --locality"};
}

int small_number(const std::string& text, const char* option, int usual, int least, int most) {
  return text.empty() ? usual : static_cast<int>(whole_number(text, option, least, most));
}

/// The policies of a list with commas, or all.
std::vector<placement_policy> policies_of(const std::string& typed) {
  if (typed == "all") return {placement_policies.begin(), placement_policies.end()};
  const auto names = names_of(placement_policies);
  std::vector<placement_policy> policies;
  for (const std::string_view part : list_parts(typed, "--policy")) {
    const placement_policy one = choice(part, names, "--policy");
    if (std::find(policies.begin(), policies.end(), one) != policies.end())
      throw bad_usage{fmt::format("--policy: {} is named twice", name_of(one))};
    policies.push_back(one);
  }
  return policies;
}

node_columns node_columns_of(const std::string& typed) {
  node_columns nodes;
  read_columns(
      typed,
      std::array{column_name{"gpus", &nodes.gpus}, column_name{"cores", &nodes.cores},
                 column_name{"memory", &nodes.memory}, column_name{"type", &nodes.type},
                 column_name{"rack", &nodes.rack}, column_name{"name", &nodes.name},
                 column_name{"power", &nodes.power}, column_name{"network", &nodes.network},
                 column_name{"gpu_memory", &nodes.gpu_memory}},
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
                 column_name{"priority", &jobs.priority}, column_name{"deadline", &jobs.deadline},
                 column_name{"job", &jobs.job}, column_name{"data", &jobs.data},
                 column_name{"max_nodes", &jobs.max_nodes}, column_name{"network", &jobs.network},
                 column_name{"gpu_memory", &jobs.gpu_memory}},
      "--columns");
  return jobs;
}

/// Says which rows of a table could not be read.
/// \throws bad_usage if none could, or too few
void check_rows(const std::string& path, const table_faults& faults, std::size_t read,
                const char* what, const std::string& bad_rows) {
  const std::string name = name_of_table(path);
  require_one_clock(name, faults.other_clock);
  if (read == 0)
    throw bad_usage{name + ": no " + what +
                    (faults.first.empty() ? " in it" : ": " + description_of(faults.first[0]))};
  check_rows_of(name,
                {.first = faults.first,
                 .count = faults.count,
                 .of = static_cast<std::int64_t>(read) + faults.count},
                bad_rows, "--bad-rows");
}

/// Refuses two nodes of one name, of which rules and reports could mean either.
void require_one_of_each_name(const std::string& path, const std::vector<node_facts>& nodes) {
  std::set<std::string_view> names;
  for (const node_facts& node : nodes)
    if (!node.name.empty() && !names.insert(node.name).second)
      throw bad_usage{fmt::format("{}: two nodes have the name '{}'", name_of_table(path),
                                  shown_field(node.name))};
}

void read_tables(const place_options& typed, place_question& asked) {
  const node_columns nodes = node_columns_of(typed.node_columns);
  if (!nodes.power.empty() && !asked.aims)
    throw bad_usage{"--node-columns power= has no effect without --aims"};
  const task_columns jobs = job_columns_of(typed.columns);
  asked.nodes = read_nodes(table_text(typed.nodes), asked.types, nodes);
  check_rows(typed.nodes, asked.nodes.faults, asked.nodes.nodes.size(), "node", typed.bad_rows);
  require_one_of_each_name(typed.nodes, asked.nodes.facts);
  asked.tasks = read_tasks(table_text(typed.jobs), asked.types, asked.users, jobs);
  check_rows(typed.jobs, asked.tasks.faults, asked.tasks.tasks.size(), "job", typed.bad_rows);
  check_columns_of(asked, jobs);
  asked.measured = measured_kinds_of(asked);
  asked.data_nodes = nodes_of_data(asked);
}

/// A number of an option.
double number_of(const std::string& text, const char* option, double usual, double least,
                 double most) {
  if (text.empty()) return usual;
  const field_number read = number_in(text, least, most);
  if (read.problem)
    throw bad_usage{fmt::format("{}: must be a number from {} to {}, not '{}'", option, least, most,
                                visible(text))};
  return read.value;
}

/// What is asked of time, aims and rules.
void read_judgement(const place_options& typed, place_question& asked) {
  constexpr std::array rules{
      named<waiting_rule>{name_of(waiting_rule::in_turn), waiting_rule::in_turn},
      named<waiting_rule>{name_of(waiting_rule::whoever_fits), waiting_rule::whoever_fits}};
  if (!typed.wait.empty()) asked.waiting = choice(typed.wait, rules, "--wait");
  asked.mode = typed.leave || asked.waiting ? replay_mode::leave : replay_mode::stay;
  asked.most_nodes = small_number(typed.max_nodes, "--max-nodes", 0, 1, 1000000);
  if (!typed.locality.empty()) asked.locality = share_of(typed.locality, "--locality");
  constexpr std::array weights{named<bool>{"static", false}, named<bool>{"dynamic", true}};
  const bool dynamic = !typed.weights.empty() && choice(typed.weights, weights, "--weights");
  if (!typed.aims.empty())
    asked.aims = aims_question{.weights = aim_weights(typed.aims),
                               .dynamic = dynamic,
                               .gamma = number_of(typed.gamma, "--gamma", 0.5, 0, 1e6)};
  else if (!typed.weights.empty())
    throw bad_usage{"--weights has no effect without --aims"};
  if (!typed.gamma.empty() && !dynamic)
    throw bad_usage{"--gamma has no effect without --weights dynamic"};
  if (asked.aims && !asked.timed())
    throw bad_usage{"--aims needs times: give --wait in-turn, --wait whoever-fits or --leave"};
  asked.over_time = asked.timed() && (typed.matrix || !typed.csv.empty() || !typed.html.empty());
  if (!typed.windows.empty() && !asked.over_time && !dynamic)
    throw bad_usage{
        "--windows has no effect without --weights dynamic, or --matrix, --csv or --html of jobs "
        "that leave"};
  asked.windows = small_number(typed.windows, "--windows", 10, 2, 1000);
}

/// Options that would change nothing of the answer.
/// \throws bad_usage
void refuse_idle(const place_options& typed, const place_question& asked) {
  const bool has_json = typed.answer.as_json || !typed.answer.assertions.empty();
  if (typed.leave && asked.waiting) throw bad_usage{"--leave has no effect beside --wait"};
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
  if (!typed.order.empty()) asked.order = choice(typed.order, names_of(orders), "--order");
  const bool by_framework = std::find(asked.policies.begin(), asked.policies.end(),
                                      placement_policy::framework) != asked.policies.end();
  asked.framework = terms_of(typed.framework, by_framework, typed.leave || !typed.wait.empty());
  if (!typed.order.empty()) asked.framework.options.order = asked.order;
  constexpr std::array ties{named<tie_break>{"first", tie_break::first},
                            named<tie_break>{"random", tie_break::random}};
  asked.ties = choice(typed.ties, ties, "--ties");
  read_judgement(typed, asked);
  if (asked.waiting && typed.framework.patience.empty())
    asked.framework.options.patience = endless_patience;
  if (asked.timed() && asked.order != job_ranking::arrival)
    throw bad_usage{fmt::format("--order cannot be given with {}: jobs are placed as they arrive",
                                asked.waiting ? "--wait" : "--leave")};
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
  const std::array inputs{typed.nodes, typed.jobs};
  if (!typed.csv.empty()) require_writable("--csv", typed.csv, inputs);
  require_page(typed.html, inputs);
  if (!typed.csv.empty() && !typed.html.empty() && is_same_file(typed.csv, typed.html))
    throw bad_usage{"--csv and --html cannot be one file"};
  place_question asked = question_of(typed);
  std::vector<place_outcome> all;
  {
    const progress shown{"gpuplan: placing"};
    if (asked.framework.learns) learn_weights(asked);
    for (const placement_policy policy : asked.policies) all.push_back(place_under(policy, asked));
  }
  std::optional<aims_answer> judged;
  if (asked.aims) judged = judge(all, asked);
  report_json answer{{"schema_version", report_schema_version}};
  report_json outcomes = report_json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    outcomes.push_back(json_of(all[i], asked));
    if (judged) outcomes.back()["aims"] = json_of(*judged, i);
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].replay.placed_thousandths > all[best].replay.placed_thousandths) best = i;
  const bool any_placed = all[best].replay.placed() > 0;
  if (judged && judged->best) best = *judged->best;
  answer["best"] = name_of(all[best].policy);
  if (judged) answer["aims"] = json_of(*judged, all, asked);
  answer["policies"] = std::move(outcomes);
  if (typed.list || typed.matrix) answer["node_names"] = names_of_nodes(asked);
  answer["faulty_rows"] = {{"nodes", asked.nodes.faults.count}, {"jobs", asked.tasks.faults.count}};
  answer["inputs"] = {{"nodes", asked.node_file},
                      {"jobs", asked.job_file},
                      {"order", name_of(asked.order)},
                      {"leave", asked.timed()},
                      {"wait", asked.waiting ? report_json(name_of(*asked.waiting)) : nullptr},
                      {"windows", asked.windows},
                      {"locality", asked.locality ? json_number(*asked.locality) : nullptr},
                      {"max_nodes", asked.most_nodes > 0 ? report_json(asked.most_nodes) : nullptr},
                      {"ties", typed.ties},
                      {"seed", asked.seed},
                      {"gang", asked.gang},
                      {"migrations", asked.migrations},
                      {"framework", json_of(asked.framework)}};
  const exit_code checked = typed.answer.check(answer);
  if (!typed.csv.empty()) write_file(typed.csv, usage_csv(all, asked));
  if (!typed.html.empty()) write_page(typed.html, page_of(all, judged, asked));
  if (typed.answer.as_json)
    print_json(answer);
  else
    print(text_of(all, asked, style_of_output()) +
          (judged ? text_of(*judged, all, asked, style_of_output()) : std::string{}));
  return any_placed ? checked : exit_infeasible;
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
                      "gpu-packing, fgd, framework, several with commas, or all [fgd]");
  options->add_option("--order", typed->order,
                      "Order of the jobs: arrival, largest-first, smallest-first, "
                      "shortest-first, smallest-work, priority, least-slack, urgency [arrival; "
                      "framework: urgency]");
  options->add_flag("--leave", typed->leave, "Jobs leave at their deletion_time");
  options->add_option("--wait", typed->wait,
                      "A job that finds no node waits, and leaves after the time between its "
                      "creation_time and deletion_time: in-turn, where those behind wait for the "
                      "first, or whoever-fits; the framework tries whoever fits, by urgency");
  options->add_option("--aims", typed->aims,
                      "Score the policies: wait=, throughput=, utilization=, energy=, fairness=, "
                      "weights with commas between; with --wait or --leave");
  options->add_option("--weights", typed->weights,
                      "Weights of the aims: static, or dynamic, after each aim's own history "
                      "[static]");
  options->add_option("--gamma", typed->gamma, "How strongly dynamic weights lean [0.5]");
  options->add_option("--windows", typed->windows,
                      "Windows of the history, and of the utilization over time [10]");
  options->add_option("--locality", typed->locality,
                      "Count jobs of whose nodes less than this part hold their data: 0.8");
  options->add_option("--max-nodes", typed->max_nodes, "Count jobs on more nodes than this");
  options->add_option("--ties", typed->ties, "Choice among equal nodes: first or random [first]");
  options->add_option("--seed", typed->seed, "Seed of the random choices [1]");
  options->add_option("--gang", typed->gang,
                      "Count the nodes that could take a job of this many GPUs [8]");
  options->add_option("--migrations", typed->migrations,
                      "Jobs that may move at the end to make room for such jobs [0]");
  typed->framework.add(*options);
  options->add_option("--columns", typed->columns,
                      "Names of the columns of jobs: gpus=, share=, cores=, memory=, types=, "
                      "arrival=, departure=, user=, priority=, deadline=, job=, data= (names of "
                      "nodes, | between), max_nodes=, network= (Gbit/s), gpu_memory= (MiB)");
  options->add_option("--node-columns", typed->node_columns,
                      "Names of the columns of nodes: gpus=, cores=, memory=, type=, rack=, "
                      "name=, power= (W), network= (Gbit/s), gpu_memory= (MiB)");
  options->add_option("--bad-rows", typed->bad_rows,
                      "Share of rows of a table that may be left out because they cannot be read, "
                      "such as 50% [10%]");
  options->add_flag("--list", typed->list,
                    "With --json: the node of each job, its last, and all that it had if moved");
  options->add_flag("--matrix", typed->matrix,
                    "With --json: shares of GPUs, memory, cores and network in use on each node");
  options->add_option("--csv", typed->csv,
                      "Write the utilization of each node as a table, in each window too: use.csv");
  add_html_option(*options, typed->html);
  typed->answer.add(*options, "'policies[0].placed >= 40' or 'policies[0].free.gpus > 8'");
  return {options, [typed] { return run_place(*typed); }};
}

}  // namespace gpuplan::cli
