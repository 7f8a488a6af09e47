// A request in JSON, an answer in JSON: how fast is this layout, and what is wrong with that one?
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/api/answer.hpp>

int main() {
  using nlohmann::json;
  // [ask]
  const json answer = json::parse(gpuplan::api::answer(R"({
      "question": "evaluate", "model": "llama-3-8b",
      "cluster": {"gpu": "H100", "gpus": 64},
      "recipe": {"global_batch_size": 512, "sequence_length": 4096, "zero": 1},
      "parallelism": {"data": 16, "tensor": 4}})"));
  const json refused = json::parse(gpuplan::api::answer(R"({
      "question": "evaluate", "model": "llama-3-8b", "recipe": {"optimizer": "adamm"}})"));
  // [/ask]
  std::printf("it %s: %.2f s a step, MFU %.1f %%\n", answer["fits"] ? "fits" : "does not fit",
              answer["step_time_s"].get<double>(), 100 * answer["mfu"].get<double>());
  const json& error = refused["error"];
  std::printf("%s: did you mean %s?\n", error["where"].get<std::string>().c_str(),
              error["did_you_mean"][0].get<std::string>().c_str());
}
