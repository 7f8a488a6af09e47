#include <gpuplan/queue/gang/gang.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/gang/backfill.hpp>
#include <gpuplan/queue/gang/markov.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/replay.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/simulate/saturated.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<gang_class> small_and_large{
    {.gpus = 1, .share = 3, .mean_duration = 1 * hour},
    {.gpus = 4, .share = 1, .mean_duration = 2 * hour, .variability = 3}};

const std::vector<gang_class> one_gpu{{.mean_duration = 2 * hour}};

TEST_CASE("moments of two classes, by hand", "[queue][reference]") {
  const gang_mix mix = mix_of(small_and_large);
  CHECK_THAT(mix.gpus, WithinRel(1.75, 1e-15));
  CHECK_THAT(mix.gpus_squared, WithinRel(4.75, 1e-15));
  CHECK_THAT(mix.duration / hour, WithinRel(1.25, 1e-15));
  CHECK_THAT(mix.work / hour, WithinRel(2.75, 1e-15));
  CHECK_THAT(mix.squared_gpus_duration / hour, WithinRel(8.75, 1e-15));
  CHECK_THAT(mix.squared_work / (hour * hour), WithinRel(65.5, 1e-15));  // 3/4 2 + 1/4 16 4 4
  CHECK(mix.largest == 4);
  CHECK_THAT(mix.peakedness(), WithinRel(8.75 / 2.75, 1e-15));
  CHECK_THAT(mix.variability(), WithinRel(65.5 * 4.75 / (8.75 * 8.75) - 1, 1e-14));
  CHECK(mix_of(one_gpu).peakedness() == 1);
  CHECK(mix_of(one_gpu).variability() == 1);
}

TEST_CASE("classes of a trace", "[queue][reference]") {
  const std::vector<trace_job> jobs{{.submit = 0 * second, .duration = 10 * second, .gpus = 8},
                                    {.submit = 5 * second, .duration = 100 * second},
                                    {.submit = 6 * second, .duration = 300 * second},
                                    {.submit = 7 * second, .duration = 11 * second, .gpus = 8}};
  const std::vector<gang_class> classes = gang_classes(jobs);
  REQUIRE(classes.size() == 2);
  CHECK(classes[0].gpus == 1);
  CHECK(classes[0].share == 0.5);
  CHECK(classes[0].mean_duration == 200 * second);
  CHECK_THAT(classes[0].variability, WithinRel(0.25, 1e-15));
  REQUIRE(classes[0].durations.size() == 2);
  CHECK(classes[0].durations[1].size == 300 * second);
  CHECK(classes[1].gpus == 8);
  REQUIRE(classes[1].durations.size() == 1);  // 10 s and 11 s are about the same
  CHECK(classes[1].durations[0].size == 10.5 * second);
  CHECK(classes[1].durations[0].probability == 1);

  // GPU by GPU and job by job.
  const gang_mix mix = mix_of(classes);
  CHECK_THAT(mix.work / second, WithinRel((80 + 100 + 300 + 88) / 4.0, 1e-15));
  CHECK_THAT(mix.squared_work / (second * second),
             WithinRel((6400 + 10000 + 90000 + 88 * 88) / 4.0, 1e-14));
}

TEST_CASE("what still runs", "[queue][reference]") {
  CHECK_THAT(still_running(one_gpu[0], 3 * hour), WithinRel(std::exp(-1.5), 1e-15));
  const gang_class fixed{.mean_duration = 2 * hour, .variability = 0};
  CHECK(still_running(fixed, 0.5 * hour) == 0.75);
  CHECK(still_running(fixed, 2 * hour) == 0);
  gang_class measured{.mean_duration = 2 * hour};
  measured.durations = {{1 * hour, 0.5}, {3 * hour, 0.5}};
  CHECK_THAT(still_running(measured, 0 * hour), WithinRel(1, 1e-15));
  CHECK_THAT(still_running(measured, 2 * hour), WithinRel(0.25, 1e-15));
  CHECK(still_running(measured, 3 * hour) == 0);
}

