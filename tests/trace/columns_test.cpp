#include <gpuplan/trace/columns.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(parse_trace_filter("vc=5").column == "vc" && parse_trace_filter("vc=5").value == "5");
static_assert(parse_trace_filter(" user = ann=bob ").value == "ann=bob");
static_assert(parse_trace_filter("vc").column.empty());

static_assert(parse_trace_columns("submit=Submit,gpus=NGPU,duration=Elapsed").value.gpus == "NGPU");
static_assert(parse_trace_columns("start=began, end=ended").value.end == "ended");
static_assert(parse_trace_columns("gpus=a,gpu=b").wrong == "gpu=b", "no such field");
static_assert(parse_trace_columns("gpus=a,gpus=b").wrong == "gpus=b", "twice");
static_assert(parse_trace_columns("gpus").wrong == "gpus" &&
              parse_trace_columns("gpus=").wrong == "gpus=");
static_assert(parse_trace_columns("").wrong == "," && parse_trace_columns("gpus=a,").wrong == ",");

TEST_CASE("names of columns view the text that gave them", "[trace]") {
  const std::string_view text = "submit=Submit, state = State,job=JobID,priority=QOS";
  const parsed_trace_columns read = parse_trace_columns(text);
  REQUIRE(read);
  CHECK(read.value.submit == "Submit");
  CHECK(read.value.state == "State");
  CHECK(read.value.job == "JobID");
  CHECK(read.value.priority == "QOS");
  CHECK(read.value.duration.empty());
  CHECK(read.value.submit.data() == text.data() + 7);
}

}  // namespace
}  // namespace gpuplan
