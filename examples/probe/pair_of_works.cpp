#include "pair_of_works.hpp"

#include <algorithm>

namespace gpuplan::probe {

void measure_pair(part& p, const timed_work& first, const timed_work& second) {
  sampling how = p.how();
  how.samples = 9;
  how.length = seconds{3e-3};
  how.most_works = 40;
  const timing first_alone = first.watch.measure(first.work, how);
  const timing second_alone = second.watch.measure(second.work, how);
  if (first_alone.empty() || second_alone.empty()) {
    p.leave_out("no time", first.name + " beside " + second.name);
    return;
  }
  // Twice as much of the other as takes the same time alone, so that it does not end first; not
  // thousands, which would not be queued.
  const double ratio = first_alone.time().median / second_alone.time().median;
  const double most = 10;
  const auto enough = [&](double each) { return std::min(2 * each + 0.1, most); };
  const timing first_beside = first.watch.measure_beside(first.work, second.work, enough(ratio),
                                                         second.watch.stream(), how);
  const timing second_beside = second.watch.measure_beside(
      second.work, first.work, enough(1 / ratio), first.watch.stream(), how);
  if (first_beside.empty() || second_beside.empty()) {
    p.leave_out("no time", first.name + " beside " + second.name);
    return;
  }
  p.device().contention.push_back({.first = first.name,
                                   .second = second.name,
                                   .first_alone = first_alone.time(),
                                   .second_alone = second_alone.time(),
                                   .first_beside = first_beside.time(),
                                   .second_beside = second_beside.time()});
}

}  // namespace gpuplan::probe
