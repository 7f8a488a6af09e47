#include <gpuplan/api/request_fields.hpp>

#include <string>
#include <vector>

#include <gpuplan/api/job_reader.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

std::string usual_of(std::string_view key) {
  return usual_in_words(recipe_fields[place_of_field(recipe_fields, key)]);
}

TEST_CASE("what stands for an absent field is said in words", "[api]") {
  CHECK(usual_of("optimizer") == "adamw");
  CHECK(usual_of("dropout") == "off");
  CHECK(usual_of("expert_imbalance") == "1");
  CHECK(usual_of("global_batch_size") == "data x micro-batch x pipeline");
  CHECK(usual_in_words(workspace_fields[place_of_field(workspace_fields, "fragmentation")]) ==
        "0.04");
}

TEST_CASE("every field of every part is listed, in the order of its table", "[api]") {
  const report_json all = fields_as_json();
  std::size_t parts = 0;
  for_each_part([&](std::string_view part, const auto& rows) {
    ++parts;
    const report_json& listed = all[std::string(part)];
    REQUIRE(listed.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) CHECK(listed[i]["key"] == rows[i].key);
  });
  CHECK(parts == 4);
  CHECK(all.size() == 4);
}

TEST_CASE("a row says what a request may hold", "[api]") {
  const report_json all = fields_as_json();
  for (const report_json& row : all["recipe"])
    if (row["key"] == "zero") {
      CHECK(row["kind"] == "number or name");
      CHECK(row["least"] == 0);
      CHECK(row["most"] == 3);
      CHECK(row["option"].get<std::string>().starts_with("--zero"));
      CHECK_FALSE(row["names"].empty());
    } else if (row["key"] == "expert_imbalance") {
      CHECK(row["idle_is_refused"] == true);
      CHECK_FALSE(row["idle"] == "");
    }
  CHECK(all["cluster"][0]["kind"] == "name of the catalogue");
  CHECK(all["cluster"][0]["least"].is_null());
  for (const report_json& row : all["cluster"])
    if (row["key"] == "gpu_memory_bytes") CHECK(row["unit"] == "B");
}

TEST_CASE("a reader takes the least value that a row allows, and none below it", "[api]") {
  const report_json all = fields_as_json();
  for (const auto& [part, rows] : all.items())
    for (const report_json& row : rows) {
      const std::string kind = row["kind"];
      const std::string key = row["key"];
      if ((kind != "integer" && kind != "number") || key.find('.') != std::string::npos) continue;
      CAPTURE(part, key);
      const auto line = [&, &in = part](const nlohmann::json& value) {
        return testing::refusal_by([&] {
          return read_job({{"model", "gpt2"}, {in, {{key, value}}}});
        });
      };
      const double least = row["least"];
      const std::string below = std::string(part) + ": " + key + " must be ";
      if (kind == "integer") {
        CHECK_FALSE(line(static_cast<int>(least)).starts_with(below));
        CHECK(line(static_cast<int>(least) - 1).starts_with(below));
      } else {
        const bool gpu_needs_more = key == "power_limit_w";
        CHECK(line(least).starts_with(below) == gpu_needs_more);
        CHECK(line(least - 1).starts_with(below));
      }
    }
}

}  // namespace
}  // namespace gpuplan::api
