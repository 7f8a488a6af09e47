#include <gpuplan/queue/trace.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

using namespace gpuplan;
using namespace gpuplan::units;

TEST_CASE("a table of jobs is read by its header", "[queue][trace]") {
  const job_trace read = read_trace(
      "vc,submit_s,gpus,duration_s\n"
      "a,60,8,3600\n"
      "b,0,1,2.5\n");
  REQUIRE(read.jobs.size() == 2);
  CHECK(read.jobs[0].submit == 0 * second);
  CHECK(read.jobs[0].duration == 2.5 * second);
  CHECK(read.jobs[1].submit == 1 * minute);
  CHECK(read.jobs[1].gpus == 8);
  CHECK(read.jobs[1].duration == 1 * hour);
  CHECK(read.counts.total() == 2);
}
