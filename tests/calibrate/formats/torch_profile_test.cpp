#include <gpuplan/calibrate/formats/torch_profile.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

// Three kinds of work, each by its terms, are told apart by exposed_time_of.
static_assert(3 * gpuplan::detail::kinds_of_work <= gpuplan::most_activity_kinds);

using namespace gpuplan;
using namespace gpuplan::units;

std::string event(std::string_view kind, std::string_view name, double begin, double length,
                  std::string_view args = "") {
  return nlohmann::json{{"ph", "X"},
                        {"cat", kind},
                        {"name", name},
                        {"ts", begin},
                        {"dur", length},
                        {"pid", 0},
                        {"args", nlohmann::json::parse("{" + std::string(args) + "}")}}
      .dump();
}
std::string kernel(std::string_view name, double begin, double length, std::string_view args = "") {
  return event("kernel", name, begin, length, args);
}

std::string trace(const std::vector<std::string>& events) {
  std::string text = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU"}],
                         "traceEvents": [{"ph": "M", "name": "process_name", "pid": 0})";
  for (const std::string& one : events) text += ",\n" + one;
  return text + R"(], "traceName": "trace.json"})";
}

profiled_step read(const std::vector<std::string>& events, const profile_hint& hint = {}) {
  return read_torch_profile(trace(events), "trace", hint);
}

