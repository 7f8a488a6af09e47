#include <gpuplan/api/power_limit.hpp>

#include <limits>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/api/job_reader.hpp>
#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

static_assert(least_power_limit(catalog::h100_sxm5_80gb) == watts{140});
static_assert(least_power_limit(accelerator{}) == watts{0}, "unknown: nothing is refused");
static_assert(is_idle_power_limit(catalog::h100_sxm5_80gb, {.power_limit = watts{5000}}));
static_assert(!is_idle_power_limit(catalog::h100_sxm5_80gb, {.power_limit = watts{700}}));
static_assert(!is_idle_power_limit(catalog::h100_sxm5_80gb, {}), "none but its design's");
static_assert(!is_idle_power_limit(accelerator{}, {.power_limit = watts{5000}}));

json request(const json& cluster, double limit) {
  return {{"model", "gpt2"}, {"cluster", cluster}, {"recipe", {{"power_limit_w", limit}}}};
}

std::string refusal_of(const json& asked) {
  try {
    static_cast<void>(read_job(asked));
  } catch (const invalid_request& refused) {
    return refused.what();
  }
  return "nothing";
}

TEST_CASE("a request's power limit is one that its GPU can be set to", "[api]") {
  const json h100{{"gpu", "H100-SXM5-80GB"}};
  for (const double limit : {140.0, 700.0, 5000.0})
    CHECK(refusal_of(request(h100, limit)) == "nothing");
  CHECK(refusal_of(request(h100, 1)) ==
        "recipe: power_limit_w must be >= 140 W, a fifth of what H100-SXM5-80GB draws at most "
        "(700 W), not 1 W");
  CHECK(refusal_of(request(h100, 139.5)).ends_with("not 139.5 W"));
  // NVIDIA allows 200 W of the 1000 W of a B200.
  CHECK(refusal_of(request({{"gpu", "B200-SXM"}}, 200)) == "nothing");
}

TEST_CASE("a limit holds for each kind of GPU of a pool", "[api]") {
  const json both = json::array(
      {{{"gpu", "A100-SXM4-80GB"}, {"gpus", 8}}, {{"gpu", "H100-SXM5-80GB"}, {"gpus", 8}}});
  CHECK(refusal_of(request(both, 100)).find("H100-SXM5-80GB") != std::string::npos);
  CHECK(refusal_of(request(both, 150)) == "nothing");
}

TEST_CASE("a refused limit is called by its option where it was typed", "[api]") {
  job asked;
  asked.pool.node.gpu = catalog::h100_sxm5_80gb;
  asked.recipe.power_limit = watts{1};
  const std::string said = testing::refusal_by([&] {
    require_power_limit(asked, choice_name::option);
    return 0;
  });
  CHECK(said.starts_with("--power-limit must be >= 140 W"));
}

}  // namespace
}  // namespace gpuplan::api