TEST_CASE("what has ended", "[queue][reference]") {
  CHECK_THAT(ended_within(one_gpu[0], 3 * hour), WithinRel(1 - std::exp(-1.5), 1e-15));
  const gang_class fixed{.mean_duration = 2 * hour, .variability = 0};
  CHECK(ended_within(fixed, 1.99 * hour) == 0);
  CHECK(ended_within(fixed, 2 * hour) == 1);
  gang_class measured{.mean_duration = 2 * hour};
  measured.durations = {{1 * hour, 0.5}, {3 * hour, 0.5}};
  CHECK(ended_within(measured, 2 * hour) == 0.5);
  CHECK(ended_within({.mean_duration = 0 * hour}, 0 * hour) == 1);
}

TEST_CASE("what still runs has the moments of the class", "[queue][property]") {
  // int P(still) dt = E S^2 / 2 E S
  const double variability = GENERATE(0.0, 0.3, 1.0, 1.01, 7.0);
  const gang_class jobs{.mean_duration = 1 * second, .variability = variability};
  double integral = 0;
  const double step = 0.01;
  for (double t = step / 2; t < 200; t += step) integral += step * still_running(jobs, t * second);
  CHECK_THAT(integral, WithinRel((1 + variability) / 2, 1e-4));
  // d/dt P(still) = -P(S > t) / E S
  for (const double t : {0.1, 0.6, 1.5}) {
    const double slope =
        (still_running(jobs, (t + 1e-6) * second) - still_running(jobs, (t - 1e-6) * second)) /
        2e-6;
    CHECK(std::abs(1 + slope - ended_within(jobs, t * second)) <= 1e-8);
  }

  const std::vector<gang_class> classes{jobs};
  const drawn_gangs source{classes};
  random_numbers random{5};
  double sum = 0;
  double squares = 0;
  constexpr int draws = 200000;
  for (int i = 0; i < draws; ++i) {
    const double duration = source(random).duration / second;
    sum += duration / draws;
    squares += duration * duration / draws;
  }
  CHECK_THAT(sum, WithinRel(1, 0.02));
  CHECK_THAT(squares, WithinRel(1 + variability, 0.06));
}

TEST_CASE("gangs are drawn by their shares", "[queue][property]") {
  std::vector<gang_class> classes = small_and_large;
  classes[1].durations = {{1 * hour, 0.5}, {3 * hour, 0.5}};
  const drawn_gangs source{classes};
  random_numbers random{1};
  int large = 0;
  int longer = 0;
  for (int i = 0; i < 40000; ++i) {
    const trace_job job = source(random);
    if (job.gpus == 4) ++large;
    if (job.gpus == 4 && job.duration == 3 * hour) ++longer;
  }
  CHECK(std::abs(large - 10000) < 300);
  CHECK(std::abs(longer - 5000) < 250);
}

TEST_CASE("the most that a pool takes", "[queue][reference]") {
  // One or eight GPUs on eight: I. Grosof et al. (2020) and by hand for 1 and 2 on 2, where N is 2
  // for 1, 1 and else 1: E 1/N = 1 - p^2/2.
  const std::vector<gang_class> pair{{.gpus = 1, .share = 0.6}, {.gpus = 2, .share = 0.4}};
  CHECK_THAT(saturation_rate(pair, 2, 1 * second) * second, WithinRel(1 / (1 - 0.18), 1e-15));
  CHECK_THAT(saturation_rate(one_gpu, 24, 2 * hour) * hour, WithinRel(12, 1e-14));
  CHECK(saturation_rate(pair, 1, 1 * second) == 0 / second);
}

TEST_CASE("the most that a pool takes, in two exact ways and by simulation", "[queue][property]") {
  const int gpus = GENERATE(4, 7, 16);
  std::vector<gang_class> classes = small_and_large;
  classes.push_back({.gpus = 3, .share = 1, .mean_duration = 1 * hour});
  for (gang_class& jobs : classes) jobs.mean_duration = 1 * hour;
  const saturation exact = exact_saturation(classes, gpus);
  CHECK_THAT(exact.rate * hour, WithinRel(saturation_rate(classes, gpus, 1 * hour) * hour, 1e-10));
  const gang_mix mix = mix_of(classes);
  CHECK_THAT(exact.busy, WithinRel(exact.rate * mix.work, 1e-10));

  classes[1].variability = 1;
  const saturation run =
      saturation_of(saturated_run(drawn_gangs{classes}, mix.work, gpus, {.jobs = 100000}));
  CHECK_THAT(run.rate * hour, WithinRel(exact.rate * hour, 0.02));
  CHECK_THAT(run.dispersion, WithinRel(exact.dispersion, 0.4));
}

