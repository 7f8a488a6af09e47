#include <gpuplan/queue/gang/arriving_gang.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/gamma_wait.hpp>
#include <gpuplan/queue/gang/backfill.hpp>
#include <gpuplan/queue/gang/markov.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/simulate/job_source.hpp>
#include <gpuplan/simulate/saturated.hpp>
#include <gpuplan/simulate/simulate.hpp>

#include "queue/gang/errors.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::factor_off;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<gang_class> one_gpu{{.mean_duration = 2 * hour}};
const std::vector<gang_class> small_and_large{
    {.gpus = 1, .share = 3, .mean_duration = 1 * hour},
    {.gpus = 4, .share = 1, .mean_duration = 2 * hour, .variability = 3}};

/// The order of arrival on GPUs that jobs of one GPU keep busy.
saturation all_of(int gpus) {
  return {gpus / (2 * hour), static_cast<double>(gpus), 1};
}

TEST_CASE("gangs on an M/M/2 queue, by hand", "[queue][reference]") {
  // a = 1 of c = 2: states 1/3, 1/3, 1/6, ...; two GPUs that end, together, after 3/2 S.  A gang of
  // two waits S with one job there, 3/2 S with two, and (n - 2) S/2 + 3/2 S behind a queue: S.
  const gang_workload jobs{0.5 / hour, one_gpu, 2};
  const std::vector<int> sizes{1, 2};
  const std::vector<head_delay> head = head_delays(jobs, sizes);
  CHECK_THAT(head[0].probability, WithinRel(0.2, 1e-12));
  CHECK_THAT(head[1].probability, WithinRel(0.6, 1e-12));
  CHECK_THAT(head[0].mean / hour, WithinRel(0.2, 1e-5));
  CHECK_THAT(head[1].mean / hour, WithinRel(1.4, 1e-5));
  // 2 S^2 with one job there, 7/2 S^2 with two.
  CHECK_THAT(head[0].square / (hour * hour), WithinRel(0.4, 1e-5));
  CHECK_THAT(head[1].square / (hour * hour), WithinRel(6, 1e-5));
  const arriving_gangs found = arriving_gang_waits(jobs, all_of(2), sizes);
  CHECK_THAT(found.waits[0].mean() / hour, WithinRel(2.0 / 3, 1e-5));
  CHECK_THAT(found.waits[1].mean() / hour, WithinRel(2, 1e-4));
  CHECK_THAT(found.waits[1].probability, WithinRel(2.0 / 3, 1e-6));
  // E W^2 = (1/3) 2 S^2 + (1/6) 7/2 S^2 + (1/6) (2 + 3 + 7/2) S^2 = 8/3 S^2, of P = 2/3 and E W = S.
  CHECK_THAT(found.waits[0].conditional_variability, WithinRel(1, 1e-4));
  CHECK_THAT(found.waits[1].conditional_variability, WithinRel(7.0 / 9, 1e-3));
}

