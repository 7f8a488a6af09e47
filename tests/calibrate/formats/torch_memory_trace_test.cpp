#include <gpuplan/calibrate/formats/torch_memory_trace.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;
using nlohmann::json;

json frames_of(const char* name, const char* file) {
  return json::array(
      {{{"name", "operator new"}, {"filename", "??"}, {"line", 0}},
       {{"name", "linear"}, {"filename", "/usr/torch/nn/functional.py"}, {"line", 1}},
       {{"name", name}, {"filename", file}, {"line", 2}},
       {{"name", "main"}, {"filename", "train.py"}, {"line", 3}}});
}

json happened(const char* action, std::uint64_t address, std::uint64_t size,
              const json& frames = json::array()) {
  return {{"action", action}, {"addr", address}, {"size", size},
          {"stream", 0},      {"time_us", 1},    {"frames", frames}};
}

json block(std::uint64_t size, const char* state, const json& frames = json::array()) {
  return {{"size", size}, {"requested_size", size}, {"state", state}, {"frames", frames}};
}

json segment(std::uint64_t address, std::uint64_t size, const json& blocks, int device = 0) {
  return {{"device", device}, {"address", address},      {"total_size", size},
          {"stream", 0},      {"segment_type", "large"}, {"blocks", blocks}};
}