TEST_CASE("GPUs that are all busy are a whole number", "[queue][limits]") {
  saturated_throughput run;
  run.busy_gpus.mean = 335.9999999999999;
  CHECK(saturation_of(run).busy == 336);
  run.busy_gpus.mean = 336.00000000000006;
  CHECK(saturation_of(run).busy == 336);
  run.busy_gpus.mean = 335.9999;
  CHECK(saturation_of(run).busy == 335.9999);
}

TEST_CASE("jobs of one GPU leave as they come", "[queue][limits]") {
  const saturation limit = exact_saturation(one_gpu, 12);
  CHECK_THAT(limit.rate * hour, WithinRel(6, 1e-12));
  CHECK_THAT(limit.busy, WithinRel(12, 1e-12));
  CHECK_THAT(limit.dispersion, WithinRel(1, 1e-9));
  CHECK(exact_saturation(small_and_large, 3).rate == 0 / second);
}

TEST_CASE("gangs of one GPU are M/M/c", "[queue][limits]") {
  const int gpus = GENERATE(1, 8, 300);
  const double load = GENERATE(0.2, 0.8, 0.98);
  const gang_workload jobs{load * gpus / (2 * hour), one_gpu, gpus};
  const saturation limit{gpus / (2 * hour), static_cast<double>(gpus), 1};
  const gang_waiting got = gang_wait(jobs, limit);
  const waiting exact = wait({jobs.arrival_rate, 2 * hour, gpus});
  CHECK_THAT(got.wait.probability, WithinRel(exact.probability, 1e-5));
  CHECK_THAT(got.wait.mean / hour, WithinRel(exact.mean / hour, 1e-5));
  CHECK_THAT(got.load(), WithinRel(load, 1e-14));
  CHECK(got.peakedness == 1);
  CHECK(got.wait.mean_service == 2 * hour);

  const first_delay first = first_delay_of(jobs);
  CHECK_THAT(first.probability, WithinRel(erlang_b(gpus, load * gpus), 1e-11));
  CHECK_THAT(first.mean / hour, WithinRel(2.0 / gpus, 1e-5));
  CHECK_THAT(first.residual / hour, WithinRel(2.0 / gpus, 1e-5));
  CHECK_THAT(first.busy, WithinRel(gpus, 1e-12));
  CHECK_THAT(first.shorter, WithinRel(1.0 / (1 + gpus), 1e-5));  // of two exponentials
}

TEST_CASE("gangs of equal size are M/M/c of fewer", "[queue][limits]") {
  const std::vector<gang_class> eights{{.gpus = 8, .mean_duration = 2 * hour}};
  const gang_workload jobs{8 / hour, eights, 160};
  const gang_waiting got = gang_wait(jobs, exact_saturation(eights, 160));
  const waiting exact = wait({8 / hour, 2 * hour, 20});
  CHECK_THAT(got.wait.probability, WithinRel(exact.probability, 1e-5));
  CHECK_THAT(got.wait.mean / hour, WithinRel(exact.mean / hour, 1e-5));
}

TEST_CASE("more jobs wait longer, more GPUs help", "[queue][property]") {
  const auto wait_at = [](double rate, int gpus) {
    return gang_wait({rate / hour, small_and_large, gpus}, exact_saturation(small_and_large, gpus))
        .wait;
  };
  CHECK(wait_at(4, 24).mean > wait_at(3, 24).mean);
  CHECK(wait_at(4, 24).probability > wait_at(3, 24).probability);
  CHECK(wait_at(4, 26).mean < wait_at(4, 24).mean);
  CHECK(wait_at(4, 26).probability < wait_at(4, 24).probability);
  CHECK(wait_at(0, 24).mean == 0 * second);
  CHECK(wait_at(0, 24).probability == 0);
}

TEST_CASE("what no pool can take waits for ever", "[queue][limits]") {
  const auto overload = [](double rate, int gpus) {
    const gang_waiting got =
        gang_wait({rate / hour, small_and_large, gpus}, exact_saturation(small_and_large, gpus));
    return got.trust == gang_trust::overload && !got.wait.stable() && got.wait.probability == 1;
  };
  CHECK_FALSE(overload(4, 24));
  CHECK(overload(9, 24));
  CHECK(overload(0.1, 3));  // a job of four GPUs never starts, nor do those behind it
}

