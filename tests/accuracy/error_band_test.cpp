#include <gpuplan/accuracy/error_band.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr error_distribution wide{.quantiles = {-0.5, -0.3, -0.1, 0.02, 0.1, 0.4, 0.6},
                                  .grade = error_grade::validated,
                                  .runs = 50,
                                  .sources = 3};

// A table of three rows: dense steps of one software, dense steps, all steps.
constexpr std::array<error_row, 3> table{
    error_row{.of = prediction::step,
              .kind = trained_kind::dense,
              .software = framework::fsdp2,
              .known_device = true,
              .runs = 20,
              .sources = 2,
              .quantiles = {-0.2, -0.1, -0.05, 0.1, 0.2, 0.3, 0.4}},
    error_row{.of = prediction::step,
              .kind = trained_kind::dense,
              .runs = 90,
              .sources = 6,
              .quantiles = {-0.3, -0.2, -0.02, 0, 0.1, 0.2, 0.35}},
    error_row{.of = prediction::step,
              .runs = 100,
              .sources = 7,
              .quantiles = {-0.4, -0.3, -0.2, 0, 0.2, 0.3, 0.5}}};

constexpr error_class fsdp2_step{.software = framework::fsdp2};
constexpr error_class other_step{.software = framework::fsdp};
constexpr error_class mixture_step{.kind = trained_kind::mixture};
constexpr error_distribution found = error_distribution_of(fsdp2_step, table);
static_assert(found.quantiles == table[0].quantiles && found.runs == 20 && found.sources == 2);
static_assert(found.grade == error_grade::validated);
static_assert(error_distribution_of(other_step, table).quantiles == table[1].quantiles);
static_assert(error_distribution_of(other_step, table).grade == error_grade::related);
static_assert(error_distribution_of(mixture_step, table).grade == error_grade::extrapolated);

// On a relative of the measured device the same errors are less sure.
static_assert(error_distribution_of({.software = framework::fsdp2,
                                     .device = operator_origin::relative},
                                    table)
                  .grade == error_grade::related);

// On more than twice the GPUs of the largest run, too; what needs no number of GPUs is as it was.
constexpr error_grade grade_on(std::int64_t gpus, prediction of = prediction::step) {
  error_row row = table[0];
  row.of = of;
  row.most_gpus = of == prediction::step ? 512 : 0;
  const std::array<error_row, 1> one{row};
  return error_distribution_of({.of = of, .software = framework::fsdp2, .gpus = gpus}, one).grade;
}
static_assert(grade_on(1) == error_grade::validated && grade_on(0) == error_grade::validated);
static_assert(grade_on(1024) == error_grade::validated);
static_assert(grade_on(1025) == error_grade::related);
static_assert(grade_on(1025, prediction::collective) == error_grade::validated);

// Collectives and waits are of one class each, whatever is trained: sources and device decide.
constexpr error_grade grade_of_one(prediction of, operator_origin device, int sources) {
  const std::array<error_row, 1> one{error_row{.of = of, .runs = 40, .sources = sources}};
  return error_distribution_of({.of = of, .device = device}, one).grade;
}
static_assert(grade_of_one(prediction::collective, operator_origin::measured, 2) ==
              error_grade::validated);
static_assert(grade_of_one(prediction::collective, operator_origin::relative, 2) ==
              error_grade::related);
static_assert(grade_of_one(prediction::collective, operator_origin::derived, 2) ==
              error_grade::extrapolated);
static_assert(grade_of_one(prediction::wait, operator_origin::measured, 1) == error_grade::related);
static_assert(error_distribution_of({.of = prediction::wait}).grade == error_grade::related);
static_assert(error_distribution_of({.of = prediction::collective}).grade ==
              error_grade::validated);

// On a device that nobody measured: each side by the wider of both rows.
constexpr error_distribution derived = error_distribution_of(
    {.software = framework::fsdp2, .device = operator_origin::derived}, table);
static_assert(derived.quantiles == error_quantiles{-0.3, -0.2, -0.05, 0, 0.2, 0.3, 0.4});
static_assert(derived.grade == error_grade::extrapolated);

// With a recipe that no run had: those of any device, too.  On many more GPUs than any run: those of
// all software.
constexpr error_distribution beyond =
    error_distribution_of({.software = framework::fsdp2, .beyond_runs = true}, table);
