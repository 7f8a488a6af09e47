#include <gpuplan/memory/stage_terms.hpp>

#include <cmath>
#include <set>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(name_of(moment::head_backward) == "head_backward");
static_assert(name_of(moment::optimizer_step) == "optimizer_step");

TEST_CASE("every term has a name of its own and is reached by it", "[memory][facts]") {
  std::set<std::string_view> names;
  stage_footprint stage;
  double number = 0;
  for (const stage_term& term : stage_terms) {
    CHECK(names.insert(term.name).second);
    CHECK(term.of(stage) == bytes{0});
    term.of(stage) = ++number * byte;
  }
  number = 0;
  for (const stage_term& term : stage_terms) CHECK(term.of(stage) == ++number * byte);
}

TEST_CASE("the shares of a stage's terms add up to its total", "[memory][property]") {
  testing::check_property("sum of shares = total", [] {
    const testing::random_job at = testing::random_job_any();
    recipe how = at.recipe;
    how.gradients_live = *rc::gen::element(gradient_lifetime::always, gradient_lifetime::backward);
    const stage_footprint stage = memory_footprint(at.model, how, at.parallelism).worst_stage();
    bytes sum{};
    for (const stage_term& term : stage_terms) {
      const bytes share = share_of_total(stage, term);
      RC_ASSERT(share >= -1e-9 * stage.total());
      sum += share;
    }
    RC_ASSERT(std::abs(sum / stage.total() - 1) < 1e-9);
  });
}

TEST_CASE("a term of another moment has no share", "[memory][facts]") {
  const stage_footprint stage{
      .activations = 100 * GB, .logits = 20 * GB, .layer_gradients = 10 * GB};
  for (const stage_term& term : stage_terms) {
    if (term.name == "logits") CHECK(share_of_total(stage, term) == 20 * GB);
    if (term.name == "layer_gradients") CHECK(share_of_total(stage, term) == 0 * GB);
  }
}

}  // namespace
}  // namespace gpuplan
