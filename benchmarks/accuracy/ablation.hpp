#pragma once
/// \file
/// What each law of a step brings: predictions without its term.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/speed_constants.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// Errors without a law, by section but the tiny models'.
struct law_left_out {
  std::string name;
  std::vector<errors> sections;
};

namespace detail {

/// A step without what `share` says of it; the bubble and stragglers shrink with the busy time.
inline seconds step_without(const step_time& step, seconds term) {
  const seconds busy = step.busy.total();
  const double left = busy > seconds{0} ? (busy - term) / busy : 1.0;
  return step.total() - term - (1 - left) * (step.bubble + step.stragglers);
}

using predictor = std::function<seconds(const speed_run&)>;

/// A term of the busy time taken out.
inline predictor without_term(seconds basic_busy_time<double>::*term) {
  return [term](const speed_run& run) {
    const step_time step = predicted(run, library_setting());
    return step_without(step, step.busy.*term);
  };
}

/// A term of the whole step taken out.
inline predictor without_part(seconds step_time::*part) {
  return [part](const speed_run& run) {
    const step_time step = predicted(run, library_setting());
    return step.total() - step.*part;
  };
}

/// Constants set to where their law does nothing.
inline predictor with_setting(const std::function<void(software_constants&)>& change) {
  return [change](const speed_run& run) {
    speed_setting setting = library_setting();
    for (software_constants& software : setting.software) change(software);
    return predicted(run, setting).total();
  };
}

/// What the library knows of software, changed to where the law does nothing.
inline predictor with_profile(const std::function<void(framework_profile&)>& change) {
  return [change](const speed_run& run) {
    framework_profile by = library_setting().profile(run.asked.recipe.framework);
    change(by);
    return step_time_of(run.asked.model, run.pool, run.asked.recipe, run.asked.parallelism, by)
        .total();
  };
}

/// The recipe changed to where the law does nothing.
inline predictor with_recipe(const std::function<void(recipe&)>& change) {
  return [change](const speed_run& run) {
    speed_run other = run;
    change(other.asked.recipe);
    return predicted(other, library_setting()).total();
  };
}

}  // namespace detail

/// The laws, each left out of every step alone; the first line is of all of them.
inline std::vector<law_left_out> ablation_of(const speed_runs& speed) {
  using namespace detail;
  using busy = basic_busy_time<double>;
  using constants = software_constants;
  const std::vector<std::pair<std::string, predictor>> laws{
      {"nothing", with_setting([](constants&) {})},
      {"products", without_term(&busy::products)},
      {"attention", without_term(&busy::attention)},
      {"elementwise kernels", without_term(&busy::elementwise)},
      {"steps of eager code", with_profile([](framework_profile& by) { by.eager = false; })},
      {"unpacking of 4-bit weights in steps", with_recipe([](recipe& how) {
         if (how.adapters.base == base_weights::int4) how.adapters.base = base_weights::nf4;
       })},
      {"recomputation", without_term(&busy::recompute)},
      {"embedding, head and loss", without_term(&busy::ends)},
      {"launches of the host",
       with_setting([](constants& x) { x.dense_host = x.expert_host = 0; })},
      {"rotations of latent heads in steps",
       with_recipe([](recipe& how) { how.latent_rotary_fusion = software_choice::on; })},
      {"what a step does once", with_setting([](constants& x) { x.step_host = 0; })},
      {"CUDA graphs", with_recipe([](recipe& how) { how.cuda_graphs = cuda_graphs::none; })},
      {"messages of tensor ranks", without_term(&busy::tensor)},
      {"messages of context ranks", without_term(&busy::context)},
      {"messages to experts", without_term(&busy::expert)},
      {"their dispatchers: all-to-all",
       with_recipe([](recipe& how) { how.dispatcher = expert_dispatcher::all_to_all; })},
      {"what hides them",
       with_recipe([](recipe& how) { how.overlap.expert = software_choice::off; })},
      {"gathering of sharded weights", without_term(&busy::gather)},
      {"messages between stages", without_part(&step_time::pipeline)},
      {"bubble", without_part(&step_time::bubble)},
      {"gradients and weights of replicas", without_part(&step_time::data)},
      {"update", without_part(&step_time::optimizer)},
      {"stragglers", without_part(&step_time::stragglers)}};
  std::vector<law_left_out> all;
  for (const auto& [name, predict] : laws) {
    law_left_out line{.name = name, .sections = std::vector<errors>(section_titles.size() - 1)};
    for (const speed_run& run : speed.runs)
      if (run.fitted && run.section != speed_section::tiny)
        line.sections[static_cast<std::size_t>(run.section)].add(
            relative_error(predict(run) / run.measured, 1));
    all.push_back(std::move(line));
  }
  return all;
}

}  // namespace gpuplan::accuracy
