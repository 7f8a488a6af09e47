// What the tests of another tool, mlsysim, expect (mlsysim_expectations.json): what holds of anyone
// holds here; what does not, or is no formula of ours, is listed with the cause.
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/traffic.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/carbon.hpp>
#include <gpuplan/plan/checkpoint_interval.hpp>
#include <gpuplan/plan/checkpoint_size.hpp>
#include <gpuplan/plan/failures.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/pipeline_bubble.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/run_with_failures.hpp>
#include <gpuplan/plan/training_time.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/mdc.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/queue/staffing.hpp>
#include <gpuplan/scaling/amdahl.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

/// One expectation: numbers by name.
class expectation {
 public:
  explicit expectation(const json& row) : row_{row} {}

  [[nodiscard]] double input(const char* name) const { return row_.at("inputs").at(name); }
  [[nodiscard]] int whole(const char* name) const { return row_.at("inputs").at(name); }
  [[nodiscard]] const json& list(const char* name) const { return row_.at("inputs").at(name); }

  void is(double ours) const { near(ours, row_.at("expected"), tolerance()); }
  void is(const char* result, double ours) const {
    near(ours, row_.at("expected").at(result), tolerance());
  }

 private:
  /// "rel 1e-4", "exact"; a part of the text where it says more.
  [[nodiscard]] double tolerance() const {
    const std::string text = row_.at("tolerance");
    const auto number = text.find("rel ");
    return number == std::string::npos ? 0 : std::stod(text.substr(number + 4));
  }
  static void near(double ours, double theirs, double tolerance) {
    CHECK(std::abs(ours - theirs) <= tolerance * std::abs(theirs));
  }

  const json& row_;
};

using check = std::function<void(const expectation&)>;

interconnect link_of(const expectation& e) {
  return {e.input("alpha") * second, e.input("B") * byte / second};
}

/// A layer of GPT-3's kind in 16 bits, as its activations are counted.
bytes layer_bytes(double b, int s, int h, int heads, recompute again) {
  const transformer m{.layers = 1,
                      .hidden_size = h,
                      .attention_heads = heads,
                      .ffn_size = 4 * h,
                      .vocabulary_size = 1};
  const recipe how{.sequence_length = s,
                   .recompute = again,
                   .attention = attention_kernel::unfused,
                   .dropout = true};
  const parallelism cut{.micro_batch_size = static_cast<int>(b)};
  const micro_batch_tokens seen = tokens_on_rank(s, how, cut);
  return kept_by(m, how, decoder_layer(m, layer_kind::dense, how, cut, {seen, seen}));
}

check activations_with(recompute again) {
  return [again](const expectation& e) {
    const int heads = again == recompute::none ? e.whole("a") : 12;
    e.is(layer_bytes(e.input("b"), e.whole("s"), e.whole("h"), heads, again).in(byte));
  };
}

workload jobs_of(const expectation& e) {
  return {e.input("lam") / second, second / e.input("mu"), e.whole("c")};
}

void serve(const expectation& e) {
  const waiting w = wait(jobs_of(e));
  const wait_law law = wait_law_of(w);
  e.is("erlang_c", w.probability);
  e.is("mean_s", w.mean.in(second));
  e.is("p50_s", law.percentile(0.5).in(second));
  e.is("p99_s", law.percentile(0.99).in(second));
}

void bubble(const expectation& e) {
  const double b = pipeline_bubble(e.whole("p"), e.input("m"), e.whole("v"));
  e.is(b / (1 + b));
}

void train_8b(const expectation& e) {
  const model_states states =
      model_state_memory(e.input("params"), 1, zero_stage::none,
                         {.weight = e.input("bytes") * byte, .gradient = e.input("bytes") * byte});
  const bytes kept = e.whole("layers") * layer_bytes(e.input("batch"), e.whole("s"), e.whole("h"),
                                                     e.whole("heads"), recompute::selective);
  const bytes buffers = e.input("comm_fraction") * states.weights;  // a share that it supposes
  const bytes total = states.total() + kept + buffers;
  e.is("weights", states.weights.in(GB));
  e.is("gradients", states.gradients.in(GB));
  e.is("optimizer", (states.master_weights + states.optimizer).in(GB));
  e.is("activations", kept.in(GB));
  e.is("total", total.in(GB));
  e.is("utilization", total / (e.input("capacity_GiB") * GiB));
}