static_assert(beyond.quantiles == error_quantiles{-0.3, -0.2, -0.05, 0.1, 0.2, 0.3, 0.4});
static_assert(beyond.grade == error_grade::extrapolated);
constexpr std::array<error_row, 3> small_runs = [] {
  std::array<error_row, 3> rows = table;
  rows[0].most_gpus = 64;
  rows[1].known_device = true;
  return rows;
}();
constexpr error_quantiles on(std::int64_t gpus, bool beyond_runs = false) {
  return error_distribution_of(
             {.software = framework::fsdp2, .gpus = gpus, .beyond_runs = beyond_runs}, small_runs)
      .quantiles;
}
static_assert(on(128) == table[0].quantiles);
static_assert(on(129) == error_quantiles{-0.3, -0.2, -0.05, 0.1, 0.2, 0.3, 0.4});
static_assert(on(64, true) == error_quantiles{-0.4, -0.3, -0.2, 0.1, 0.2, 0.3, 0.5});

TEST_CASE("a factor is the quantile at the probabilities of the table", "[accuracy]") {
  for (std::size_t i = 0; i < error_probabilities.size(); ++i)
    CHECK_THAT(error_factor(wide, error_probabilities[i]),
               WithinRel(std::exp(wide.quantiles[i]), 1e-12));
  CHECK_THAT(error_factor(wide, 0.375), WithinRel(std::exp((-0.1 + 0.02) / 2), 1e-12));
  // Each halving of what is left adds as much as from 0.9 to 0.95.
  CHECK_THAT(error_factor(wide, 0.975), WithinRel(std::exp(0.8), 1e-12));
  CHECK_THAT(error_factor(wide, 0.9875), WithinRel(std::exp(1.0), 1e-12));
  CHECK_THAT(error_factor(wide, 0.025), WithinRel(std::exp(-0.7), 1e-12));
}

TEST_CASE("the probability of a factor is the inverse of the factor", "[accuracy][property]") {
  testing::check_property("inverse", [] {
    const double p = *rc::gen::inRange(1, 1000) / 1000.0;
    RC_ASSERT(std::abs(probability_within(wide, error_factor(wide, p)) - p) < 1e-12);
  });
  CHECK(probability_within(wide, 0) == 0);
  CHECK(probability_within(wide, std::numeric_limits<double>::infinity()) == 1);
}

TEST_CASE("a band holds the prediction, and widens with its level", "[accuracy][property]") {
  for (const error_row& row : error_rows) {
    const error_distribution errors{row.quantiles, error_grade::validated, row.runs, row.sources};
    error_band before{};
    for (const double level : {0.1, 0.5, 0.8, 0.9, 0.95, 0.99}) {
      const error_band band = error_band_of(errors, level);
      CHECK(band.low <= 1);
      CHECK(band.high >= 1);
      CHECK(band.low > 0);
      CHECK(std::isfinite(band.high));
      CHECK(band.low <= before.low);
      CHECK(band.high >= before.high);
      before = band;
    }
  }
}

TEST_CASE("bands of steps unlike every run are no narrower", "[accuracy][property]") {
  for (const trained_kind kind : trained_kinds)
    for (const framework software : frameworks)
      for (const launch_part host : {launch_part::little, launch_part::some, launch_part::most})
        for (const bool several : {false, true}) {
          const error_class known{
              .kind = kind, .software = software, .launches = host, .many_gpus = several};
          error_class of_unknown_device = known;
          of_unknown_device.device = operator_origin::derived;
          error_class of_new_recipe = known;
          of_new_recipe.beyond_runs = true;
          error_class large = known;
          large.gpus = 1'000'000;
          const error_band narrow = error_band_of(known);
          for (const error_class& unlike : {of_unknown_device, of_new_recipe, large}) {
            const error_band wider = error_band_of(unlike);
            CHECK(wider.low <= narrow.low);
            CHECK(wider.high >= narrow.high);
            CHECK(wider.grade >= narrow.grade);
            CHECK((wider.grade == error_grade::extrapolated || unlike == large));
          }
        }
}

TEST_CASE("probabilities and factors out of range are refused", "[accuracy]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double p : {0.0, 1.0, -0.1, 1.1, nan}) {
    CHECK_THROWS_AS(error_factor(wide, p), invalid_input);
    CHECK_THROWS_AS(error_band_of(wide, p), invalid_input);
  }
  CHECK_THROWS_AS(probability_within(wide, -1), invalid_input);
  CHECK_THROWS_AS(probability_within(wide, nan), invalid_input);
  CHECK_THROWS_AS(error_distribution_of({.of = prediction::wait}, table), invalid_input);
}

TEST_CASE("every grade has its name", "[accuracy]") {
  CHECK(name_of(error_grade::calibrated) == "calibrated");
  CHECK(name_of(error_grade::validated) == "validated");
  CHECK(name_of(error_grade::related) == "related");
  CHECK(name_of(error_grade::extrapolated) == "extrapolated");
}

}  // namespace
}  // namespace gpuplan
