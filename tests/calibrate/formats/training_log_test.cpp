#include <gpuplan/calibrate/formats/training_log.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Lines as each program prints them, written by hand.
TEST_CASE("steps of torchtitan are tokens a second of one GPU", "[calibrate]") {
  const training_log log = read_training_log(
      "[rank0]:[titan] 2026-01-01 00:00:00,000 - root - INFO - Training starts at step 1\n"
      "[rank0]:\x1b[31mstep:  1  \x1b[32mloss:  8.10  \x1b[33mmemory: 22.10GiB(27.93%)  "
      "\x1b[34mtps: 950\x1b[39m\n"
      "[rank0]:step: 10  loss:  7.20  memory: 45.25GiB(57.20%)  tps: 8,120  tflops: 400.1  mfu: "
      "40%\n"
      "[rank0]:step: 20  loss:  6.20  memory: 44.00GiB(57.20%)  tps: 8,140  tflops: 400.1  mfu: "
      "40%\n");
  REQUIRE(log.pattern != nullptr);
  CHECK(log.pattern->software == "torchtitan");
  CHECK(log.pattern->figure == log_figure::gpu_tokens);
  CHECK(log.figures == std::vector<double>{950, 8120, 8140});
  CHECK(log.reserved == 45.25 * GiB);
  CHECK(log.allocated == bytes{0});
}

TEST_CASE("steps of NeMo are seconds, also where a bar writes over itself", "[calibrate]") {
  const training_log log = read_training_log(
      "Training epoch 0, iteration 0/9 | lr: 1e-5 | global_batch_size: 256 | global_step: 0 | "
      "reduced_train_loss: 11.03 | train_step_timing in s: 31.5\n"
      "Epoch 0: 1/9, train_step_timing in s=4.25\rEpoch 0: 2/9, train_step_timing in s=4.3\r");
  REQUIRE(log.pattern != nullptr);
  CHECK(log.pattern->figure == log_figure::seconds_of_step);
  CHECK(log.figures == std::vector<double>{31.5, 4.25, 4.3});
}

TEST_CASE("DeepSpeed tells seconds, or samples a second", "[calibrate]") {
  const training_log pipeline =
      read_training_log("steps: 10 loss: 4.61 iter time (s): 2.125 samples/sec: 120.4\n");
  REQUIRE(pipeline.pattern != nullptr);
  CHECK(pipeline.pattern->figure == log_figure::seconds_of_step);
  CHECK(pipeline.figures == std::vector<double>{2.125});
  const training_log timer = read_training_log(
      "[2026-01-01 00:00:00] [INFO] epoch=0/micro_step=20/global_step=10, "
      "RunningAvgSamplesPerSec=99.1, CurrSamplesPerSec=101.5, MemAllocated=7.1GB, "
      "MaxMemAllocated=30.5GB\n");
  REQUIRE(timer.pattern != nullptr);
  CHECK(timer.pattern->figure == log_figure::samples);
  CHECK(timer.figures == std::vector<double>{101.5});
  CHECK(timer.allocated == 30.5 * GiB);
}

TEST_CASE("the Trainer tells its mean", "[calibrate]") {
  const training_log log = read_training_log(
      "{'loss': 1.2, 'grad_norm': 0.4, 'learning_rate': 2e-5, 'epoch': 0.5}\n"
      "{'train_runtime': 812.4, 'train_samples_per_second': 31.5, 'train_steps_per_second': 0.25, "
      "'train_loss': 1.1, 'epoch': 1.0}\n");
  REQUIRE(log.pattern != nullptr);
  CHECK(log.pattern->figure == log_figure::steps);
  CHECK(log.figures == std::vector<double>{0.25});
}

TEST_CASE("the Trainer's table of metrics is its mean, too", "[calibrate]") {
  const training_log log = read_training_log(
      "***** train metrics *****\n"
      "  train_runtime            = 0:13:32.40\n"
      "  train_samples_per_second =       31.5\n"
      "  train_steps_per_second   =       0.25\n");
  REQUIRE(log.pattern != nullptr);
  CHECK(log.pattern->figure == log_figure::steps);
  CHECK(log.figures == std::vector<double>{0.25});
}

TEST_CASE("a log whose figures are no numbers is known by their name", "[calibrate]") {
  const std::string text = "loss 1\niteration 1 | train_step_timing in s: nan\n";
  CHECK(read_training_log(text).pattern == nullptr);
  REQUIRE(named_pattern(text) != nullptr);
  CHECK(named_pattern(text)->software == "NeMo");
  CHECK(named_pattern("step: 1 loss: 2\n") == nullptr);
  CHECK(named_pattern("tps: x\n") == nullptr);  // of torchtitan only beside a step
  CHECK(named_pattern("") == nullptr);
}

TEST_CASE("the first lines are left out of the middle where there are others", "[calibrate]") {
  training_log log{.figures = {90, 50, 20, 4, 3, 2, 1}};
  CHECK(log.typical() == 3);
  log.figures = {90, 50, 20, 4, 3, 2};
  CHECK(log.typical() == 20);  // as many as twice those left out: all count
  CHECK(log.typical(1) == 4);
  CHECK_THROWS_AS(training_log{}.typical(), invalid_input);
}

TEST_CASE("other texts are no log, and no text breaks the reader", "[calibrate]") {
  for (const char* text : {"", "\n", "step: 5 tps:", "step: 1 tps: -4", "tps: 5", "steps: 3",
                           "train_step_timing in s", "train_step_timing in s: nan",
                           "train_step_timing in s: 0", "step: 1 tps: 1e999", "\x1b[", "\x1b"}) {
    INFO(text);
    CHECK(read_training_log(text).pattern == nullptr);
  }
  testing::check_property("figures are > 0, whatever the text", [] {
    const std::string parts[] = {"step: ",
                                 "tps: ",
                                 "tps=",
                                 "iter time (s): ",
                                 "steps:",
                                 "1,2",
                                 "-",
                                 "e9",
                                 ".",
                                 "\x1b[3",
                                 "m",
                                 "\n",
                                 "\r",
                                 " ",
                                 "'train_runtime'",
                                 "train_steps_per_second': ",
                                 "memory: ",
                                 "GiB",
                                 ",000",
                                 "9"};
    std::string text;
    const int length = *rc::gen::inRange(0, 60);
    for (int i = 0; i < length; ++i) text += parts[*rc::gen::inRange<std::size_t>(0, 20)];
    const training_log log = read_training_log(text);
    RC_ASSERT((log.pattern == nullptr) == log.figures.empty());
    for (const double one : log.figures) RC_ASSERT(one > 0 && one <= 1e15);
    RC_ASSERT(log.reserved >= bytes{0});
  });
}

}  // namespace
}  // namespace gpuplan
