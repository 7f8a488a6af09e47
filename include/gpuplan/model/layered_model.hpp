#pragma once
/// \file
/// A model whose layers are of several kinds, counted kind by kind.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/state_space.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Whether a token meets all of some parameters, or looks one row of a table up.
enum class parameter_use { met, looked_up };

/// Parameters that layer_parameters and transformer_parameters have no name for.
struct named_parameters {
  std::string_view name;
  double count{};
  parameter_use use = parameter_use::met;

  friend constexpr bool operator==(const named_parameters&, const named_parameters&) = default;
};

/// Layers that are alike.
struct layer_group {
  std::string kind;  ///< "full attention, experts"
  int layers = 1;
  layer_parameters common{};              ///< of one layer
  std::vector<named_parameters> further;  ///< of one layer
  double unvisited = 0;                   ///< of the routed experts, what one token does not meet
  double cached_values = 0;               ///< keys and values of one token, or what stands for them
  int window = 0;                         ///< tokens whose windowed values are kept; 0: none are
  double windowed_values = 0;             ///< of one token, kept while it is in the window
  sequence_state state{};                 ///< kept of one sequence, in place of keys and values

  /// Parameters of one layer.
  [[nodiscard]] double total() const {
    double sum = common.total();
    for (const named_parameters& part : further) sum += part.count;
    return sum;
  }

  friend bool operator==(const layer_group&, const layer_group&) = default;
};

/// A model whose layers differ in more than transformer can say: to be counted, and planned with
/// where a transformer of mean layers has as many parameters.
struct layered_model {
  std::string family;  ///< model_type of the config
  int hidden_size = 0;
  int learned_positions = 0;              ///< tokens of a sequence, of the decoder; 0: no limit
  transformer_parameters beside{};        ///< what is no layer; its `layers` are 0
  std::vector<named_parameters> further;  ///< what is no layer either
  std::vector<layer_group> groups;
  double multi_token_prediction = 0;     ///< of modules for further tokens; not in total()
  double untrained = 0;                  ///< balancing values and tables; not in total()
  std::optional<transformer> planned{};  ///< the mean layer says it, for memory and time
  std::string unlike;                    ///< why not, where that is not said of the family
  std::string note;                      ///< what is not counted; empty: all is

  [[nodiscard]] double total() const {
    double sum = beside.total();
    for (const named_parameters& part : further) sum += part.count;
    for (const layer_group& group : groups) sum += group.layers * group.total();
    return sum;
  }
  /// Parameters that one token meets; the embeddings count whole, as active_parameters has it.
  [[nodiscard]] double active() const {
    double sum = total();
    for (const layer_group& group : groups) sum -= group.layers * group.unvisited;
    return sum;
  }
  /// total() without tables of embeddings and without the head.
  [[nodiscard]] double non_embedding() const {
    double sum = total() - (beside.total() - beside.non_embedding());
    for (const named_parameters& part : further)
      if (part.use == parameter_use::looked_up) sum -= part.count;
    return sum;
  }
  [[nodiscard]] int layers() const {
    int sum = 0;
    for (const layer_group& group : groups) sum += group.layers;
    return sum;
  }
  /// Adds layers; those that are like earlier ones join them.
  void add(layer_group added) {
    const int more = std::exchange(added.layers, 1);
    for (layer_group& group : groups) {
      const int before = std::exchange(group.layers, 1);
      const bool alike = group == added;
      group.layers = alike ? before + more : before;
      if (alike) return;
    }
    added.layers = more;
    groups.push_back(std::move(added));
  }
  /// Parameters of all layers that layer_parameters has a name for.
  [[nodiscard]] layer_parameters common() const {
    layer_parameters sum;
    for (const layer_group& group : groups) sum = sum + group.layers * group.common;
    return sum;
  }
  /// The others, of all layers, each name once.
  [[nodiscard]] std::vector<named_parameters> further_of_layers() const {
    std::vector<named_parameters> sum;
    for (const layer_group& group : groups)
      for (const named_parameters& part : group.further) {
        const auto found = std::find_if(sum.begin(), sum.end(),
                                        [&](const auto& row) { return row.name == part.name; });
        if (found == sum.end())
          sum.push_back({part.name, group.layers * part.count, part.use});
        else
          found->count += group.layers * part.count;
      }
    return sum;
  }
};

}  // namespace gpuplan
