#include <gpuplan/plan/training_task.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(task_rules.size() == training_tasks.size());
static_assert(name_of(training_task::continue_pretraining) == "continue");
static_assert(tokens_of_samples(52002, 3, 1, 1024) == 159750144 * token);
static_assert(tokens_of_samples(10, 1, 2, 100) == 2000 * token, "a pair is two sequences");
static_assert(rounded_batch(128, 8) == 128 && rounded_batch(128, 48) == 144);
static_assert(rounded_batch(16, 64) == 64, "each rank has something to do");

template <class... Args>
concept counts_samples = requires(Args... args) {
  tokens_of_samples(args...);
};
static_assert(counts_samples<double, double, int, int>);
static_assert(!counts_samples<tokens, double, int, int>, "samples are no tokens");
static_assert(!counts_samples<double, seconds, int, int>, "epochs are no time");
template <class Task>
concept has_rule = requires(Task task) {
  rule_of(task);
};
static_assert(has_rule<training_task> && !has_rule<int>, "a task is named");

constexpr recipe usual_of(training_task task) {
  return with_defaults({}, task, catalog::llama_3_8b);
}

static_assert(usual_of(training_task::pretrain).global_batch_size == recipe{}.global_batch_size,
              "pre-training is what a recipe says without a task");
static_assert(usual_of(training_task::sft).sequence_length == 1024);
static_assert(!usual_of(training_task::sft).adapts());
static_assert(usual_of(training_task::lora).adapters.rank == 16);
static_assert(usual_of(training_task::lora).adapters.base == base_weights::by_precision);
static_assert(usual_of(training_task::qlora).adapters.base == base_weights::nf4);
static_assert(usual_of(training_task::qlora).adapters.maps.bits == all_maps);
static_assert(usual_of(training_task::dpo).keeps_reference());
static_assert(usual_of(training_task::dpo).sequences_per_sample == 2);
static_assert(with_defaults({}, training_task::continue_pretraining, catalog::gpt2)
                      .sequence_length == catalog::gpt2.position_rows,
              "no longer than a learned table of positions");

TEST_CASE("every task has its place, a name of its own and sources", "[plan][facts]") {
  std::set<std::string_view> names;
  for (const training_task task : training_tasks) {
    const task_rule& rule = rule_of(task);
    CAPTURE(std::string(rule.name));
    CHECK(rule.task == task);
    names.insert(rule.name);
    CHECK(find_spelling(rule.name, training_task_names)->value == task);
    const task_data& data = rule.data;
    CHECK((data.tokens_per_parameter > 0) + (data.trained > tokens{0}) + (data.samples > 0) == 1);
    CHECK(data.epochs > 0);
    CHECK(data.source.find('"') != data.source.npos);
  }
  CHECK(names.size() == training_tasks.size());
  for (const unmodelled_task& one : unmodelled_tasks)
    CHECK(find_spelling(one.name, training_task_names) == nullptr);
}

TEST_CASE("every default is of a field, within its bounds, and has a source", "[plan][facts]") {
  for (const task_rule& rule : task_rules) {
    std::set<std::string_view> keys;
    for (const task_default& one : rule.defaults) {
      CAPTURE(std::string(rule.name), std::string(one.key));
      const std::size_t place = place_of_field(recipe_fields, one.key);
      REQUIRE(place < recipe_fields.size());
      const auto& value = recipe_fields[place].value;
      CHECK(one.value >= value.least);
      CHECK(one.value <= value.most);
      CHECK(keys.insert(one.key).second);
      const bool convention = one.source.starts_with("convention: ");
      const bool cited =
          one.source.find('"') != one.source.npos && one.source.find("(20") != one.source.npos;
      CHECK((convention || cited));
    }
    CHECK_NOTHROW(require_valid(with_defaults({}, rule.task, catalog::llama_3_8b)));
  }
}

TEST_CASE("defaults as their sources have them", "[plan][reference]") {
  // R. Taori et al. (2023), README: 52,002 samples, batch 128, 3 epochs: 1219 steps.
  const recipe sft = usual_of(training_task::sft);
  const task_data& alpaca = rule_of(training_task::sft).data;
  CHECK(std::floor(alpaca.samples * alpaca.epochs / sft.global_batch_size) == 1218);
  // T. Dettmers et al. (2023), finetune_guanaco_7b.sh: 4 sequences, 4 times a step, rank 64.
  CHECK(usual_of(training_task::qlora).global_batch_size == 4 * 4);
  CHECK(usual_of(training_task::qlora).adapters.rank == 64);
  // L. Tunstall et al. (2025), config_full.yaml: 8 pairs a GPU, 2 times, on 8 GPUs.
  CHECK(usual_of(training_task::dpo).global_batch_size == 2 * 8 * 2 * 8);
}

