#pragma once
/// \file
/// Time of kernels that send tokens to the ranks of their experts, and of those that fetch results.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What one rank sends to experts, or gets back.
struct token_exchange {
  double tokens = 0;  ///< of this rank; >= 0
  double ranks = 0;   ///< others that a token visits inside the node or domain, on average; >= 0
  double nodes = 0;   ///< others that it visits, on average; >= 0
  bytes token{};      ///< hidden size times bytes of a value, scales included; >= 0
};

/// What a dispatcher reaches.
template <class T>
struct basic_exchange_unit {
  basic_seconds<T> start{};             ///< of one call, with its bookkeeping; >= 0
  basic_seconds<T> a_token{};           ///< to look at a token, and to keep its copy; >= 0
  basic_bytes_per_second<T> rate{};     ///< inside the node or domain; > 0
  basic_bytes_per_second<T> network{};  ///< of the GPU's port, where nodes > 0; > 0
};

/// A dispatcher that sends a token once to each rank, and over the network once to each node.
///
///     T = t_0 + max(n (a + r b / W), n v b / N)
///
///     n  tokens                    t_0  unit.start, s
///     r  ranks that it visits      a    unit.a_token, s
///     v  nodes that it visits      W    unit.rate, B/s
///     b  token, B                  N    unit.network, B/s
///
/// other_nodes_of_token says how many ranks or nodes a token visits.  Holds for DeepEP and kernels
/// like it, with 20 or 24 multiprocessors.
///
/// Source: DeepSeek-AI, "DeepEP", github.com/deepseek-ai/DeepEP (2025); benchmarks/operators prints
/// the fits and their errors.
///
/// \throws invalid_input if a number of the exchange or a time is < 0, or a rate that it needs is
///         not > 0
template <class T>
constexpr basic_seconds<T> token_exchange_time(const token_exchange& sent,
                                               const basic_exchange_unit<T>& unit) {
  require(sent.tokens >= 0 && sent.ranks >= 0 && sent.nodes >= 0,
          "token_exchange.tokens, ranks and nodes must be >= 0");
  require(sent.token >= bytes{0}, "token_exchange.token must be >= 0 B");
  require(unit.start >= seconds{0} && unit.a_token >= seconds{0},
          "exchange_unit.start and a_token must be >= 0 s");
  require(unit.rate > bytes_per_second{0}, "exchange_unit.rate must be > 0 B/s");
  const basic_seconds<T> inside =
      sent.tokens * (unit.a_token + sent.ranks * sent.token / unit.rate);
  if (!(sent.nodes > 0)) return unit.start + inside;
  require(unit.network > bytes_per_second{0}, "exchange_unit.network must be > 0 B/s");
  const basic_seconds<T> between = sent.tokens * sent.nodes * sent.token / unit.network;
  return unit.start + (inside > between ? inside : between);
}

}  // namespace gpuplan
