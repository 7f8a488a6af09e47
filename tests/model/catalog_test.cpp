#include <gpuplan/model/catalog.hpp>

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/model/huggingface.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"

namespace gpuplan {
namespace {

static_assert(*catalog::find_model("gpt2") == catalog::gpt2);
static_assert(*catalog::find_model("Llama 3.1 405B") == catalog::llama_3_1_405b);
static_assert(*catalog::find_model("LLAMA_3_8B") == catalog::llama_3_8b);
static_assert(*catalog::find_model("llama-3.1-8b") == catalog::llama_3_8b, "the same shape");
static_assert(catalog::find_model("llama-9-1b") == nullptr);
static_assert(catalog::find_model("") == nullptr);
static_assert(*closest_names("lama-3-8b", catalog::models).begin() == "llama-3-8b");

TEST_CASE("a model is what its config.json says", "[model]") {
  std::set<std::string> read;
  for (const auto& file : testing::files_of(testing::data_folder() / "configs", ".json")) {
    const std::string name = file.stem().string();
    INFO(name);
    const transformer* found = catalog::find_model(name);
    REQUIRE(found != nullptr);
    CHECK(*found == read_huggingface(testing::read_text(file), name));
    read.insert(name);
  }
  const nlohmann::json counts =
      nlohmann::json::parse(testing::read_text(testing::data_folder() / "config_counts.json"));
  for (const nlohmann::json& counted : counts.at("models")) {
    if (!counted.contains("catalogue")) continue;
    const std::string name = counted.at("catalogue");
    INFO(name);
    const transformer* found = catalog::find_model(name);
    REQUIRE(found != nullptr);
    CHECK(*found == read_huggingface(counted.at("config"), name));
    read.insert(name);
  }
  for (const auto& row : catalog::models) {
    INFO(row.name);
    bool from_a_file = false;
    for (const auto& name : read) from_a_file |= *catalog::find_model(name) == row.model;
    CHECK(from_a_file);
  }
}

TEST_CASE("models have distinct names, and each is valid", "[model]") {
  std::set<std::string> names;
  for (const auto& row : catalog::models) {
    INFO(row.name);
    CHECK(names.insert(std::string(folded_name{row.name}.text())).second);
    CHECK_NOTHROW(require_valid(row.model));
  }
}

}  // namespace
}  // namespace gpuplan
