#include <gpuplan/plan/reject.hpp>

#include <set>
#include <string_view>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(!reject{});
static_assert(reject{.reason = reject_reason::none}.reason == reject_reason{});
static_assert(reject{.reason = reject_reason::gpus});
static_assert(reject{.reason = reject_reason::memory}.in_bytes());
static_assert(reject{.reason = reject_reason::host_memory}.in_bytes());
static_assert(!reject{.reason = reject_reason::host_link}.in_bytes());

// The words stand in the order of the reasons: first, last, and some between.
static_assert(name_of(reject_reason::none) == "none");
static_assert(describe(reject_reason::none) == "it fits");
static_assert(name_of(reject_reason::context_heads) == "context_heads");
static_assert(name_of(reject_reason::batch) == "batch");
static_assert(describe(reject_reason::encoder) ==
              "an encoder-decoder is not cut into pipeline stages");
static_assert(name_of(reject_reason::host_link) == "host_link");
static_assert(describe(static_cast<reject_reason>(reject_reasons)) == "unknown");

TEST_CASE("every reason has a name and a phrase of its own", "[plan][facts]") {
  std::set<std::string_view> names;
  std::set<std::string_view> phrases;
  for (int i = 0; i < reject_reasons; ++i) {
    names.insert(name_of(static_cast<reject_reason>(i)));
    phrases.insert(describe(static_cast<reject_reason>(i)));
  }
  CHECK(names.size() == reject_reasons);
  CHECK(phrases.size() == reject_reasons);
  CHECK(name_of(reject_reason::memory) == "memory");
  CHECK(name_of(reject_reason::expert_ranks) == "expert_ranks");
}

}  // namespace
}  // namespace gpuplan
