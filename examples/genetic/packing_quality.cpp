// What do simple rules, a genetic search and the exact solver reach, and in what time? Jobs of two
// resources go into as few equal nodes as possible. Prints nodes, the part of the cases in which
// the fewest were found, and time as a multiple of first fit decreasing.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include <gpuplan/placement/packing.hpp>
#include <gpuplan/placement/packing_exact.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

namespace {

using namespace gpuplan;
using item = packing_item<2>;

constexpr unsigned generations = 200;
constexpr unsigned candidates = 40;

/// What a candidate of the genetic search is: a node for each job, or the order of the jobs.
enum class coding { nodes, order };

/// Nodes in use, less a part below one that is larger the fuller the fullest nodes are: it leads
/// the search where many candidates use as many.
double judged(const std::vector<item>& free) {
  double fullness = 0;
  for (const item& left : free) {
    const double used = (2 - left[0] - left[1]) / 2;
    fullness += used * used;
  }
  const auto nodes = static_cast<double>(free.size());
  return free.empty() ? 0 : nodes - fullness / (nodes + 1);
}

bool fits(const item& free, const item& job) {
  return job[0] <= free[0] + packing_tolerance && job[1] <= free[1] + packing_tolerance;
}

/// The jobs, in an order, each into the first node from the one that is wanted on that has room.
double first_fit_from(std::span<const item> jobs, std::span<const std::size_t> order,
                      const std::vector<double>& wanted, std::size_t most) {
  std::vector<item> free(most, item{1, 1});
  for (const std::size_t job : order) {
    auto at = static_cast<std::size_t>(wanted.empty() ? 0 : wanted[job]);
    if (at < free.size() && !fits(free[at], jobs[job])) at = 0;
    while (at < free.size() && !fits(free[at], jobs[job])) ++at;
    if (at == free.size()) free.push_back({1, 1});
    for (std::size_t r = 0; r < 2; ++r) free[at][r] -= jobs[job][r];
  }
  std::erase_if(free, [](const item& left) { return left == item{1, 1}; });
  return judged(free);
}

struct packing_problem {
  std::vector<item> jobs;
  std::size_t most = 1;  // nodes
  coding code = coding::nodes;

  pagmo::vector_double fitness(const pagmo::vector_double& candidate) const {
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (code == coding::nodes) return {first_fit_from(jobs, order, candidate, most)};
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return candidate[a] < candidate[b]; });
    return {first_fit_from(jobs, order, {}, 0)};
  }
  [[nodiscard]] pagmo::vector_double::size_type get_nix() const {
    return code == coding::nodes ? jobs.size() : 0;
  }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const double last = code == coding::nodes ? static_cast<double>(most - 1) : 1;
    return {pagmo::vector_double(jobs.size(), 0), pagmo::vector_double(jobs.size(), last)};
  }
};

int genetic_bins(std::span<const item> jobs, coding code, unsigned seed) {
  const int most = pack<2>(jobs, packing_rule::first_fit).bins;
  const packing_problem problem{
      {jobs.begin(), jobs.end()}, static_cast<std::size_t>((std::max)(1, most)), code};
  const pagmo::algorithm search{pagmo::sga(generations, 0.9, 10., 0.05, 1., 2u, "exponential",
                                           code == coding::nodes ? "uniform" : "polynomial",
                                           "tournament", seed)};
  const pagmo::population found = search.evolve(pagmo::population{problem, candidates, seed});
  return static_cast<int>(found.champion_f()[0]) + 1;
}

/// A whole number of eighths of the node's GPUs, and any part of its cores.
std::vector<item> drawn_jobs(random_numbers& random, std::size_t count) {
  constexpr std::array gpus{1, 1, 1, 1, 2, 2, 3, 4};
  std::vector<item> jobs;
  for (std::size_t i = 0; i < count; ++i)
    jobs.push_back({gpus[random.below(gpus.size())] / 8.0, 0.02 + 0.5 * random.uniform()});
  return jobs;
}

struct method {
  const char* name;
  std::function<int(std::span<const item>, unsigned)> bins;
  double nodes = 0;
  int fewest = 0;  // cases in which it found as few as the best of all
  double seconds = 0;
};

std::vector<method> all_methods() {
  const auto rule = [](packing_rule by, packing_order order) {
    return [=](std::span<const item> jobs, unsigned) { return pack<2>(jobs, by, order).bins; };
  };
  const auto genetic = [](coding code) {
    return
        [=](std::span<const item> jobs, unsigned seed) { return genetic_bins(jobs, code, seed); };
  };
  return {{"first fit decreasing", rule(packing_rule::first_fit, packing_order::largest_component)},
          {"first fit", rule(packing_rule::first_fit, packing_order::as_given)},
          {"best fit decreasing", rule(packing_rule::best_fit, packing_order::component_sum)},
          {"dot product", rule(packing_rule::dot_product, packing_order::component_sum)},
          {"norm", rule(packing_rule::norm, packing_order::component_sum)},
          {"genetic, nodes", genetic(coding::nodes)},
          {"genetic, order", genetic(coding::order)},
          {"exact",
           [](std::span<const item> jobs, unsigned) { return fewest_bins<2>(jobs).found.bins; }}};
}

}  // namespace

int main(int count, char** arguments) {
  const int cases = count > 1 ? std::atoi(arguments[1]) : 30;
  if (cases < 1) {
    std::fprintf(stderr, "packing_quality: cases must be >= 1, not '%s'\n", arguments[1]);
    return 2;
  }
  bool proofs_hold = true;
  for (const std::size_t jobs : {12U, 20U, 30U}) {
    random_numbers random{jobs};
    std::vector<method> methods = all_methods();
    int proved = 0;
    for (int each = 0; each < cases; ++each) {
      const std::vector<item> drawn = drawn_jobs(random, jobs);
      static_cast<void>(methods.front().bins(drawn, 1));  // not timed: code and data come to hand
      std::vector<int> found;
      for (method& one : methods) {
        const auto began = std::chrono::steady_clock::now();
        found.push_back(one.bins(drawn, static_cast<unsigned>(each + 1)));
        one.seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        one.nodes += found.back();
      }
      const int least = *std::min_element(found.begin(), found.end());
      const bool proves = fewest_bins<2>(drawn).optimal();
      proofs_hold = proofs_hold && (!proves || found.back() == least);
      proved += proves ? 1 : 0;
      for (std::size_t m = 0; m < methods.size(); ++m) methods[m].fewest += found[m] == least;
    }
    std::printf("%zu jobs, %d cases; proved to be the fewest in %d\n", jobs, cases, proved);
    std::printf("%-22s %7s %9s %9s %11s %9s\n", "method", "nodes", "fewest %", "gap %", "time us",
                "ratio");
    const double best = methods.back().nodes;
    for (const method& one : methods)
      std::printf("%-22s %7.2f %9.0f %9.2f %11.1f %9.1f\n", one.name, one.nodes / cases,
                  100.0 * one.fewest / cases, 100 * (one.nodes / best - 1),
                  1e6 * one.seconds / cases, one.seconds / methods.front().seconds);
    std::printf("\n");
  }
  return proofs_hold ? 0 : 1;
}
