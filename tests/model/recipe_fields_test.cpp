#include <gpuplan/model/recipe_fields.hpp>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/field_tables.hpp"

namespace gpuplan {
namespace {

using testing::members_of;

static_assert(recipe_fields.size() == members_of<recipe>() - 2 + members_of<adapters>() - 1 +
                                          members_of<weight_blocks>() +
                                          members_of<message_overlap>(),
              "each member of a recipe has a row");
static_assert(parallelism_fields.size() == members_of<parallelism>(),
              "each member of a layout has a row");

TEST_CASE("the rows of recipe and layout have names and help", "[model]") {
  testing::check_names(recipe_fields);
  testing::check_names(parallelism_fields);
}

TEST_CASE("what few recipes ask for stands in a group of its own", "[model]") {
  for (const auto& row : recipe_fields) {
    INFO(row.key);
    for (const std::string_view part : {"adapter", "offload", "expert"})
      if (row.key.find(part) != std::string_view::npos) CHECK(row.seldom);
    for (const std::string_view key : {"precision", "optimizer", "recompute", "global_batch_size"})
      if (row.key == key) CHECK_FALSE(row.seldom);
  }
}

TEST_CASE("the bounds of recipe and layout are those of require_valid", "[model]") {
  testing::check_bounds(recipe_fields, recipe{});
  testing::check_bounds(parallelism_fields, parallelism{});
}

TEST_CASE("every value of a choice can be asked for by each of its names", "[model]") {
  for (const field<recipe>& row : recipe_fields)
    for (const named<int>& name : row.value.names) {
      CAPTURE(std::string(row.key), std::string(name.name));
      recipe how;
      row.value.set(how, name.value);
      CHECK(row.value.get(how) == name.value);
      CHECK(find_spelling(name.name, row.value.names)->value == name.value);
    }
}

TEST_CASE("a set of modules holds any of them", "[model]") {
  const auto& row = recipe_fields[place_of_field(recipe_fields, "recompute_modules")];
  CHECK(row.value.most == all_modules);
  recipe how;
  row.value.set(how, 5);
  CHECK(how.recomputes(recomputed_module::core_attn));
  CHECK(how.recomputes(recomputed_module::moe_act));
  CHECK_FALSE(how.recomputes(recomputed_module::layernorm));
  CHECK(row.value.get(how) == 5);
}

TEST_CASE("what follows from other fields is shown as it comes out", "[model]") {
  const auto shown = [](const auto& rows, std::string_view key, const auto& of) {
    return rows[place_of_field(rows, key)].shown(of);
  };
  const recipe how{.precision = precision::mixed_fp16};
  CHECK(shown(recipe_fields, "gradient_dtype", how) == static_cast<double>(gradient_format::fp16));
  const parallelism cut{.data = 6, .tensor = 4, .context = 2};
  CHECK(shown(parallelism_fields, "expert_tensor", cut) == 4);
  CHECK(shown(parallelism_fields, "shard_group", cut) == 12);
  for (const precision p : precisions)
    CHECK(shown(recipe_fields, "gradient_dtype", recipe{.precision = p}) > 0);
}

TEST_CASE("latents of any width make their choices count", "[model]") {
  transformer m = catalog::deepseek_v3;
  const recipe how{.framework = framework::transformer_engine};
  const parallelism alone;
  for (const int rank : {0, 1, 512}) {
    m.latent.kv_rank = rank;
    CHECK(effect::with_latents.where({m, how, alone}) == (rank > 0));
  }
}

}  // namespace
}  // namespace gpuplan
