#pragma once
/// \file
/// Expert dispatch: how many nodes a token visits on its way to its experts.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// Expected number of nodes besides its own that a token visits, where any k of the E experts are
/// as likely and each node has as many of them.
///
///     (N - 1) (1 - prod_{i = 0}^{k - 1} (E - E/N - i)/(E - i))
///
///     E  experts                  count, >= 1
///     k  of a token: per_token    count, 1 to E
///     N  nodes                    count, >= 1
///
/// What software that sends a token once to each node (DeepEP) sends over the network, in tokens;
/// sent once to each expert it is k (N - 1)/N.  A router that bounds the nodes of a token visits
/// fewer.
///
/// Holds: any experts as likely, spread evenly over the nodes.
///
/// Source: DeepSeek-AI, "DeepEP", github.com/deepseek-ai/DeepEP (2025), for the way tokens are
/// sent; the count is of the hypergeometric distribution: W. Feller, "An Introduction to
/// Probability Theory and Its Applications", vol. 1, 3rd ed., Wiley (1968), section II.6.
///
/// \throws invalid_input if experts or nodes < 1, or per_token is not 1 to experts
[[gnu::cold]] constexpr double other_nodes_of_token(int experts, int per_token, double nodes) {
  // Cold: what that saves is said in ceiling.hpp.
  require(experts >= 1, "other_nodes_of_token: experts must be >= 1");
  require(per_token >= 1 && per_token <= experts,
          "other_nodes_of_token: per_token must be 1 to experts");
  require(nodes >= 1, "other_nodes_of_token: nodes must be >= 1");
  const double elsewhere = experts - experts / nodes;
  double missed = 1;
  for (int i = 0; i < per_token && missed > 0; ++i) {
    const double left = elsewhere - i;
    missed *= left > 0 ? left / (experts - i) : 0;
  }
  return (nodes - 1) * (1 - missed);
}

}  // namespace gpuplan
