#include <gpuplan/accuracy/run_class.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr run_class usual{};
constexpr run_class_set one_of_them = [] {
  run_class_set all;
  all.insert(usual);
  return all;
}();
static_assert(one_of_them.contains(usual));
static_assert(!run_class_set{}.contains(usual));
static_assert(one_of_them != run_class_set{});

constexpr transformer dense{.hidden_size = 4096, .attention_heads = 32};
static_assert(run_class_of(dense, {}, 8) == usual);
static_assert(run_class_of(dense, {}, 9) == run_class{.many_gpus = true});
static_assert(run_class_of(dense, {.sequence_length = longest_usual_sequence}, 8) == usual);
static_assert(run_class_of(dense, {.sequence_length = longest_usual_sequence + 1}, 8) ==
              run_class{.long_sequences = true});
static_assert(run_class_of(dense,
                           {.precision = precision::mixed_fp8, .fp8_recipe = fp8_recipe::mxfp8},
                           8) ==
              run_class{.format = precision::mixed_fp8, .scaling = fp8_recipe::mxfp8});
static_assert(run_class_of(dense, {.fp8_recipe = fp8_recipe::mxfp8}, 8) == usual,
              "no product is of FP8");
static_assert(run_class_of(dense, {.attention = attention_kernel::unfused}, 8) ==
              run_class{.core = attention_core::unfused});
static_assert(run_class_of({.latent = {.kv_rank = 512}}, {}, 8) ==
              run_class{.core = attention_core::latent});

std::vector<run_class> every_class() {
  std::vector<run_class> all;
  for (const trained_kind kind : trained_kinds)
    for (const framework software : frameworks)
      for (const precision format : precisions)
        for (const fp8_recipe scaling : fp8_recipes)
          for (const attention_core core : attention_cores)
            for (const bool longer : {false, true})
              for (const bool many : {false, true})
                all.push_back({kind, software, format, scaling, core, longer, many});
  return all;
}

TEST_CASE("a set has the classes that were put into it, and no other", "[accuracy]") {
  const std::vector<run_class> all = every_class();
  // Each class is in exactly one of the sets of a bit of its number, and out of the other: a place
  // that two classes share would put one of them into both.
  for (std::size_t bit = 1; bit < 2 * all.size(); bit *= 2) {
    run_class_set set;
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((i & bit) != 0) set.insert(all[i]);
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(set.contains(all[i]) == ((i & bit) != 0));
  }
}

TEST_CASE("every core of attention has its name", "[accuracy]") {
  std::vector<std::string_view> names;
  for (const attention_core core : attention_cores) names.push_back(name_of(core));
  CHECK(names == std::vector<std::string_view>{"flash", "unfused", "latent"});
}

TEST_CASE("a set takes another in", "[accuracy]") {
  const std::vector<run_class> all = every_class();
  run_class_set even;
  run_class_set odd;
  for (std::size_t i = 0; i < all.size(); ++i) (i % 2 == 0 ? even : odd).insert(all[i]);
  even.insert(odd);
  for (const run_class& one : all) CHECK(even.contains(one));
}

}  // namespace
}  // namespace gpuplan
