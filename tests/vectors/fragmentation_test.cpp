// The fragmentation of nodes as the authors' own program computes it, and replays of their trace.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {

namespace {

class type_numbers {
 public:
  int of(const std::string& name) {
    return numbers_.emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

}  // namespace

TEST_CASE("fragmentation is that of fgd.json", "[placement][vectors]") {
  const nlohmann::json table = load_vectors("fgd");
  int read = 0;
  for (const nlohmann::json& row : table.at("cases")) {
    INFO(row.dump());
    type_numbers types;
    std::string list = row.at("typical_pods");
    std::size_t first = 1000;
    if (const auto cut = list.find("[:"); cut != std::string::npos) {
      first = std::stoul(list.substr(cut + 2));
      list.resize(cut);
    }
    std::vector<task_share> kinds;
    double popularity = 0;  // the source's shares are of all kinds, also of those left out
    for (const nlohmann::json& pod : table.at("typical_pods").at(list)) {
      if (kinds.size() == first) break;
      const std::string type = pod.at("type");
      kinds.push_back(
          {.task = {.gpus = pod.at("n"),
                    .gpu_thousandths = pod.at("gpu"),
                    .core_thousandths = pod.at("cpu"),
                    .accepted_types = type.empty() ? 0 : std::uint64_t{1} << types.of(type)},
           .popularity = pod.at("p")});
      popularity += kinds.back().popularity;
    }
    const nlohmann::json& of = row.at("node");
    const std::vector<int> free = of.at("gpu_milli_left");
    gpu_node host = empty_node(static_cast<int>(free.size()), of.at("cpu_milli"), bytes{0},
                               types.of(of.at("type")));
    for (std::size_t gpu = 0; gpu < free.size(); ++gpu) host.free_gpu[gpu] = free[gpu];
    const double found = popularity * expected_fragmentation(host, task_mix{kinds});
    CHECK(std::abs(found - row.at("expected").get<double>()) <= row.at("tolerance").get<double>());
    ++read;
  }
  CHECK(read > 0);
}

}  // namespace gpuplan::testing
