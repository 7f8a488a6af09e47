#include <gpuplan/memory/reserved.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/caching_allocator.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;
using testing::caching_allocator;

static_assert(segment_of(1 * byte) == 2 * MiB && segment_of(1 * MiB) == 2 * MiB);
static_assert(segment_of(1 * MiB + 512 * byte) == 20 * MiB);
static_assert(segment_of(10 * MiB - 512 * byte) == 20 * MiB);
static_assert(segment_of(10 * MiB) == 10 * MiB && segment_of(11 * MiB) == 12 * MiB);
static_assert(reserved_beyond(100 * GB, 40 * GB, 0.04, 0) == 4 * GB);
static_assert(reserved_beyond(100 * GB, 40 * GB, 0.5, 0.3) == 50 * GB, "the larger share counts");

/// A transformer as its allocations see it: widths and layers.
struct widths {
  int layers, hidden, ffn, keys, vocabulary;
};

/// Replays steps of a transformer in 16 bits, a length each.
class replay {
 public:
  replay(const widths& m, bool recompute, caching_allocator& memory)
      : m_(m), recompute_(recompute), memory_(memory) {}

  void step(double length) {
    length_ = length;
    kept_.assign(static_cast<std::size_t>(m_.layers), {});
    std::vector<place> inputs{values(m_.hidden)};
    for (auto& layer : kept_) {
      inputs.push_back(forward(layer));
      if (recompute_) drop(layer);
    }
    place gradient = loss();
    for (std::size_t i = kept_.size(); i-- > 0;) {
      if (recompute_) memory_.free(forward(kept_[i]));
      gradient = backward(gradient);
      drop(kept_[i]);
      memory_.free(inputs.back());
      inputs.pop_back();
    }
    memory_.free(gradient);
    memory_.free(inputs.front());
  }

 private:
  using place = caching_allocator::place;

  place values(double width, double bytes_each = 2) {
    return memory_.allocate(static_cast<std::int64_t>(bytes_each * length_ * width));
  }
  void drop(std::vector<place>& all) {
    for (; !all.empty(); all.pop_back()) memory_.free(all.back());
  }
  /// Keeps a layer's activations and returns its output.
  place forward(std::vector<place>& kept) {
    for (const int width : {m_.hidden, m_.hidden, m_.keys, m_.keys, m_.hidden})
      kept.push_back(values(width));
    const place projected = values(m_.hidden);
    kept.push_back(values(m_.hidden));
    memory_.free(projected);
    for (const int width : {m_.hidden, m_.ffn, m_.ffn, m_.ffn}) kept.push_back(values(width));
    const place reduced = values(m_.hidden);
    const place output = values(m_.hidden);
    memory_.free(reduced);
    return output;
  }
  /// Logits, their FP32 copy and its gradient; returns the gradient of the head's input.
  place loss() {
    const place logits = values(m_.vocabulary), wide = values(m_.vocabulary, 4);
    const place wide_gradient = values(m_.vocabulary, 4);
    memory_.free(wide);
    const place gradient = values(m_.vocabulary);
    memory_.free(wide_gradient);
    memory_.free(logits);
    const place input = values(m_.hidden);
    memory_.free(gradient);
    return input;
  }
  /// Frees the gradient of a layer's output and returns that of its input.
  place backward(place gradient) {
    const place activated = values(m_.ffn), gate = values(m_.ffn), up = values(m_.ffn);
    memory_.free(activated);
    const place normed = values(m_.hidden);
    memory_.free(gate);
    memory_.free(up);
    const place query = values(m_.hidden), key = values(m_.keys), value = values(m_.keys);
    const place input = values(m_.hidden);
    for (const place& one : {query, key, value, normed, gradient}) memory_.free(one);
    return input;
  }

  widths m_;
  bool recompute_;
  caching_allocator& memory_;
  double length_ = 0;
  std::vector<std::vector<place>> kept_;
};

caching_allocator replayed(const widths& m, bool recompute, const std::vector<double>& lengths,
                           std::int64_t capacity = std::numeric_limits<std::int64_t>::max()) {
  caching_allocator memory{capacity};
  replay steps{m, recompute, memory};
  for (const double length : lengths) {
    steps.step(length);
    if (memory.out_of_memory()) break;
  }
  return memory;
}

constexpr int steps_of_a_run = 40;

std::vector<double> random_lengths(double shortest, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> part{shortest, 1};
  std::vector<double> lengths;
  for (int i = 0; i < steps_of_a_run; ++i) lengths.push_back(std::floor(4096 * part(random)));
  return lengths;
}

/// Calls visit(widths, recompute, shortest, lengths) for every run.
template <class Visit>
void each_run(Visit visit) {
  for (const widths& m :
       {widths{12, 4096, 14336, 1024, 128256}, widths{24, 1024, 4096, 1024, 50257},
        widths{16, 2048, 8192, 512, 128256}, widths{12, 5120, 13824, 5120, 32000}})
    for (const bool recompute : {false, true})
      for (const double shortest : {0.05, 0.25, 0.5, 0.9})
        for (const unsigned seed : {1u, 2u, 3u, 4u})
          visit(m, recompute, shortest, random_lengths(shortest, seed));
}

TEST_CASE("the allocator reserves segments, splits blocks and joins them again", "[memory]") {
  constexpr std::int64_t mib = 1 << 20;
  caching_allocator memory;
  const auto a = memory.allocate(3 * mib);  // 20 MiB
  const auto b = memory.allocate(3 * mib);  // in its rest
  CHECK(memory.most_reserved() == 20 * mib);
  CHECK(a.segment == b.segment);
  memory.free(a);
  memory.free(b);
  const auto c = memory.allocate(19 * mib + mib / 2);  // in the joined 20 MiB, not split
  CHECK(c.segment == a.segment);
  CHECK(memory.most_allocated() == 20 * mib);
  CHECK(memory.allocate(100).segment != c.segment);  // of another pool
  CHECK(memory.most_reserved() == 22 * mib);

  caching_allocator full{40 * mib};
  full.free(full.allocate(30 * mib));
  static_cast<void>(full.allocate(32 * mib));  // what is cached is too small, and is returned
  CHECK_FALSE(full.out_of_memory());
  static_cast<void>(full.allocate(10 * mib));
  CHECK(full.out_of_memory());
}

