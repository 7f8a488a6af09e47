#pragma once
/// \file
/// One step of training on one rank, tensor by tensor.

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/walk/head.hpp"
#include "memory/walk/job.hpp"
#include "memory/walk/layer_plan.hpp"
#include "memory/walk/ledger.hpp"
#include "memory/walk/product_shapes.hpp"
#include "memory/walk/resident.hpp"
#include "memory/walk/schedule.hpp"

namespace gpuplan::testing {

/// Walks a step.  Made, run once, and then asked for its ledger.
class step_walk {
 public:
  step_walk(const walked_job& job, int rank)
      : job_{job}, order_{order_of(job, rank)}, head_{head_of(job)} {
    const std::vector<piece> all = pieces_of(job, pieces_cut(job));
    for (const int i : order_.pieces) held_.push_back(all[static_cast<std::size_t>(i)]);
    all_parameters_ = parameters_of_rank(job, held_);
    for (int i = 0; i < walked_layers; ++i) {
      const auto kind = static_cast<walked_layer>(i);
      const bool needed = std::any_of(held_.begin(), held_.end(), [&](const piece& one) {
        return std::find(one.layers.begin(), one.layers.end(), kind) != one.layers.end();
      });
      plans_.push_back(needed ? plan_of(job, kind, memory_) : layer_plan{});
    }
    plan_ends();
    cells_.resize(held_.size());
    for (auto& of_chunk : cells_) of_chunk.resize(static_cast<std::size_t>(micro_batches(job)));
  }

  /// Walks as if tensors of that name took no memory.
  void leave_out(std::string_view name) { memory_.leave_out(name); }

  /// The whole step, from what lies on the rank before it to the update.
  ///
  /// \throws invalid_input if the step frees what it has not made, or leaves what it should free
  const ledger& run() {
    begin();
    const std::size_t before = memory_.alive() - gradients_made_.size();
    handle copies = memory_.make("16-bit copies of weights", size_of_copies());
    handle units = memory_.make("units at work", size_of_units());
    for (const pass& one : order_.passes) walk(one);
    memory_.release(units);
    for (handle& one : deferred_) memory_.release(one);
    memory_.release(copies);
    require(memory_.alive() == before + gradients_made_.size(),
            "step_walk: a step must free all activations");
    memory_.release(batch_);
    update();
    return memory_;
  }

 private:
  using handle = ledger::handle;
  /// What one micro-batch keeps in one chunk.
  struct cell {
    std::vector<std::vector<handle>> layers;
    std::vector<std::pair<std::string_view, handle>> head;
    handle embedding_mask = ledger::nothing;
    handle sent = ledger::nothing;
    handle formed_waiting = ledger::nothing;
    handle encoder_output = ledger::nothing;
    handle encoder_norm_input = ledger::nothing;
  };
  struct unit {
    bytes gathered{};
    bytes whole_gradients{};
    bytes own_gradients{};
  };

  const walked_job& job_;
  rank_order order_;
  head_plan head_;
  ledger memory_;
  std::vector<piece> held_;
  parameter_list all_parameters_;
  std::vector<layer_plan> plans_;
  unit embedding_;
  unit last_;
  std::vector<std::vector<cell>> cells_;
  std::map<int, handle> gathered_;  ///< by unit of the chunk at work
  handle whole_gradient_ = ledger::nothing;
  std::map<std::pair<int, int>, handle> gradients_made_;
  std::vector<handle> deferred_;
  handle batch_ = ledger::nothing;
  std::vector<handle*> made_again_;
  std::vector<std::pair<const planned_tensor*, handle*>> outputs_again_;  ///< of the layers at work
  std::pair<int, cell*> to_wait_{0, nullptr};  ///< after its backward pass, as the formulas have it

  [[nodiscard]] const layer_plan& plan(walked_layer kind) const {
    return plans_[static_cast<std::size_t>(kind)];
  }
  void keep(std::string_view name, bytes size) { (void)memory_.make(name, size); }

