// From a config.json to a plan: what does each step of the way give?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/search.hpp>

int main() {
  using namespace gpuplan;
  // [inputs]
  const transformer model = read_huggingface(R"({
      "model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
      "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
      "vocab_size": 128256, "tie_word_embeddings": true, "head_dim": 64})",
                                             "config.json");
  const node dgx = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  const cluster pool = cluster_of(dgx, 16);
  const recipe how{.global_batch_size = 256, .sequence_length = 4096};
  const parallelism cut{.data = 16, .micro_batch_size = 2};
  // [/inputs]
  // [one layout]
  const footprint memory = memory_footprint(model, how, cut);
  const estimate step = evaluate(model, pool, how, cut);
  // [/one layout]
  // [all layouts]
  const search_result found = search(model, pool, how, {.keep = 3});
  const run_estimate run =
      training_run(found.best()->what, 1 * units::Ttok, {.gpu = 2.5 * units::dollar / units::hour});
  // [/all layouts]
  std::printf("%.2f billion parameters\n", parameters_of(model).total() / 1e9);
  std::printf("memory of the layout: %.1f GB\n", memory.worst_stage().total() / units::GB);
  std::printf("step of the layout: %.2f s, most of it %s\n", step.time.total() / units::second,
              title_of(step.time.binding()).data());
  std::printf("best layout: %.2f s, MFU %.1f %%\n", found.best()->what.time.total() / units::second,
              100 * found.best()->what.model_flop_utilization());
  std::printf("run: %.1f days, %.0f dollars\n", run.time / units::day, run.cost() / units::dollar);
}
