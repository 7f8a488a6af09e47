#include <cstddef>
#include <string>

#include "accuracy/left_out.hpp"
#include "accuracy/speed_files.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy/speed_text.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

using testing::load_vectors;

const speed_runs& measured() {
  static const speed_runs all = read_speed_runs({.checks = load_vectors("published_checks"),
                                                 .published = load_vectors("published"),
                                                 .runs = load_vectors("measured_runs"),
                                                 .a100 = load_vectors("measured_steps_a100"),
                                                 .b200 = load_vectors("measured_steps_b200"),
                                                 .memory = load_vectors("measured_memory")});
  return all;
}

const speed_report& report() {
  static const speed_report all = report_of(measured());
  return all;
}

TEST_CASE("every checked time whose run is known is scored", "[vectors][plan]") {
  for (const refusal& row : measured().unmapped) UNSCOPED_INFO(row.id << ": " << row.reason);
  CHECK(measured().unmapped.empty());
  CHECK(!measured().runs.empty());
}

TEST_CASE("a row that cannot be asked has a reason", "[vectors][plan]") {
  for (const speed_refusals& part : measured().refused)
    for (const refusal& row : part.rows) {
      INFO(row.id);
      CHECK(!row.reason.empty());
    }
}

// One test: what is measured is predicted once, and again without each run.
TEST_CASE("published times of a step", "[vectors][plan][long]") {
  SECTION("published times of a step are met") {
    for (const auto& [family, line] : errors_of(measured().runs, report().ratios))
      UNSCOPED_INFO(family << ": " << line.size.median() << ", p90 " << line.size.p90());
    for (const speed_target& one : targets_of(measured(), report())) {
      INFO(one.name << ": " << one.reached);
      CHECK(one.count > 0);
      CHECK(one.met());
    }
  }
  SECTION("steps of a section are met, seen and left out") {
    for (const section_goal& goal : section_goals) {
      const section_errors found = errors_of(measured(), report(), goal.section);
      if (found.seen.count() < least_rows_of_section) continue;
      INFO(title_of(goal.section).title << ": " << found.seen.median() << ", p90 "
                                        << found.seen.p90() << "; left out "
                                        << found.left_out.median());
      CHECK(found.seen.median() <= goal.median);
      CHECK(found.seen.p90() <= goal.p90);
      CHECK(found.left_out.median() <= goal.left_out);
    }
  }
  SECTION("sections are predicted better than a plain rule predicts them") {
    for (const section_goal& goal : section_goals) {
      const section_errors found = errors_of(measured(), report(), goal.section);
      if (found.seen.count() < least_rows_of_section) continue;
      INFO(title_of(goal.section).title);
      CHECK(found.left_out.median() < found.plain_left_out.median());
    }
  }
  SECTION("no prediction of tuned software is absurd") {
    for (std::size_t i = 0; i < measured().runs.size(); ++i) {
      const speed_run& run = measured().runs[i];
      if (!run.fitted || !is_measured(run.gpu)) continue;
      INFO(run.id);
      CHECK(report().ratios[i] > 1.0 / 3);
      CHECK(report().ratios[i] < 3);
    }
  }
  SECTION("within a sweep of one field runs are ordered as measured") {
    int seen = 0;
    for (const speed_sweep& sweep : sweeps_of(measured().runs, report().ratios)) {
      INFO(sweep.name << ": " << sweep.of_throughput);
      // Of heads, single iterations are printed whose times do not follow them: 64 heads take 114
      // to 121 s, 112 heads 139 s, 128 heads 116 s.  Of four schedules two are within 2 % of each
      // other.  Those trends are missed.
      if (sweep.name.starts_with("model.heads") || sweep.name.starts_with("run.schedule"))
        CHECK_NOFAIL(sweep.met());
      else
        CHECK(sweep.met());
      ++seen;
    }
    CHECK(seen > 0);
  }
}

TEST_CASE("the library's constants are those that the fit gives", "[vectors][plan]") {
  const auto shipped = [](const char* name) {
    return testing::load_json(testing::data_folder() / "vectors" / (std::string(name) + ".json"));
  };
  const speed_runs all = read_speed_runs({.checks = shipped("published_checks"),
                                          .published = shipped("published"),
                                          .runs = shipped("measured_runs"),
                                          .a100 = shipped("measured_steps_a100"),
                                          .b200 = shipped("measured_steps_b200"),
                                          .memory = shipped("measured_memory")});
  speed_setting library = library_setting();
  speed_setting refitted = fitted_setting(detail::picked(all.runs, detail::fitted_rows(all.runs)));
  for (const fitted_constant& one : fitted_constants()) {
    INFO(one.name << " of " << one.owner);
    CHECK_THAT(one.at(library), WithinRel(one.at(refitted), 0.03));
    CHECK(one.before.least <= one.at(library));
    CHECK(one.at(library) <= one.before.most);
  }
}

}  // namespace
}  // namespace gpuplan::accuracy