  [[nodiscard]] unit plan_end(bool of_head) const {
    const parameter_list table =
        table_of_walked(job_, of_head ? trained_table::head : trained_table::embedding);
    return {detail::divided_values(job_, {table.front()}, false) * sizes_of(job_).activation,
            detail::divided_gradients(job_, table),
            held_of(job_, table).gradients +
                held_of(job_, rest_of_walked_end(job_, of_head)).gradients};
  }
  /// The ends: a table each, which is a unit to gather, and what lies beside it.
  void plan_ends() {
    embedding_ = plan_end(false);
    last_ = plan_end(true);
    const parameter_list first = table_of_walked(job_, trained_table::embedding);
    if (shares_table(job_, held_)) embedding_.own_gradients -= held_of(job_, first).gradients;
  }
  [[nodiscard]] unit largest_unit() const {
    unit largest;
    for (int chunk = 0; chunk < static_cast<int>(held_.size()); ++chunk)
      for (int place = 0; place <= last_unit(chunk); ++place) {
        const unit one = unit_of(chunk, place);
        largest.gathered = (std::max)(largest.gathered, one.gathered);
        largest.whole_gradients = (std::max)(largest.whole_gradients, one.whole_gradients);
      }
    return largest;
  }
  [[nodiscard]] bytes largest_layer() const {
    bytes layer{};
    for (int chunk = 0; chunk < static_cast<int>(held_.size()); ++chunk)
      for (int place = 1; place < last_unit(chunk); ++place)
        layer = (std::max)(layer, unit_of(chunk, place).gathered);
    return layer;
  }
  [[nodiscard]] bytes largest_table() const {
    bytes table{};
    for (int chunk = 0; chunk < static_cast<int>(held_.size()); ++chunk)
      table = (std::max)(
          {table, unit_of(chunk, 0).gathered, unit_of(chunk, last_unit(chunk)).gathered});
    return table;
  }
  /// What the formulas count as gathered and as whole gradients, through all passes.
  [[nodiscard]] bytes size_of_units() const {
    if (!job_.as_formulas.units_all_along) return bytes{0};
    const unit largest = largest_unit();
    const bytes layer = largest_layer();
    const bytes table = largest_table();
    const bool ahead = job_.recipe.framework == framework::fsdp2 && table > bytes{0};
    bytes lacking{};
    bytes lacking_gradients{};
    for (const parameter_tensor& one : all_parameters_) {
      const double elsewhere = one.values() * (1 - 1 / shards_of(job_, one.role));
      const state_sizes size = state_sizes_of(job_, one);
      lacking += elsewhere * (std::min)(sizes_of(job_).activation, size.weight);
      if (one.trained) lacking_gradients += elsewhere * size.gradient;
    }
    bytes all{};
    if (divides_gradients(job_)) all += (std::min)(largest.whole_gradients, lacking_gradients);
    if (job_.recipe.zero == zero_stage::parameters)
      all += (std::min)((ahead ? table + layer : largest.gathered) + layer, lacking);
    return all;
  }
  /// Weights kept in FP32 have copies to compute with, unless these are gathered.
  [[nodiscard]] bytes size_of_copies() const {
    const bytes value = sizes_of(job_).activation;
    bytes all{};
    if (job_.recipe.weights == weight_storage::fp32 && job_.recipe.zero != zero_stage::parameters &&
        value < sizes_of(job_).full)
      for (const parameter_tensor& one : all_parameters_) all += one.values() * value;
    return all;
  }

  void begin();
  [[nodiscard]] bytes early_gradients(bytes all) const;
  void update();
  void walk(const pass& one);
  void forward(int chunk, cell& at);
  [[nodiscard]] bool begins_checkpoint(const piece& here, std::size_t place) const;
  void forward_layer(const layer_plan& of, std::vector<handle>& slots, bool begins);
  void head_steps(const std::vector<head_step>& steps, cell& at);
  void backward(int chunk, cell& at, bool split);
  [[nodiscard]] bytes part_as_formulas(const layer_plan& of) const;
  void make_again(const layer_plan& of, std::vector<handle>& slots);
  void backward_layer(const layer_plan& of, std::vector<handle>& slots, bool split);
  void end_group(int chunk, cell& at, bool split, bool ends_pass);
  void release_head(cell& at);
  [[nodiscard]] bytes size_of_deferred() const;
  void wait_as_formulas();
  void defer_as_formulas();
  void release_as_formulas();
  void backward_head(int chunk, cell& at);
  void weights(int chunk, cell& at);
  [[nodiscard]] int last_unit(int chunk) const;
  [[nodiscard]] unit unit_of(int chunk, int place) const;
  void gather(int chunk, int place, int direction);
  void release_gathered(int place);
  void release_all_gathered();
  void make_gradients(int chunk, int place);
};

}  // namespace gpuplan::testing

#include "memory/walk/step_backward.hpp"
#include "memory/walk/step_passes.hpp"
