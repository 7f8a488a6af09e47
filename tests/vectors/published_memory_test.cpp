#include <cstddef>
#include <string>

#include "accuracy/published_table.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

using testing::load_vectors;

const published_runs& published() {
  static const published_runs all =
      read_published_runs(load_vectors("published_checks"), load_vectors("published"));
  return all;
}

TEST_CASE("every published value whose run is known is scored", "[vectors][memory]") {
  for (const refusal& row : published().unmapped) {
    if (row.reason.starts_with(no_entry) && !testing::are_own_vectors()) continue;
    UNSCOPED_INFO(row.id << ": " << row.reason);
    CHECK(row.reason.empty());
  }
  CHECK(!published().runs.empty());
}

TEST_CASE("published memory is met", "[vectors][memory]") {
  const auto families = by_family(published().runs);
  for (const published_group& family : families)
    UNSCOPED_INFO(family.visibility << ", " << family.family << ": " << family.memory.median());
  const auto rows_of = [&](const std::string& visibility) {
    std::size_t rows = 0;
    for (const published_group& family : families)
      if (visibility.empty() || family.visibility == visibility) rows += family.memory.count();
    return rows;
  };
  if (testing::is_judged(rows_of({})))
    CHECK(family_medians(families).median() <= testing::sampling(rows_of({})) * published_goal);
  for (const std::string& visibility : visibilities(families)) {
    INFO(visibility);
    if (!testing::is_judged(rows_of(visibility))) continue;
    CHECK(family_medians(families, visibility).median() <=
          testing::sampling(rows_of(visibility)) * published_goal);
  }
}

}  // namespace
}  // namespace gpuplan::accuracy