void fleet(const expectation& e) {
  const run_estimate run =
      training_run({.gpus = e.whole("n"),
                    .tokens_per_step = 1 * token,
                    .step = e.input("years") * year,
                    .gpu_power = e.input("watts") * watt},
                   1 * token, {.electricity = e.input("price") * dollar / kWh});
  e.is(run.energy_cost.in(dollar) + e.input("n") * e.input("unit"));
}

void tensor_messages(const expectation& e) {
  const interconnect link = link_of(e);
  const int layers = (e.whole("L") + e.whole("pp") - 1) / e.whole("pp");
  const bytes message = 2 * e.input("local_batch") * e.input("s") * e.input("h") * byte;
  e.is((4 * layers * ring_all_reduce(link, e.whole("tp"), message).total()).in(ms));
}

void replica(const expectation& e) {  // a third more than training without recomputation
  const double ranks = e.input("tp") * e.input("pp");
  const double batch = e.input("global_batch") * ranks / e.input("gpus");
  const flop work = coarse_training_flop(e.input("P"), batch * e.input("s") * token);
  e.is(training_time(4.0 / 3 * work, ranks, e.input("peak") * e.input("eta") * FLOP / second)
           .in(second));
}

const std::map<std::string, check>& checks() {
  static const std::map<std::string, check> all{
      {"ring all-reduce time [s]: 2(N-1)/N*M/B + 2(N-1)*a",
       [](const expectation& e) {
         e.is(ring_all_reduce(link_of(e), e.whole("N"), e.input("M") * byte).total().in(second));
       }},
      {"tree all-reduce time [s], unpipelined 2*log2N*(M/B+a)",
       [](const expectation& e) {
         e.is(all_reduce(all_reduce_algorithm::reduce_broadcast, link_of(e), e.whole("N"),
                         e.input("M") * byte)
                  .total()
                  .in(second));
       }},
      {"all-to-all time [s]: (N-1)/N*M/B+(N-1)*a",
       [](const expectation& e) {
         e.is(
             pairwise_all_to_all(link_of(e), e.whole("N"), e.input("M") * byte).total().in(second));
       }},
      {"training FLOPs 6PD",
       [](const expectation& e) {
         e.is(coarse_training_flop(e.input("P"), e.input("D") * token).in(FLOP));
       }},
      {"training time T=ops/(N*peak*eta) [s]",
       [](const expectation& e) {
         e.is(training_time(e.input("ops") * FLOP, e.input("N"),
                            e.input("peak") * e.input("eta") * FLOP / second)
                  .in(second));
       }},
      {"activation bytes, 1 layer, no recompute (34sbh+5as^2b)", activations_with(recompute::none)},
      {"activation bytes, selective (34sbh)", activations_with(recompute::selective)},
      {"activation bytes, full recompute (2sbh)", activations_with(recompute::full)},
      {"activation strategy none without head count must be rejected",
       [](const expectation&) {
         CHECK_THROWS_AS(
             require_valid(transformer{.layers = 1, .hidden_size = 8, .vocabulary_size = 1}),
             invalid_input);
       }},
      {"Young-Daly interval sqrt(2*delta*M) [s]",
       [](const expectation& e) {
         e.is(young_interval(e.input("delta_s") * second, e.input("mtbf_h") * hour).in(second));
       }},
      {"cluster MTBF [h]",
       [](const expectation& e) {
         e.is(job_mtbf(e.input("component_h") * hour, e.input("n")).in(hour));
       }},
      {"node MTBF [h] from 4 GPU (10000 h), 2 NIC (50000 h), 2 PSU (20000 h)",
       [](const expectation& e) {
         std::array<failing_parts, 3> parts;
         std::size_t i = 0;
         for (const char* name : {"gpu", "nic", "psu"})
           parts[i++] = {.count = e.list(name)[1], .mtbf = e.list(name)[0].get<double>() * hour};
         e.is((1 / failure_rate(parts)).in(hour));
       }},
      {"P(failure) 1-exp(-T/MTBF), T=MTBF=100 h",
       [](const expectation& e) {
         e.is(1 - survival(e.input("T") * hour, e.input("mtbf") * hour));
       }},
      {"pipeline bubble share of total (p-1)/(v*m+p-1)", bubble},
      {"pipeline bubble share of total, interleaved", bubble},
      {"KV cache bytes 2*L*Hkv*d*S*B*b",
       [](const expectation& e) {
         const transformer m{.layers = e.whole("L"),
                             .hidden_size = e.whole("H") * e.whole("d"),
                             .attention_heads = e.whole("H"),
                             .ffn_size = 1,
                             .vocabulary_size = 1};
         e.is(e.input("B") * kv_cache(m, e.input("S") * token).in(byte));
       }},
      {"M/M/c wait quantiles, lambda=80 mu=10 c=10", serve},
      {"M/M/c c=500 must not overflow",
       [](const expectation& e) { e.is("erlang_c", wait(jobs_of(e)).probability); }},
      {"M/M/c unstable: wait = inf",
       [](const expectation& e) { CHECK(std::isinf(wait(jobs_of(e)).mean.in(second))); }},
      {"M/D/1 wait [days] rho/(2mu(1-rho)), one server = whole cluster",
       [](const expectation& e) {
         const workload jobs{e.input("lam_per_day") / day, e.input("duration_days") * day, 1};
         e.is(deterministic_wait(jobs).mean.in(day));
       }},
      {"Amdahl speedup",
       [](const expectation& e) { e.is(amdahl_speed_up(e.input("p"), e.input("s"))); }},
      {"roofline intensity",
       [](const expectation& e) {
         e.is((e.input("ops") * FLOP / (e.input("bytes") * byte)).in(FLOP / byte));
       }},
      {"model bytes",
       [](const expectation& e) {
         e.is(model_state_memory(e.input("params"), 1, zero_stage::none,
                                 {.weight = e.input("bytes") * byte})
                  .weights.in(byte));
       }},
      {"fleet TCO [$]: 10 x $1000, 100 W, 1 yr, $0.10/kWh", fleet},
      {"training memory per GPU [GB], Llama-3.1-8B, global batch 8, s=1024, fp16, Adam, selective, "
       "no parallelism",
       train_8b},
      {"LLM serving lower bound, Llama-3.1-8B on H100, s=2048, b=1, eta=.5",
       [](const expectation& e) {  // its latencies add invented times a layer and a launch
         e.is("kv_GB", kv_cache(catalog::llama_3_8b, 2048 * token).in(GB));
       }},
      {"continuous batching capacity, Llama-3.1-8B on H100, max_seq 8192, mean 2048, page 16",
       [](const expectation& e) {  // its pages are the layout of one server
         const memory_budget card{e.input("capacity_GiB") * GiB, 0 * byte};
         CHECK(max_batch(card,
                         {e.input("weights_GB") * GB, 8192 * e.input("kv_bytes_per_token") * byte})
                   .samples == 65);
       }},
      {"TP all-reduces per layer per training step (Megatron, no SP)",
       [](const expectation& e) {
         const bytes message = 1 * MB;
         e.is(tensor_parallel_traffic(8, message) /
              sent_by_each(collective::all_reduce, 8, message));
       }},
      {"TP comm [ms] of one step = 4*ceil(L/pp)*ring(local_batch*s*h*2)", tensor_messages},
      {"replica compute time [s] = 4*2P*s*local_batch/(tp*pp*peak*eta) with full recompute",
       replica},
      {"pipeline idle time = compute*b/(1-b), b=(p-1)/(m+p-1)",
       [](const expectation& e) {
         const double idle = pipeline_bubble(e.whole("p"), e.input("m"));
         e.is("idle_over_compute", idle);
         e.is("b", idle / (1 + idle));
       }},
      {"tp*pp not dividing the GPU count must be rejected",
       [](const expectation& e) {  // ours may leave GPUs idle: 3 do not divide the heads
         const parallelism cut{.data = e.whole("gpus") / e.whole("tp"), .tensor = e.whole("tp")};
         CHECK(layout_fault(catalog::llama_3_8b, e.whole("gpus"),
                            {.global_batch_size = cut.data, .sequence_length = 2048}, cut));
       }},
      {"energy/cost of 256 H100 for one day at 45% MFU",
       [](const expectation& e) {  // what a GPU draws, water and purchase are its suppositions
         e.is("carbon_kg",
              operational_carbon(2962.39104 * kWh, e.input("ci_g") * gram / kWh).in(gram) / 1000);
       }},
      {"property: precision memory: fp32>fp16>fp8>int4, each half of the one before",
       [](const expectation&) {
         const auto size = [](number_format f) { return limits_of(f).storage; };
         CHECK(size(number_format::fp32) == 2 * size(number_format::fp16));
         CHECK(size(number_format::fp16) == 2 * size(number_format::fp8_e4m3));
         CHECK(size(number_format::fp8_e4m3) == 2 * size(number_format::fp4));
       }},
      {"property: ZeRO stage 0..3: total memory non-increasing",
       [](const expectation&) {
         const auto size = [](zero_stage z) { return model_state_memory(7e9, 8, z, {}).total(); };
         CHECK(size(zero_stage::none) >= size(zero_stage::optimizer));
         CHECK(size(zero_stage::optimizer) >= size(zero_stage::gradients));
         CHECK(size(zero_stage::gradients) >= size(zero_stage::parameters));
       }},
      {"checkpoint bytes per parameter (Adam mixed precision)",
       [](const expectation& e) {
         const transformer& m = catalog::llama_3_8b;
         e.is(checkpoint_size(m, {}).in(byte) / parameters_of(m).total());
       }},
      {"property: KV/ITL/total memory grow with sequence length",
       [](const expectation&) {
         const auto cache = [](double s) { return kv_cache(catalog::llama_3_8b, s * token); };
         CHECK(cache(1024) < cache(2048));
       }},
      {"property: more replicas needed for more QPS",
       [](const expectation&) {
         const auto replicas = [](double rate) {
           return fewest_servers({rate / second, 1 * second}, mean_wait_limit{1 * second});
         };
         for (double rate = 1; rate < 64; rate *= 2) CHECK(replicas(rate) < replicas(2 * rate));
       }},
      {"property: wait grows with utilisation; rho>=1 -> unstable",
       [](const expectation&) {
         seconds before{-1};
         for (double rate = 1; rate < 10; ++rate) {
           const seconds mean = wait({rate / second, 1 * second, 10}).mean;
           CHECK(mean > before);
           before = mean;
         }
         CHECK(std::isinf(wait({10 / second, 1 * second, 10}).mean.in(second)));
       }},
      {"property: checkpoint penalty grows when the interval shrinks",
       [](const expectation&) {  // below the best interval
         const seconds best = young_interval(60 * second, 100 * hour);
         seconds before{};
         for (const double part : {1.0, 0.5, 0.25, 0.125}) {
           const seconds spent =
               run_with_failures(
                   1000 * hour, {.interval = part * best, .write = 60 * second, .mtbf = 100 * hour})
                   .total();
           CHECK(spent > before);
           before = spent;
         }
       }},
      {"property: 80 GiB = 85.89934592 GB",
       [](const expectation&) { CHECK((80 * GiB).in(GB) == 85.89934592); }}};
  return all;
}

