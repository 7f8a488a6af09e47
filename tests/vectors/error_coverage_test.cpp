#include "accuracy/error_coverage.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "accuracy/speed_files.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

using testing::load_vectors;

/// The errors of these rows with the constants and the table that the library has.
const std::vector<residual>& errors_of_rows() {
  static const std::vector<residual> all = [] {
    const nlohmann::json checks = load_vectors("published_checks");
    const nlohmann::json entries = load_vectors("published");
    const nlohmann::json runs = load_vectors("measured_runs");
    const nlohmann::json b200 = load_vectors("measured_steps_b200");
    const nlohmann::json memory = load_vectors("measured_memory");
    const speed_runs speed = read_speed_runs({.checks = checks,
                                              .published = entries,
                                              .runs = runs,
                                              .a100 = load_vectors("measured_steps_a100"),
                                              .b200 = b200,
                                              .memory = memory});
    speed_report report;
    report.ratios = report.left_out = ratios_of(speed.runs, library_setting());
    return residuals_of(
        judged_rows{.speed = speed,
                    .report = report,
                    .tests = read_measured_runs(memory),
                    .published = read_published_runs(checks, entries),
                    .memory = read_memory_rows(runs, b200),
                    .collectives = read_measured_collectives(load_vectors("measured_collectives")),
                    .waits = read_wait_rows(load_vectors("erlang"))});
  }();
  return all;
}

coverage_by_kind held_by_the_library() {
  coverage_by_kind found;
  for (const residual& one : errors_of_rows())
    found[detail::kind_of(one)].add(one, error_band_of(one.of));
  return found;
}

constexpr std::size_t least_rows_of_kind = 20;

TEST_CASE("ranges of nine in ten hold nine in ten of the rows", "[vectors][accuracy]") {
  const coverage all = sum_of(held_by_the_library());
  INFO(all.held << " of " << all.runs);
  CHECK(all.share() >= 0.85);
  CHECK(all.share() <= 0.97);
}

TEST_CASE("ranges hold of every kind of which there are enough rows", "[vectors][accuracy]") {
  for (const auto& [kind, of] : held_by_the_library()) {
    if (of.runs < least_rows_of_kind) continue;
    INFO(kind << ": " << of.held << " of " << of.runs);
    CHECK(of.share() >= 0.8);
  }
}

TEST_CASE("ranges of dense steps are not wide to hold", "[vectors][accuracy]") {
  errors widths;
  for (const residual& one : errors_of_rows())
    if (one.of.of == prediction::step && one.of.kind == trained_kind::dense) {
      const error_band band = error_band_of(one.of);
      widths.add((band.high - band.low) / 2);
    }
  if (widths.count() < least_rows_of_kind) return;
  CHECK(widths.median() <= 0.2);
}

TEST_CASE("a run that a table has not seen is held likewise", "[vectors][accuracy]") {
  const coverage unseen = sum_of(coverage_without_third(errors_of_rows()));
  INFO(unseen.held << " of " << unseen.runs);
  CHECK(unseen.share() >= 0.85);
}

TEST_CASE("a source that a table has not seen is held likewise", "[vectors][accuracy][long]") {
  const coverage_by_kind found = coverage_without_source(errors_of_rows());
  const coverage all = sum_of(found);
  INFO(all.held << " of " << all.runs);
  CHECK(all.share() >= 0.85);
  CHECK(all.share() <= 0.95);
  for (const auto& [kind, of] : found) {
    if (of.runs < least_rows_of_kind) continue;
    INFO(kind << ": " << of.held << " of " << of.runs);
    CHECK(of.share() >= 0.8);
  }
}

/// Errors of so many sources, of 12 rows each, every source off by its own amount.
std::vector<residual> of_sources(int sources, double apart, framework software) {
  std::vector<residual> all;
  for (int source = 0; source < sources; ++source)
    for (int row = 0; row < 12; ++row)
      all.push_back({{.of = prediction::step, .software = software},
                     std::to_string(source),
                     apart * (source - (sources - 1) / 2.0) + 1e-3 * row});
  return all;
}

TEST_CASE("software that a table has not seen is one more source", "[accuracy]") {
  const std::vector<error_row> table =
      error_rows_of(of_sources(8, 0.1, framework::transformer_engine));
  const error_class known{.software = framework::transformer_engine};
  const error_class other{.software = framework::fsdp};
  const auto band = [&](const error_class& of) {
    return error_band_of(error_distribution_of(of, table));
  };
  // The worst source is the eighth of eight: rows of known software may be better than it, and of
  // one more source nine in ten are within the worst and a tail.
  CHECK(band(other).high > band(known).high);
  CHECK(band(other).low < band(known).low);
  CHECK(band(other).high >= std::exp(0.361) * (1 - 1e-9));
}

TEST_CASE("few rows of two sources make no class", "[accuracy]") {
  const auto rests_on_software = [](int sources) {
    const std::vector<error_row> table = error_rows_of(of_sources(sources, 0.1, framework::fsdp2));
    const error_class of{.software = framework::fsdp2};
    return error_distribution_of(of, table).grade == error_grade::validated;
  };
  CHECK_FALSE(rests_on_software(2));
  CHECK(rests_on_software(3));
}

}  // namespace
}  // namespace gpuplan::accuracy
