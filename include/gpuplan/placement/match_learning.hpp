#pragma once
/// \file
/// Weights of a match, learned from outcomes: the more a candidate lost, the less it counts.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/placement/match_score.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// What remains of a candidate's weight after a loss.
///
///     exp(-eta l)
///
///     eta  rate    1, >= 0
///     l    loss    1, 0 to 1
///
/// Holds: before the weights of all candidates are brought to a sum of 1.
///
/// Source: Y. Freund and R. Schapire, "A Decision-Theoretic Generalization of On-Line Learning and
/// an Application to Boosting", J. Comput. Syst. Sci. 55 (1997) 119-139.
///
/// \throws invalid_input if the rate is not >= 0 or the loss not 0 to 1
inline double kept_after_loss(double rate, double loss) {
  require(rate >= 0, "kept_after_loss: rate must be >= 0");
  require(loss >= 0 && loss <= 1, "kept_after_loss: loss must be 0 to 1");
  return std::exp(-rate * loss);
}

/// The rate with the least bound on the regret.
///
///     eta = sqrt(8 ln(n) / T)
///
///     n  candidates    count, >= 1
///     T  rounds        count, >= 1
///
/// Holds: losses of 0 to 1.
///
/// Source: N. Cesa-Bianchi and G. Lugosi, "Prediction, Learning, and Games", Cambridge (2006),
/// theorem 2.2.
///
/// \throws invalid_input if there is no candidate or no round
inline double learning_rate_of_rounds(double candidates, double rounds) {
  require(candidates >= 1, "learning_rate_of_rounds: candidates must be >= 1");
  require(rounds >= 1, "learning_rate_of_rounds: rounds must be >= 1");
  return std::sqrt(8 * std::log(candidates) / rounds);
}

/// By how much the learner's losses exceed those of the best candidate, at most.
///
///     sqrt(T ln(n) / 2)
///
///     n  candidates    count, >= 1
///     T  rounds        count, >= 1
///
/// Over T rounds that is sqrt(ln(n) / (2 T)) a round, which tends to 0: the learner ends as good as
/// the best fixed weights, without knowing them.
///
/// Holds: the rate of learning_rate_of_rounds, losses of 0 to 1, whatever their order.
///
/// Source: N. Cesa-Bianchi and G. Lugosi, "Prediction, Learning, and Games", Cambridge (2006),
/// theorem 2.2.
///
/// \throws invalid_input if there is no candidate or no round
inline double largest_regret(double candidates, double rounds) {
  require(candidates >= 1, "largest_regret: candidates must be >= 1");
  require(rounds >= 1, "largest_regret: rounds must be >= 1");
  return std::sqrt(rounds * std::log(candidates) / 2);
}

/// What was learned of candidates.
struct learned_candidates {
  std::vector<double> share;  ///< of each; their sum is 1
  double loss = 0;            ///< sum over rounds of the mean loss by the shares of then
  double best_loss = 0;       ///< sum of the best candidate's

  /// The candidate of the largest share; the first of equals.
  [[nodiscard]] std::size_t best() const {
    return static_cast<std::size_t>(std::max_element(share.begin(), share.end()) - share.begin());
  }
};

/// Shares of candidates after rounds in which each had its loss: `losses` has the candidates of the
/// first round, then those of the second, and so on.
///
///     w_i = exp(-eta sum of losses of i) / sum over all
///
/// Takes O(n T).
///
/// Source: Y. Freund and R. Schapire, J. Comput. Syst. Sci. 55 (1997) 119-139.
///
/// \throws invalid_input if there is no candidate, the losses are of no whole round or of none, or
///         one is not 0 to 1
inline learned_candidates learn_candidates(std::span<const double> losses, std::size_t candidates) {
  require(candidates >= 1, "learn_candidates: candidates must be >= 1");
  require(!losses.empty() && losses.size() % candidates == 0,
          "learn_candidates: losses must be of whole rounds");
  const std::size_t rounds = losses.size() / candidates;
  const double rate =
      learning_rate_of_rounds(static_cast<double>(candidates), static_cast<double>(rounds));
  std::vector<double> sums(candidates, 0.0);
  learned_candidates learned{
      .share = std::vector<double>(candidates, 1.0 / static_cast<double>(candidates))};
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto now = losses.subspan(round * candidates, candidates);
    for (std::size_t i = 0; i < candidates; ++i) {
      require(now[i] >= 0 && now[i] <= 1, "learn_candidates: losses must be 0 to 1");
      learned.loss += learned.share[i] * now[i];
      sums[i] += now[i];
    }
    const double least = *std::min_element(sums.begin(), sums.end());
    double all = 0;
    for (std::size_t i = 0; i < candidates; ++i)
      all += learned.share[i] = std::exp(-rate * (sums[i] - least));
    for (double& share : learned.share) share /= all;
  }
  learned.best_loss = *std::min_element(sums.begin(), sums.end());
  return learned;
}

/// Weights of a match that count as candidates: each aim alone, each two, all three, and the
/// default.
inline std::vector<match_weights> match_candidates() {
  std::vector<match_weights> all{match_weights{}};
  for (int aims = 1; aims < 8; ++aims)
    all.push_back({.fit = aims & 1 ? 1.0 : 0.0,
                   .fragmentation = aims & 2 ? 100.0 : 0.0,
                   .balance = aims & 4 ? 1.0 : 0.0});
  all.pop_back();  // all three are the default
  return all;
}

}  // namespace gpuplan