/// Waits of a gang of a whole M/M/c, drawn by Wolff's rule: the jobs that it finds, one by one.
std::vector<double> drawn_waits_of_pool(int gpus, double load, int draws) {
  random_numbers random{11};
  const double queue = erlang_c(gpus, load);
  const auto duration = [&](double rate) { return -std::log(1 - random.uniform()) / rate; };
  std::vector<double> waits;
  for (int i = 0; i < draws; ++i) {
    double wait = 0;
    int busy = gpus;
    if (random.uniform() < queue) {
      while (random.uniform() < load / gpus) wait += duration(gpus);
    } else {
      double share = random.uniform();
      double all = 0;
      double mass = 1;
      for (int n = 0; n < gpus; mass *= load / ++n) all += mass;
      mass = 1 / all;
      for (busy = 0; (share -= mass) > 0 && busy < gpus - 1; mass *= load / ++busy) continue;
    }
    for (; busy > 0; --busy) wait += duration(busy);
    waits.push_back(wait);
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

TEST_CASE("percentiles of the wait for a whole pool are those of draws", "[queue][reference]") {
  const double load = GENERATE(20.0, 40.0, 60.0);
  const int gpus = 64;
  const std::vector<double> drawn = drawn_waits_of_pool(gpus, load, 20000);
  const gang_workload jobs{load / (2 * hour), one_gpu, gpus};
  const std::vector<int> sizes{gpus};
  const gamma_wait_law found = arriving_gang_waits(jobs, all_of(gpus), sizes).waits[0];
  for (const double q : {0.05, 0.5, 0.95}) {
    const double by_draws = 2 * drawn[static_cast<std::size_t>(q * 20000)];
    INFO("load " << load << ", q " << q << ": " << by_draws << " h drawn");
    CHECK_THAT(found.percentile(q) / hour, WithinRel(by_draws, 0.08));
  }
}

TEST_CASE("equal jobs leave a pool within their duration", "[queue][property]") {
  const std::vector<gang_class> equal{{.mean_duration = 10 * hour, .variability = 0}};
  const std::vector<int> sizes{64};
  const gamma_wait_law found =
      arriving_gang_waits({4 / hour, equal, 64}, {6.4 / hour, 64, 0}, sizes).waits[0];
  CHECK(found.percentile(0.05) > 9 * hour);
  CHECK(found.percentile(0.95) < 10.5 * hour);
}

TEST_CASE("a gang of one GPU among jobs of one GPU waits as in M/M/c", "[queue][limits]") {
  const int gpus = GENERATE(1, 8, 300);
  const double load = GENERATE(0.3, 0.8, 0.97);
  const gang_workload jobs{load * gpus / (2 * hour), one_gpu, gpus};
  const std::vector<int> sizes{1};
  const arriving_gangs found = arriving_gang_waits(jobs, all_of(gpus), sizes);
  const waiting exact = wait({jobs.arrival_rate, 2 * hour, gpus});
  CHECK_THAT(found.waits[0].probability, WithinRel(exact.probability, 1e-5));
  CHECK_THAT(found.waits[0].mean() / hour, WithinRel(exact.mean / hour, 1e-4));
}

TEST_CASE("a whole pool is waited for as long as its longest job takes", "[queue][limits]") {
  // E max of N exponentials of mean S, N Poisson of 1: S sum P(N >= n) / n; nobody comes meanwhile.
  const gang_workload jobs{0.5 / hour, one_gpu, 60};
  double tail = 1 - std::exp(-1);
  double mass = std::exp(-1);
  double expected = 0;
  for (int n = 1; n < 30; ++n) {
    expected += 2 * tail / n;
    mass /= n;
    tail -= mass;
  }
  const std::vector<int> sizes{60};
  CHECK_THAT(head_delays(jobs, sizes)[0].mean / hour, WithinRel(expected, 1e-4));
}

TEST_CASE("larger gangs and fuller pools wait longer", "[queue][property]") {
  const auto policy = GENERATE(backfilling::none, backfilling::easy, backfilling::conservative);
  const std::vector<int> sizes{1, 2, 3, 6, 12, 24};
  const saturation limit = exact_saturation(small_and_large, 24);
  std::vector<seconds> before(sizes.size());
  for (const double rate : {0.5, 2.0, 4.0, 6.0, 7.5}) {
    const arriving_gangs found =
        arriving_gang_waits({rate / hour, small_and_large, 24}, limit, sizes, policy);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const gamma_wait_law& wait = found.waits[i];
      CHECK(wait.mean() > before[i]);
      CHECK((wait.probability > 0 && wait.probability <= 1));
      if (i > 0) CHECK(wait.mean() > found.waits[i - 1].mean());
      if (i > 0) CHECK(wait.probability >= found.waits[i - 1].probability);
      before[i] = wait.mean();
    }
  }
}

TEST_CASE("large pools have waits, too", "[queue][limits]") {
  const std::vector<gang_class> classes{{.gpus = 1, .share = 5, .mean_duration = 12 * hour},
                                        {.gpus = 8, .share = 4, .mean_duration = 12 * hour},
                                        {.gpus = 32, .share = 1, .mean_duration = 12 * hour}};
  constexpr int gpus = 8000;
  const double load = GENERATE(0.2, 0.9, 0.99);
  const saturation limit{gpus * 0.998 / mix_of(classes).work, gpus * 0.998, 1};
  const std::vector<int> sizes{8, 64, 1024, 4096, gpus};
  const arriving_gangs found =
      arriving_gang_waits({load * limit.rate, classes, gpus}, limit, sizes);
  seconds before{0};
  for (const gamma_wait_law& wait : found.waits) {
    CHECK(isfinite(wait.mean()));
    CHECK(wait.mean() >= before);
    before = wait.mean();
  }
  CHECK(before > 12 * hour);
}

TEST_CASE("backfill uses half of what idles", "[queue][property]") {
  const saturation limit = exact_saturation(small_and_large, 24);
  const gang_workload jobs{5 / hour, small_and_large, 24};
  const saturation filled = backfilled_saturation(jobs, limit);
  CHECK_THAT(filled.busy, WithinRel((limit.busy + 24) / 2, 1e-14));
  CHECK_THAT(filled.rate * hour, WithinRel(filled.busy / 2.75, 1e-14));
  const std::vector<int> sizes{8};
  const seconds in_order = arriving_gang_waits(jobs, limit, sizes).waits[0].mean();
  CHECK(arriving_gang_waits(jobs, limit, sizes, backfilling::easy).waits[0].mean() < in_order);
  // Between the two an order of arrival has no end of its queue.
  const gang_workload more{1.01 * limit.rate, small_and_large, 24};
  CHECK_FALSE(isfinite(arriving_gang_waits(more, limit, sizes).waits[0].mean()));
  CHECK(isfinite(arriving_gang_waits(more, limit, sizes, backfilling::easy).waits[0].mean()));
}

TEST_CASE("pools without end, and without jobs", "[queue][limits]") {
  const std::vector<int> sizes{1, 24};
  const saturation limit = exact_saturation(small_and_large, 24);
  const arriving_gangs over = arriving_gang_waits({9 / hour, small_and_large, 24}, limit, sizes);
  CHECK(over.jobs.trust == gang_trust::overload);
  for (const gamma_wait_law& wait : over.waits) {
    CHECK(wait.probability == 1);
    CHECK(wait.mean() == std::numeric_limits<double>::infinity() * hour);
  }
  const arriving_gangs none = arriving_gang_waits({0 / hour, small_and_large, 24}, limit, sizes);
  for (const gamma_wait_law& wait : none.waits) CHECK(wait.mean() == 0 * hour);
  CHECK(none.waits[1].probability == 0);
}

/// A pool of jobs that come at random, and sizes of gangs that come to it.
struct random_case {
  std::string name;
  int gpus;
  std::vector<gang_class> classes;
  std::vector<int> sizes;
};

std::vector<random_case> cases_of(double variability) {
  const auto jobs = [&](int gpus, double share, double hours) {
    return gang_class{
        .gpus = gpus, .share = share, .mean_duration = hours * hour, .variability = variability};
  };
  return {{"ones", 64, {jobs(1, 1, 1)}, {16, 32, 64}},
          {"1 and 8", 64, {jobs(1, 0.7, 1), jobs(8, 0.3, 1)}, {8, 16, 32, 64}},
          {"1 to 16",
           256,
           {jobs(1, 0.5, 1), jobs(4, 0.2, 2), jobs(8, 0.2, 3), jobs(16, 0.1, 5)},
           {16, 64, 128, 256}},
          {"8 to 128",
           512,
           {jobs(8, 0.6, 10), jobs(16, 0.2, 10), jobs(32, 0.15, 10), jobs(128, 0.05, 10)},
           {8, 64, 128, 256, 512}}};
}

/// Mean wait, and the share that waits, of a long gang put once into each of many runs.
waiting simulated_wait(const random_case& of, per_second rate, int size, backfilling backfill) {
  const int runs = backfill == backfilling::none ? 150 : 60;
  constexpr std::ptrdiff_t jobs = 2500;
  random_numbers random{11};
  waiting found;
  for (int run = 0; run < runs; ++run) {
    random_numbers stream = random;
    random.jump();
    std::vector<trace_job> all(static_cast<std::size_t>(2 * jobs));
    fill_with_poisson_jobs(std::span<trace_job>{all}, drawn_gangs{of.classes}, rate, stream);
    const seconds middle = all[static_cast<std::size_t>(jobs)].submit;
    if (backfill == backfilling::none) all.resize(static_cast<std::size_t>(jobs));
    all.insert(all.begin() + jobs, {.submit = middle, .duration = 1e4 * hour, .gpus = size});
    std::vector<simulated_job> each(all.size());
    simulate(all, of.gpus, {.backfill = backfill}, each);
    const seconds wait = each[static_cast<std::size_t>(jobs)].wait;
    found.mean += wait / runs;
    found.probability += wait > seconds{0} ? 1.0 / runs : 0;
  }
  return found;
}

TEST_CASE("waits by formula are near the simulated ones", "[queue][reference][long]") {
  // Documented: 1.11 in the order of arrival, 1.13 under EASY, whole pools 1.05 and 1.07, the worst
  // 1.9.  Chance of the runs is a part of these.
  const auto backfill = GENERATE(backfilling::none, backfilling::easy);
  factor_off all;
  factor_off whole;
  double worst = 0;
  for (const double variability : {0.0, 1.0, 5.0})
    for (const random_case& of : cases_of(variability)) {
      const saturation limit = saturation_of(saturated_run(
          drawn_gangs{of.classes}, mix_of(of.classes).work, of.gpus, {.jobs = 100000}));
      for (const double load : {0.6, 0.9}) {
        const gang_workload jobs{load * limit.rate, of.classes, of.gpus};
        const arriving_gangs found = arriving_gang_waits(jobs, limit, of.sizes, backfill);
        for (std::size_t i = 0; i < of.sizes.size(); ++i) {
          const waiting simulated = simulated_wait(of, jobs.arrival_rate, of.sizes[i], backfill);
          if (simulated.probability < 0.1) continue;
          const double got = found.waits[i].mean() / hour;
          const double want = simulated.mean / hour;
          INFO(of.name << ", variability " << variability << ", load " << load << ", size "
                       << of.sizes[i] << ": " << got << " h, simulated " << want << " h");
          all.add(got, want);
          if (of.sizes[i] == of.gpus) whole.add(got, want);
          worst = (std::max)(worst, std::abs(std::log(got / want)));
          CHECK(std::abs(found.waits[i].probability - simulated.probability) < 0.25);
        }
      }
    }
  INFO("factor " << all.value() << " of " << all.rows << ", whole pools " << whole.value()
                 << ", worst " << std::exp(worst));
  CHECK(all.rows > 60);
  CHECK(all.value() < 1.15);
  CHECK(whole.value() < 1.08);
  CHECK(worst < std::log(2.2));
}

TEST_CASE("arriving gangs refuse what is none", "[queue][errors]") {
  const gang_workload jobs{0.5 / hour, one_gpu, 2};
  const auto of = [&](std::vector<int> sizes) { return head_delays(jobs, sizes); };
  CHECK_THROWS_WITH(of({}), "head_delays: sizes must be >= 1");
  for (const int size : {0, 3, -1})
    CHECK_THROWS_WITH(of({1, size}),
                      "head_delays: each size must be from 1 to the gpus of the pool");
  const std::vector<int> sizes{1};
  CHECK_THROWS_WITH(head_delays({nan / hour, one_gpu, 2}, sizes),
                    "gang_workload.arrival_rate must be >= 0 /s and finite");
  CHECK_THROWS_WITH(arriving_gang_waits(jobs, all_of(2), sizes, backfilling::first_fit),
                    "arriving_gang_waits: backfill must be none, easy or conservative");
  CHECK_THROWS_WITH(backfilled_saturation(jobs, {.rate = nan / hour}),
                    "saturation.rate must be >= 0 /s");
}

}  // namespace
}  // namespace gpuplan