std::string refusal(std::string_view text, const profile_hint& hint = {}) {
  try {
    static_cast<void>(read_torch_profile(text, "trace", hint));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

constexpr std::string_view gemm = "sm90_xmma_gemm_bf16bf16_bf16f32";
constexpr std::string_view all_reduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(Args)";
constexpr std::string_view of_tensor =
    R"("Collective name": "allreduce", "Process Group Description": "mesh_tp", "Group size": 8)";

TEST_CASE("messages count as far as kernels do not hide them", "[calibrate]") {
  const profiled_step step =
      read({kernel(gemm, 1000, 400), kernel(all_reduce, 1300, 300, of_tensor),
            kernel("flash_fwd_kernel", 1700, 100), kernel("my_kernel", 1800, 50),
            event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1000, 900),
            event("cpu_op", "aten::mm", 0, 5000)});
  CHECK(step.steps == 1);
  CHECK(step.kernels == 5);
  CHECK(step.time == 900 * us);
  CHECK(step[step_term::products] == 400 * us);
  CHECK(step[step_term::tensor] / us == Approx(200));
  CHECK(step.busy[static_cast<std::size_t>(step_term::tensor)] / us == Approx(300));
  CHECK(step[step_term::attention] / us == Approx(100));
  CHECK(step[step_term::offload] / us == Approx(150));
  CHECK(step.unclassified / us == Approx(50));
  REQUIRE(step.unclassified_kernels.size() == 1);
  CHECK(step.unclassified_kernels[0].name == "my_kernel");
  CHECK(step.idle == 0 * us);
}

TEST_CASE("steps are counted from start to start", "[calibrate]") {
  const std::vector<std::string> kernels{kernel(gemm, 100, 50), kernel(gemm, 300, 70),
                                         kernel(gemm, 500, 60)};
  const auto with_steps = [&](std::string_view kind) {
    std::vector<std::string> events = kernels;
    for (int i = 0; i < 3; ++i)
      events.push_back(event(kind, "ProfilerStep#" + std::to_string(i + 7), 100 + 200 * i, 150));
    return events;
  };
  for (const char* kind : {"user_annotation", "gpu_user_annotation", "cpu_op"}) {
    const profiled_step step = read(with_steps(kind));
    CHECK(step.steps == 2);
    CHECK(step.time / us == Approx(200));
    CHECK(step[step_term::products] / us == Approx(60));
    CHECK(step.idle / us == Approx(140));
    CHECK(step.kernels == 2);
  }
  // One step lasts to its end; marks of the device are before those of the host, and a mark of
  // several streams is one.
  std::vector<std::string> one = kernels;
  one.push_back(event("user_annotation", "ProfilerStep#1", 0, 5000));
  CHECK(read(one).time == 5000 * us);
  one.push_back(event("gpu_user_annotation", "ProfilerStep#1", 110, 100));
  one.push_back(event("gpu_user_annotation", "ProfilerStep#1", 100, 50));
  CHECK(read(one).time / us == Approx(110));
}

TEST_CASE("the layout tells messages apart, and one device is taken", "[calibrate]") {
  const std::vector<std::string> events{
      kernel(all_reduce, 0, 100, R"("Group size": 4, "device": 1)"),
      kernel(gemm, 100, 100, R"("device": 1)"), kernel(gemm, 0, 100, R"("device": 3)")};
  const profiled_step step = read(events, {.layout = profiled_layout{.cut = {.tensor = 4}}});
  CHECK(step.device == 1);
  CHECK(step.kernels_elsewhere == 1);
  CHECK(step[step_term::tensor] == 100 * us);
  const profiled_step untold = read(events);
  CHECK(untold.unclassified == 100 * us);
  CHECK(untold.unclassified_kernels[0].name == all_reduce);
  CHECK(read(events, {.layout = {}, .device = 3}).time == 100 * us);
}

TEST_CASE("a bare list of events is a trace too, times of an epoch keep their places",
          "[calibrate]") {
  const profiled_step step = read_torch_profile(
      "[" + kernel(gemm, 1.7e15, 100) + "," + kernel(gemm, 1.7e15 + 200, 100) + "]", "trace");
  CHECK(step.time == 300 * us);
  CHECK(step.idle == 100 * us);
}

TEST_CASE("terms, what is unclassified and idle time sum up to the step", "[calibrate]") {
  testing::check_property("sum", [] {
    const std::vector<std::string_view> names{gemm, all_reduce, "flash", "x", "y", "Memcpy HtoD"};
    std::vector<std::string> events{kernel(gemm, 0, 1)};
    for (int left = *rc::gen::inRange(0, 20); left > 0; --left)
      events.push_back(kernel(*rc::gen::elementOf(names), *rc::gen::inRange(0, 1000),
                              *rc::gen::inRange(0, 300),
                              *rc::gen::arbitrary<bool>() ? of_tensor : ""));
    const profiled_step step = read(events);
    seconds sum = step.idle + step.unclassified;
    for (const seconds part : step.shown) sum += part;
    RC_ASSERT(std::abs(sum / step.time - 1) < 1e-9);
    for (std::size_t i = 0; i < step.shown.size(); ++i)
      RC_ASSERT(step.shown[i] <= step.busy[i] + 1e-12 * second);
  });
}

TEST_CASE("what is no profile is refused in one line", "[calibrate][errors]") {
  CHECK(refusal("") == "trace: is empty");
  CHECK(refusal("{}").starts_with("trace: has no kernels of a GPU; profile with"));
  CHECK(refusal(trace({event("cpu_op", "aten::mm", 0, 1)})).starts_with("trace: has no kernels"));
  CHECK(refusal(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "dur": 1}]})") ==
        "trace: traceEvents[0]: ts must be microseconds from -1e18 to 1e18, and is missing");
  CHECK(refusal(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "ts": 1, "dur": -1}]})") ==
        "trace: traceEvents[0]: dur must be microseconds from 0 to 1e18, not -1");
  CHECK(refusal(R"({"traceEvents": [{"ph": "X", "cat": "kernel", "ts": "1", "dur": 1}]})") ==
        "trace: traceEvents[0]: ts must be microseconds from -1e18 to 1e18, not the string \"1\"");
  CHECK(refusal(R"([{"ph": "X", "cat": "kernel", "ts": 1, "dur": 0}])") ==
        "trace: its steps take no time");
  CHECK(refusal(R"([{"ph": "X", "cat": "kernel", "ts": 1, "dur": 1, "name": 7, "args": 3}])") ==
        "nothing");
  CHECK(refusal(trace({kernel(gemm, 0, 1)}), {.layout = {}, .device = 5}) ==
        "trace: has no kernels of device 5");
}

}  // namespace
