#include <gpuplan/api/idle_choice.hpp>

#include <string>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_fields.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

std::string refusal_of_job(const job& asked, recompute_choice tried = recompute_choice::fixed,
                           choice_name made = choice_name::field) {
  return testing::refusal_by([&] {
    require_effects(asked, tried, made);
    return 0;
  });
}

job dense(const recipe& how, const parallelism& cut = {}) {
  job asked;
  asked.model = catalog::llama_3_8b;
  asked.recipe = how;
  asked.parallelism = cut;
  return asked;
}

TEST_CASE("what is usual needs no effect", "[api]") {
  CHECK(refusal_of_job(dense({})) == "nothing");
}

TEST_CASE("a choice of experts has no effect on a model without them", "[api]") {
  job asked = dense({.expert_imbalance = 2});
  CHECK(refusal_of_job(asked).starts_with("recipe: expert_imbalance has no effect: "));
  CHECK(refusal_of_job(asked, recompute_choice::fixed, choice_name::option)
            .starts_with("--expert-imbalance has no effect: "));
  for (const auto& row : catalog::models)
    if (row.model.moe.experts > 0) asked.model = row.model;
  REQUIRE(asked.model.moe.experts > 0);
  CHECK(refusal_of_job(asked) == "nothing");
}

TEST_CASE("modules that a model lacks cannot be computed again", "[api]") {
  const auto refusal = [](recomputed_module one) {
    return refusal_of_job(dense({.recompute_modules = {static_cast<unsigned>(one)}}));
  };
  for (const recomputed_module absent :
       {recomputed_module::moe, recomputed_module::moe_act, recomputed_module::shared_experts,
        recomputed_module::mla_up_proj})
    CHECK(refusal(absent).starts_with("recipe: recompute_modules has no effect: "));
  for (const recomputed_module present :
       {recomputed_module::core_attn, recomputed_module::layernorm, recomputed_module::mlp})
    CHECK(refusal(present) == "nothing");
}

TEST_CASE("a choice that full recomputation needs holds where recomputation is searched", "[api]") {
  const job asked = dense({.recompute_every = 2});
  CHECK(refusal_of_job(asked).starts_with("recipe: recompute_every has no effect: "));
  CHECK(refusal_of_job(asked, recompute_choice::searched) == "nothing");
  CHECK(refusal_of_job(dense({.recompute = recompute::full, .recompute_every = 2})) == "nothing");
}

TEST_CASE("a choice whose effect the layout decides is accepted", "[api]") {
  CHECK(refusal_of_job(dense({}, {.exchange = context_exchange::all_to_all})) == "nothing");
  CHECK(refusal_of_job(dense({.schedule = pipeline_schedule::zero_bubble_v})) == "nothing");
}

/// The recipe of a dense model without its idle choices, but for that which was asked for.
recipe without_idle(const recipe& how, const char* asked_for = "") {
  job asked = dense(how);
  take_back_idle(recipe_fields, asked.recipe, asked,
                 [&](const field<recipe>& row) { return row.key == asked_for; });
  return asked.recipe;
}

TEST_CASE("what has no effect is taken back", "[api]") {
  const recipe how = without_idle({.recompute_every = 2, .expert_fusion = software_choice::off});
  CHECK(how.expert_fusion == software_choice::by_framework);
  CHECK(how.recompute_every == 1);
  CHECK(refusal_of_job(dense(how)) == "nothing");
}

TEST_CASE("what has an effect, may have one, or was asked for stays", "[api]") {
  CHECK(without_idle({.recompute = recompute::full, .recompute_every = 2}).recompute_every == 2);
  CHECK(without_idle({.overlap = {.expert = software_choice::off}}).overlap.expert ==
        software_choice::off);
  CHECK(without_idle({.expert_fusion = software_choice::off}, "expert_fusion").expert_fusion ==
        software_choice::off);
}

}  // namespace
}  // namespace gpuplan::api