memory_peak read(const json& snapshot, std::optional<int> device = {}) {
  return read_torch_memory_trace(snapshot.dump(), "snapshot", device);
}

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read_torch_memory_trace(text, "snapshot"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("the peak lies where tensors held most, counted back from the end", "[calibrate]") {
  // 4096 B from before the trace, of which 1024 B are freed in it; 8192 B come and go.
  const json forward = frames_of("forward", "model.py");
  const json snapshot{
      {"segments",
       {segment(0x1000, 16384,
                {block(3072, "active_allocated", frames_of("load", "/a/load.py")),
                 block(13312, "inactive")}),
        segment(0x9000, 4096,
                {block(2048, "active_allocated", forward), block(2048, "active_awaiting_free")})}},
      {"device_traces",
       {{happened("segment_alloc", 0x40000, 1 << 21), happened("segment_free", 0x40000, 1 << 21),
         happened("segment_alloc", 0x9000, 4096), happened("alloc", 0x9000, 2000, forward),
         happened("alloc", 0x2000, 8000, frames_of("attend", "model.py")),
         happened("free_requested", 0x5000, 1000), happened("free_completed", 0x5000, 1000),
         happened("free_requested", 0x2000, 8000), happened("segment_alloc", 0x20000, 1 << 20),
         happened("segment_free", 0x20000, 1 << 20), happened("free_completed", 0x2000, 8000),
         happened("snapshot", 0, 0)}}}};
  const memory_peak peak = read(snapshot);
  CHECK(peak.allocated_now == (3072 + 2048) * byte);
  CHECK(peak.reserved_now == (16384 + 4096) * byte);
  CHECK(peak.allocated == (4096 + 2048 + 8192) * byte);
  CHECK(peak.reserved_at_peak == (16384 + 4096) * byte);
  CHECK(peak.reserved == (16384 + (1 << 21)) * byte);
  REQUIRE(peak.shares.size() == 4);
  CHECK(peak.shares[0].frame == "attend (model.py)");
  CHECK(peak.shares[0].size == 8192 * byte);
  CHECK(peak.shares[1].frame == "load (load.py)");
  CHECK(peak.shares[1].size == 3072 * byte);
  CHECK(peak.shares[2].frame == "forward (model.py)");
  CHECK(peak.shares[2].size == 2048 * byte);
  CHECK(peak.shares[2].blocks == 1);
  CHECK(peak.shares[3].frame == "taken before the trace begins");
  CHECK(peak.shares[3].size == 1024 * byte);
}

TEST_CASE("without a trace the peak is now", "[calibrate]") {
  const json segments{segment(0, 4096, {block(512, "active_allocated"), block(3584, "inactive")}),
                      segment(0, 1024, {}, 1)};
  for (const json& snapshot : {segments, json{{"segments", segments}, {"device_traces", {{}}}}}) {
    const memory_peak peak = read(snapshot);
    CHECK(peak.events == 0);
    CHECK(peak.device == 0);
    CHECK(peak.allocated == 512 * byte);
    CHECK(peak.reserved == 4096 * byte);
    REQUIRE(peak.shares.size() == 1);
    CHECK(peak.shares[0].frame == "no frames recorded");
  }
  CHECK(read(segments, 1).reserved == 1024 * byte);
  CHECK_THROWS_AS(read(segments, 2), invalid_input);
}

TEST_CASE("a trace without segments begins with nothing", "[calibrate]") {
  const memory_peak peak = read(
      {{"device_traces",
        {json::array(),
         {happened("alloc", 1, 1), happened("alloc", 2, 513), happened("free_completed", 1, 1)}}}});
  CHECK(peak.device == 1);
  CHECK(peak.allocated == (512 + 1024) * byte);
  CHECK(peak.reserved == bytes{0});
}

TEST_CASE("functions of PyTorch tell the optimizer and the backward pass", "[calibrate]") {
  const auto frame = [](const char* name, const char* file) {
    return json{{"name", name}, {"filename", file}, {"line", 1}};
  };
  const json optimizer{frame("_init_group", "/x/torch/optim/adam.py"),
                       frame("step", "/x/torch/optim/optimizer.py"), frame("main", "/t.py")};
  const json backward{frame("_engine_run_backward", "/x/torch/autograd/graph.py"),
                      frame("main", "/t.py")};
  const json engine = json::array({frame("torch::autograd::Engine::evaluate_function(...)", "??")});
  const memory_peak peak =
      read({{"device_traces",
             {{happened("alloc", 1, 4096, optimizer), happened("alloc", 2, 2048, backward),
               happened("alloc", 3, 1024, engine),
               happened("alloc", 4, 512, json::array({frame("main", "/t.py")}))}}}});
  CHECK(peak.of_part(allocation_part::optimizer) == 4096 * byte);
  CHECK(peak.of_part(allocation_part::backward) == 3072 * byte);
  REQUIRE(peak.shares.size() == 4);
  CHECK(peak.shares[0].frame == "_init_group (adam.py)");
  CHECK(peak.shares[1].frame == "_engine_run_backward (graph.py)");
  CHECK(peak.shares[3].frame == "main (t.py)");
  CHECK(peak.shares[2].frame == "torch::autograd::Engine::evaluate_function(...)");
  CHECK(peak.shares[3].part == allocation_part::unknown);
}

TEST_CASE("frames are known by their numbers, wherever they were written in full", "[calibrate]") {
  const auto numbered = [](int number, const char* name) {
    return json::array({{{"#", number}, {"name", name}, {"filename", "me.py"}}});
  };
  const auto by_number = [](int number) { return json::array({number}); };
  const json snapshot = {
      {"segments",
       {segment(0, 8192,
                {block(512, "inactive", numbered(0, "of_a_free_block")),
                 block(512, "active_allocated", by_number(0)),
                 block(512, "active_allocated", numbered(1, "of_a_block")),
                 block(512, "active_allocated", by_number(1))})}},
      {"device_traces",
       {{happened("free_requested", 9000, 512, numbered(7, "of_a_free_event")),
         happened("alloc", 512, 512, by_number(7)), happened("alloc", 1024, 512, by_number(8))}}}};
  std::map<std::string, double> live;
  for (const allocation_share& one : read(snapshot).shares) live[one.frame] += one.size / byte;
  CHECK(live["of_a_free_event (me.py)"] == 512);
  CHECK(live["of_a_block (me.py)"] == 512);
  CHECK(live["no frames recorded"] == 512);  // of an unknown number
}

TEST_CASE("shares sum up to the peak, wherever the trace was cut off", "[calibrate]") {
  testing::check_property("cut-off traces", [] {
    // A whole history of blocks of 512 B, of which the trace keeps the last events.
    struct step {
      bool alloc;
      std::uint64_t address;
    };
    std::vector<step> history;
    std::map<std::uint64_t, bool> live;
    for (int left = *rc::gen::inRange(1, 40); left > 0; --left) {
      const auto address = static_cast<std::uint64_t>(512 * *rc::gen::inRange(0, 8));
      history.push_back({!live[address], address});
      live[address] = !live[address];
    }
    const auto cut = static_cast<std::size_t>(*rc::gen::inRange<int>(0, int(history.size()) + 1));
    std::int64_t now = 0;
    std::int64_t most = 0;
    json events = json::array();
    for (std::size_t i = 0; i < history.size(); ++i) {
      if (i == cut) most = now;
      now += history[i].alloc ? 1 : -1;
      if (i < cut) continue;
      most = std::max(most, now);
      events.push_back(
          happened(history[i].alloc ? "alloc" : "free_requested", history[i].address, 1));
      if (!history[i].alloc) events.push_back(happened("free_completed", history[i].address, 1));
    }
    if (cut == history.size()) most = now;
    json blocks = json::array();
    for (std::uint64_t address = 0; address < 8 * 512; address += 512)
      blocks.push_back(block(512, live[address] ? "active_allocated" : "inactive"));
    const memory_peak peak =
        read({{"segments", {segment(0, 8 * 512, blocks)}}, {"device_traces", {events}}});
    RC_ASSERT(peak.allocated == static_cast<double>(512 * most) * byte);
    RC_ASSERT(peak.allocated_now == static_cast<double>(512 * now) * byte);
    bytes sum{};
    for (const allocation_share& one : peak.shares) sum += one.size;
    RC_ASSERT(sum == peak.allocated);
  });
}

TEST_CASE("what is no snapshot is refused in one line", "[calibrate][errors]") {
  CHECK(refusal("") == "snapshot: is empty");
  CHECK(refusal("{}").starts_with("snapshot: has neither segments nor device_traces; "));
  CHECK(refusal(R"({"segments": [{"device": 0}]})") ==
        "snapshot: segments[0]: total_size is missing");
  CHECK(refusal(R"({"segments": [{"total_size": -1}]})") ==
        "snapshot: segments[0]: total_size must be bytes from 0 to 1e18, not -1");
  CHECK(refusal(R"({"segments": [{"total_size": 1, "device": 5000}]})") ==
        "snapshot: segments[0]: a device must be below 1024");
  CHECK(refusal(R"({"segments": [{"total_size": 1, "blocks": [1]}]})") ==
        "snapshot: segments[0]: a block must be an object");
  CHECK(refusal(R"({"device_traces": [[{"action": "alloc", "size": "x"}]]})") ==
        "snapshot: device_traces[0]: size must be bytes from 0 to 1e18, not the string \"x\"");
  // Frees of what was never handed out, and more than there is.
  CHECK(refusal(R"({"segments": [{"total_size": 1}],
                    "device_traces": [[{"action": "free_requested", "addr": 1, "size": 1e18},
                                       {"action": "segment_free", "addr": 1, "size": 1e18}]]})") ==
        "nothing");
}

}  // namespace
