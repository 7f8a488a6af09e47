#include "support/allocations.hpp"

#include <memory>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

struct alignas(256) wide {
  char text[256];
};

/// Hides from the compiler what becomes of an object, so that it cannot leave out its allocation.
const void* volatile seen = nullptr;

TEST_CASE("allocations of every kind are counted, and nothing else is", "[support]") {
  auto before = allocations();
  const std::string text(100, 'x');
  seen = text.data();
  CHECK(allocations() - before == 1);

  before = allocations();
  const auto one = std::make_unique<wide>();
  const std::vector<wide> many(3);
  seen = one.get();
  seen = many.data();
  const auto after = allocations();
  CHECK(after - before == 2);
  CHECK(reinterpret_cast<std::uintptr_t>(one.get()) % alignof(wide) == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(many.data()) % alignof(wide) == 0);

  before = allocations();
  const std::string shorter("short");
  seen = shorter.data();
  CHECK(allocations() == before);
}

}  // namespace
}  // namespace gpuplan::testing
