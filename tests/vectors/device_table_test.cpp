// The error table of benchmarks/measured/measure.py, on tables that are made up.
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accuracy/device_report.hpp"
#include "support/catch.hpp"

namespace gpuplan::accuracy {
namespace {

using namespace units;
using nlohmann::json;

json gpt2_row(const std::string& name, int batch, int sequence, bool fitted) {
  return {{"name", name},
          {"fitted", fitted},
          {"transformer",
           {{"layers", 12},
            {"hidden_size", 768},
            {"attention_heads", 12},
            {"ffn_size", 3072},
            {"vocabulary_size", 50257},
            {"tied_embeddings", true},
            {"positions", "learned"},
            {"position_rows", 1024},
            {"biases", {{"query_key_value", true}, {"attention_output", true}, {"ffn", true}}}}},
          {"micro_batch_size", batch},
          {"sequence_length", sequence},
          {"precision", "mixed_bf16"},
          {"optimizer", "adamw"},
          {"recompute", batch % 3 == 0 ? "full" : "none"},
          {"attention", "flash"},
          {"states_bytes", 2e9},
          {"peak_bytes", 1.0},
          {"median_step_s", 1.0}};
}

/// A table whose times are those of a device with other constants, some per cent off, and whose
/// peaks are off by so much of what is predicted.
json table_of(const device_setting& made, double noise, double memory_error, int fitted = 4) {
  json file{{"schema", "gpuplan-measured/1"},
            {"gpu", "NVIDIA H100 80GB HBM3"},
            {"device_bytes", 85e9},
            {"date", "2026-01-01"},
            {"driver", "580.00"},
            {"torch", "2.9.0"},
            {"rows", json::array()},
            {"largest", json::array()}};
  int index = 0;
  for (const int sequence : {256, 1024, 4096})
    for (const int batch : {4, 6, 8, 16}) {
      json row = gpt2_row("b" + std::to_string(batch) + "s" + std::to_string(sequence), batch,
                          sequence, index % 3 == 0 && index / 3 < fitted);
      const device_run run = device_run_of(row, {"NVIDIA H100 80GB HBM3", 85e9 * byte});
      const double off = index % 2 == 0 ? 1 + noise : 1 - noise;
      row["median_step_s"] = off * made.time_of(run).in(second);
      row["states_bytes"] = run.predicted_states().in(byte) / (1 - memory_error);
      row["peak_bytes"] = run.predicted_peak().in(byte) / (1 + memory_error);
      file["rows"].push_back(row);
      if (sequence == 1024) {
        row["largest_batch"] = run.predicted_batch() + (batch == 16 ? 0 : 1);
        file["largest"].push_back(row);
      }
      ++index;
    }
  file["left_out"] = {{{"name", "too large"}, {"reason", "out of memory"}}};
  return file;
}

TEST_CASE("a row is a job of eager PyTorch on one GPU", "[accuracy]") {
  const device_run run =
      device_run_of(gpt2_row("a", 6, 1024, true), {"NVIDIA H100 80GB HBM3", 85e9 * byte});
  CHECK(run.fitted);
  CHECK(run.asked.model.hidden_size == 768);
  const recipe& how = run.asked.recipe;
  CHECK(how.global_batch_size == 6);
  CHECK(how.sequence_length == 1024);
  CHECK(how.recompute == recompute::full);
  CHECK(how.loss == loss_kernel::eager);
  CHECK(how.weights == weight_storage::fp32);
  CHECK(how.gradients_live == gradient_lifetime::backward);
  CHECK(run.asked.parallelism.micro_batch_size == 6);
  const workspace& beside = run.asked.workspace;
  CHECK(beside.kernels.norms_kept_fp32);
  CHECK_FALSE(beside.kernels.activation_fused);
  CHECK_FALSE(beside.kernels.head_gradient_fused);
  CHECK(beside.cublas == 32 * MiB);
  CHECK(beside.transformer_engine == bytes{0});
  CHECK(beside.communicator == bytes{0});
  CHECK(run.pool.gpus() == 1);
  CHECK(run.pool.gpu().peak.bf16 == catalog::h100_sxm5_80gb.peak.bf16);
  CHECK(run.capacity == 85e9 * byte);

  json pure = gpt2_row("b", 4, 1024, false);
  pure["precision"] = "pure_bf16";
  pure["beside_bytes"] = 4e8;
  const device_run other = device_run_of(pure, {"A100-SXM4-80GB"});
  CHECK(other.asked.recipe.weights == weight_storage::by_precision);
  CHECK_FALSE(other.asked.workspace.kernels.norms_kept_fp32);
  CHECK(other.asked.workspace.cublas == 8.125 * MiB);
  CHECK(other.asked.workspace.cuda_context == 400 * MB);
  CHECK(other.predicted_peak() < run.predicted_peak());
}

TEST_CASE("the constants are those of the device and of its software", "[accuracy]") {
  const device_run run =
      device_run_of(gpt2_row("a", 8, 1024, true), {"NVIDIA H100 80GB HBM3", 85e9 * byte});
  cluster slower = run.pool;
  slower.node.gpu.sustained.bf16 *= 0.5;
  slower.node.gpu.attention.flash_2 *= 0.25;
  framework_profile software = profile_of(framework::fsdp);
  software.elementwise = 2;
  software.buffers = bytes{0};
  software.flash = flash_kernel::flash_2;
  CHECK(device_setting{.products = 0.5, .attention = 0.25, .elementwise = 2}.time_of(run) ==
        step_time_of(run.asked.model, slower, run.asked.recipe, run.asked.parallelism, software)
            .total());
  const device_setting usual = library_device_setting();
  CHECK(device_setting{.products = 0.5, .elementwise = usual.elementwise}.time_of(run) >
        usual.time_of(run));
  CHECK(device_setting{.attention = 0.25, .elementwise = usual.elementwise}.time_of(run) >
        usual.time_of(run));
}

TEST_CASE("constants of a made-up device are found from four rows", "[accuracy][property]") {
  const device_setting made{.products = 0.85, .attention = 0.7, .elementwise = 1.6};
  const device_table table = read_device_table(table_of(made, 0, 0.02));
  REQUIRE(table.runs.size() == 12);
  CHECK(table.unmapped.empty());
  const device_setting found = fitted_device_setting(table);
  const device_errors errors = errors_of(table, found);
  CHECK(errors.time_rest.count() == 8);
  CHECK(errors.time_rest.worst() < 0.01);
  CHECK(errors.time.median() >
        2 * errors.time_rest.worst());  // its constants are not the library's
  CHECK_THAT(found.elementwise, WithinRel(1.6, 0.1));
  CHECK_THAT(errors.memory.median(), WithinRel(0.02, 1e-9));
  CHECK_THAT(errors.states.worst(), WithinRel(0.02, 1e-9));
  CHECK(errors.memory_rest.count() == 8);
  CHECK(errors.batch.count() == 4);
  CHECK(errors.exact == 1);
}

TEST_CASE("noise of three per cent stays about as large in what is predicted", "[accuracy]") {
  const device_setting made{.products = 0.9, .attention = 1, .elementwise = 2};
  const device_table table = read_device_table(table_of(made, 0.03, 0));
  const device_errors errors = errors_of(table, fitted_device_setting(table));
  CHECK(errors.time_rest.median() < device_time_goal);
  CHECK(errors.memory_rest.worst() < 1e-9);
}

TEST_CASE("fewer rows than constants need are not fitted", "[accuracy]") {
  const device_setting made{.products = 0.5, .attention = 1, .elementwise = 3};
  const device_table table = read_device_table(table_of(made, 0, 0, 3));
  CHECK(fitted_device_setting(table).elementwise == library_device_setting().elementwise);
  CHECK(errors_of(table, fitted_device_setting(table)).time_rest.count() == 9);
}

TEST_CASE("a table is printed with its device, and without one it says so", "[accuracy]") {
  CHECK(text_of(std::vector<device_table>{}).find("not measured: no device was at hand") !=
        std::string::npos);
  CHECK(json_of(std::vector<device_table>{}) == json::array());
  const std::vector tables{read_device_table(table_of({.elementwise = 1.5}, 0, 0.05))};
  const std::string text = text_of(tables);
  for (const char* words : {"NVIDIA H100 80GB HBM3, 2026-01-01, driver 580.00, PyTorch 2.9.0",
                            "too large: out of memory", "missed", "1 of 4"}) {
    INFO(words);
    CHECK(text.find(words) != std::string::npos);
  }
  CHECK(rows_of(tables).find("b16s1024") != std::string::npos);
  const json answer = json_of(tables);
  CHECK(answer[0]["runs"].size() == 12);
  CHECK(answer[0]["time"]["count"] == 8);
  CHECK(answer[0]["largest"][0]["predicted"].get<int>() + 1 == answer[0]["largest"][0]["found"]);
}

TEST_CASE("rows that say too little are kept apart, other files are refused",
          "[accuracy][errors]") {
  json file = table_of({}, 0, 0);
  file["rows"][0].erase("peak_bytes");
  file["rows"][1]["precision"] = "int1";
  file["rows"][2]["median_step_s"] = 0;
  file["rows"][3]["transformer"]["layerz"] = 1;
  const device_table table = read_device_table(file);
  CHECK(table.runs.size() == 8);
  REQUIRE(table.unmapped.size() == 4);
  CHECK(table.unmapped[0].reason == "peak_bytes is not given");
  CHECK(table.unmapped[1].reason == "precision is unknown: int1");
  CHECK(table.unmapped[2].reason == "states_bytes, peak_bytes and median_step_s must be > 0");
  CHECK(table.unmapped[3].reason.find("layerz is not a known field") != std::string::npos);
  file["gpu"] = "GPU of tomorrow";
  CHECK(read_device_table(file).runs.empty());
  CHECK_THROWS_AS(read_device_table(json::object()), unmapped);
}

}  // namespace
}  // namespace gpuplan::accuracy
