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
  std::vector<handle> counted_twice_;
  std::pair<int, cell*> to_wait_{0, nullptr};  ///< after its backward pass, as the formulas have it

  [[nodiscard]] const layer_plan& plan(walked_layer kind) const {
    return plans_[static_cast<std::size_t>(kind)];
  }
  void keep(std::string_view name, bytes size) { (void)memory_.make(name, size); }

  /// The ends: a table each, which is a unit to gather, and what lies beside it.
  void plan_ends() {
    const parameter_list table = table_of_walked(job_);
    embedding_ = {detail::divided_values(job_, table, false) * sizes_of(job_).activation,
                  detail::divided_values(job_, table, true) * state_sizes_of(job_).gradient,
                  held_of(job_, rest_of_walked_end(job_, false)).gradients};
    last_ = embedding_;
    last_.own_gradients = held_of(job_, rest_of_walked_end(job_, true)).gradients;
    const bytes of_table = held_of(job_, table).gradients;
    bool has_head = false;
    for (const piece& one : held_) has_head = has_head || one.has_head;
    last_.own_gradients += of_table;
    if (!(has_head && shares_table(job_, held_))) embedding_.own_gradients += of_table;
  }
  /// What the formulas count as gathered and as whole gradients, through all passes.
  [[nodiscard]] bytes size_of_units() const {
    if (!job_.as_formulas.units_all_along) return bytes{0};
    unit largest;
    bytes layer{};
    const auto add = [&](const unit& one) {
      largest.gathered = (std::max)(largest.gathered, one.gathered);
      largest.whole_gradients = (std::max)(largest.whole_gradients, one.whole_gradients);
    };
    for (int chunk = 0; chunk < static_cast<int>(held_.size()); ++chunk)
      for (int place = 0; place <= last_unit(chunk); ++place) {
        add(unit_of(chunk, place));
        if (place > 0 && place < last_unit(chunk))
          layer = (std::max)(layer, unit_of(chunk, place).gathered);
      }
    double lacking = 0;
    for (const parameter_tensor& one : all_parameters_)
      if (!one.adapter) lacking += one.values() * (1 - 1 / shards_of(job_, one.role));
    bytes all{};
    if (job_.recipe.zero >= zero_stage::gradients)
      all += (std::min)(largest.whole_gradients, lacking * state_sizes_of(job_).gradient);
    if (job_.recipe.zero == zero_stage::parameters)
      all += (std::min)(largest.gathered + layer, lacking * sizes_of(job_).activation);
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
  void update();
  void walk(const pass& one);
  void forward(int chunk, cell& at);
  [[nodiscard]] bool begins_checkpoint(const piece& here, std::size_t place) const;
  void forward_layer(const layer_plan& of, std::vector<handle>& slots, bool begins);
  void head_steps(const std::vector<head_step>& steps, cell& at);
  void backward(int chunk, cell& at, bool split);
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
