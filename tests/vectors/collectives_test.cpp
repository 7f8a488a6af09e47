// Every row of collectives.json, messages, pipelines and scaling laws, to 1e-12; NCCL's model to
// its printed digits.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/broadcast.hpp>
#include <gpuplan/comm/double_tree.hpp>
#include <gpuplan/comm/eager_rendezvous.hpp>
#include <gpuplan/comm/hierarchical.hpp>
#include <gpuplan/comm/hockney.hpp>
#include <gpuplan/comm/in_switch.hpp>
#include <gpuplan/comm/loggp.hpp>
#include <gpuplan/comm/lower_bound.hpp>
#include <gpuplan/comm/max_rate.hpp>
#include <gpuplan/comm/nccl.hpp>
#include <gpuplan/comm/pipelined_broadcast.hpp>
#include <gpuplan/comm/reduce.hpp>
#include <gpuplan/comm/reduce_scatter.hpp>
#include <gpuplan/comm/traffic.hpp>
#include <gpuplan/plan/pipeline_bubble.hpp>
#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/scaling/gustafson.hpp>
#include <gpuplan/scaling/karp_flatt.hpp>
#include <gpuplan/scaling/usl.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

/// "15e-6", 7, "11/6".
double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string text = value.get<std::string>();
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::stod(text);
  return std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}
double number(const json& row, const char* field) {
  return number(row.at(field));
}

/// What a row gives to a formula.
struct given {
  const json& row;
  int ranks = row.at("n").get<int>();
  bytes message = number(row, "bytes") * byte;

  [[nodiscard]] interconnect link() const {
    return {number(row, "alpha_s") * second, number(row, "bandwidth_Bps") * byte / second};
  }
  [[nodiscard]] seconds_per_byte gamma() const {
    return number(row, "gamma_s_per_B") * second / byte;
  }
  [[nodiscard]] double input(const char* field) const { return number(row.at("inputs"), field); }
  [[nodiscard]] two_level group() const {
    return {.inside = {input("alpha1_s") * second, input("bw1_Bps") * byte / second},
            .between = {input("alpha2_s") * second, input("bw2_Bps_per_nic") * byte / second},
            .node_ranks = static_cast<int>(input("gpus_per_node")),
            .nodes = static_cast<int>(input("nodes")),
            .ports = static_cast<int>(input("nics_per_node"))};
  }
};

using cost_function = std::function<collective_cost(int)>;
using time_function = std::function<seconds(const given&)>;

template <auto Algorithm>
collective_cost cost(int ranks) {
  return cost_of(Algorithm, ranks);
}
template <collective What>
collective_cost bound(int ranks) {
  return lower_bound_cost(What, ranks);
}

/// Those with counts of messages, bytes and sums.
const std::map<std::string_view, cost_function> counted{
    {"allreduce_ring", cost<all_reduce_algorithm::ring>},
    {"allreduce_recursive_doubling", cost<all_reduce_algorithm::recursive_doubling>},
    {"allreduce_rabenseifner", cost<all_reduce_algorithm::rabenseifner>},
    {"allreduce_binomial_reduce_bcast", cost<all_reduce_algorithm::reduce_broadcast>},
    {"allreduce_double_binary_tree_asymptotic", cost<all_reduce_algorithm::double_tree>},
    {"reduce_scatter_ring", cost<reduce_scatter_algorithm::ring>},
    {"reduce_scatter_recursive_halving", cost<reduce_scatter_algorithm::recursive_halving>},
    {"all_gather_ring", cost<all_gather_algorithm::ring>},
    {"all_gather_recursive_doubling", cost<all_gather_algorithm::recursive_doubling>},
    {"all_gather_bruck", cost<all_gather_algorithm::bruck>},
    {"broadcast_binomial", cost<broadcast_algorithm::binomial>},
    {"broadcast_scatter_ring_allgather", cost<broadcast_algorithm::scatter_all_gather>},
    {"reduce_binomial", cost<reduce_algorithm::binomial>},
    {"reduce_rabenseifner", cost<reduce_algorithm::rabenseifner>},
    {"alltoall_pairwise", cost<all_to_all_algorithm::pairwise>},
    {"alltoall_bruck", cost<all_to_all_algorithm::bruck>},
    {"alltoall_direct_nonblocking", cost<all_to_all_algorithm::direct>},
    {"sendrecv", bound<collective::send_receive>},
    {"lower_bound_allreduce", bound<collective::all_reduce>},
    {"lower_bound_reduce_scatter", bound<collective::reduce_scatter>},
    {"lower_bound_all_gather", bound<collective::all_gather>},
    {"lower_bound_broadcast", bound<collective::broadcast>},
    {"lower_bound_reduce", bound<collective::reduce>},
};

