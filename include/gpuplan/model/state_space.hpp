#pragma once
/// \file
/// State-space layers (Mamba 1 and 2): their parameters, and the state that a sequence keeps.

#include <gpuplan/require.hpp>

namespace gpuplan {

/// What one layer keeps of a sequence, however long it is, in place of keys and values.
struct sequence_state {
  double recurrent{};    ///< values of the recurrence; kept in FP32
  double convolution{};  ///< values that a short convolution looks back on; kept in BF16

  friend constexpr bool operator==(const sequence_state&, const sequence_state&) = default;
};

/// Mamba's recurrence of one channel after another, or Mamba 2's of heads of channels.
enum class state_space_kind { mamba_1, mamba_2 };

/// A state-space layer, without what comes before and after it.
struct state_space {
  state_space_kind kind = state_space_kind::mamba_2;
  int channels = 0;        ///< inner width: of all heads together; >= 1
  int state_size = 0;      ///< of one channel; >= 1
  int heads = 0;           ///< of Mamba 2; >= 1
  int groups = 1;          ///< of Mamba 2: share one input and output matrix each; >= 1
  int time_step_rank = 0;  ///< of Mamba 1; >= 1
  int convolution = 4;     ///< tokens that the convolution sees; >= 1
  bool convolution_bias = true;
  bool projection_bias = false;  ///< of the maps in and out
  bool norm = false;             ///< Mamba 2: of the output; Mamba 1: of step, input and output

  friend constexpr bool operator==(const state_space&, const state_space&) = default;
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const state_space& s) {
  require(s.channels >= 1, "state_space.channels must be >= 1");
  require(s.state_size >= 1, "state_space.state_size must be >= 1");
  require(s.convolution >= 1, "state_space.convolution must be >= 1");
  const bool second = s.kind == state_space_kind::mamba_2;
  require(!second || s.heads >= 1, "state_space.heads must be >= 1");
  require(!second || s.groups >= 1, "state_space.groups must be >= 1");
  require(second || s.time_step_rank >= 1, "state_space.time_step_rank must be >= 1");
}

/// Channels that the short convolution of a state-space layer runs over.
///
///     Mamba 1  c
///     Mamba 2  c + 2 g n
///
///     c  channels, g  groups, n  state_size
///
/// Source: A. Gu and T. Dao, "Mamba" (2023), arXiv:2312.00752; T. Dao and A. Gu, "Transformers are
/// SSMs", ICML (2024), arXiv:2405.21060.
constexpr double convolved_channels(const state_space& s) {
  if (s.kind == state_space_kind::mamba_1) return s.channels;
  return s.channels + 2.0 * s.groups * s.state_size;
}

/// Parameters of a state-space layer: map in, convolution, recurrence, norm, map out.
///
///     Mamba 1  2 h c + v (k + 1) + c (r + 2 n) + (r + 1) c + c n + c + c h
///     Mamba 2  h (c + v + a) + v (k + 1) + 3 a + c h
///
///     h  hidden_size, of the model             count, >= 1
///     c  channels                              count, >= 1
///     v  convolved_channels                    count, >= 1
///     n  state_size                            count, >= 1
///     r  time_step_rank                        count, >= 1
///     a  heads                                 count, >= 1
///     k  convolution                           tokens, >= 1
///
/// Without a bias of the convolution, v k.  A bias of the maps adds their outputs; a norm adds c to
/// Mamba 2, r + 2 n to Mamba 1.
///
/// Source: A. Gu and T. Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces"
/// (2023), section 3.4, arXiv:2312.00752; T. Dao and A. Gu, "Transformers are SSMs", ICML (2024),
/// section 7, arXiv:2405.21060; O. Lieber et al., "Jamba" (2024), arXiv:2403.19887 (norms).
///
/// \throws invalid_input if hidden_size < 1 or the layer is invalid
constexpr double state_space_parameters(const state_space& s, int hidden_size) {
  require(hidden_size >= 1, "state_space_parameters: hidden_size must be >= 1");
  require_valid(s);
  const bool first = s.kind == state_space_kind::mamba_1;
  const double h = hidden_size;
  const double c = s.channels;
  const double n = s.state_size;
  const double v = convolved_channels(s);

  const double in = first ? 2 * c : c + v + s.heads;
  const double convolution = v * (s.convolution + (s.convolution_bias ? 1 : 0));
  const double maps = h * in + c * h + (s.projection_bias ? in + h : 0);
  if (first) {
    const double r = s.time_step_rank;
    const double recurrence = c * (r + 2 * n) + (r + 1) * c + c * n + c;
    return maps + convolution + recurrence + (s.norm ? r + 2 * n : 0);
  }
  return maps + convolution + 3.0 * s.heads + (s.norm ? c : 0);
}

/// What a state-space layer keeps of one sequence.
///
///     recurrent    c n
///     convolution  (k - 1) v
///
///     c, n, v, k  as in state_space_parameters
///
/// Source: A. Gu and T. Dao (2023), T. Dao and A. Gu (2024), as above.
///
/// \throws invalid_input if the layer is invalid
constexpr sequence_state state_space_state(const state_space& s) {
  require_valid(s);
  return {.recurrent = static_cast<double>(s.channels) * s.state_size,
          .convolution = (s.convolution - 1) * convolved_channels(s)};
}

}  // namespace gpuplan
