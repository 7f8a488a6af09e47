#include <gpuplan/api/field_reader.hpp>

#include <limits>
#include <string>
#include <vector>

#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/report/json.hpp>

#include "support/property.hpp"
#include "support/random_job.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

static_assert(largest_count == json_fields::largest, "what a table allows, a reader takes");

using nlohmann::json;

recipe read(const json& object) {
  recipe how;
  read_fields(json_fields{object, "recipe"}, recipe_fields, how);
  return how;
}

std::string refusal_of_recipe(const json& object) {
  return testing::refusal_by([&] { return read(object); });
}

TEST_CASE("a field is found where it is there and not null", "[api]") {
  const json object{{"a", 1}, {"b", nullptr}};
  const json_fields fields{object, "x"};
  CHECK(*find(fields, "a") == 1);
  CHECK(find(fields, "b") == nullptr);
  CHECK(find(fields, "c") == nullptr);
}

TEST_CASE("a number lies between its bounds, both among them", "[api]") {
  const auto line = [](const json& value) {
    const json object{{"a", value}};
    return testing::refusal_by([&] { return number_of(json_fields{object, "x"}, "a", 0.5, 2); });
  };
  CHECK(line(0.5) == "nothing");
  CHECK(line(2) == "nothing");
  CHECK(line(0.49) == "x: a must be 0.5 to 2.0, not 0.49");
  CHECK(line(3) == "x: a must be 0.5 to 2.0, not 3");
  CHECK(line(std::numeric_limits<double>::quiet_NaN()).starts_with("x: a must be 0.5 to 2.0"));
  CHECK(line(std::numeric_limits<double>::infinity()).starts_with("x: a must be 0.5 to 2.0"));
  CHECK(line("1") == "x: a must be a number, not the string \"1\"");
  CHECK(line(nullptr) == "x: a is missing");
}

TEST_CASE("each kind of field is read", "[api]") {
  const recipe how = read({{"global_batch_size", 96},
                           {"zero", 2},
                           {"recompute", "full"},
                           {"sequence_parallel", true},
                           {"dropout", 0.1},
                           {"expert_imbalance", 1.5},
                           {"layer_split", {9, 8, 8, 7}},
                           {"recompute_modules", {"mlp", "layernorm"}},
                           {"overlap", {{"data", false}}},
                           {"precision", nullptr}});
  CHECK(how.global_batch_size == 96);
  CHECK(how.zero == zero_stage::gradients);
  CHECK(how.recompute == recompute::full);
  CHECK(how.sequence_parallel);
  CHECK(how.dropout);
  CHECK(how.expert_imbalance == 1.5);
  CHECK(how.split.stages() == 4);
  CHECK(how.recomputes(recomputed_module::layernorm));
  CHECK_FALSE(how.recomputes(recomputed_module::core_attn));
  CHECK(how.overlap.data == read({{"overlap", {{"data", "off"}}}}).overlap.data);
  CHECK(how.overlap.data != recipe{}.overlap.data);
  CHECK(how.precision == recipe{}.precision);
}

TEST_CASE("what a row does not allow is refused, and says where", "[api]") {
  CHECK(refusal_of_recipe({{"global_batch_size", 0}}) ==
        "recipe: global_batch_size must be >= 1, not 0");
  CHECK(refusal_of_recipe({{"global_batch_size", std::numeric_limits<double>::quiet_NaN()}})
            .starts_with("recipe: global_batch_size must be an integer"));
  CHECK(refusal_of_recipe({{"zero", 4}}) == "recipe: zero must be 0 to 3, not 4");
  CHECK(refusal_of_recipe({{"zero", "zero3"}}).starts_with("recipe: zero must be one of "));
  CHECK(refusal_of_recipe({{"dropout", 2}}).starts_with("recipe: dropout must be "));
  CHECK(refusal_of_recipe({{"sequence_parallel", "yes"}}) ==
        "recipe: sequence_parallel must be true or false, not the string \"yes\"");
  CHECK(refusal_of_recipe({{"recompute_modules", {1}}}) ==
        "recipe: recompute_modules must hold names, not 1");
  CHECK(refusal_of_recipe({{"recompute_modules", {"mlp", "layernorm", "mlp"}}}) ==
        "recipe: recompute_modules names mlp twice");
  CHECK(refusal_of_recipe({{"layer_split", {8, -1}}})
            .starts_with("recipe: layer_split must hold integers from 0 to "));
  CHECK(refusal_of_recipe({{"layer_split", std::vector<int>(layer_split::most_stages + 1, 1)}})
            .starts_with("recipe: layer_split must name at most "));
}

TEST_CASE("an unknown field is refused, within an object too", "[api]") {
  CHECK(refusal_of_recipe({{"optimiser", "adam"}}) ==
        "recipe: optimiser is not a known field; did you mean optimizer?");
  CHECK(refusal_of_recipe({{"overlap", {{"dta", true}}}}) ==
        "recipe: overlap: dta is not a known field; did you mean data?");
  CHECK(refusal_of_recipe({{"overlap", 1}}) == "recipe: overlap: must be a JSON object, not 1");
}

TEST_CASE("what answers say of a recipe reads to the same recipe", "[api][property]") {
  testing::check_property("read after written is what was", [] {
    const recipe how = testing::random_job_any().recipe;
    const report_json written = json_of(how);
    RC_ASSERT(json_of(read(json::parse(written.dump()))) == written);
  });
}

}  // namespace
}  // namespace gpuplan::api
