#include <gpuplan/calibrate/formats/trainer_state.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan {
namespace {

/// The state of a run that logged once, and ended with these fields.
std::string state(const std::string& ended) {
  return R"({"epoch": 1.0, "global_step": 200, "log_history": [
  {"epoch": 0.05, "grad_norm": 1.2, "loss": NaN, "step": 10},
  {"epoch": 1.0, "step": 200, "train_loss": 1.5)" +
         ended + R"(}], "max_steps": 200, "train_batch_size": 4})";
}

training_log read(const std::string& ended) {
  return read_trainer_state(state(ended), "state");
}

TEST_CASE("steps over the time of all are finer than what is printed", "[calibrate][facts]") {
  const training_log log = read(R"(, "train_runtime": 420.5, "train_samples_per_second": 7.61,)"
                                R"( "train_steps_per_second": 0.476)");
  REQUIRE(log.pattern != nullptr);
  CHECK(log.pattern->software == "Hugging Face Trainer");
  CHECK(log.pattern->figure == log_figure::steps);
  REQUIRE(log.figures.size() == 1);
  CHECK_THAT(log.figures[0], WithinRel(200 / 420.5, 1e-12));
}

TEST_CASE("what does not agree is not counted again", "[calibrate][facts]") {
  // 200 steps in 100 s are not 0.476 a second: others were counted.
  CHECK(read(R"(, "train_runtime": 100, "train_steps_per_second": 0.476)").figures[0] == 0.476);
  CHECK(read(R"(, "train_steps_per_second": 0.476)").figures[0] == 0.476);
  // Slower than 0.0005 steps a second is printed as 0.
  CHECK_THAT(read(R"(, "train_runtime": 1e6, "train_steps_per_second": 0.0)").figures[0],
             WithinRel(200 / 1e6, 1e-12));
}

TEST_CASE("samples stand in for steps", "[calibrate][facts]") {
  const training_log log = read(R"(, "train_samples_per_second": 7.61)");
  REQUIRE(log.pattern != nullptr);
  CHECK(log.pattern->figure == log_figure::samples);
  CHECK(log.typical() == 7.61);
}

TEST_CASE("a state without times has no figure", "[calibrate][limits]") {
  CHECK(read("").pattern == nullptr);
  CHECK(read(R"(, "train_runtime": "long", "train_steps_per_second": -1)").pattern == nullptr);
  CHECK(read_trainer_state(R"({"log_history": []})", "state").pattern == nullptr);
  CHECK(read_trainer_state("{}", "state").pattern == nullptr);
  CHECK(read_trainer_state(R"({"log_history": [1, null, "x", [{}]]})", "state").pattern == nullptr);
}

TEST_CASE("a long history is read", "[calibrate][limits][long]") {
  std::string history;
  while (history.size() < largest_json_text) history += R"({"loss": 1.25, "step": 10}, )";
  const std::string text = R"({"log_history": [)" + history +
                           R"({"step": 20, "train_runtime": 10, "train_steps_per_second": 2}]})";
  CHECK(read_trainer_state(text, "state").figures == std::vector<double>{2});
}

TEST_CASE("what is no state is refused", "[calibrate][errors]") {
  CHECK(testing::refusal_by([] { read_trainer_state(R"({"log_history": 3})", "t.json"); }) ==
        "t.json: log_history must be an array, not 3");
  CHECK_FALSE(testing::refusal_by([] { read_trainer_state("{", "t.json"); }) == "nothing");
  CHECK_FALSE(testing::refusal_by([] { read(R"(, "train_runtime": 1e400)"); }) == "nothing");
}

}  // namespace
}  // namespace gpuplan