/// What no formula here is asked for, and why.
const std::map<std::string, std::string>& left_out() {
  static const std::map<std::string, std::string> all{
      {"cluster MTBF with correlation factor 0.5 [h]", "a factor without a source"},
      {"paged KV internal fragmentation", "the cache of one server, not of a plan"},
      {"effective FLOP/s = peak*mfu*scaling*goodput", "a product of four given numbers"},
      {"availability 1-(1-A)^k", "of services, not of training"},
      {"single-GPU roofline, ResNet-50 on A100 b=1 eta=.5",
       "88 % of it is an invented time a layer"},
      {"DP ring crosses the fabric when TP fills the node; shard = 2P/(tp*pp)",
       "has no number; step_time_test and rank_links_test hold where groups lie"},
      {"Chinchilla: C=6PD, D=20P", "what to train, not how"},
      {"topology bisection fraction: fat tree 1, ring 2/N, 3-D torus 2*N^(-1/3)",
       "of topologies as such; comm/ asks for the links that a message takes"},
      {"property: memory components sum to total", "totals are functions of the terms"},
      {"property: all latency components >= 0, 0<=efficiency<=1",
       "estimate_test has it, at random"},
      {"property: TCO = capex + energy + maintenance", "buying and upkeep are not modelled"},
      {"property: Quebec carbon < Poland carbon/10", "intensities are the caller's"}};
  return all;
}

TEST_CASE("what mlsysim expects of anyone holds here", "[vectors]") {
  const json vectors = load_vectors("mlsysim_expectations");
  for (const json& row : vectors.at("expectations")) {
    const std::string what = row.at("what");
    INFO(what);
    const auto found = checks().find(what);
    CHECK((found != checks().end()) != left_out().contains(what));
    if (found != checks().end()) found->second(expectation{row});
  }
}

}  // namespace
}  // namespace gpuplan::testing
