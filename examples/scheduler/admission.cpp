/// \file
/// The C functions of gpuplan_admission.h: the whole of what a scheduler includes.

#include "gpuplan_admission.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/plan/feasibility.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/reject_sentence.hpp>

#include "bounded_search.hpp"
#include "declaration.hpp"
#include "field_words.hpp"
#include "job_fields.hpp"
#include "resolved_job.hpp"
#include "smallest_change.hpp"
#include "words.hpp"

namespace gpuplan::scheduler {
namespace {

static_assert(GPUPLAN_ZERO_3 - GPUPLAN_CHOICE == int(zero_stage::parameters));
static_assert(GPUPLAN_RECOMPUTE_FULL - GPUPLAN_CHOICE == int(recompute::full));
static_assert(GPUPLAN_RECOMPUTE_SELECTIVE - GPUPLAN_CHOICE == int(recompute::selective));
static_assert(GPUPLAN_OFFLOAD_ALL - GPUPLAN_CHOICE == int(offloaded_states::all));

/// The size of a job before it could declare a recipe.
constexpr std::size_t first_size = offsetof(gpuplan_job, context);
constexpr std::size_t first_answer = offsetof(gpuplan_answer, fits_probability);

/// How much of an answer a caller has room for who says that a job is so large: all of it where the
/// job is that of this library or of a later one, whose answer is no smaller; else what the first
/// answer had.
constexpr std::size_t answer_size(std::size_t size_of_job) {
  return size_of_job >= sizeof(gpuplan_job) ? sizeof(gpuplan_answer) : first_answer;
}

/// What an estimate answers; false where it does not fit.
bool answer_of(const resolved_job& q, const estimate& what, gpuplan_answer& answer) {
  answer.bytes_needed = what.needed.in_base_units();
  answer.bytes_available = q.pool.gpu().memory.in_base_units();
  if (what.costed()) {
    const error_distribution errors =
        error_distribution_of(error_class_of(what, q.pool.gpu(), prediction::device_memory));
    answer.fits_probability = probability_within(errors, q.pool.gpu().memory / what.needed);
  }
  if (!what.fits()) return false;
  answer.step_seconds = what.time.total().in_base_units();
  answer.score = what.model_flop_utilization();
  return true;
}

/// Declares what was searched as it was found, and says so.
void declare_found(const resolved_job& q, const plan& best, gpuplan_job& found, words& reason) {
  const auto take = [&](const auto& table, const auto& chosen) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const job_member* member = member_of(table.first + i);
      if (member == nullptr || found.*(member->value) != GPUPLAN_NOT_DECLARED) continue;
      const auto& value = table.rows[i].value;
      const double x = value.get(chosen);
      declare(found, table, i, x);
      const bool context = member->varies == &space::context && best.parallelism().context > 1;
      if (member->varies == nullptr || !(q.vary.*(member->varies) || context)) continue;
      reason << (reason.empty() ? "" : " ") << table.rows[i].key << "=";
      write_value(value, x, reason);
    }
  };
  take(parallelism_table, best.parallelism());
  take(recipe_table, best.recipe());
}

/// "8 of the 16 GPUs are idle", where a layout that fits leaves some without work.
void say_idle(const resolved_job& q, const parallelism& cut, words& reason) {
  const std::int64_t all = q.pool.gpus();
  const std::int64_t idle = all - cut.gpus();
  if (idle <= 0) return;
  reason << (reason.empty() ? "" : "; ") << double(idle) << " of the " << double(all) << " GPUs "
         << (idle == 1 ? "is" : "are") << " idle";
}

/// The best of what a search may vary, in the order of what one would rather have: the fastest that
/// is sure to fit, then the one with most room of those that fit as predicted; whole sequences
/// before cut ones, into as few parts as will do.
std::optional<plan> best_of(const resolved_job& q) {
  feasibility tried{*q.model, q.pool, q.workspace};
  search_start any{q.recipe, q.vary, q.parallelism};
  any.vary.risk = 1;
  any.vary.context = q.varies_context;
  if (!tried.fits(any)) return {};
  for (const double risk : {usual_risk, 1.0}) {
    search_start from{q.recipe, q.vary, q.parallelism};
    from.vary.risk = risk;
    if (risk == 1) from.vary.by = objective::memory;
    do {
      if (tried.fits(from))
        if (std::optional<plan> best = best_feasible(*q.model, q.pool, from, q.workspace))
          return best;
      from.parallelism.context *= 2;
    } while (q.varies_context && q.recipe.sequence_length % from.parallelism.context == 0 &&
             from.parallelism.gpus() <= q.pool.gpus());
  }
  return {};
}

/// A refusal as one sentence with its numbers.
void say_refusal(const reject& why, words& to) {
  const auto say_number = [&](double x) {
    char size[40];
    std::snprintf(size, sizeof size, "%.1f GB", x / 1e9);
    if (why.in_bytes())
      to << std::string_view{size};
    else
      to << x;
  };
  std::string_view sentence = sentence_of(why.reason);
  for (std::size_t place = sentence.find('{'); place != sentence.npos; place = sentence.find('{')) {
    to << sentence.substr(0, place);
    say_number(sentence[place + 1] == '0' ? why.needed : why.available);
    sentence.remove_prefix(place + std::string_view{"{0}"}.size());
  }
  to << sentence;
}

