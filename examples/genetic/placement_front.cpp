// What does evenness cost? Tasks on nodes by a genetic search (NSGA-II of pagmo), judged by three
// aims at once: nodes in use, imbalance of the load, expected fragmentation. Prints the front.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/objective.hpp>

namespace {

using namespace gpuplan;

/// A candidate is a node for each task; what does not fit there goes to the first node that has
/// room.
struct placement_problem {
  std::vector<gpu_node> nodes;
  std::vector<gpu_task> tasks;
  task_mix mix;

  pagmo::vector_double fitness(const pagmo::vector_double& node_of) const {
    std::vector<gpu_node> pool = nodes;
    double refused = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      std::size_t at = static_cast<std::size_t>(node_of[t]);
      for (std::size_t n = 0; n < pool.size() && !can_host(pool[at], tasks[t]); ++n) at = n;
      if (can_host(pool[at], tasks[t]))
        pool[at] =
            with_task(pool[at], tasks[t], choose_gpus(pool[at], tasks[t], gpu_choice::least_free));
      else
        ++refused;
    }
    double used = 0;
    double least = 1;
    double most = 0;
    double lost = 0;
    for (const gpu_node& host : pool) {
      const double load = 1 - host.free_gpu_thousandths() / (1.0 * whole_gpu * host.gpus);
      used += load > 0 ? 1 : 0;
      least = std::min(least, load);
      most = std::max(most, load);
      lost += expected_fragmentation(host, mix) / whole_gpu;
    }
    const double penalty = 100 * refused;
    return {used + penalty, most - least + penalty, lost + penalty};
  }
  [[nodiscard]] pagmo::vector_double::size_type get_nobj() const { return 3; }
  [[nodiscard]] pagmo::vector_double::size_type get_nix() const { return tasks.size(); }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    return {pagmo::vector_double(tasks.size(), 0),
            pagmo::vector_double(tasks.size(), static_cast<double>(nodes.size() - 1))};
  }
};

}  // namespace

int main() {
  using namespace units;
  placement_problem problem{
      .nodes = std::vector<gpu_node>(6, empty_node(8, 96000, 512 * GiB)), .tasks = {}, .mix = {}};
  std::vector<task_share> kinds;
  for (const auto& [gpus, share, count] :
       std::vector<std::array<int, 3>>{{1, 500, 8}, {1, 1000, 8}, {2, 1000, 4}, {4, 1000, 2}}) {
    const gpu_task task{.gpus = gpus, .gpu_thousandths = share, .core_thousandths = 4000 * gpus};
    kinds.push_back({task, 1.0 * count});
    problem.tasks.insert(problem.tasks.end(), static_cast<std::size_t>(count), task);
  }
  problem.mix = task_mix{kinds};

  const pagmo::algorithm search{pagmo::nsga2(200, 0.95, 10., 0.05, 50., 1)};
  const pagmo::population found = search.evolve(pagmo::population{problem, 80, 1});
  objective_table aims(static_cast<Eigen::Index>(found.size()), 3);
  for (std::size_t row = 0; row < found.size(); ++row)
    for (std::size_t aim = 0; aim < 3; ++aim)
      aims(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(aim)) =
          found.get_f()[row][aim];

  std::vector<std::array<double, 3>> front;
  for (const Eigen::Index row : objective_front(aims))
    front.push_back({aims(row, 0), aims(row, 1), aims(row, 2)});
  std::sort(front.begin(), front.end());
  front.erase(std::unique(front.begin(), front.end()), front.end());
  std::printf("nodes  imbalance  GPUs lost\n");
  for (const auto& [nodes, imbalance, lost] : front)
    std::printf("%5.0f  %9.3f  %9.2f\n", nodes, imbalance, lost);
  // Enough for a search to be worth its time: fewer nodes than tasks would take one by one.
  return front.empty() || front.front()[0] > 5 ? 1 : 0;
}
