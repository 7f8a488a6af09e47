#include <gpuplan/trace/job.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

template <class Time>
concept a_duration = requires(Time time) {
  trace_job{.duration = time};
};
static_assert(a_duration<seconds> && !a_duration<double> && !a_duration<bytes>);

TEST_CASE("a job of a trace has a time to run and at least one GPU", "[trace][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK_NOTHROW(require_valid(trace_job{}));
  CHECK_NOTHROW(require_valid(trace_job{.submit = -1 * hour, .duration = 1 * hour, .gpus = 8}));
  for (const trace_job& job :
       {trace_job{.duration = -1 * second}, trace_job{.duration = infinity * second},
        trace_job{.duration = nan * second}, trace_job{.submit = nan * second},
        trace_job{.submit = -infinity * second}, trace_job{.gpus = 0}})
    CHECK_THROWS_AS(require_valid(job), invalid_input);
}

}  // namespace
}  // namespace gpuplan
