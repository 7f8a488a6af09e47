// Every field of a recipe and of a layout moves some output, and none where its row says that it
// has no effect.

#include <cmath>
#include <string>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/report/json.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

struct asked {
  const char* name;
  transformer model{};
  recipe how{};
  parallelism cut{};
  workspace beside{};
  accelerator gpu = catalog::h100_sxm5_80gb;

  [[nodiscard]] training_setup setup() const { return {model, how, cut}; }
};

std::vector<asked> jobs() {
  using namespace catalog;
  const recipe usual{.global_batch_size = 64, .sequence_length = 4096};
  const parallelism all_axes{.data = 4, .tensor = 2, .pipeline = 4, .context = 2};
  std::vector<asked> list;
  list.push_back({"one GPU", llama_3_8b, usual, {}});
  list.push_back({"data alone", llama_3_8b, usual, {.data = 16}});
  list.push_back({"every axis", llama_3_8b, usual, all_axes});
  list.push_back({"tensor and data", llama_3_8b, usual, {.data = 8, .tensor = 8}});
  asked divided{"every axis, ZeRO 3", llama_3_8b, usual, all_axes};
  divided.how.zero = zero_stage::parameters;
  list.push_back(divided);
  asked full{"full recompute", llama_3_8b, usual, all_axes};
  full.how.recompute = recompute::full;
  list.push_back(full);
  asked chunks{"chunks", llama_3_8b, usual, all_axes};
  chunks.cut.interleave = 2;
  list.push_back(chunks);
  asked adapted{"adapters", llama_3_8b, usual, all_axes};
  adapted.how.adapters.rank = 16;
  list.push_back(adapted);
  asked small = adapted;
  small.name = "a 4-bit base";
  small.how.adapters.base = base_weights::int4;
  list.push_back(small);
  asked experts{"experts", mixtral_8x7b_v0_1, usual, {.data = 16, .tensor = 2, .pipeline = 2}};
  experts.cut.expert = 8;
  experts.how.sequence_parallel = true;
  list.push_back(experts);
  asked shared{"shared experts", deepseek_v3, usual, {.data = 64, .tensor = 2}};
  shared.cut.expert = 16;
  shared.how.sequence_parallel = true;
  list.push_back(shared);
  asked blocks = experts;
  blocks.name = "experts in MXFP8";
  blocks.how.precision = precision::mixed_fp8;
  blocks.how.fp8_recipe = fp8_recipe::mxfp8;
  blocks.gpu = catalog::b200_sxm;
  list.push_back(blocks);
  asked narrow{"FP8", llama_3_8b, usual, {.data = 8, .tensor = 8}};
  narrow.how.precision = precision::mixed_fp8;
  list.push_back(narrow);
  transformer encoded = llama_3_8b;
  encoded.encoder_layers = encoded.layers;
  list.push_back({"encoder", encoded, usual, {.data = 8, .tensor = 2}});
  asked head{"one micro-batch, fullest at the head", gpt2, usual, {.data = 64}};
  head.how.sequence_length = 1024;
  head.how.loss = loss_kernel::eager;
  list.push_back(head);
  return list;
}

/// All that is said of a job.
std::string answer_of(const asked& job) {
  const node box = node_of(job.gpu, 8, interconnect_of(catalog::infiniband_ndr));
  return json_of(evaluate(job.model, cluster_of(box, 512), job.how, job.cut, job.beside)).dump();
}

/// Values beside the one that a job has.
template <class Owner>
std::vector<double> other_values(const field<Owner>& row, const Owner& now) {
  const double x = row.value.get(now);
  std::vector<double> values;
  if (row.value.kind == field_kind::quantity && !std::isfinite(x))  // no limit
    values = {300};
  else if (row.value.kind == field_kind::quantity)
    values = {2 * x + 1e6, x + 1};
  else if (row.value.kind == field_kind::number)
    values = {x + (row.value.most - x) / 2};
  else if (row.value.kind == field_kind::count)
    values = {x + 1, 2 * x, 4, 8, 2048};
  else
    for (double v = row.value.least; v <= row.value.most; ++v) values.push_back(v);
  std::erase(values, x);
  return values;
}

recipe& part_of(asked& job, const recipe&) {
  return job.how;
}
parallelism& part_of(asked& job, const parallelism&) {
  return job.cut;
}
workspace& part_of(asked& job, const workspace&) {
  return job.beside;
}

/// Whether some value of the field changes what is said of the job.  A value that is refused as
/// invalid says nothing of that.
template <class Owner>
bool moves(const field<Owner>& row, const asked& job) {
  const std::string before = answer_of(job);
  asked changed = job;
  Owner& part = part_of(changed, Owner{});
  if (row.value.stages != nullptr) {
    part.*row.value.stages = layer_split{std::vector{5, 9, 9, 9}};
    return answer_of(changed) != before;
  }
  for (const double x : other_values(row, part)) {
    row.value.set(part, x);
    try {
      if (answer_of(changed) != before) return true;
    } catch (const invalid_input&) {
      continue;
    }
  }
  return false;
}

template <class Rows>
void check_effects(const Rows& rows) {
  const std::vector<asked> all = jobs();
  for (const auto& row : rows) {
    int moved = 0;
    for (const asked& job : all) {
      CAPTURE(std::string(row.key), job.name);
      const bool idle = row.effect.where != nullptr && !row.effect.where(job.setup());
      const bool has_moved = moves(row, job);
      if (idle) CHECK_FALSE(has_moved);
      moved += has_moved ? 1 : 0;
    }
    CAPTURE(std::string(row.key));
    CHECK(moved > 0);
  }
}

TEST_CASE("every field of a recipe has an effect, and none where its row says so", "[plan][long]") {
  check_effects(recipe_fields);
}

TEST_CASE("every field of a layout has an effect, and none where its row says so", "[plan]") {
  check_effects(parallelism_fields);
}

TEST_CASE("every field of a workspace has an effect, and none where its row says so", "[plan]") {
  check_effects(workspace_fields);
}

}  // namespace
}  // namespace gpuplan
