#include <gpuplan/comm/collective.hpp>

#include <set>
#include <string_view>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(name_of(collective::all_reduce) == "all-reduce");
static_assert(name_of(collective::send_receive) == "send, receive");

TEST_CASE("every collective has a name of its own", "[comm]") {
  std::set<std::string_view> names;
  for (const collective what : collectives) names.insert(name_of(what));
  CHECK(names.size() == collectives.size());
  CHECK(names.count("") == 0);
}

}  // namespace
}  // namespace gpuplan
