#include <gpuplan/hardware/catalog_facts.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabric_facts.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>

#include "hardware/provenance.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan {
namespace {

using testing::vouched_for;

// The first fact of an accelerator is the year of its table row, the others are of its fields.
template <std::size_t I>
constexpr bool accelerator_vouched_for = [] {
  const auto& entry = catalog::accelerators[I];
  const auto& known = catalog::accelerator_facts[I];
  return known.name == entry.name && known.facts[0].field == "year" &&
         known.facts[0].value == entry.year && vouched_for(*entry.gpu, known.facts.subspan(1));
}();
template <std::size_t I>
constexpr bool fabric_vouched_for = catalog::fabric_facts[I].name ==
                                    catalog::fabrics[I].name&& vouched_for(
                                        *catalog::fabrics[I].net, catalog::fabric_facts[I].facts);

template <std::size_t... I>
constexpr bool all_accelerators(std::index_sequence<I...>) {
  return (accelerator_vouched_for<I> && ...);
}
template <std::size_t... I>
constexpr bool all_fabrics(std::index_sequence<I...>) {
  return (fabric_vouched_for<I> && ...);
}
static_assert(catalog::accelerator_facts.size() == catalog::accelerators.size());
static_assert(all_accelerators(std::make_index_sequence<catalog::accelerators.size()>{}));
static_assert(catalog::fabric_facts.size() == catalog::fabrics.size());
static_assert(all_fabrics(std::make_index_sequence<catalog::fabrics.size()>{}));

// The check itself must be able to fail.
constexpr std::span<const fact> h100_facts =
    std::span<const fact>{catalog::h100_sxm5_80gb_facts}.subspan(1);
static_assert(vouched_for(catalog::h100_sxm5_80gb, h100_facts));
constexpr accelerator altered = [] {
  accelerator gpu = catalog::h100_sxm5_80gb;
  gpu.peak.bf16 *= 2;
  return gpu;
}();
constexpr accelerator enriched = [] {
  accelerator gpu = catalog::h100_sxm5_80gb;
  gpu.peak.fp4 = gpu.peak.fp16;
  return gpu;
}();
static_assert(!vouched_for(altered, h100_facts), "a number that the fact does not say");
static_assert(!vouched_for(enriched, h100_facts), "a number without a fact");
static_assert(!vouched_for(catalog::h100_sxm5_80gb, h100_facts.first(h100_facts.size() - 1)));
static_assert(!vouched_for(catalog::h100_sxm5_80gb, catalog::h100_sxm5_80gb_facts),
              "a fact without a number");

std::string text_of(fact_status status) {
  switch (status) {
    case fact_status::verified: return "verified";
    case fact_status::derived: return "derived";
    case fact_status::recalled: return "recalled";
  }
  return "";
}

/// The facts of one entry as the data file has them.
void check_facts(const nlohmann::json& sources, const nlohmann::json& wanted,
                 std::span<const fact> facts) {
  REQUIRE(wanted.size() == facts.size());
  for (const fact& one : facts) {
    INFO(std::string(one.field));
    const auto& row = wanted.at(std::string(one.field));
    CHECK(row.at("value").get<double>() == one.value);
    CHECK(row.at("status") == text_of(one.status));
    CHECK(sources.at(row.at("source").get<std::string>()) == std::string(one.source));
    CHECK(row.value("note", "") == std::string(one.note));
  }
}

void check_measurements(const nlohmann::json& file, std::span<const measurement> measured) {
  REQUIRE(file.at("measurements").size() == measured.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const auto& row = file.at("measurements").at(i);
    CHECK(row.at("of") == std::string(measured[i].of));
    CHECK(row.at("what") == std::string(measured[i].what));
    CHECK(row.at("share").get<double>() == measured[i].share);
    CHECK(row.at("status") == text_of(measured[i].status));
    CHECK(file.at("sources").at(row.at("source").get<std::string>()) ==
          std::string(measured[i].source));
  }
}

/// The memory of a device of which no driver's print is known: the least share of the label among
/// its generation, or its vendor's where no other of its generation is known, in whole MiB.
nlohmann::json derived_memory(const nlohmann::json& all, const nlohmann::json& of) {
  constexpr double unknown = 2;
  double least = unknown;
  std::string whose;
  for (const char* key : {"generation", "vendor"}) {
    for (const auto& other : all) {
      const auto& facts = other.at("facts");
      if (other.at(key) != of.at(key) || !facts.contains("memory")) continue;
      const double share = facts.at("memory").at("value").get<double>() /
                           facts.at("label_memory").at("value").get<double>();
      if (share < least) {
        least = share;
        whose = other.at("name").get<std::string>();
      }
    }
    if (least < unknown) break;
  }
  const double label = of.at("facts").at("label_memory").at("value").get<double>();
  char note[64];
  std::snprintf(note, sizeof note, "%.4f of the label, as %s", least, whose.c_str());
  return {{"value", std::floor(label * least / 0x1p20) * 0x1p20},
          {"status", "derived"},
          {"source", "driver_share"},
          {"note", std::string(note)}};
}

TEST_CASE("the accelerators are those of the data file, value, source and status",
          "[hardware][reference]") {
  const auto file = testing::load_json(testing::data_folder() / "hardware.json");
  const auto& wanted = file.at("accelerators");
  const auto rates = testing::load_json(testing::data_folder() / "operator_rates.json");
  REQUIRE(wanted.size() == catalog::accelerators.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& known = catalog::accelerator_facts[i];
    INFO(std::string(known.name));
    CHECK(wanted[i].at("name") == std::string(known.name));
    CHECK(wanted[i].at("vendor") == std::string(catalog::accelerators[i].vendor));
    CHECK(wanted[i].at("note") == std::string(known.note));
    auto facts = wanted[i].at("facts");
    facts["year"] = wanted[i].at("year");
    if (!facts.contains("memory")) facts["memory"] = derived_memory(wanted, wanted[i]);
    const auto& fitted = rates.at("devices").at(std::string(known.name));
    const bool derived = !fitted.at("derived_from").get<std::string>().empty();
    for (const auto& [field, one] : fitted.at("facts").items())  // a measured best product stays
      if (!(derived && field.starts_with("achieved.") && facts.contains(field))) facts[field] = one;
    check_facts(file.at("sources"), facts, known.facts);
  }
  check_measurements(file, catalog::accelerator_measurements);
}

TEST_CASE("the fabrics are those of the data file, value, source and status",
          "[hardware][reference]") {
  const auto file = testing::load_json(testing::data_folder() / "fabrics.json");
  const auto& wanted = file.at("fabrics");
  REQUIRE(wanted.size() == catalog::fabrics.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& known = catalog::fabric_facts[i];
    INFO(std::string(known.name));
    CHECK(wanted[i].at("name") == std::string(known.name));
    check_facts(file.at("sources"), wanted[i].at("facts"), known.facts);
  }
  check_measurements(file, catalog::fabric_measurements);
}

TEST_CASE("the prices are those of the data file", "[hardware][reference]") {
  const auto file = testing::load_json(testing::data_folder() / "hardware.json");
  const auto& wanted = file.at("prices");
  REQUIRE(wanted.size() == catalog::prices.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const price& one = catalog::prices[i];
    INFO(std::string(one.accelerator) << " at " << std::string(one.provider));
    CHECK(wanted[i].at("accelerator") == std::string(one.accelerator));
    CHECK(wanted[i].at("provider") == std::string(one.provider));
    CHECK_THAT(one.rate.in(units::dollar / units::hour),
               WithinRel(wanted[i].at("dollars_per_hour").get<double>(), 1e-15));
    CHECK(wanted[i].at("date") == std::string(one.date));
    CHECK(wanted[i].at("source") == std::string(one.source));
    CHECK(wanted[i].at("status") == text_of(one.status));
  }
}

}  // namespace
}  // namespace gpuplan
