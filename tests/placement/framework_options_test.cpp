#include <gpuplan/placement/framework_options.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(framework_options{}.order == job_ranking::urgency);
static_assert(framework_options{}.patience == seconds{0}, "as the other policies: lost at once");

TEST_CASE("options of the framework out of range are refused", "[placement][errors]") {
  const seconds nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_NOTHROW(require_valid(framework_options{}));
  CHECK_NOTHROW(require_valid(framework_options{.moves = 0}));
  for (const framework_options& bad :
       {framework_options{.moves = -1}, framework_options{.patience = seconds{-1}},
        framework_options{.patience = nan}, framework_options{.ageing = seconds{0}},
        framework_options{.ageing = nan}})
    CHECK_THROWS_AS(require_valid(bad), invalid_input);
}

}  // namespace
}  // namespace gpuplan