TEST_CASE("backfilling helps, and most the small", "[queue][property]") {
  const gang_workload jobs{5 / hour, small_and_large, 24};
  const saturation limit = exact_saturation(small_and_large, 24);
  const gang_waiting none = gang_wait(jobs, limit, backfilling::none);
  const gang_waiting easy = gang_wait(jobs, limit, backfilling::easy);
  const gang_waiting first = gang_wait(jobs, limit, backfilling::first_fit);
  CHECK(none.wait.mean == gang_wait(jobs, limit).wait.mean);
  CHECK(easy.wait.mean < none.wait.mean);
  CHECK(first.wait.mean < easy.wait.mean);
  CHECK(easy.wait.probability < none.wait.probability);
  CHECK(first.wait.probability < easy.wait.probability);
  CHECK(easy.trust == gang_trust::backfilled);
  CHECK(gang_wait(jobs, limit, backfilling::conservative).wait.mean == easy.wait.mean);

  // E b / Z = 1.75 2.75 / 8.75 of the wait in a pool that idles for none.
  const gang_waiting whole =
      gang_wait(jobs, {.rate = 24 / (2.75 * hour), .busy = 24, .dispersion = limit.dispersion});
  CHECK_THAT(first.wait.mean / whole.wait.mean, WithinRel(0.55, 1e-12));
  CHECK_THAT(first.wait.probability / whole.wait.probability, WithinRel(std::sqrt(0.55), 1e-12));
  const double ahead = first_delay_of(jobs).shorter;
  CHECK_THAT(easy.wait.mean / whole.wait.mean, WithinRel(1 - 0.45 * ahead, 1e-12));

  // Jobs of one size let nobody go ahead who would gain by it.
  const gang_workload ones{10 / hour, one_gpu, 24};
  const saturation all{12 / hour, 24, 1};
  CHECK(gang_wait(ones, all, backfilling::first_fit).wait.mean == gang_wait(ones, all).wait.mean);
}

TEST_CASE("backfilling takes more than the order of arrival", "[queue][limits]") {
  const saturation limit = exact_saturation(small_and_large, 5);
  const gang_workload jobs{1.02 * limit.rate, small_and_large, 5};
  CHECK_FALSE(gang_wait(jobs, limit).wait.stable());
  CHECK(gang_wait(jobs, limit, backfilling::easy).wait.stable());
  const gang_workload more{5 / (2.75 * hour), small_and_large, 5};
  CHECK(gang_wait(more, limit, backfilling::first_fit).trust == gang_trust::overload);
}

TEST_CASE("large jobs and heavy tails are flagged", "[queue][reference]") {
  const auto trust = [](int gpus) {
    return gang_wait({1 / hour, small_and_large, gpus}, exact_saturation(small_and_large, gpus))
        .trust;
  };
  CHECK(trust(12) == gang_trust::stated);
  CHECK(trust(11) == gang_trust::large_jobs);

  const auto trust_of = [](double variability) {
    const std::vector<gang_class> jobs{
        {.gpus = 1, .mean_duration = 1 * hour, .variability = variability},
        {.gpus = 2, .mean_duration = 1 * hour, .variability = variability}};
    return gang_wait({2 / hour, jobs, 8}, {5 / hour, 7.5, variability}).trust;
  };
  CHECK(trust_of(26) == gang_trust::stated);  // E w^2 / (E w)^2 = (1 + v) 2.5 / 2.25
  CHECK(trust_of(28) == gang_trust::heavy_tail);
}

TEST_CASE("jobs that come in bursts are flagged", "[queue][reference]") {
  const gang_workload jobs{4 / hour, small_and_large, 24};
  const saturation limit = exact_saturation(small_and_large, 24);
  const gang_waiting random = gang_wait(jobs, limit);
  endless_pool pool{.mean = 11,
                    .variance = 40,
                    .steady_mean = 11,
                    .steady_variance = 1.25 * 11 * random.peakedness,
                    .needed = {5, 9, 24, 30}};
  const gang_waiting steady = replay_wait(pool, jobs, limit);
  CHECK(steady.trust == gang_trust::stated);
  CHECK(steady.peakedness == pool.peakedness());
  CHECK(steady.wait.probability == replay_wait_probability(0.25, 24 / random.peakedness));
  CHECK_THAT(steady.wait.mean / steady.wait.probability / second,
             WithinRel(random.wait.mean / random.wait.probability / second, 1e-12));
  pool.steady_variance *= 1.01;
  CHECK(replay_wait(pool, jobs, limit).trust == gang_trust::drifting);

  const gang_waiting none = replay_wait(pool, {0 / hour, small_and_large, 24}, limit);
  CHECK(none.wait.mean == 0 * second);
  const gang_waiting overload = replay_wait(pool, {20 / hour, small_and_large, 24}, limit);
  CHECK(overload.trust == gang_trust::overload);
  CHECK_FALSE(overload.wait.stable());
  CHECK(overload.wait.probability < 1);
}

