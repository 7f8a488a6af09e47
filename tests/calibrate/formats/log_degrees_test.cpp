#include <gpuplan/calibrate/formats/log_degrees.hpp>

#include <map>
#include <string_view>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

std::map<stated_degree, std::int64_t> stated(std::string_view text) {
  std::map<stated_degree, std::int64_t> all;
  for (const log_degree& one : read_log_degrees(text)) all[one.what] = one.value;
  return all;
}

TEST_CASE("the head of a log of Megatron states its layout", "[calibrate]") {
  const std::string_view text =
      "first\nusing world size: 64, data-parallel size: 8, context-parallel size: 1, hierarchical "
      "context-parallel sizes: None, tensor-model-parallel size: 4, pipeline-model-parallel size: "
      "2\n"
      "  encoder_tensor_model_parallel_size .............. 3\n"
      "  expert_model_parallel_size ...................... 16\n"
      "  micro_batch_size ................................ 1\n"
      "  seq_length ...................................... 4096\n"
      "  rampup_batch_size ............................... None\n";
  CHECK(stated(text) == std::map<stated_degree, std::int64_t>{{stated_degree::gpus, 64},
                                                              {stated_degree::data, 8},
                                                              {stated_degree::tensor, 4},
                                                              {stated_degree::pipeline, 2},
                                                              {stated_degree::context, 1},
                                                              {stated_degree::expert, 16},
                                                              {stated_degree::micro_batch, 1},
                                                              {stated_degree::sequence, 4096}});
  for (const log_degree& one : read_log_degrees(text))
    if (one.what == stated_degree::tensor) {
      CHECK(one.line == 2);
      CHECK(one.named == "tensor-model-parallel size");
    }
}

TEST_CASE("meshes of torchtitan state theirs", "[calibrate]") {
  const std::map<stated_degree, std::int64_t> expected{
      {stated_degree::data, 8}, {stated_degree::tensor, 2}, {stated_degree::pipeline, 4}};
  CHECK(stated("Building 4-D device mesh with ['pp', 'dp_replicate', 'dp_shard', 'tp'], [4, 2, 4, "
               "2]\n") == expected);
  CHECK(stated("Building device mesh with parallelism: pp=4, dp_replicate=2, dp_shard=4, tp=2\n") ==
        expected);
}

TEST_CASE("batches of DeepSpeed and of the Trainer are read", "[calibrate]") {
  CHECK(stated("[config.py:1000:print]   train_micro_batch_size_per_gpu  4\n"
               "[config.py:1000:print]   train_batch_size ............. 64\n"
               "[config.py:1000:print]   world_size ................... 8\n") ==
        std::map<stated_degree, std::int64_t>{{stated_degree::gpus, 8},
                                              {stated_degree::micro_batch, 4},
                                              {stated_degree::global_batch, 64}});
  CHECK(stated("  Instantaneous batch size per device = 8\n"
               "  Total train batch size (w. parallel, distributed & accumulation) = 128\n") ==
        std::map<stated_degree, std::int64_t>{{stated_degree::micro_batch, 8},
                                              {stated_degree::global_batch, 128}});
}

TEST_CASE("what is no whole number of its own name states nothing", "[calibrate]") {
  CHECK(stated("train_batch_size: auto\nmicro_batch_size: 1.5\nglobal_batch_size: -1\n"
               "my_world_size: 4\nseq_length: 4k\nworld size\n")
            .empty());
}

}  // namespace
}  // namespace gpuplan
