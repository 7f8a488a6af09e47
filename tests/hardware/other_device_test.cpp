#include <gpuplan/hardware/other_device.hpp>

#include <string>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_others.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/vectors.hpp"

namespace gpuplan {
namespace {

using namespace units;
using catalog::find_other;

static_assert(find_other("wse-2")->memory == 40 * GB);
static_assert(find_other("Cerebras WSE-3")->peak_16 == 125'000 * TFLOP / second);
static_assert(find_other("u280")->memory_bandwidth == 460 * GB / second);
static_assert(find_other("H100") == nullptr);
static_assert(catalog::find_accelerator("WSE-2") == nullptr, "it is not planned with");
static_assert(catalog::find_accelerator("trn1")->gpu == &catalog::trainium);
static_assert(catalog::find_accelerator("trn2")->name == "Trainium2");
static_assert(catalog::trainium2.operators_from == operator_origin::derived,
              "no operator was measured on it");

/// The value of a field that a fact names, in base units; -1 where there is none.
double value_of(const other_device& one, std::string_view field) {
  if (field == "year") return one.year;
  if (field == "memory") return one.memory.in_base_units();
  if (field == "memory_bandwidth") return one.memory_bandwidth.in_base_units();
  if (field == "peak_16") return one.peak_16.in_base_units();
  if (field == "peak_8") return one.peak_8.in_base_units();
  if (field == "thermal_design_power") return one.thermal_design_power.in_base_units();
  return -1;
}

TEST_CASE("devices that are not planned with are those of the data file", "[hardware][reference]") {
  const auto file = testing::load_json(testing::data_folder() / "hardware.json");
  const auto& wanted = file.at("others");
  REQUIRE(wanted.size() == catalog::others.size());
  REQUIRE(wanted.size() == catalog::other_facts.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const other_device& one = catalog::others[i];
    const entry_facts& known = catalog::other_facts[i];
    INFO(std::string(one.name));
    CHECK(wanted[i].at("name") == std::string(one.name));
    CHECK(known.name == one.name);
    CHECK(wanted[i].at("why") == std::string(one.why));
    REQUIRE(known.facts.size() == wanted[i].at("facts").size() + 1);
    for (const fact& each : known.facts) {
      INFO(std::string(each.field));
      const auto& row = each.field == "year" ? wanted[i].at("year")
                                             : wanted[i].at("facts").at(std::string(each.field));
      CHECK(row.at("value").get<double>() == each.value);
      CHECK(file.at("sources").at(row.at("source").get<std::string>()) == std::string(each.source));
      if (const double held = value_of(one, each.field); held != -1)
        CHECK(held == Approx(each.value).epsilon(1e-15));
    }
  }
}

TEST_CASE("a device is planned with or not, never both", "[hardware]") {
  for (const other_device& one : catalog::others) {
    INFO(std::string(one.name));
    CHECK(find_other(one.name) == &one);
    CHECK(catalog::find_accelerator(one.name) == nullptr);
    CHECK_FALSE(one.why.empty());
  }
  for (const alias& one : catalog::other_aliases) {
    INFO(std::string(one.name));
    CHECK(find_other(one.name) != nullptr);
    CHECK(catalog::find_accelerator(one.name) == nullptr);
  }
}

}  // namespace
}  // namespace gpuplan
