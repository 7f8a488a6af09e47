#include <gpuplan/accuracy/run_class.hpp>

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
static_assert(run_class_of(error_class{.many_gpus = true}, precision::mixed_fp8) ==
              run_class{.format = precision::mixed_fp8, .many_gpus = true});

std::vector<run_class> every_class() {
  std::vector<run_class> all;
  for (const trained_kind kind : trained_kinds)
    for (const framework software : frameworks)
      for (const precision format : precisions)
        for (const bool many : {false, true}) all.push_back({kind, software, format, many});
  return all;
}

TEST_CASE("a set has the classes that were put into it, and no other", "[accuracy]") {
  const std::vector<run_class> all = every_class();
  for (const run_class& inside : all) {
    run_class_set set;
    set.insert(inside);
    for (const run_class& other : all) CHECK(set.contains(other) == (other == inside));
  }
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
