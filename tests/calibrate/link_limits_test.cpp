// Links of a profile against the fastest that wires carry.
#include <gpuplan/calibrate/link_limits.hpp>

#include <string>

#include <gpuplan/calibrate/profile_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;

std::string refusal_of(const cluster_profile& profile) {
  try {
    require_possible_links(profile, "p.json");
    return {};
  } catch (const invalid_input& refused) {
    return refused.what();
  }
}

TEST_CASE("links that no wires carry are refused unless they were forced", "[calibrate][errors]") {
  cluster_profile profile{.gpu = "H100-SXM5-80GB"};
  CHECK(links_beyond_wires(profile).empty());
  profile.fabric = {.latency = 5 * us, .bandwidth = 50 * GB / second};
  profile.scale_up = {.latency = 5 * us, .bandwidth = 400 * GB / second};
  CHECK(links_beyond_wires(profile).empty());
  CHECK(refusal_of(profile).empty());
  profile.fabric.bandwidth = bytes_per_second{1e17};
  REQUIRE(links_beyond_wires(profile).size() == 1);
  CHECK(links_beyond_wires(profile).front().name == "fabric");
  CHECK(refusal_of(profile).starts_with("p.json: fabric: 100000000 GB/s is above the "));
  CHECK(refusal_of(profile).find("that links of H100-SXM5-80GB can signal") != std::string::npos);
  profile.forced = {"fabric"};
  CHECK(refusal_of(profile).empty());
  profile.host.bandwidth = bytes_per_second{1e12};
  CHECK(refusal_of(profile).starts_with("p.json: host: 1000 GB/s is above the "));
}

TEST_CASE("links of a device that is not named are bounded by any", "[calibrate]") {
  cluster_profile profile;
  profile.scale_up.bandwidth = 600 * GB / second;  // of NVLink 5, not of 4
  CHECK(links_beyond_wires(profile).empty());
  profile.gpu = "H100";  // an alias
  CHECK(links_beyond_wires(profile).size() == 1);
  profile.gpu.clear();
  profile.scale_up.bandwidth = bytes_per_second{1e17};
  CHECK(refusal_of(profile).find("any link of the catalogue") != std::string::npos);
}

TEST_CASE("a profile keeps the names of its forced links", "[calibrate]") {
  cluster_profile profile;
  profile.forced = {"fabric"};
  CHECK(read_profile(json_of(profile).dump(), "p").forced == profile.forced);
  CHECK(merged(profile, profile).forced == profile.forced);
  CHECK_FALSE(json_of(cluster_profile{}).contains("forced"));
  CHECK_THROWS_AS(
      read_profile(R"({"schema": "gpuplan-profile", "version": 4, "forced": [1]})", "p"),
      invalid_input);
}

}  // namespace
}  // namespace gpuplan::testing
