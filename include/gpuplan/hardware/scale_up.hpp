#pragma once
/// \file
/// How accelerators of one node or rack are connected.

#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What the links of an accelerator lead to.
enum class wiring {
  none,      ///< it has no links but the one to its host
  pair,      ///< a bridge to one other card
  direct,    ///< to each peer its own share of the links, so a pair has one share only
  switched,  ///< a switch: any one peer can have all of it
  torus,     ///< to the neighbours in a grid
  board      ///< a switch or a mesh, as the board is built; a mesh gives a pair less than this
};

/// The links between accelerators: NVLink, xGMI, inter-chip interconnect, Ethernet ports on chip.
template <class T>
struct basic_scale_up_links {
  wiring joined = wiring::none;
  int links = 0;                       ///< of one accelerator; 0 where they are not counted
  int domain = 0;                      ///< accelerators joined beyond a node; 0: those of a node
  basic_physical_link<T> all_peers{};  ///< of one accelerator, all its links together
  basic_physical_link<T> one_peer{};   ///< wiring::direct: to a single peer.  Else unused
};

using scale_up_links = basic_scale_up_links<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_scale_up_links<T>& fabric) {
  require(fabric.links >= 0, "scale_up.links must be >= 0");
  require(fabric.domain >= 0, "scale_up.domain must be >= 0");
  require_valid(fabric.all_peers);
  require_valid(fabric.one_peer);
  const bool has_links = fabric.all_peers.advertised.per_direction() > bytes_per_second{0};
  require(has_links == (fabric.joined != wiring::none),
          "scale_up.all_peers.advertised must be > 0 B/s, or scale_up.joined none");
  const bool has_shares = fabric.one_peer.advertised.per_direction() > bytes_per_second{0};
  require(has_shares == (fabric.joined == wiring::direct),
          "scale_up.one_peer.advertised must be > 0 B/s if and only if scale_up.joined is direct");
}

/// What one of `ranks` accelerators can send to the others over the links between them.
///
///     direct      min((p - 1) w, W)
///     pair        W for p = 2, else 0: no path leads round
///     none        0
///     otherwise   W
///
///     p  ranks                                                             count, >= 2
///     w  to a single peer, one direction: planned_rate(fabric.one_peer)    B/s, > 0
///     W  to all, one direction: planned_rate(fabric.all_peers)             B/s, >= w
///
/// Holds for collectives that use all links at once.  A torus or a board without a switch can give
/// two ranks less than W.
///
/// Source: S. Bekman, "Machine Learning Engineering Open Book", network/README.md, on all-to-all
/// and peer-to-peer bandwidth, github.com/stas00/ml-engineering (2025).
///
/// \throws invalid_input if ranks < 2 or the description is invalid
template <class T>
constexpr basic_bytes_per_second<T> scale_up_rate(const basic_scale_up_links<T>& fabric,
                                                  int ranks) {
  require(ranks >= 2, "scale_up_rate: ranks must be >= 2");
  require_valid(fabric);

  const auto all = planned_rate(fabric.all_peers).per_direction();
  const auto shares = (ranks - 1.0) * planned_rate(fabric.one_peer).per_direction();
  switch (fabric.joined) {
    case wiring::none: return {};
    case wiring::pair: return ranks == 2 ? all : basic_bytes_per_second<T>{};
    case wiring::direct: return shares < all ? shares : all;
    case wiring::switched:
    case wiring::torus:
    case wiring::board: return all;
  }
  require(false, "scale_up.joined must be one of wiring");
  return {};
}

}  // namespace gpuplan