/// The others.
const std::map<std::string_view, time_function> timed{
    {"allreduce_nvls_inswitch",
     [](const given& g) { return nvls_all_reduce(g.link(), g.ranks, g.message).total(); }},
    {"allreduce_sharp_inswitch",
     [](const given& g) { return sharp_all_reduce(g.link(), g.ranks, g.message).total(); }},
    {"broadcast_pipelined_chain",
     [](const given& g) {
       return pipelined_broadcast(pipeline_shape::chain, g.link(), g.ranks, g.message,
                                  number(g.row, "segments"))
           .total();
     }},
    {"broadcast_double_binary_tree_pipelined",
     [](const given& g) {
       return pipelined_broadcast(pipeline_shape::two_tree, g.link(), g.ranks, g.message,
                                  number(g.row, "segments"))
           .total();
     }},
    {"broadcast_double_binary_tree_kopt_continuous",
     [](const given& g) {
       return pipelined_broadcast_unrounded(pipeline_shape::two_tree, g.link(), g.ranks, g.message)
           .total();
     }},
    {"allreduce_double_binary_tree_pipelined",
     [](const given& g) {
       return double_tree_all_reduce(g.link(), g.ranks, g.message, number(g.row, "segments"),
                                     seconds_per_byte{0})
           .total();
     }},
    {"allreduce_flat_ring_multirail",
     [](const given& g) { return flat_ring_all_reduce(g.group(), g.message).total(); }},
    {"allreduce_hierarchical_2level_ring_serial",
     [](const given& g) { return hierarchical_all_reduce(g.group(), g.message).serial(); }},
    {"allreduce_hierarchical_2level_ring_overlapped_lower_bracket",
     [](const given& g) { return hierarchical_all_reduce(g.group(), g.message).pipelined(); }},
    {"alltoall_two_level_serial",
     [](const given& g) {
       return two_level_all_to_all(g.group(), g.message, aggregation::none).serial();
     }},
    {"p2p_hockney", [](const given& g) { return message_time(g.link(), g.message).total(); }},
    {"p2p_loggp",
     [](const given& g) {
       const loggp net{.latency = g.input("L_s") * second,
                       .overhead = g.input("o_s") * second,
                       .gap_per_byte = g.input("G_s_per_B") * second / byte};
       return loggp_message_time(net, g.message).total();
     }},
    {"p2p_max_rate",
     [](const given& g) {
       return max_rate_message_time(
                  interconnect{g.input("alpha_s") * second, g.input("R_b_Bps") * byte / second},
                  static_cast<int>(g.input("ppn")), g.input("R_N_Bps") * byte / second, g.message)
           .total();
     }},
    {"p2p_piecewise_eager_rendezvous",
     [](const given& g) {
       const eager_rendezvous net{
           .limit = g.input("eager_limit_B") * byte,
           .eager = {g.input("alpha_eager_s") * second, g.input("bw_eager_Bps") * byte / second},
           .rendezvous = {g.input("alpha_rndv_s") * second,
                          g.input("bw_rndv_Bps") * byte / second}};
       return message_time(net, g.message).total();
     }},
};

/// What a row of a form that is wrong must be, and what the right forms say.
void check_wrong(const given& g) {
  const double seconds_given = number(g.row, "time_s");
  const double product =
      std::log2(g.ranks) *
      (g.link().latency + 2.0 * (g.ranks - 1) / g.ranks * g.message / g.link().bandwidth)
          .in(second);
  CHECK_THAT(seconds_given, WithinRel(product, 1e-12));
  for (const auto& [algorithm, field] :
       {std::pair{all_reduce_algorithm::ring, "correct_ring_s"},
        std::pair{all_reduce_algorithm::rabenseifner, "correct_rabenseifner_s"}}) {
    const double right = all_reduce(algorithm, g.link(), g.ranks, g.message).total().in(second);
    CHECK_THAT(right, WithinRel(number(g.row, field), 1e-12));
    if (g.ranks > 1) CHECK(std::abs(seconds_given / right - 1) > 1e-6);
  }
}