TEST_CASE("lengths that vary cache no more than each record anew", "[memory][long]") {
  for (const double shortest : {0.05, 0.9}) {
    double cached = 0;
    int runs = 0;
    each_run([&](const widths& m, bool recompute, double from, const std::vector<double>& lengths) {
      if (from != shortest) return;
      const double longest = *std::max_element(lengths.begin(), lengths.end());
      double before = 0, records = 0;
      for (const double length : lengths)
        if (length > before) records += before = length;
      const auto alone = replayed(m, recompute, {longest});
      const auto all = replayed(m, recompute, lengths);
      const double growth =
          static_cast<double>(all.most_reserved()) / static_cast<double>(alone.most_reserved());
      CHECK(growth <= records / longest);
      cached += growth;
      ++runs;
    });
    CHECK(cached / runs <= cached_growth(steps_of_a_run, shortest));
    CHECK(cached / runs >= cached_growth(steps_of_a_run, shortest) / 3);
  }
}

TEST_CASE("records add up as cached_growth says", "[memory]") {
  for (const double shortest : {0.0, 0.3, 1.0}) {
    std::mt19937 random{7};
    std::uniform_real_distribution<double> part{shortest, 1};
    constexpr int runs = 20000, steps = 100;
    double sum = 0;
    for (int i = 0; i < runs; ++i) {
      double longest = 0;
      for (int k = 0; k < steps; ++k)
        if (const double length = part(random); length > longest) sum += longest = length;
    }
    // Equal lengths are no records: only the first counts.
    if (shortest < 1) CHECK_THAT(sum / runs, WithinRel(cached_growth(steps, shortest), 0.01));
  }
  // The sum and the series that takes its place join.
  CHECK_THAT(cached_growth(65, 1) - cached_growth(64, 1),
             Catch::Matchers::WithinAbs(1.0 / 65, 1e-9));
  CHECK_THROWS_AS(cached_growth(0, 0.5), invalid_input);
  CHECK_THROWS_AS(cached_growth(1, 1.5), invalid_input);
}

TEST_CASE("what varies needs no more than its shares, in nine of ten runs at least",
          "[memory][long]") {
  constexpr variable_length_shares shares;
  for (const bool recomputed : {false, true}) {
    int runs = 0, fewer = 0, usual = 0, all = 0;
    each_run([&](const widths& m, bool recompute, double, const std::vector<double>& lengths) {
      if (recompute != recomputed) return;
      const double longest = *std::max_element(lengths.begin(), lengths.end());
      const auto peak = static_cast<double>(replayed(m, recompute, {longest}).most_allocated());
      const auto runs_with = [&](double share) {
        return !replayed(m, recompute, lengths, static_cast<std::int64_t>((1 + share) * peak))
                    .out_of_memory();
      };
      ++runs;
      fewer += runs_with(workspace{}.fragmentation);
      usual += runs_with(recomputed ? shares.recomputed : shares.kept);
      all += runs_with(0.7);
    });
    INFO(runs << " runs: " << fewer << ", " << usual << ", " << all);
    CHECK(runs == 64);
    CHECK(fewer <= runs / 4);
    CHECK(usual >= (recomputed ? 57 : 64));
    CHECK(all == runs);
  }
}

TEST_CASE("a job of variable lengths reserves more of what grows with them", "[memory]") {
  const transformer& m = *catalog::find_model("llama-3-8b");
  const parallelism cut{.data = 8};
  recipe how{.global_batch_size = 8, .sequence_length = 4096};
  for (const auto& [recompute, share] :
       {std::pair{recompute::none, 0.25}, std::pair{recompute::full, 0.5}}) {
    how.recompute = recompute;
    const stage_footprint fixed = memory_footprint(m, how, cut).worst_stage();
    const stage_footprint varied =
        memory_footprint(m, how, cut, {.variable_lengths = true}).worst_stage();
    CHECK(varied.allocated() == fixed.allocated());
    CHECK(fixed.reserved() == (1 + workspace{}.fragmentation) * fixed.allocated());
    CHECK(fixed.varying() > bytes{0});
    CHECK(fixed.varying() <= fixed.peak());
    CHECK_THAT((varied.reserved() - fixed.reserved()) / fixed.varying(),
               WithinRel(share - workspace{}.fragmentation, 1e-9));
    CHECK_THAT((varied.device_total() - fixed.device_total()) / fixed.varying(),
               WithinRel(share - workspace{}.fragmentation, 1e-9));
  }
}

TEST_CASE("reserved_beyond refuses parts above the whole", "[memory]") {
  CHECK_THROWS_AS(reserved_beyond(1 * GB, 2 * GB, 0.04, 0.3), invalid_input);
  CHECK_THROWS_AS(reserved_beyond(-1 * GB, 0 * GB, 0.04, 0.3), invalid_input);
  CHECK_THROWS_AS(reserved_beyond(1 * GB, 1 * GB, -0.04, 0.3), invalid_input);
  CHECK_THROWS_AS(reserved_beyond(1 * GB, 1 * GB, 0.04, -0.3), invalid_input);
  CHECK_THROWS_AS(segment_of(0 * byte), invalid_input);
}

}  // namespace
}  // namespace gpuplan
