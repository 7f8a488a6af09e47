#include <gpuplan/registry/search.hpp>

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "registry/post.hpp"
#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

std::vector<const formula*> found(std::initializer_list<std::string_view> words) {
  return search(rooms, std::span<const std::string_view>{words.begin(), words.size()});
}

TEST_CASE("rows are found by their names and by what they say", "[registry]") {
  const formula* letter = &rooms[0].rows[0];
  const formula* queue = &rooms[1].rows[0];
  using rows = std::vector<const formula*>;
  CHECK(rows_of(rooms) == rows{letter, queue});
  CHECK(rows_called(rooms, "Send") == rows{letter, queue});
  for (const std::string_view name : {"comm:send", "post:send", "comm/post:send"})
    CHECK(rows_called(rooms, name).front() == letter);
  CHECK(rows_called(rooms, "queue/post.hpp:SEND") == rows{queue});
  CHECK(rows_called(rooms, "plan:send").empty());
  CHECK(rows_called(rooms, "").empty());
  CHECK(title_of(rooms, *queue) == "queue/post:send");

  CHECK(found({"LETTER"}) == rows{letter, queue});
  CHECK(found({"letters", "wait"}) == rows{queue});
  CHECK(found({"the"}) == rows{queue, letter});  // of its meaning; of a symbol
  CHECK(found({"bandwidth"}) == rows{letter});
  CHECK(found({"n1"}) == rows{letter});
  CHECK(found({"n"}).front() == letter);
  CHECK(found({"working"}) == rows{queue});
  CHECK(found({"zip"}).empty());
  CHECK(found({"letter", "zip"}).empty());
  CHECK(found({}).empty());
}

}  // namespace
}  // namespace gpuplan::registry