TEST_CASE("gangs refuse what is none", "[queue][errors]") {
  const auto mix = [](gang_class jobs) { return mix_of(std::vector<gang_class>{jobs}); };
  CHECK_THROWS_WITH(mix_of({}), "gangs: classes must be >= 1");
  CHECK_THROWS_WITH(mix({.gpus = 0}), "gang_class.gpus must be >= 1");
  CHECK_THROWS_WITH(mix({.share = nan}), "gang_class.share must be > 0");
  CHECK_THROWS_WITH(mix({.share = 0}), "gang_class.share must be > 0");
  for (const seconds duration :
       {-1 * hour, std::numeric_limits<double>::infinity() * hour, nan * hour})
    CHECK_THROWS_WITH(mix({.mean_duration = duration}),
                      "gang_class.mean_duration must be >= 0 s and finite");
  for (const double variability : {nan, -1.0, 1e15})
    CHECK_THROWS_WITH(mix({.variability = variability}),
                      "gang_class.variability must be >= 0 and < 1e15");
  CHECK_THROWS_WITH(gang_classes({}), "gang_classes: jobs must be >= 1");
  CHECK_THROWS_WITH(gang_classes(std::vector<trace_job>{{.gpus = 1LL << 31}}),
                    "gang_classes: gpus must be <= 2147483647");
  CHECK_THROWS_WITH(still_running(one_gpu[0], nan * hour), "still_running: t must be >= 0 s");
  CHECK_THROWS_WITH(ended_within(one_gpu[0], nan * hour), "ended_within: t must be >= 0 s");
  CHECK_THROWS_WITH(gang_wait({1 / hour, one_gpu, 0}, {}, backfilling::easy),
                    "gang_workload.gpus must be >= 1");
  CHECK_THROWS_WITH(saturation_rate(one_gpu, 0, 1 * hour), "saturation_rate: gpus must be >= 1");
  CHECK_THROWS_WITH(saturation_rate(one_gpu, 1, nan * hour),
                    "saturation_rate: mean_duration must be > 0 s");
  CHECK_THROWS_WITH(exact_saturation(std::vector<gang_class>{{}}, 1),
                    "exact_saturation: mean_duration must be > 0 s");
  CHECK_THROWS_WITH(exact_saturation(one_gpu, (std::numeric_limits<int>::max)()),
                    "exact_saturation: ways to fill the pool must be <= 3000000");
  CHECK_THROWS_WITH(exact_saturation(small_and_large, 4000),
                    "exact_saturation: states must be <= 1000");
  CHECK_THROWS_WITH(gang_wait({nan / hour, one_gpu, 1}, {}),
                    "gang_workload.arrival_rate must be >= 0 /s and finite");
  CHECK_THROWS_WITH(gang_wait({1 / hour, one_gpu, 0}, {}), "gang_workload.gpus must be >= 1");
  CHECK_THROWS_WITH(gang_wait({1 / hour, one_gpu, 1}, {nan / hour, 1, 1}),
                    "saturation.rate must be >= 0 /s");
  CHECK_THROWS_WITH(gang_wait({1 / hour, one_gpu, 1}, {1 / hour, nan, 1}),
                    "saturation.busy must be >= 0");
  CHECK_THROWS_WITH(gang_wait({1 / hour, one_gpu, 1}, {1 / hour, 1.5, 1}),
                    "gang_wait: limit.busy must be <= gpus");
  CHECK_THROWS_WITH(gang_wait({1 / hour, one_gpu, 1}, {1 / hour, 1, nan}),
                    "saturation.dispersion must be >= 0");
  CHECK_THROWS_WITH(first_delay_of({1 / hour, small_and_large, 3}),
                    "first_delay_of: gpus of a job must be <= those of the pool");
}

}  // namespace
}  // namespace gpuplan
