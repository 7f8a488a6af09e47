#include "accuracy/error_quantiles.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan::accuracy {
namespace {

/// Errors from -0.1 to 0.1 of runs on few GPUs or on many, in turn of two sources.
std::vector<residual> even_errors(std::size_t runs, bool many_gpus) {
  std::vector<residual> all;
  for (std::size_t i = 0; i < runs; ++i) {
    residual one;
    one.of.many_gpus = many_gpus;
    one.source = i % 2 == 0 ? "one" : "other";
    one.error = -0.1 + 0.2 * static_cast<double>(i) / static_cast<double>(runs - 1);
    all.push_back(one);
  }
  return all;
}

const error_row& row_of_few_gpus(const std::vector<error_row>& table) {
  return *std::find_if(table.begin(), table.end(),
                       [](const error_row& row) { return row.many_gpus == false; });
}

TEST_CASE("one row of a class is not its tail where a coarser class knows better",
          "[vectors][accuracy]") {
  std::vector<residual> all = even_errors(45, false);
  for (const residual& one : even_errors(200, true)) all.push_back(one);
  const error_quantiles without = row_of_few_gpus(error_rows_of(all)).quantiles;
  CHECK(without.back() < 0.1);

  residual outlier;
  outlier.source = "third";  // alone in its source, it counts more than another row
  outlier.error = 2.5;
  all.push_back(outlier);
  const error_row found = row_of_few_gpus(error_rows_of(all));
  CHECK(found.runs == 46);
  CHECK(found.sources == 3);
  CHECK(found.quantiles.back() < 0.2);
  CHECK(found.quantiles.back() >= found.quantiles[found.quantiles.size() - 2]);
  CHECK(found.quantiles.front() < -0.05);
}

TEST_CASE("a class knows the GPUs of its largest run", "[vectors][accuracy]") {
  std::vector<residual> all = even_errors(45, false);
  all[7].of.gpus = 8;
  all[9].of.gpus = 4;
  CHECK(row_of_few_gpus(error_rows_of(all)).most_gpus == 8);
}

TEST_CASE("several rows far out are a tail", "[vectors][accuracy]") {
  std::vector<residual> all = even_errors(45, false);
  for (const residual& one : even_errors(200, true)) all.push_back(one);
  for (const double error : {2.0, 2.2, 2.4, 2.6}) {
    residual one;
    one.source = "third";
    one.error = error;
    all.push_back(one);
  }
  const error_quantiles found = row_of_few_gpus(error_rows_of(all)).quantiles;
  CHECK(found.back() > 1.9);
  CHECK(found.back() < 2.6);
}

}  // namespace
}  // namespace gpuplan::accuracy
