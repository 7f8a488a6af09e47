// What the errata say is right against the worked numbers of the source documents
// (seed_cases.json): each that is wrong there, or follows another convention, has an erratum, whose
// call gives the right number.
#include <gpuplan/registry/errata.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/registry/evaluation.hpp>
#include <gpuplan/registry/registry.hpp>
#include <gpuplan/registry/search.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::registry {
namespace {

using nlohmann::json;

const erratum* find_erratum(std::string_view id) {
  for (const erratum& one : errata)
    if (one.id == id) return &one;
  return nullptr;
}

std::vector<std::string_view> words_of(std::string_view call) {
  std::vector<std::string_view> words;
  while (!call.empty()) {
    words.push_back(call.substr(0, call.find(' ')));
    call.remove_prefix(std::min(call.size(), words.back().size() + 1));
  }
  return words;
}

/// What the call of an erratum gives, in base units.
double value_of(const erratum& one) {
  const auto words = words_of(one.call);
  const auto rows = rows_called(tables, words.front());
  REQUIRE(rows.size() == 1);
  std::vector<assignment> given;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    REQUIRE(equals != std::string_view::npos);
    given.push_back({words[i].substr(0, equals), words[i].substr(equals + 1)});
  }
  const evaluation answer = evaluate(*rows.front(), given);
  if (one.term.empty()) return answer.value;
  for (const result_term& term : rows.front()->terms)
    if (term.name == one.term) return term.evaluate(answer.given());
  FAIL("no term " << one.term);
  return 0;
}

/// Base units in one of a unit, as the rows of the cases write it.
double base_units_in(const std::string& unit) {
  static const std::map<std::string, double> known{
      {"h", 3600}, {"Wh", 3600}, {"kWh", 3.6e6}, {"TFLOP/s", 1e12}};
  const auto found = known.find(unit);
  return found == known.end() ? 1 : found->second;
}

/// What a case's number is, of what its call gives: the same, unless the call says it otherwise.
double as_case_says(const std::string& id, double given) {
  if (id == "vr-8bit") return 1 / (1 - given);            // the part saved; times smaller
  if (id == "vr-nvlink-pool") return 4 * given;           // on each of four; on all
  if (id == "ml-fused-adam") return (given - 2 * 4) / 4;  // bytes, two more gradients; tensors
  if (id == "ml-overlap-speedup") return 1 - 1 / given;   // speed-up; time saved
  if (id == "ml-gpt2-act-attn" || id == "ml-gpt2-act-ffn") return given / 2;  // half of the layer
  return given;
}

/// The worked numbers of the vectors that were chosen, and those that the vectors leave out.
json worked_cases() {
  json rows = testing::load_vectors("seed_cases");
  const json more = testing::load_json(testing::data_folder() / "errata_cases.json");
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

TEST_CASE("every number that is wrong or of another convention has its erratum",
          "[vectors][registry]") {
  for (const json& row : worked_cases()) {
    const std::string id = row.at("id");
    INFO(id);
    const erratum* one = find_erratum(id);
    const std::string verdict = row.at("verdict");
    CHECK((one != nullptr) == (verdict != "agrees"));
    if (one == nullptr) continue;
    CHECK(one->kind ==
          (verdict == "source is wrong" ? erratum_kind::wrong : erratum_kind::other_convention));
  }
}

TEST_CASE("every erratum has its worked number", "[registry]") {
  std::set<std::string> ids;
  for (const auto& path : {testing::data_folder() / "vectors" / "seed_cases.json",
                           testing::data_folder() / "errata_cases.json"})
    for (const json& row : testing::load_json(path)) ids.insert(row.at("id"));
  for (const erratum& one : errata) {
    INFO(one.id);
    CHECK(ids.contains(std::string(one.id)));
  }
}

TEST_CASE("the calls of errata give the right numbers", "[vectors][registry]") {
  for (const json& row : worked_cases()) {
    const std::string id = row.at("id");
    const erratum* one = find_erratum(id);
    if (one == nullptr || !is_formula(*one)) continue;
    INFO(id << ": " << one->call);
    const double ours = as_case_says(id, value_of(*one));
    CHECK(std::isfinite(ours));
    if (!row.at("value").is_number()) continue;
    const double right = row.at("value").get<double>() * base_units_in(row.at("unit"));
    const double tolerance = row.at("rel_tol");
    CHECK(std::abs(ours - right) <= tolerance * std::abs(right));
  }
}

TEST_CASE("values of half the width hold less than twice the batch", "[registry]") {
  // vr-bert-base-batch: states take as much in both, whatever the constants of memory are.
  const auto largest = [](precision in) {
    const footprint job = memory_footprint(catalog::bert_base_uncased,
                                           {.sequence_length = 128,
                                            .precision = in,
                                            .attention = attention_kernel::unfused,
                                            .dropout = true},
                                           {});
    return max_micro_batch(job, catalog::v100_sxm2_16gb.memory).samples;
  };
  const auto wide = largest(precision::fp32);
  CHECK(largest(precision::mixed_fp16) > wide);
  CHECK(largest(precision::mixed_fp16) < 2 * wide);
}

TEST_CASE("an erratum says everything that a reader wants to know", "[registry]") {
  std::set<std::string_view> ids;
  for (const erratum& one : errata) {
    INFO(one.id);
    CHECK(ids.insert(one.id).second);
    for (const std::string_view said :
         {one.id, one.source, one.what, one.printed, one.right, one.why, one.call})
      CHECK(!said.empty());
    CHECK(one.printed != "none");
    CHECK(one.source.find(", ") != std::string_view::npos);  // document, section
  }
}

}  // namespace
}  // namespace gpuplan::registry
