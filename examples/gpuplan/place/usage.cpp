/// \file
/// The utilisation matrix of a pool, and what is fragmented in it.

#include "place/usage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/memory/fragmentation.hpp>
#include <gpuplan/placement/pool_table.hpp>

#include "csv.hpp"

namespace gpuplan::cli {
namespace {

constexpr seconds for_ever{std::numeric_limits<double>::infinity()};

bool network_is_known(const place_question& asked) {
  const auto& facts = asked.nodes.facts;
  const auto& tasks = asked.tasks.tasks;
  return std::all_of(facts.begin(), facts.end(),
                     [](const node_facts& of) {
                       return of.network && *of.network > bytes_per_second{0};
                     }) &&
         std::all_of(tasks.begin(), tasks.end(),
                     [](const arriving_task& each) { return each.network.has_value(); });
}

/// U of nodes on which these amounts are taken.
utilization_matrix matrix_of(std::span<const resources> taken, const place_question& asked) {
  std::vector<node_usage> nodes;
  nodes.reserve(taken.size());
  for (std::size_t n = 0; n < taken.size(); ++n) nodes.push_back({capacity_of(n, asked), taken[n]});
  return utilization_of(nodes);
}

void look_at_the_end(const place_question& asked, place_outcome& out) {
  std::vector<resources> taken(asked.nodes.nodes.size());
  for (std::size_t row = 0; row < out.runs.size(); ++row)
    if (runs_at_the_end(out.runs[row], asked, out.replay.until)) {
      resources& of = taken[out.runs[row].where->node];
      of = of + taken_by(asked.tasks.tasks[row], asked);
    }
  const std::vector<resource_kind> kinds = asked.measured.kinds();
  out.usage = matrix_of(taken, asked);
  out.imbalance = resource_imbalance(out.usage, deviation::population, kinds);
  out.types.resize(std::max<std::size_t>(1, asked.types.names().size()));
  for (std::size_t type = 0; type < asked.types.names().size(); ++type)
    out.types[type].name = asked.types.names()[type];
  for (Eigen::Index n = 0; n < out.usage.rows(); ++n) {
    type_usage& of =
        out.types[static_cast<std::size_t>(asked.nodes.nodes[static_cast<std::size_t>(n)].type)];
    ++of.nodes;
    for (std::size_t kind = 0; kind < of.parts.size(); ++kind)
      of.parts[kind] += out.usage(n, static_cast<Eigen::Index>(kind));
    of.imbalance += resource_imbalance(out.usage.row(n), deviation::population, kinds);
  }
  std::erase_if(out.types, [](const type_usage& of) { return of.nodes == 0; });
  for (type_usage& of : out.types) {
    const auto count = static_cast<double>(of.nodes);
    for (double& part : of.parts) part /= count;
    of.imbalance /= count;
  }
}

/// The mean of U in each window.
void look_over_time(const place_question& asked, place_outcome& out) {
  usage_over_time& over = out.over_time;
  over.edges = window_edges(asked);
  if (over.edges.empty()) return;
  const std::size_t windows = over.edges.size() - 1;
  const std::size_t nodes = asked.nodes.nodes.size();
  std::vector<std::vector<resources>> taken(windows, std::vector<resources>(nodes));
  for (const job_stay& stay : out.stays) {
    const resources amount = taken_by(asked.tasks.tasks[stay.row], asked);
    for (std::size_t w = 0; w < windows; ++w) {
      const seconds inside =
          std::min(stay.end, over.edges[w + 1]) - std::max(stay.start, over.edges[w]);
      if (!(inside > seconds{0})) continue;
      resources& of = taken[w][stay.where.node];
      of = of + inside / (over.edges[w + 1] - over.edges[w]) * amount;
    }
  }
  const std::vector<resource_kind> kinds = asked.measured.kinds();
  for (const std::vector<resources>& in_window : taken) {
    over.use.push_back(matrix_of(in_window, asked));
    over.imbalance.push_back(resource_imbalance(over.use.back(), deviation::population, kinds));
  }
}

/// When each GPU of the pool was in use, stretches that touch made one.
std::vector<std::vector<gpu_hold>> holds_of(const place_question& asked, const place_outcome& out,
                                            seconds last) {
  std::vector<std::size_t> first_gpu;
  std::size_t gpus = 0;
  for (const gpu_node& host : asked.nodes.nodes) {
    first_gpu.push_back(gpus);
    gpus += static_cast<std::size_t>(host.gpus);
  }
  std::vector<std::vector<gpu_hold>> holds(gpus);
  for (const job_stay& stay : out.stays)
    for (int gpu = 0; gpu < gpu_node::most_gpus; ++gpu)
      if (((stay.where.gpus >> gpu) & 1) != 0)
        holds[first_gpu[stay.where.node] + static_cast<std::size_t>(gpu)].push_back(
            {stay.start, std::min(stay.end, std::max(last, stay.start)), 1});
  for (std::vector<gpu_hold>& of : holds) {
    std::sort(of.begin(), of.end(),
              [](const gpu_hold& a, const gpu_hold& b) { return a.start < b.start; });
    std::vector<gpu_hold> merged;
    for (const gpu_hold& hold : of)
      if (!merged.empty() && hold.start <= merged.back().end)
        merged.back().end = std::max(merged.back().end, hold.end);
      else
        merged.push_back(hold);
    of = std::move(merged);
  }
  return holds;
}

/// F_mem: the largest free piece of GPU memory is what one GPU has free.
std::optional<double> free_memory_in_pieces(const place_question& asked, const place_outcome& out) {
  if (asked.measured.memory != measured_memory::gpus) return {};
  std::vector<std::array<bytes, gpu_node::most_gpus>> taken(asked.nodes.nodes.size());
  for (std::size_t row = 0; row < out.runs.size(); ++row) {
    if (!runs_at_the_end(out.runs[row], asked, out.replay.until)) continue;
    const task_placement& where = *out.runs[row].where;
    for (int gpu = 0; gpu < gpu_node::most_gpus; ++gpu)
      if (((where.gpus >> gpu) & 1) != 0)
        taken[where.node][static_cast<std::size_t>(gpu)] += *asked.tasks.tasks[row].gpu_memory;
  }
  bytes free{};
  bytes largest{};
  for (std::size_t n = 0; n < taken.size(); ++n)
    for (int gpu = 0; gpu < asked.nodes.nodes[n].gpus; ++gpu) {
      const bytes left = std::max(
          bytes{0}, *asked.nodes.facts[n].gpu_memory - taken[n][static_cast<std::size_t>(gpu)]);
      free += left;
      largest = std::max(largest, left);
    }
  if (!(free > bytes{0})) return {};
  return memory_fragmentation(largest, free);
}

}  // namespace

bool runs_at_the_end(const task_run& run, const place_question& asked, seconds until) {
  return run.where && (!asked.timed() || (run.start <= until && run.end > until));
}

measured_kinds measured_kinds_of(const place_question& asked) {
  const auto& facts = asked.nodes.facts;
  const auto& nodes = asked.nodes.nodes;
  const auto& tasks = asked.tasks.tasks;
  const bool of_gpus =
      std::all_of(
          facts.begin(), facts.end(),
          [](const node_facts& of) { return of.gpu_memory && *of.gpu_memory > bytes{0}; }) &&
      std::all_of(tasks.begin(), tasks.end(),
                  [](const arriving_task& each) { return each.gpu_memory.has_value(); });
  const bool limited = std::all_of(nodes.begin(), nodes.end(), [](const gpu_node& host) {
    return host.memory < unstated_host_memory;
  });
  return {.memory = of_gpus   ? measured_memory::gpus
                    : limited ? measured_memory::host
                              : measured_memory::none,
          .network = network_is_known(asked)};
}

std::vector<resource_kind> measured_kinds::kinds() const {
  std::vector<resource_kind> known;
  for (const resource_kind kind : every_resource)
    if (knows(kind)) known.push_back(kind);
  return known;
}

resources taken_by(const arriving_task& task, const place_question& asked) {
  // Only parts of a node matter: a thousandth of a GPU stands for 1 FLOP/s.
  resources taken{.compute = flop_per_second{1.0 * task.task.total_gpu_thousandths()},
                  .cores = static_cast<double>(task.task.core_thousandths)};
  const measured_memory memory = asked.measured.memory;
  if (memory == measured_memory::gpus) taken.memory = task.task.gpus * *task.gpu_memory;
  if (memory == measured_memory::host) taken.memory = task.task.memory;
  if (asked.measured.network) taken.network = *task.network;
  return taken;
}

resources capacity_of(std::size_t node, const place_question& asked) {
  const gpu_node& host = asked.nodes.nodes[node];
  const node_facts& facts = asked.nodes.facts[node];
  resources has{.compute = flop_per_second{1.0 * host.gpus * whole_gpu},
                .cores = static_cast<double>(host.core_thousandths)};
  const measured_memory memory = asked.measured.memory;
  if (memory == measured_memory::gpus) has.memory = host.gpus * *facts.gpu_memory;
  if (memory == measured_memory::host) has.memory = host.memory;
  if (asked.measured.network) has.network = *facts.network;
  return has;
}

std::vector<seconds> window_edges(const place_question& asked) {
  seconds first = for_ever;
  seconds last{-std::numeric_limits<double>::infinity()};
  for (const arriving_task& each : asked.tasks.tasks) {
    first = std::min(first, each.arrival);
    last = std::max(last, each.arrival);
  }
  std::vector<seconds> edges;
  if (!(last > first)) return edges;
  for (int edge = 0; edge < asked.windows; ++edge)
    edges.push_back(first + edge / (1.0 * asked.windows) * (last - first));
  edges.push_back(last);
  return edges;
}

seconds last_event(const place_question& asked, const place_outcome& out) {
  seconds last{-std::numeric_limits<double>::infinity()};
  for (const arriving_task& each : asked.tasks.tasks) last = std::max(last, each.arrival);
  for (const task_run& run : out.runs)
    for (const seconds at : {run.start, run.end})
      if (run.where && at < for_ever) last = std::max(last, at);
  return last;
}

void look_at_usage(const place_question& asked, place_outcome& out) {
  look_at_the_end(asked, out);
  out.memory_fragmentation = free_memory_in_pieces(asked, out);
  if (!asked.timed()) return;
  if (asked.over_time) look_over_time(asked, out);
  const seconds last = last_event(asked, out);
  const std::vector<std::vector<gpu_hold>> holds = holds_of(asked, out, last);
  if (last > out.replay.from && !holds.empty())
    out.time_fragmentation = time_fragmentation(holds, last - out.replay.from);
}

std::string usage_csv(const std::vector<place_outcome>& all, const place_question& asked) {
  const std::vector<resource_kind> kinds = asked.measured.kinds();
  std::string text = "policy,from_s,until_s,node,name,gpu,memory,cores,network,imbalance\n";
  const auto rows = [&](const place_outcome& out, const std::string& when,
                        const utilization_matrix& use) {
    for (Eigen::Index n = 0; n < use.rows(); ++n) {
      text += fmt::format("{},{},{},{}", name_of(out.policy), when, n,
                          quoted_field(asked.nodes.facts[static_cast<std::size_t>(n)].name));
      for (const resource_kind kind : every_resource)
        text += asked.measured.knows(kind)
                    ? fmt::format(",{:.6g}", use(n, static_cast<Eigen::Index>(kind)))
                    : std::string(",");
      text +=
          fmt::format(",{:.6g}\n", resource_imbalance(use.row(n), deviation::population, kinds));
    }
  };
  for (const place_outcome& out : all) {
    if (!asked.timed()) rows(out, ",", out.usage);
    for (std::size_t w = 0; w < out.over_time.use.size(); ++w)
      rows(out,
           fmt::format("{:.6f},{:.6f}", out.over_time.edges[w].in_base_units(),
                       out.over_time.edges[w + 1].in_base_units()),
           out.over_time.use[w]);
  }
  return text;
}

}  // namespace gpuplan::cli
