#pragma once
/// \file
/// The constants by which NCCL chooses algorithm and protocol, by version.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc and src/include/nccl_tuner.h at v2.21.5-1 (2024),
/// v2.28.3-1 (2025) and v2.30.7-1 (2026), github.com/NVIDIA/nccl.

#include <array>
#include <cstddef>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Releases whose tables of tuning are here.
enum class nccl_version { v2_21_5, v2_28_3, v2_30_7 };
/// How NCCL runs a collective.
enum class nccl_algorithm { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat };
/// How NCCL sends: with a flag beside each 4 B or 120 B, or without.
enum class nccl_protocol { ll, ll128, simple };
/// GPUs that NCCL tells apart.
enum class nccl_generation { volta, ampere, hopper, blackwell };
/// What joins ranks.
enum class nccl_wire { nvlink, pci, network };
/// The processor of the host.  `other` is everything but x86 of Intel and AMD.
enum class nccl_host { intel, amd, mixed, other };

inline constexpr std::array nccl_algorithms{nccl_algorithm::tree,
                                            nccl_algorithm::ring,
                                            nccl_algorithm::collnet_direct,
                                            nccl_algorithm::collnet_chain,
                                            nccl_algorithm::nvls,
                                            nccl_algorithm::nvls_tree,
                                            nccl_algorithm::pat};
inline constexpr std::array nccl_protocols{nccl_protocol::ll, nccl_protocol::ll128,
                                           nccl_protocol::simple};

namespace detail {

using nccl_latencies = std::array<seconds, nccl_protocols.size()>;
using nccl_algorithm_latencies = std::array<nccl_latencies, nccl_algorithms.size()>;
using nccl_limits = std::array<bytes_per_second, 3>;  ///< on one node, two, more
using nccl_generation_limits = std::array<nccl_limits, 4>;

constexpr nccl_latencies microseconds(double ll, double ll128, double simple) {
  return {ll * units::us, ll128 * units::us, simple * units::us};
}
constexpr nccl_limits gigabytes_per_second(double one, double two, double more) {
  constexpr bytes_per_second unit = units::GB / units::second;
  return {one * unit, two * unit, more * unit};
}

}  // namespace detail

/// The constants of one version.
struct nccl_constants {
  detail::nccl_algorithm_latencies base{};                ///< of a collective, by protocol
  std::array<detail::nccl_algorithm_latencies, 3> hop{};  ///< by wire
  detail::nccl_generation_limits ll{};  ///< of all channels.  Beyond one node the first row is for
                                        ///< Intel and other hosts, the second for AMD and mixed
  detail::nccl_generation_limits ring_ll128{};  ///< of a channel
  detail::nccl_generation_limits tree_ll128{};  ///< of a channel
  detail::nccl_generation_limits tree{};        ///< of a channel
  detail::nccl_generation_limits nvls_tree{};   ///< of a channel; 0: none known
  std::array<double, 4> nvls_efficiency{};      ///< by generation
};

namespace detail {

constexpr nccl_constants nccl_2_28_3 = [] {
  constexpr nccl_latencies none = microseconds(0, 0, 0);
  nccl_constants c;
  // Tree, ring, collnet direct and chain, NVLS, NVLS tree, PAT.
  c.base = {microseconds(6.8, 14, 8.4), microseconds(6.6, 14, 8.4), none, none, none, none,
            microseconds(8, 8, 8)};
  c.hop = {nccl_algorithm_latencies{microseconds(.6, 1.25, 4), microseconds(.6, 1.9, 3.4),
                                    microseconds(0, 0, 3.7), microseconds(0, 0, 2.8),
                                    microseconds(0, 0, 25), microseconds(0, 0, 25),
                                    microseconds(0, 0, 4)},
           nccl_algorithm_latencies{microseconds(1, 1.9, 4), microseconds(1, 2.5, 5.7),
                                    microseconds(0, 0, 3.7), microseconds(0, 0, 2.8), none, none,
                                    microseconds(0, 0, 4)},
           nccl_algorithm_latencies{microseconds(5, 8.5, 14), microseconds(2.7, 4, 14),
                                    microseconds(0, 0, 31), microseconds(0, 0, 30),
                                    microseconds(0, 0, 18), microseconds(0, 0, 14),
                                    microseconds(0, 0, 14)}};
  // Volta, Ampere, Hopper, Blackwell.
  c.ll = {gigabytes_per_second(39, 39, 20.4), gigabytes_per_second(87.7, 22.5, 19),
          gigabytes_per_second(141, 45, 35), gigabytes_per_second(282, 90, 70)};
  c.ring_ll128 = {gigabytes_per_second(20, 20, 20), gigabytes_per_second(20, 20, 20),
                  gigabytes_per_second(36.7, 36.7, 36.7), gigabytes_per_second(73.4, 73.4, 73.4)};
  c.tree_ll128 = {gigabytes_per_second(20, 20, 20), gigabytes_per_second(20, 20, 20),
                  gigabytes_per_second(36.7, 36.7, 29), gigabytes_per_second(55.6, 31.67, 20)};
  c.tree = {gigabytes_per_second(26.5, 18.5, 10), gigabytes_per_second(24, 23.6, 17.8),
            gigabytes_per_second(38.7, 41.4, 36), gigabytes_per_second(70, 42.8, 24)};
  c.nvls_tree = {gigabytes_per_second(26.5, 18.5, 10), gigabytes_per_second(24, 23.6, 17.8),
                 gigabytes_per_second(0, 57.7, 45.5), gigabytes_per_second(0, 96, 43.1)};
  c.nvls_efficiency = {0, 0, .85, .74};
  return c;
}();

constexpr nccl_constants nccl_2_30_7 = [] {
  nccl_constants c = nccl_2_28_3;
  c.hop[2][5] = microseconds(0, 0, 20.9);
  c.ring_ll128[3] = gigabytes_per_second(40, 40, 40);
  c.nvls_tree[3] = gigabytes_per_second(0, 96, 80);
  return c;
}();

/// It knows no Blackwell, and takes it for a Hopper.
constexpr nccl_constants nccl_2_21_5 = [] {
  nccl_constants c = nccl_2_28_3;
  c.base[0] = microseconds(6.8, 14, 0);
  for (auto& wire : c.hop) wire[0][2] = 28 * units::us;
  for (auto* table : {&c.ll, &c.ring_ll128, &c.tree_ll128, &c.tree}) (*table)[3] = (*table)[2];
  return c;
}();

/// What trees reach of their bandwidth, for messages from 64 B, in powers of two.
constexpr std::array<std::array<double, 24>, nccl_protocols.size()> nccl_tree_correction{
    {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
     {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
      .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}}};

}  // namespace detail

/// The constants of a version.
///
/// \throws invalid_input if version is none of nccl_version
constexpr const nccl_constants& nccl_constants_of(nccl_version version) {
  switch (version) {
    case nccl_version::v2_21_5: return detail::nccl_2_21_5;
    case nccl_version::v2_28_3: return detail::nccl_2_28_3;
    case nccl_version::v2_30_7: return detail::nccl_2_30_7;
  }
  require(false, "nccl: version must be one of nccl_version");
  return detail::nccl_2_30_7;
}

}  // namespace gpuplan