/// Of a job of which nothing that was searched fits: the closest layout, or why there is none.
void say_nothing_fits(const resolved_job& q, gpuplan_answer& answer, words& reason) {
  search_start from{q.recipe, q.vary, q.parallelism};
  from.vary.risk = 1;
  const bounded_result found = bounded_search(*q.model, q.pool, from, q.workspace);
  answer.bytes_available = q.pool.gpu().memory.in_base_units();
  if (found.miss) {
    answer_of(q, found.miss->what, answer);
    reason << "no layout fits: of the closest, ";
    say_refusal(found.miss->what.refusal, reason);
  } else if (const reject no = layout_fault(*q.model, q.pool.gpus(), q.recipe, q.parallelism)) {
    say_refusal(no, reason);
  } else {
    reason << "no layout is possible: " << describe(found.commonest);
  }
}

/// Of a sequence that is longer than the model's table of positions, however it is cut.
int32_t refuse_positions(const resolved_job& q, words& reason) {
  const int rows = q.model->most_positions();
  say_refusal(position_fault(*q.model, q.recipe), reason);
  resolved_job shorter = q;
  shorter.recipe.sequence_length = rows;
  if (reason.wanted() && best_of(shorter))
    reason << "; it fits with sequence_length=" << double(rows);
  return GPUPLAN_DOES_NOT_FIT;
}

int32_t searched(const resolved_job& q, gpuplan_answer& answer, words& reason) {
  answer.searched = 1;
  if (position_fault(*q.model, q.recipe)) return refuse_positions(q, reason);
  const std::optional<plan> best = best_of(q);
  if (!best) {
    say_nothing_fits(q, answer, reason);
    add_smallest_change(q, reason);
    return GPUPLAN_DOES_NOT_FIT;
  }
  answer_of(q, evaluate(*q.model, q.pool, best->recipe(), best->parallelism(), q.workspace),
            answer);
  answer.found = q.declared;
  declare_found(q, *best, answer.found, reason);
  say_idle(q, best->parallelism(), reason);
  return GPUPLAN_FITS;
}

int32_t answered(const gpuplan_job& job, gpuplan_answer& answer, words& reason) {
  resolved_job q;
  if (!resolve(job, q, reason)) return GPUPLAN_INVALID;
  if (q.searches) return searched(q, answer, reason);
  const estimate what = evaluate(*q.model, q.pool, q.recipe, q.parallelism, q.workspace);
  if (answer_of(q, what, answer)) {
    answer.found = q.declared;
    say_idle(q, q.parallelism, reason);
    return GPUPLAN_FITS;
  }
  say_refusal(what.refusal, reason);
  add_smallest_change(q, reason);
  return GPUPLAN_DOES_NOT_FIT;
}

std::uint32_t size_of(const gpuplan_job* job) {
  std::uint32_t size = 0;
  if (job != nullptr) std::memcpy(&size, job, sizeof size);
  return size;
}

/// A job of any size that this library or an older one had; false where it is of none.
bool copy_job(const gpuplan_job* job, gpuplan_job& mine) {
  const std::uint32_t size = size_of(job);
  if (size != first_size && size != sizeof mine) return false;
  std::memcpy(&mine, job, size);
  return true;
}

}  // namespace
}  // namespace gpuplan::scheduler

using namespace gpuplan;
using namespace gpuplan::scheduler;

int32_t gpuplan_model(const char* name) {
  for (std::size_t i = 0; name != nullptr && i < catalog::models.size(); ++i)
    if (same_name(catalog::models[i].name, name)) return static_cast<int32_t>(i);
  return -1;
}

int32_t gpuplan_gpu(const char* name) {
  const auto* found = name == nullptr ? nullptr : catalog::find_accelerator(name);
  return found == nullptr ? -1 : static_cast<int32_t>(found - catalog::accelerators.data());
}

int32_t gpuplan_choice(const char* key, const char* name) {
  if (key == nullptr || name == nullptr) return -1;
  if (same_name(key, "fabric")) {
    const auto* found = catalog::find_fabric(name);
    return found == nullptr
               ? -1
               : GPUPLAN_CHOICE + static_cast<int32_t>(found - catalog::fabrics.data());
  }
  return choice_of(key, name);
}

int32_t gpuplan_declare(struct gpuplan_job* job, const char* key, const char* value, char* reason,
                        size_t room) {
  words why{reason, room};
  gpuplan_job mine{};
  if (job == nullptr || key == nullptr || value == nullptr || !copy_job(job, mine) ||
      mine.size != sizeof mine) {
    why << "job, key and value must be given, and job.size be its size";
    return GPUPLAN_INVALID;
  }
  try {
    if (!declare_text(mine, key, value, why)) return GPUPLAN_INVALID;
    *job = mine;
    return GPUPLAN_FITS;
  } catch (...) {
    why.clear();
    why << "the declaration cannot be understood";
  }
  return GPUPLAN_INVALID;
}

int32_t gpuplan_admit(const struct gpuplan_job* job, struct gpuplan_answer* answer, char* reason,
                      size_t room) {
  words why{reason, room};
  gpuplan_job mine{};
  if (job == nullptr || answer == nullptr || !copy_job(job, mine)) {
    if (answer != nullptr) std::memset(answer, 0, answer_size(size_of(job)));
    why << "job and answer must be given, and job.size be its size";
    return GPUPLAN_INVALID;
  }
  gpuplan_answer all{};
  int32_t code = GPUPLAN_INVALID;
  try {
    code = answered(mine, all, why);
  } catch (const std::exception& refused) {  // what the checks do not know
    why.clear();
    why << refused.what();
  } catch (...) {
    why.clear();
    why << "the job cannot be understood";
  }
  if (code == GPUPLAN_INVALID) all = {};
  std::memcpy(answer, &all, answer_size(mine.size));
  return code;
}
