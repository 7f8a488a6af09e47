#include "support/vectors.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

/// Sets GPUPLAN_VECTORS, and puts back what was there.
class chosen_vectors {
 public:
  explicit chosen_vectors(const std::filesystem::path& folder) {
    if (const char* before = std::getenv("GPUPLAN_VECTORS")) before_ = before;
    setenv("GPUPLAN_VECTORS", folder.c_str(), 1);
  }
  chosen_vectors(const chosen_vectors&) = delete;
  chosen_vectors& operator=(const chosen_vectors&) = delete;
  ~chosen_vectors() {
    if (before_.empty()) {
      unsetenv("GPUPLAN_VECTORS");
    } else {
      setenv("GPUPLAN_VECTORS", before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

TEST_CASE("vectors are read from tests/data/vectors, or from the folder chosen", "[support]") {
  {
    const chosen_vectors none{""};
    CHECK(vectors_folder() == data_folder() / "vectors");
    CHECK(load_vectors("param_counts").contains("gpt2"));
    CHECK(are_own_vectors());
    CHECK(is_judged(1));
    CHECK(sampling(1) == 1);
  }
  const auto folder =
      std::filesystem::temp_directory_path() / ("gpuplan_vectors_" + std::to_string(std::rand()));
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "good.json"} << R"({"answer": 42})";
  std::ofstream{folder / "bad.json"} << "{";

  const chosen_vectors chosen{folder};
  CHECK(load_vectors("good").at("answer") == 42);
  CHECK_FALSE(are_own_vectors());
  CHECK(is_judged(8));
  CHECK_FALSE(is_judged(7));
  CHECK(sampling(9) == 2);
  CHECK(load_own_vectors("param_counts").contains("gpt2"));
  CHECK_THROWS_WITH(load_vectors("bad"),
                    Catch::Matchers::StartsWith((folder / "bad.json").string()));
  CHECK_THROWS_WITH(load_vectors("absent"), ContainsSubstring((folder / "absent.json").string()));
  CHECK(files_of(folder, ".json").size() == 2);
  CHECK_THROWS_WITH(files_of(folder, ".txt"), ContainsSubstring(folder.string()));
  std::filesystem::remove_all(folder);
}

TEST_CASE("so many of a few rows may miss a goal", "[support]") {
  // P(X > 3) and P(X > 4) of binomial(8, 0.1) are 5.02e-3 and 4.3e-4; of binomial(3, 0.5), which
  // has none beyond 3, P(X > 2) is 1/8.
  CHECK(most_that_miss(8, 0.1) == 4);
  CHECK(most_that_miss(3, 0.5) == 3);
  // Sums of exact fractions.
  CHECK(most_that_miss(112, 0.1) == 22);
  CHECK(most_that_miss(112, 0.5) == 72);
  CHECK(most_that_miss(2000, 0.5) == 1067);
  CHECK(most_that_miss(0, 0.1) == 0);
}

}  // namespace
}  // namespace gpuplan::testing
