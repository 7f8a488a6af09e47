#include <gpuplan/memory/attention_activations.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer gpt{.layers = 1,
                          .hidden_size = 1024,
                          .attention_heads = 16,
                          .ffn_size = 4096,
                          .vocabulary_size = 1000};
constexpr recipe classic{
    .sequence_length = 512, .attention = attention_kernel::unfused, .dropout = true};

constexpr attention_activations of(const transformer& m, const recipe& how, const parallelism& cut,
                                   const kernel_memory& kernels = {}) {
  const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, cut);
  return attention_block(m, how, cut, {seen, seen}, kernels);
}

constexpr double sbh = 512.0 * 2 * 1024;
constexpr double ass = 16.0 * 512 * 512 * 2;
constexpr attention_activations whole = of(gpt, classic, {.micro_batch_size = 2});
static_assert(whole.total() - whole.norm_input == (11 * sbh + 5 * ass) * byte,
              "Korthikanti et al. (2023), section 4.1: 11 s b h + 5 a s^2 b");
static_assert(whole.core == 5 * ass * byte);
static_assert(whole.mask == sbh * byte);

static_assert(attention_activations{.norm_input = 1 * byte,
                                    .input = 2 * byte,
                                    .latents = 4 * byte,
                                    .query = 8 * byte,
                                    .key_value = 16 * byte,
                                    .core = 32 * byte,
                                    .output = 64 * byte,
                                    .mask = 128 * byte}
                      .total() == 255 * byte,
              "each part once");

constexpr recipe without_dropout{.sequence_length = 512, .attention = attention_kernel::unfused};
static_assert(of(gpt, without_dropout, {.micro_batch_size = 2}).core == 2 * ass * byte,
              "the softmax alone");
static_assert(of(gpt, classic, {.micro_batch_size = 2}, {.softmax_kept_fp32 = true}).core ==
              7 * ass * byte);

constexpr recipe flash{.sequence_length = 512};
static_assert(of(gpt, flash, {.micro_batch_size = 2}).core == 4 * 16 * 512.0 * 2 * byte,
              "one FP32 log-sum-exp a row and head");
static_assert(of(gpt, flash, {.micro_batch_size = 2}, {.flash_output_copied = true}).core ==
              4 * 16 * 512.0 * 2 * byte);
static_assert(of(gpt, flash, {.micro_batch_size = 2}, {.flash_output_copied = true}).core_output ==
              2 * sbh * byte);

constexpr parallelism exchanging{
    .context = 4, .micro_batch_size = 2, .exchange = context_exchange::all_to_all};
static_assert(of(gpt, flash, exchanging).total() -
                      of(gpt, flash, {.context = 4, .micro_batch_size = 2}).total() ==
                  2.0 / 4 * sbh * byte,
              "the core's output, of all tokens of some heads, beside the projection's input");

static_assert(of(gpt, classic, {.tensor = 8, .micro_batch_size = 2}).core == 5.0 / 8 * ass * byte);
static_assert(of(gpt, classic, {.context = 4, .micro_batch_size = 2}).core == 5.0 / 4 * ass * byte,
              "a rank's queries against the keys of the whole sequence");

constexpr transformer grouped = [] {
  transformer m = gpt;
  m.kv_heads = 4;
  return m;
}();
static_assert(of(grouped, flash, {}).key_value == of(gpt, flash, {}).key_value / 4);
static_assert(of(grouped, flash, {.tensor = 8}).key_value ==
                  of(grouped, flash, {.tensor = 4}).key_value,
              "a rank holds one whole key-value head at least");

constexpr transformer normed = [] {
  transformer m = grouped;
  m.query_key = query_key_norm::per_head;
  return m;
}();
static_assert(of(normed, flash, {}).query == 2 * of(grouped, flash, {}).query);
static_assert(of(normed, flash, {}).key_value == 1.5 * of(grouped, flash, {}).key_value);

constexpr recipe fp32{.sequence_length = 512, .precision = precision::fp32};
static_assert(of(gpt, fp32, {}).input == 2 * of(gpt, flash, {}).input);
constexpr recipe fp8{.sequence_length = 512, .precision = precision::mixed_fp8};
static_assert(of(gpt, fp8, {}).input == of(gpt, flash, {}).input / 2, "an FP8 operand");
static_assert(of(gpt, fp8, {}).output == 1.5 * of(gpt, flash, {}).output,
              "the core's backward pass reads its output in BF16, the projection's in FP8");

TEST_CASE("latent attention keeps its latents and every head's keys", "[memory][reference]") {
  // DeepSeek-V3: 128 heads of 128 + 64, values of 128, ranks 1536 and 512.
  transformer m = gpt;
  m.hidden_size = 7168;
  m.attention_heads = 128;
  m.latent = {.query_rank = 1536,
              .kv_rank = 512,
              .rope_head_dim = 64,
              .content_head_dim = 128,
              .value_head_dim = 128};
  const attention_activations kept = of(m, flash, {});
  CHECK(kept.latents == 2 * 512.0 * (2 * 1536 + 2 * 512 + 64) * byte);
  CHECK(kept.query == 2 * 512.0 * 128 * 192 * byte);
  CHECK(kept.key_value == 2 * 512.0 * 128 * (192 + 128) * byte);
  CHECK(kept.output == 2 * 512.0 * 128 * 128 * byte);
  m.latent.kv_rank = 1;  // the least
  CHECK(of(m, flash, {}).latents == 2 * 512.0 * (2 * 1536 + 2 * 1 + 64) * byte);
}

TEST_CASE("cross-attention keeps keys of the other sequence", "[memory][facts]") {
  const micro_batch_tokens decoder = tokens_on_rank(128, classic, {});
  const micro_batch_tokens encoder = tokens_on_rank(512, classic, {});
  const attention_activations kept = attention_block(gpt, classic, {}, {decoder, encoder});
  CHECK(kept.key_value == 4.0 * 512 * 1024 * byte);
  CHECK(kept.query == 2.0 * 128 * 1024 * byte);
  CHECK(kept.core == 5.0 * 16 * 128 * 512 * byte);
}

TEST_CASE("more ranks never keep more of attention", "[memory][property]") {
  using testing::check_property;
  check_property("tensor, context and sequence parallelism", [] {
    const testing::random_job job = testing::random_job_any();
    parallelism wider = job.parallelism;
    (*rc::gen::arbitrary<bool>() ? wider.tensor : wider.context) *= 2;
    RC_ASSERT(of(job.model, job.recipe, wider).total() <=
              of(job.model, job.recipe, job.parallelism).total());
    recipe spread = job.recipe;
    spread.sequence_parallel = true;
    RC_ASSERT(of(job.model, spread, job.parallelism).total() <=
              of(job.model, job.recipe, job.parallelism).total());
  });
}

TEST_CASE("an unknown precision is refused", "[memory][errors]") {
  recipe how = flash;
  how.precision = static_cast<precision>(99);
  CHECK_THROWS_AS(of(gpt, how, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
