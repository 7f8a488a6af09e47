#include <gpuplan/api/typed_name.hpp>

#include <array>
#include <string>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

constexpr std::array levels{named<int>{"none", 0}, named<int>{"optimizer", 1},
                            named<int>{"full_shard", 3}};

static_assert(bounded_name("H100") == "H100");
static_assert(bounded_name("").empty());

TEST_CASE("a name longer than any is the name of nothing", "[api]") {
  const std::string longest(4 * folded_name::capacity, 'a');
  CHECK(bounded_name(longest) == longest);
  CHECK(bounded_name(longest + "a").empty());
}

TEST_CASE("a name is read by its letters and digits, in either case", "[api]") {
  CHECK(choice("optimizer", levels, "zero") == 1);
  CHECK(choice("Full-Shard", levels, "zero") == 3);
}

TEST_CASE("an unknown name is refused with those that may be meant", "[api]") {
  const auto line = [](const char* typed) {
    return testing::refusal_by([&] { return choice(typed, levels, "recipe: zero"); });
  };
  CHECK(
      line("optimiser") ==
      "recipe: zero must be one of none, optimizer, full_shard, not the string \"optimiser\"; did "
      "you mean optimizer?");
  CHECK(line("x") ==
        "recipe: zero must be one of none, optimizer, full_shard, not the string \"x\"");
  CHECK(line("").ends_with("not the string \"\""));
}

TEST_CASE("the longest name within what was typed may be meant", "[api]") {
  constexpr std::array known{named<int>{"fsdp"}, named<int>{"fsdp2"}, named<int>{"ddp"}};
  CHECK(hint_from("pytorch_fsdp2_compiled", known) == "; did you mean fsdp2?");
  CHECK(hint_from("nothing of the kind", known).empty());
  CHECK(hint_from(std::string(1000, 'f') + "fsdp", known).empty());
}

}  // namespace
}  // namespace gpuplan::api
