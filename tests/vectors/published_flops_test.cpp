#include <map>
#include <string>
#include <string_view>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/precision.hpp>

#include "accuracy/flop_convention.hpp"
#include "accuracy/published_row.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

using testing::load_vectors;

/// The time of a step as an entry prints it, in any of the quantities that give it.
seconds printed_time(const nlohmann::json& entry, const recipe& how) {
  const nlohmann::json& measured = field(entry, "measured");
  for (const char* quantity : {"iteration_s", "tokens_per_s", "tokens_per_s_per_gpu"})
    if (const auto value = number(measured, quantity))
      return step_seconds(quantity, *value, how, number_of(entry, "gpus"), flop{});
  throw unmapped{"no time of a step is printed"};
}

/// Operations a second and GPU, of the run's FLOP convention: what the check prints, or that over
/// the datasheet's peak.
double computed(const nlohmann::json& entry, const std::string& quantity) {
  const nlohmann::json& run = field(entry, "run");
  const nlohmann::json& model = field(entry, "model");
  const transformer m = detail::published_transformer(model);
  const recipe how{.global_batch_size = whole_of(entry, "global_batch"),
                   .sequence_length = whole_of(model, "seq")};
  const flop_per_second rate =
      counted_flop(entry, m, how) / printed_time(entry, how) / number_of(entry, "gpus");
  if (quantity == "tflops_per_gpu") return rate.in(units::TFLOP / units::second);
  REQUIRE(quantity == "mfu");
  const auto* gpu = catalog::find_accelerator(text_of(run, "gpu"));
  REQUIRE(gpu != nullptr);
  const precision formats = detail::published_precision(text_of(run, "dtype"));
  return rate / gpu->gpu->peak[formats_of(formats).product];
}

TEST_CASE("operations that sources print are met, each under its source's convention",
          "[vectors][compute]") {
  const nlohmann::json checks = load_vectors("published_checks");
  const nlohmann::json entries = load_vectors("published");
  std::map<std::string, const nlohmann::json*> entry_of;
  for (const nlohmann::json& entry : entries) entry_of[text_of(entry, "id")] = &entry;

  int seen = 0;
  for (const nlohmann::json& check : checks) {
    if (text_of(check, "cls") != "flops") continue;
    const std::string id = text_of(check, "id");
    INFO(id);
    if (!entry_of.contains(id) && !testing::are_own_vectors()) continue;
    REQUIRE(entry_of.contains(id));
    const double value = number_of(check, "value");
    CHECK_THAT(computed(*entry_of.at(id), text_of(check, "quantity")),
               WithinRel(value, number_of(check, "rel_tol")));
    ++seen;
  }
  CHECK((seen > 0 || !testing::are_own_vectors()));
}

}  // namespace
}  // namespace gpuplan::accuracy