void check_optional(const json& row, const char* field, double ours) {
  if (row.contains(field)) CHECK_THAT(ours, WithinRel(number(row, field), 1e-12));
}

TEST_CASE("collectives.json: times of collectives and messages", "[comm][vectors]") {
  const json table = load_vectors("collectives");
  std::set<std::string> algorithms;
  for (const json& row : table.at("vectors")) {
    const std::string algorithm = row.at("algorithm").get<std::string>();
    algorithms.insert(algorithm);
    INFO("row " << row.value("id", -1) << ": " << algorithm << " over " << row.at("n"));
    const given g{row};
    if (algorithm.starts_with("WRONG_")) {
      check_wrong(g);
      continue;
    }
    seconds time;
    if (const auto found = counted.find(algorithm); found != counted.end()) {
      const collective_cost paths = found->second(g.ranks);
      check_optional(row, "coef_alpha", paths.messages);
      check_optional(row, "coef_betaM", paths.sent);
      check_optional(row, "coef_gammaM", paths.reduced);
      time = time_of(paths, g.link(), g.message, g.gamma()).total();
    } else {
      const auto other = timed.find(algorithm);
      REQUIRE(other != timed.end());
      time = other->second(g);
    }
    CHECK_THAT(time.in(second), WithinRel(number(row, "time_s"), 1e-12));
    if (row.contains("height"))
      CHECK(detail::doublings_to_reach(g.ranks) == row["height"].get<int>());
    if (row.contains("kopt"))
      CHECK_THAT(best_segments_unrounded(pipeline_shape::two_tree, g.link(), g.ranks, g.message),
                 WithinRel(number(row, "kopt"), 1e-12));
    if (row.contains("inter_s")) {
      const auto both = hierarchical_all_reduce(g.group(), g.message);
      CHECK_THAT(both.inside.total().in(second), WithinRel(number(row, "intra_s"), 1e-12));
      CHECK_THAT(both.between.total().in(second), WithinRel(number(row, "inter_s"), 1e-12));
    }
  }
  CHECK((algorithms.size() >= 33 || !are_own_vectors()));
}

TEST_CASE("collectives.json: bandwidths", "[comm][vectors]") {
  const std::map<std::string_view, collective> names{
      {"all_reduce", collective::all_reduce}, {"reduce_scatter", collective::reduce_scatter},
      {"all_gather", collective::all_gather}, {"alltoall", collective::all_to_all},
      {"broadcast", collective::broadcast},   {"reduce", collective::reduce},
      {"sendrecv", collective::send_receive}};
  const json table = load_vectors("collectives");
  for (const json& row : table.at("busbw_vectors")) {
    INFO(row.dump());
    const collective what = names.at(row.at("op").get<std::string>());
    const int n = row.at("n").get<int>();
    const bytes m = number(row, "bytes") * byte;
    const seconds t = number(row, "time_s") * second;
    CHECK_THAT(bus_factor(what, n), WithinRel(number(row, "factor"), 1e-12));
    CHECK_THAT(algorithm_bandwidth(m, t) / (byte / second),
               WithinRel(number(row, "algbw_Bps"), 1e-12));
    CHECK_THAT(bus_bandwidth(what, n, m, t) / (byte / second),
               WithinRel(number(row, "busbw_Bps"), 1e-12));
  }
}

