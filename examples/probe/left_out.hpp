#pragma once
/// \file
/// Measurements that were not made, told in one line for each reason.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gpuplan::probe {

/// Gathers names by reason, in the order of the first of each.
class left_out {
 public:
  static constexpr std::size_t most_named = 6;

  void add(const std::string& reason, const std::string& name) {
    for (auto& [known, names] : reasons_) {
      if (known != reason) continue;
      names.push_back(name);
      return;
    }
    reasons_.push_back({reason, {name}});
  }

  /// "no room: bf16 4096 x 4096 x 4096, fp16 ...", after six names "and 3 more".
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> all;
    for (const auto& [reason, names] : reasons_) {
      std::string line = reason + ": ";
      for (std::size_t i = 0; i < names.size() && i < most_named; ++i)
        line += (i > 0 ? ", " : "") + names[i];
      if (names.size() > most_named)
        line += " and " + std::to_string(names.size() - most_named) + " more";
      all.push_back(line);
    }
    return all;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_{};
};

}  // namespace gpuplan::probe