/// Eight GPUs, ZeRO 3.
estimate answer_of(recipe how) {
  const node box = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  how.zero = zero_stage::parameters;
  how.recompute = recompute::full;
  how.global_batch_size = 64;
  return evaluate(catalog::llama_3_8b, cluster_of(box, 8), how, {.data = 8, .micro_batch_size = 2});
}

TEST_CASE("preference optimization computes four passes for three", "[plan][reference]") {
  // R. Rafailov et al. (2023), equation 7: the policy forward and backward, the reference forward.
  recipe how = usual_of(training_task::dpo);
  const estimate dpo = answer_of(how);
  how.reference = reference_model::none;
  const estimate precomputed = answer_of(how);
  REQUIRE(dpo.fits());
  CHECK(std::abs(dpo.model_flop / precomputed.model_flop * 3 / 4 - 1) < 1e-12);
  CHECK(precomputed.time[step_term::reference] == seconds{0});
  // All layers of full recomputation are one forward pass, which the head is no part of.
  const double again = dpo.time[step_term::reference] / dpo.time[step_term::recompute];
  CHECK(again > 1);
  CHECK(again < 1.15);
  CHECK(dpo.time[step_term::gather] > precomputed.time[step_term::gather]);
}

TEST_CASE("adapters are their own reference", "[plan]") {
  recipe how = usual_of(training_task::lora);
  const estimate sft = answer_of(how);
  how.reference = reference_model::frozen;
  const estimate dpo = answer_of(how);
  CHECK(dpo.needed == sft.needed);
  CHECK(dpo.time.total() > sft.time.total());
}

TEST_CASE("a micro-batch holds whole pairs", "[plan]") {
  recipe how = usual_of(training_task::dpo);
  const auto reason = [&](int micro_batch) {
    return layout_fault(catalog::llama_3_8b, 8, how, {.data = 8, .micro_batch_size = micro_batch});
  };
  CHECK(reason(1).reason == reject_reason::samples);
  CHECK(reason(1).needed == 2);
  CHECK(reason(1).available == 1);
  CHECK(!reason(2));
  CHECK(!reason(4));
  how.sequences_per_sample = 1;
  CHECK(!reason(1));
}

TEST_CASE("a reference model never makes a step shorter", "[plan][property]") {
  testing::check_property("time of a step", [] {
    testing::random_job job = testing::random_job_any();
    const auto answer = [&] { return evaluate(job.model, job.pool, job.recipe, job.parallelism); };
    const estimate without = answer();
    job.recipe.reference = reference_model::frozen;
    const estimate with = answer();
    RC_ASSERT(with.costed() == without.costed());
    if (!with.costed()) return;
    RC_ASSERT(with.time.total() > without.time.total());
    RC_ASSERT(with.model_flop > without.model_flop);
    RC_ASSERT(with.needed > without.needed);
    RC_ASSERT(with.time[step_term::products] == without.time[step_term::products]);
  });
}

TEST_CASE("more samples, epochs and tokens of a sequence are more tokens", "[plan][property]") {
  testing::check_property("tokens_of_samples", [] {
    const int samples = *rc::gen::inRange(1, 1000000);
    const int length = *rc::gen::inRange(1, 100000);
    const tokens once = tokens_of_samples(samples, 1, 1, length);
    RC_ASSERT(tokens_of_samples(samples, 3, 1, length) == 3 * once);
    RC_ASSERT(tokens_of_samples(samples, 1, 2, length) == 2 * once);
    RC_ASSERT(tokens_of_samples(2.0 * samples, 1, 1, length) == 2 * once);
    const int at_once = *rc::gen::inRange(1, 10000);
    const int batch = rounded_batch(samples, at_once);
    RC_ASSERT(batch >= samples && batch < samples + at_once && batch % at_once == 0);
  });
}

TEST_CASE("tasks refuse what their documentation refuses", "[plan][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(rule_of(training_task{99}), invalid_input);
  CHECK_THROWS_AS(tokens_of_samples(0, 1, 1, 1), invalid_input);
  CHECK_THROWS_AS(tokens_of_samples(nan, 1, 1, 1), invalid_input);
  CHECK_THROWS_AS(tokens_of_samples(1, 0, 1, 1), invalid_input);
  CHECK_THROWS_AS(tokens_of_samples(1, nan, 1, 1), invalid_input);
  CHECK_THROWS_AS(tokens_of_samples(1, 1, 0, 1), invalid_input);
  CHECK_THROWS_AS(tokens_of_samples(1, 1, 1, 0), invalid_input);
  CHECK_THROWS_AS(rounded_batch(0, 1), invalid_input);
  CHECK_THROWS_AS(rounded_batch(1, 0), invalid_input);
  CHECK_THROWS_AS(rounded_batch(2000000000, 1500000000), invalid_input);
  CHECK_THROWS_AS(require_valid(recipe{.sequences_per_sample = 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
