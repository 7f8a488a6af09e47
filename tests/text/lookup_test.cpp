#include <gpuplan/text/lookup.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

static_assert(values_of(std::to_array<named<int>>({{"two", 2}, {"one", 1}, {"also_two", 2}})) ==
                  std::array{2, 1, 2},
              "in the order of the table");

static_assert(same_name("A100-SXM4-80GB", "a100_sxm4 80gb"));
static_assert(same_name("NVLink4 (H100/H200, 18 links)", "nvlink4 h100 h200 18 links"));
static_assert(!same_name("A100", "A10"));
static_assert(!same_name("", "") && !same_name("-", "_"), "nothing is the name of nothing");

static_assert(edit_distance(folded_name{"kitten"}, folded_name{"sitting"}) == 3,
              "Wagner and Fischer's recurrence on the textbook's words");
static_assert(edit_distance(folded_name{"mi300x"}, folded_name{""}) == 6);
static_assert(edit_distance(folded_name{"H-100"}, folded_name{"h100"}) == 0);

struct row {
  std::string_view name;
};
constexpr std::array table{row{"A100-SXM4-40GB"}, row{"A100-SXM4-80GB"}, row{"H100-SXM5-80GB"},
                           row{"MI300X"}, row{"T4"}};
constexpr std::array other_names{alias{"H100", "H100-SXM5-80GB"}};

static_assert(find_named("h100_sxm5_80gb", table, other_names) == &table[2]);
static_assert(find_named("h100", table, other_names) == &table[2]);
static_assert(find_named("a100", table, other_names) == nullptr, "there are two");
static_assert(find_named("", table, other_names) == nullptr);

static_assert(same_name("gpt-3", "GPT 3") && same_name("1", "[1]"));
static_assert(!same_name("1", "-1"), "a negative number is no name of a positive one");
static_assert(!same_name("h100", std::string_view{"h100\0", 5}), "nothing hides in a name");

static_assert(closest_names("a100", table).size == 2, "those that begin with it, in their order");
static_assert(closest_names("a100", table).names[0] == "A100-SXM4-40GB");
static_assert(closest_names("sxm5", table).names[0] == "H100-SXM5-80GB", "those that contain it");
static_assert(closest_names("mi30x", table).names[0] == "MI300X", "a letter left out");
static_assert(closest_names("m1300x", table).names[0] == "MI300X", "a letter mistyped");
static_assert(closest_names("toaster", table).empty());
static_assert(closest_names("", table).empty());
static_assert(closest_names<1>("a100", table).size == 1);

TEST_CASE("a name longer than any is found nowhere and breaks nothing", "[lookup]") {
  const std::string endless(1000, 'a');
  CHECK(folded_name{endless}.cut_off());
  CHECK_FALSE(same_name(endless, std::string(1001, 'a')));
  CHECK_FALSE(same_name(endless, endless));
  CHECK(find_named(endless, table, other_names) == nullptr);
  CHECK(closest_names(endless, table).empty());
}

TEST_CASE("the edit distance is a distance", "[lookup][property]") {
  testing::check_property(
      "zero to itself, symmetric, at most the longer name",
      [](const std::string& a, const std::string& b, const std::string& c) {
        const folded_name x{a};
        const folded_name y{b};
        const folded_name z{c};
        RC_ASSERT(edit_distance(x, x) == 0u);
        RC_ASSERT(edit_distance(x, y) == edit_distance(y, x));
        RC_ASSERT(edit_distance(x, y) <= std::max(x.text().size(), y.text().size()));
        RC_ASSERT(edit_distance(x, z) <= edit_distance(x, y) + edit_distance(y, z));
      });
}

}  // namespace
}  // namespace gpuplan
