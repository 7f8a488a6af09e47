#pragma once
/// \file
/// Jobs that wait for a node, most urgent first, while time passes.

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <gpuplan/placement/job_order.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// The line in the order of urgency. A job changes its place only when it comes to another class,
/// so each is looked at again then, and a step costs the logarithm of the length.
class waiting_line {
 public:
  explicit waiting_line(seconds ageing) : ageing_{ageing} {}

  [[nodiscard]] bool empty() const { return line_.empty(); }

  void add(std::size_t number, const waiting_job& job, seconds now) {
    waiting_.insert_or_assign(number, job);
    put(number, job, now);
  }
  void remove(std::size_t number) {
    const auto here = waiting_.find(number);
    line_.erase(line_.find(key_of(number, here->second)));
    waiting_.erase(here);
    classes_.erase(number);
  }

  /// Numbers from the most urgent on.
  template <class Use>
  void each(seconds now, const Use& use) {
    age(now);
    for (const key& one : line_)
      if (!use(one.number)) return;
  }

 private:
  struct key {
    double minus_class = 0;
    double due = 0;  // s, the latest start; slack falls alike for all
    int minus_gpus = 0;
    double submit = 0;  // s
    std::size_t number = 0;
    auto operator<=>(const key&) const = default;
  };

  [[nodiscard]] key key_of(std::size_t number, const waiting_job& job) const {
    return {-classes_.at(number), slack_of(job, seconds{0}).in_base_units(), -job.gpus,
            job.submit.in_base_units(), number};
  }

  void put(std::size_t number, const waiting_job& job, seconds now) {
    const double reached = aged_priority(job, now, ageing_);
    classes_.insert_or_assign(number, reached);
    line_.insert(key_of(number, job));
    const seconds next = job.submit + (reached - job.priority + 1) * ageing_;
    if (next > now && isfinite(next)) changes_.emplace(next.in_base_units(), number);
  }

  void age(seconds now) {
    while (!changes_.empty() && changes_.top().first <= now.in_base_units()) {
      const std::size_t number = changes_.top().second;
      changes_.pop();
      const auto here = waiting_.find(number);
      if (here == waiting_.end()) continue;
      line_.erase(key_of(number, here->second));
      put(number, here->second, now);
    }
  }

  using change = std::pair<double, std::size_t>;
  seconds ageing_;
  std::set<key> line_{};
  std::map<std::size_t, waiting_job> waiting_{};
  std::map<std::size_t, double> classes_{};
  std::priority_queue<change, std::vector<change>, std::greater<>> changes_{};
};

}  // namespace gpuplan::detail
