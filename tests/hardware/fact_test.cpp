#include <gpuplan/hardware/fact.hpp>

#include <span>
#include <string>

#include <gpuplan/hardware/catalog_fabric_facts.hpp>
#include <gpuplan/hardware/catalog_facts.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

// A fact says who vouches for it: one recalled does not hide behind a page that nobody opened
// unless its note says what of the page was used, and one looked up names a page.
constexpr bool says_who(const fact& one) {
  if (!(one.value > 0) || one.field.empty() || one.source.empty()) return false;
  const bool admits = one.source.starts_with("recalled");
  return one.status == fact_status::recalled ? admits || !one.note.empty() : !admits;
}
static_assert(says_who({"l2", 1, "G. Lockwood, \"A100\"", fact_status::verified}));
static_assert(!says_who({"l2", 1, "recalled from somewhere", fact_status::verified}));
static_assert(!says_who({"l2", 1, "G. Lockwood, \"A100\"", fact_status::recalled}));
static_assert(!says_who({"l2", 0, "G. Lockwood, \"A100\"", fact_status::verified}));
static_assert(!says_who({"l2", 1, "", fact_status::verified}));

TEST_CASE("every fact of the catalogs says who vouches for it", "[hardware]") {
  for (const auto& table : {std::span<const entry_facts>{catalog::accelerator_facts},
                            std::span<const entry_facts>{catalog::fabric_facts}})
    for (const entry_facts& entry : table)
      for (const fact& one : entry.facts) {
        INFO(std::string(entry.name) << " " << std::string(one.field));
        CHECK(says_who(one));
      }
}

TEST_CASE("what was measured is a share of a rate, and of few does it exceed it", "[hardware]") {
  int beyond = 0;
  for (const auto& table : {std::span<const measurement>{catalog::accelerator_measurements},
                            std::span<const measurement>{catalog::fabric_measurements}})
    for (const measurement& one : table) {
      INFO(std::string(one.of) << " " << std::string(one.what));
      CHECK(one.share > 0);
      CHECK_FALSE(one.source.empty());
      if (one.share > 1) {
        ++beyond;
        CHECK_THAT(std::string(one.what), ContainsSubstring("summed in the switch"));
      }
    }
  CHECK(beyond == 1);
}

}  // namespace
}  // namespace gpuplan
