#include <gpuplan/model/idle_choices.hpp>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_fields.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

recipe without_idle(recipe how, const char* asked_for = "") {
  const parallelism cut;
  take_back_idle(recipe_fields, how, {catalog::llama_3_8b, how, cut},
                 [&](const field<recipe>& row) { return row.key == asked_for; });
  return how;
}

TEST_CASE("what has no effect is taken back", "[model]") {
  const recipe how = without_idle({.recompute_every = 2, .expert_fusion = software_choice::off});
  CHECK(how.expert_fusion == software_choice::by_framework);
  CHECK(how.recompute_every == 1);
}

TEST_CASE("what has an effect, may have one, or was asked for stays", "[model]") {
  CHECK(without_idle({.recompute = recompute::full, .recompute_every = 2}).recompute_every == 2);
  CHECK(without_idle({.overlap = {.expert = software_choice::off}}).overlap.expert ==
        software_choice::off);
  CHECK(without_idle({.expert_fusion = software_choice::off}, "expert_fusion").expert_fusion ==
        software_choice::off);
}

}  // namespace
}  // namespace gpuplan