TEST_CASE("collectives.json: bytes sent by each rank", "[comm][vectors]") {
  const auto weights = [](const json& row) {
    const bytes all = number(row, "params") * number(row, "bytes_per_elem") * byte;
    return data_parallel_traffic{.ranks = row.at("n").get<int>(), .gradients = all, .weights = all};
  };
  const auto activations = [](const json& row) {
    return number(row, "b") * number(row, "s") * number(row, "h") * number(row, "bytes_per_elem") *
           byte;
  };
  const auto sequence = [](const json& row) {
    return number(row, "seq") * number(row, "h") * number(row, "bytes_per_elem") * byte;
  };
  const std::map<std::string_view, std::function<bytes(const json&)>> cases{
      {"dp_allreduce_per_step_sent_per_gpu",
       [&](const json& r) { return weights(r).sent(zero_stage::none); }},
      {"zero1_zero2_per_step_sent_per_gpu",
       [&](const json& r) {
         CHECK(weights(r).sent(zero_stage::optimizer) == weights(r).sent(zero_stage::gradients));
         return weights(r).sent(zero_stage::gradients);
       }},
      {"zero3_per_step_sent_per_gpu",
       [&](const json& r) { return weights(r).sent(zero_stage::parameters); }},
      {"tp_megatron_per_layer_per_microbatch_sent_per_gpu_4_allreduce",
       [&](const json& r) {
         return tensor_parallel_traffic(r.at("t").get<int>(), activations(r));
       }},
      {"tp_sp_per_layer_per_microbatch_sent_per_gpu_4AG_4RS",
       [&](const json& r) {
         const int t = r.at("t").get<int>();
         return 4 * sent_by_each(collective::all_gather, t, activations(r)) +
                4 * sent_by_each(collective::reduce_scatter, t, activations(r));
       }},
      {"pp_p2p_per_boundary_per_microbatch_oneway_scatter_gather_off",
       [&](const json& r) { return sent_by_each(collective::send_receive, 2, activations(r)); }},
      {"ulysses_forward_per_layer_sent_per_gpu",
       [&](const json& r) {
         return ulysses_traffic(r.at("P").get<int>(), sequence(r), number(r, "kv_ratio"));
       }},
      {"ring_attention_forward_per_layer_sent_per_gpu",
       [&](const json& r) {
         return ring_attention_traffic(r.at("P").get<int>(), sequence(r), number(r, "kv_ratio"));
       }},
      {"ep_dispatch_per_moe_layer_forward_sent_per_gpu_uniform",
       [&](const json& r) {
         const bytes tokens_of_rank =
             number(r, "tokens_per_gpu") * number(r, "h") * number(r, "bytes_per_elem") * byte;
         return expert_traffic(r.at("ep").get<int>(), tokens_of_rank, r.at("topk").get<int>());
       }},
  };
  const json table = load_vectors("collectives");
  for (const json& row : table.at("volume_vectors")) {
    INFO(row.dump());
    const auto found = cases.find(row.at("case").get<std::string>());
    REQUIRE(found != cases.end());
    CHECK_THAT(found->second(row).in(byte), WithinRel(number(row, "bytes"), 1e-12));
  }
}

template <class Value>
Value named(const std::map<std::string_view, Value>& names, const json& row, const char* field) {
  return names.at(row.at(field).get_ref<const std::string&>());
}

nccl_group group_of(const json& row) {
  static const std::map<std::string_view, nccl_generation> generations{
      {"volta", nccl_generation::volta},
      {"ampere", nccl_generation::ampere},
      {"hopper", nccl_generation::hopper},
      {"blackwell", nccl_generation::blackwell}};
  static const std::map<std::string_view, nccl_host> hosts{
      {"intel", nccl_host::intel}, {"amd", nccl_host::amd}, {"mixed", nccl_host::mixed}};
  static const std::map<std::string_view, nccl_wire> wires{{"NVL", nccl_wire::nvlink},
                                                           {"PCI", nccl_wire::pci}};
  const nccl_graph graph{.channels = row.at("nChannels").get<int>(),
                         .inside = number(row, "bwIntra") * GB / second,
                         .between = number(row, "bwInter") * GB / second};
  return {.version = nccl_version::v2_30_7,
          .generation = named(generations, row, "compcap"),
          .host = named(hosts, row, "cpu"),
          .wire = named(wires, row, "intraHw"),
          .ranks = row.at("nRanks").get<int>(),
          .nodes = row.at("nNodes").get<int>(),
          .network_latency = number(row, "latencyInter") * us,
          .ring = graph,
          .tree = graph,
          .nvls = graph,
          .collnet = graph,
          .tree_shape =
              row.at("treePattern").get<bool>() ? nccl_tree_shape::plain : nccl_tree_shape::split,
          .channels = nccl_channels::same};
}

