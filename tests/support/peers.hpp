#pragma once
/// \file
/// What other estimators printed: the cases of memory_peers.json.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/vectors.hpp"

namespace gpuplan::testing {

/// The cases of a peer whose function has `part` in its name.
inline std::vector<nlohmann::json> peer_cases(const std::string& peer,
                                              const std::string& part = "") {
  std::vector<nlohmann::json> cases;
  const nlohmann::json vectors = load_vectors("memory_peers");
  for (const nlohmann::json& one : vectors.at("cases"))
    if (one.at("peer") == peer &&
        one.at("function").get<std::string>().find(part) != std::string::npos)
      cases.push_back(one);
  return cases;
}

}  // namespace gpuplan::testing
