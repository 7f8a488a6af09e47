#include <gpuplan/api/request_files.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

/// What files that are none are refused with.
json refused_files(const json& files) {
  try {
    files_of({{"files", files}});
  } catch (const bad_request& refused) {
    return json::parse(refused.answer().dump())["error"];
  }
  return nullptr;
}

TEST_CASE("files are texts by name", "[api]") {
  CHECK(files_of({{"files", {{"a", "b"}}}}).at("a") == "b");
  CHECK(files_of({{"files", nullptr}}).empty());
  CHECK(files_of(json::object()).empty());
  CHECK(refused_files(5)["where"] == "files");
  CHECK(refused_files({{"a", 5}})["what"] == "files: a must be a string, not 5");
  CHECK(refused_files({{"a", 5}})["where"] == "files.a");
}

TEST_CASE("a file is read by its name", "[api]") {
  const request_files files{{"a", "text"},
                            {"long", std::string(largest_json_text + 1, ' ')},
                            {"longest", std::string(largest_json_text, ' ')}};
  CHECK(text_of(files, "a", "profile") == "text");
  CHECK(text_of(files, "longest", "profile").size() == largest_json_text);
  CHECK(testing::refusal_by([&] { text_of(files, "b", "profile"); }) == "b: there is no such file");
  CHECK(testing::refusal_by([&] { text_of(files, "long", "profile"); }) ==
        "long: is longer than " + std::to_string(largest_json_text >> 20) +
            " MiB, so it is no profile");
}

}  // namespace
}  // namespace gpuplan::api