TEST_CASE("collectives.json: NCCL's model", "[comm][vectors]") {
  const std::map<std::string_view, collective> collectives_of_nccl{
      {"AllReduce", collective::all_reduce},
      {"AllGather", collective::all_gather},
      {"ReduceScatter", collective::reduce_scatter},
      {"Broadcast", collective::broadcast},
      {"Reduce", collective::reduce}};
  const std::map<std::string_view, nccl_algorithm> algorithms{
      {"tree", nccl_algorithm::tree},
      {"ring", nccl_algorithm::ring},
      {"nvls", nccl_algorithm::nvls},
      {"nvls_tree", nccl_algorithm::nvls_tree},
      {"pat", nccl_algorithm::pat},
      {"collnet_direct", nccl_algorithm::collnet_direct},
      {"collnet_chain", nccl_algorithm::collnet_chain}};
  const std::map<std::string_view, nccl_protocol> protocols{{"LL", nccl_protocol::ll},
                                                            {"LL128", nccl_protocol::ll128},
                                                            {"Simple", nccl_protocol::simple}};
  const json table = load_vectors("collectives");
  for (const json& row : table.at("nccl_2_30_7_model_vectors")) {
    INFO(row.dump());
    const nccl_group group = group_of(row);
    const auto what = named(collectives_of_nccl, row, "coll");
    const auto algorithm = named(algorithms, row, "algo");
    const auto protocol = named(protocols, row, "proto");
    const auto time = nccl_estimate(group, what, algorithm, protocol, number(row, "nBytes") * byte);
    REQUIRE(time);
    // Printed to 9 digits after the point.
    CHECK_THAT(nccl_bandwidth(group, what, algorithm, protocol) / (GB / second),
               Catch::Matchers::WithinAbs(number(row, "algbw_GBps"), 0.6e-9));
    CHECK_THAT(time->total().in(us), Catch::Matchers::WithinAbs(number(row, "time_us"), 0.6e-9));
    // The row's latency is that of an empty message.
    CHECK_THAT(nccl_estimate(group, what, algorithm, protocol, bytes{0})->latency.in(us),
               WithinRel(number(row, "lat_us"), 1e-12));
  }
}

TEST_CASE("collectives.json: NCCL's model against NCCL's own logs", "[comm][vectors]") {
  const json table = load_own_vectors("collectives");  // each row is of a log that is named here
  const json& logs = table.at("nccl_model_validation");
  REQUIRE(logs.size() >= 3);
  // Issue 1453: 24 ranks on 3 nodes, a plain tree, LL; 10.2 GB/s of the protocol's limit bind.
  const nccl_graph wide{.channels = 16, .inside = 40 * GB / second, .between = 40 * GB / second};
  const nccl_group three_nodes{
      .ranks = 24, .nodes = 3, .tree = wide, .tree_shape = nccl_tree_shape::plain};
  for (std::size_t i = 0; i < 2; ++i) {
    const bytes message = i == 0 ? 4 * KiB : 8 * KiB;
    const double ours = nccl_estimate(three_nodes, collective::all_reduce, nccl_algorithm::tree,
                                      nccl_protocol::ll, message)
                            ->total()
                            .in(us);
    CHECK_THAT(ours, WithinRel(logs[0].at("model_us")[i].get<double>(), 1e-12));
    CHECK_THAT(ours, WithinRel(logs[0].at("log_us")[i].get<double>(), 1e-6));
  }
  // Pull request 2343: two and three B200, ring, LL128: 640 and 480 GB/s.
  for (std::size_t i = 0; i < 2; ++i) {
    const nccl_graph b200{.channels = 16, .inside = 45 * GB / second};
    const nccl_group pair{
        .generation = nccl_generation::blackwell, .ranks = static_cast<int>(i) + 2, .ring = b200};
    CHECK_THAT(
        nccl_bandwidth(pair, collective::all_reduce, nccl_algorithm::ring, nccl_protocol::ll128) /
            (GB / second),
        WithinRel(logs[1].at("text_GBps")[i].get<double>(), 1e-12));
  }
  // Issue 1154: a plain tree on H800, 16 channels of 11 GB/s.
  const nccl_graph h800{.channels = 16, .inside = 11 * GB / second, .between = 11 * GB / second};
  const nccl_group plain{
      .ranks = 16, .nodes = 2, .tree = h800, .tree_shape = nccl_tree_shape::plain};
  CHECK_THAT(
      nccl_bandwidth(plain, collective::all_reduce, nccl_algorithm::tree, nccl_protocol::simple) /
          (GB / second),
      WithinRel(logs[2].at("model_GBps").get<double>(), 1e-12));
}

