#include <gpuplan/calibrate/formats/megatron_log.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("a log as Megatron prints it", "[calibrate]") {
  const megatron_log log = read_megatron_log(
      "using torch.bfloat16 for parameters ...\n"
      " [2025-01-01 00:00:00] iteration        1/     100 | consumed samples:  128 | elapsed time "
      "per iteration (ms): 9000.5 | throughput per GPU (TFLOP/s/GPU): 100.5 | learning rate: "
      "1.0E-04 | global batch size:   128 | lm loss: 1.1E+01 |\n"
      "[Rank 0] (after 1 iterations) memory (MB) | allocated: 1000.5 | max allocated: 2000.0 | "
      "reserved: 2500.0 | max reserved: 3000.0\n"
      " iteration        2/     100 | elapsed time per iteration (ms): 1000.0 | loss scale: 1.0 |\n"
      " iteration        3/     100 | elapsed time per iteration (ms): 1010.0 |\n"
      " iteration        4/     100 | elapsed time per iteration (ms): 1030.0 |\n");
  CHECK(log.faulty == 0);
  REQUIRE(log.iterations.size() == 4);
  CHECK(log.iterations[0].iteration == 1);
  CHECK_THAT(log.iterations[0].time / second, WithinRel(9.0005, 1e-12));
  CHECK_THAT(log.iterations[0].throughput / (TFLOP / second), WithinRel(100.5, 1e-12));
  CHECK(log.iterations[0].global_batch_size == 128);
  CHECK(log.iterations[1].throughput == flop_per_second{0});
  CHECK_THAT(log.typical_time(1) / second, WithinRel(1.01, 1e-12));
  REQUIRE(log.memory.size() == 1);
  CHECK(log.memory[0].allocated == 1000.5 * MiB);
  CHECK(log.memory[0].max_reserved == 3000 * MiB);
  CHECK_THROWS_AS(log.typical_time(4), invalid_input);
}

TEST_CASE("lines that cannot be read are counted", "[calibrate][errors]") {
  const megatron_log log = read_megatron_log(
      " iteration x/ 100 | elapsed time per iteration (ms): 1000.0 |\n"
      " iteration 1/ 100 | elapsed time per iteration (ms): slow |\n"
      " iteration 1/ 100 | elapsed time per iteration (ms): -5 |\n"
      " iteration 1/ 100 | elapsed time per iteration (ms): 0 |\n"
      "[Rank zero] memory (MB) | allocated: 1 | max allocated: 2 | max reserved: 3\n"
      "[Rank 0] memory (MB) | allocated: nan | max allocated: 2 | max reserved: 3\n");
  CHECK(log.iterations.empty());
  CHECK(log.memory.empty());
  CHECK(log.faulty == 6);
  REQUIRE(log.faults.size() == 6);
  CHECK(description_of(log.faults[0]) == "line 1: iteration 'x' is not understood");
  CHECK(description_of(log.faults[1]) ==
        "line 2: elapsed time per iteration (ms) 'slow' is not understood");
  CHECK(description_of(log.faults[2]) ==
        "line 3: elapsed time per iteration (ms) '-5' is negative");
  CHECK(description_of(log.faults[3]) == "line 4: elapsed time per iteration (ms) '0' must be > 0");
  CHECK(description_of(log.faults[4]) == "line 5: Rank 'zero' is not understood");
  CHECK(description_of(log.faults[5]) == "line 6: allocated 'nan' is not finite");
}

TEST_CASE("any bytes of a training log are read without harm", "[calibrate][property]") {
  testing::check_property("text of any kind after known words", [] {
    const auto text = *rc::gen::arbitrary<std::string>();
    for (const char* words : {"", " iteration ", "iteration 1/2 | elapsed time per iteration (ms):",
                              "[Rank 0] memory (MB) | allocated: "}) {
      const megatron_log log = read_megatron_log(words + text);
      for (const megatron_iteration& one : log.iterations) RC_ASSERT(one.time > seconds{0});
    }
  });
}

}  // namespace
}  // namespace gpuplan
