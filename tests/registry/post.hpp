#pragma once
/// \file
/// A registry of two rows, for tests of what is found in one and of how inputs are read.

#include <array>
#include <cmath>

#include <gpuplan/registry/formula.hpp>

namespace gpuplan::registry {

inline constexpr symbol sending_symbols[]{{"m", "message", "B", ">= 0"},
                                          {"M", "mail bags, all told", "count", "1 to 10"},
                                          {"c_a^2", "variation of the way", "1", ">= 0, < M"},
                                          {"W", "bandwidth (one direction)", "B/s", "> 0"},
                                          {"t_1", "time of the first", "s", "any"},
                                          {"t_2", "time of the second", "s", ">= t_1"}};
inline constexpr symbol other_symbols[]{{"n", "letters", "count", "any"}};

inline constexpr formula sending{.name = "send",
                                 .header = "comm/post.hpp",
                                 .meaning = "Time of a letter",
                                 .text = "a + m / W",
                                 .latex = "a + m / W",
                                 .symbols = sending_symbols,
                                 .result = "s",
                                 .validity = "always",
                                 .source = "the postman",
                                 .errata = "",
                                 .topics = "N1 N12",
                                 .evaluate = [](inputs x) { return x[0] / x[3] + (x[5] - x[4]); },
                                 .examples = {}};

inline constexpr formula other_sending{.name = "send",
                                       .header = "queue/post.hpp",
                                       .meaning = "Letters that wait for the post",
                                       .text = "n",
                                       .latex = "n",
                                       .symbols = other_symbols,
                                       .result = "count",
                                       .validity = "on working days",
                                       .source = "the postman",
                                       .errata = "",
                                       .topics = "",
                                       .evaluate = [](inputs x) { return std::sqrt(x[0]); },
                                       .examples = {}};

inline constexpr std::array posted_on_links{sending};
inline constexpr std::array posted_in_queues{other_sending};
inline constexpr std::array rooms{table{"comm", posted_on_links}, table{"queue", posted_in_queues}};

}  // namespace gpuplan::registry