// The bubble of a schedule, in the unit of the passes, and the part of the step that it is.  A row
// has null where the schedule does not exist for its micro-batches.
TEST_CASE("collectives.json: what a pipeline waits", "[plan][vectors]") {
  struct column {
    const char* bubble;
    const char* fraction;
    pipeline_schedule schedule;
  };
  const column columns[] = {
      {"gpipe_bubble", "gpipe_fraction", pipeline_schedule::gpipe},
      {"1f1b_bubble", "1f1b_fraction", pipeline_schedule::one_forward_one_backward},
      {"interleaved_1f1b_bubble", "interleaved_1f1b_fraction",
       pipeline_schedule::one_forward_one_backward},
      {"zb_h1_bubble", "zb_h1_fraction", pipeline_schedule::zero_bubble_h1},
      {"zb_h2_bubble", "zb_h2_fraction", pipeline_schedule::zero_bubble_h2},
      {"dualpipe_bubble_nooverlapgain", "", pipeline_schedule::dualpipe}};
  int checked = 0;
  const json table = load_vectors("collectives");
  for (const json& row : table.at("pipeline_vectors")) {
    const int p = row.at("p").get<int>();
    const int m = row.at("m").get<int>();
    const pass_lengths passes{number(row, "TF"), number(row, "TB_inputgrad"), number(row, "TW")};
    CHECK_THAT(m * passes.total(), WithinRel(number(row, "ideal_s"), 1e-12));
    for (const column& one : columns) {
      if (!row.contains(one.bubble) || row.at(one.bubble).is_null()) continue;
      INFO(one.bubble << ", " << p << " stages, " << m << " micro-batches");
      const bool chunks = std::string_view{one.bubble}.find("interleaved") == 0;
      const double waits = pipeline_bubble(p, m, chunks ? row.at("v").get<int>() : 1) *
                           bubble_share(one.schedule, p, passes);
      CHECK_THAT(waits * m * passes.total(), WithinRel(number(row, one.bubble), 1e-12));
      if (*one.fraction != '\0')
        CHECK_THAT(waits / (1 + waits), WithinRel(number(row, one.fraction), 1e-12));
      ++checked;
    }
  }
  CHECK((checked >= 50 || !are_own_vectors()));
}

TEST_CASE("collectives.json: laws of scaling", "[scaling][vectors]") {
  const std::map<std::string, std::function<double(const json&)>> laws{
      {"amdahl",
       [](const json& r) {
         return amdahl_speed_up(1 - number(r, "serial_fraction"), number(r, "N"));
       }},
      {"gustafson",
       [](const json& r) {
         return gustafson_speed_up(number(r, "serial_fraction"), number(r, "N"));
       }},
      {"karp_flatt",
       [](const json& r) { return karp_flatt(number(r, "speedup_in"), number(r, "N")); }},
      {"usl", [](const json& r) {
         return usl_speed_up({number(r, "alpha"), number(r, "beta")}, number(r, "N"));
       }}};
  const json table = load_vectors("collectives");
  for (const json& row : table.at("scaling_law_vectors")) {
    INFO(row.dump());
    const std::string law = row.at("law").get<std::string>();
    const char* result = law == "usl" ? "C" : law == "karp_flatt" ? "e" : "speedup";
    const double expected = number(row, result);
    // Twelve digits of the answer, or of the shares of 1 that it is made of.
    CHECK(std::abs(laws.at(law)(row) - expected) <= 1e-12 * (std::fmax)(1, std::abs(expected)));
  }
}

TEST_CASE("collectives.json: every part of the file is known", "[comm][vectors]") {
  const std::set<std::string> known{
      "conventions",           "simulator_cross_check", "vectors",
      "busbw_vectors",         "volume_vectors",        "nccl_2_30_7_model_vectors",
      "nccl_model_validation", "pipeline_vectors",      "pipeline_note",
      "scaling_law_vectors"};
  const json table = load_vectors("collectives");
  for (const auto& [part, rows] : table.items()) CHECK(known.count(part) == 1);
}

}  // namespace
}  // namespace gpuplan::testing
