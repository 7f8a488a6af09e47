#pragma once
/// \file
/// Rows of units/: number formats, and the two directions of a link.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/block_format.hpp>
#include <gpuplan/units/dynamic_loss_scale.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/loss_scale.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view ieee_754 = "IEEE Std 754-2019, table 3.5";

/// Their inputs, where neither a row nor its function says otherwise.
///
///     k  number format    one of number_format
inline constexpr std::array units_rows{
    /// Largest finite value of a number format.
    ///
    ///     (2 - 2^-f) 2^e
    ///
    /// Holds: f fraction bits, e largest exponent; storage is 8 to 0.5 B.
    row{.call = "units/number_format.hpp: limits_of(k) in 1",
        .latex = R"((2 - 2^{-f})\, 2^e)",
        .errata = "175e9 parameters are 700 GB in FP32 and 350 GB in FP16; a chapter prints 350 "
                  "for FP32. An 8-bit state is a quarter of FP32, not an eighth.",
        .topics = "M2 M18",
        .evaluate =
            [](inputs x) {
              return limits_of(number_formats[static_cast<std::size_t>(x[0])]).largest_finite;
            },
        .examples = {{{3}, 65504, 0, ieee_754},
                     {{5}, 448, 0, "FP8 E4M3, table 1 of the source"},
                     {{1}, 3.4028234663852886e38, 1e-15, ieee_754}},
        .terms = {{.name = "decimal digits",
                   .unit = "count",
                   .evaluate =
                       [](inputs x) {
                         const auto format = number_formats[static_cast<std::size_t>(x[0])];
                         return 1.0 * limits_of(format).decimal_digits();
                       }}}},
    /// What becomes of a number that is written in a format: 0 zero, 1 subnormal, 2 normal, 3
    /// overflow, 4 NaN.
    ///
    ///     |x| > F overflow
    ///     >= smallest normal normal
    ///     > half the least subnormal
    ///
    ///     x  the number    1, any
    ///
    /// Holds: rounds to the nearest.
    row{.call = "units/number_format.hpp: hold(k, x) in 1",
        .latex = R"(|x| > F,\; |x| \ge x_{\mathrm{normal}},\; |x| > x_{\mathrm{least}} / 2)",
        .topics = "M18",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  hold(number_formats[static_cast<std::size_t>(x[0])], x[1]));
            },
        .examples = {{{3, 1e5}, 3, 0, "FP16 ends at 65504"},
                     {{3, 1e-5}, 1, 0, "below 2^-14"},
                     {{4, 1e5}, 2, 0, "BF16 has the range of FP32"}}},
    /// Holds: MXFP8: 1 B an element, 1 B for each 32.
    row{.call = "units/block_format.hpp: block_storage(n) in B",
        .latex = R"(n e + \lceil n/b \rceil s + t)",
        .topics = "M2 M18",
        .evaluate =
            [](inputs x) {
              return block_storage(mxfp8_e4m3, static_cast<std::int64_t>(x[0])).in(units::byte);
            },
        .examples = {{{1e6}, 1031250, 0, "1e6 + 31250"}, {{33}, 35, 0, "two blocks"}}},
    row{.call = "units/block_format.hpp: storage_per_element(b, s) in B",
        .latex = R"(e + s / b)",
        .topics = "M2 M18",
        .evaluate =
            [](inputs x) {
              return storage_per_element({number_format::fp4, whole(x[0]), bytes{x[1]}, {}})
                  .in(units::byte);
            },
        .examples = {{{16, 1}, 0.5625, 0, "4.5 bits of NVFP4"}}},
    /// Largest factor that a loss may be multiplied by.
    ///
    ///     F / G
    ///
    ///     g  smallest gradient that matters    1, > 0
    ///     G  largest gradient                  1, >= g
    ///
    /// Holds: FP16, constant scale.
    row{.call = "units/loss_scale.hpp: loss_scales(g, G) in 1",
        .latex = R"(F / G)",
        .topics = "M18",
        .evaluate =
            [](inputs x) {
              return loss_scales(number_format::fp16, {x[0], x[1]}).most;
            },
        .examples = {{{1e-6, 2}, 32752, 0, "65504 / 2"}}},
    row{.call = "units/dynamic_loss_scale.hpp: loss_scale_after(S, c, o, g, b, N) in 1",
        .latex = R"(S b,\; S g,\; S)",
        .topics = "M18",
        .evaluate =
            [](inputs x) {
              return loss_scale_after({x[0], x[3], x[4], whole(x[5])}, {x[0], whole(x[1])},
                                      x[2] != 0)
                  .scale;
            },
        .examples = {{{65536, 1999, 0, 2, 0.5, 2000}, 131072, 0, "the 2000th good step"},
                     {{65536, 1999, 1, 2, 0.5, 2000}, 32768, 0, "an overflow"},
                     {{65536, 1998, 0, 2, 0.5, 2000}, 65536, 0, "one step before"}}},
    row{.call = "units/dynamic_loss_scale.hpp: skipped_share(g, b, N) in 1",
        .latex = R"(\frac{1}{1 + N \ln(1/b) / \ln g})",
        .topics = "M18",
        .evaluate =
            [](inputs x) {
              return skipped_share({.growth = x[0], .backoff = x[1], .interval = whole(x[2])});
            },
        .examples = {{{2, 0.5, 2000}, 1 / 2001.0, 1e-12, "one overflow, then 2000 good steps"},
                     {{2, 0.25, 1000}, 1 / 2001.0, 1e-12, "two growths make up for a backoff"}}},
    row{.call = "units/dynamic_loss_scale.hpp: skipped_at_start(S_0, b, S_m) in count",
        .latex = R"(\left\lceil \frac{\ln(S_0 / S_m)}{\ln(1/b)} \right\rceil)",
        .topics = "M18",
        .evaluate =
            [](inputs x) { return skipped_at_start({.initial = x[0], .backoff = x[1]}, x[2]); },
        .examples = {{{65536, 0.5, 1024}, 6, 0, "2^16 to 2^10"},
                     {{65536, 0.5, 65536}, 0, 0, "it fits"}}},
    row{.call = "units/dynamic_loss_scale.hpp: skipped_steps_cost(n, k_0, f) in 1",
        .latex = R"(\frac{n + k}{n},\; k = k_0 + \frac{f n}{1 - f})",
        .topics = "M18",
        .evaluate = [](inputs x) { return skipped_steps_cost(x[0], x[1], x[2]); },
        .examples = {{{1000, 10, 0.2}, 1.26, 1e-12, "10 and 250 for 1000"}}},
    /// What both directions of a link carry that carries `rate` each way.
    row{.call = "units/link_rate.hpp: per_direction(W) in B/s",
        .latex = R"(2 W)",
        .errata = "NVLink is sold by the sum, InfiniBand by one direction.",
        .evaluate =
            [](inputs x) {
              return per_direction(bytes_per_second{x[0]})
                  .both_directions()
                  .in(units::byte / units::second);
            },
        .examples = {{{450e9}, 900e9, 0, "NVLink of an H100"}}},
    /// What one direction of a link carries whose two together carry `rate`.
    row{.call = "units/link_rate.hpp: both_directions(W) in B/s",
        .latex = R"(W / 2)",
        .errata = "A chapter sends 600 GB/s one way over NVLink of an A100, which carries 300.",
        .evaluate =
            [](inputs x) {
              return both_directions(bytes_per_second{x[0]})
                  .per_direction()
                  .in(units::byte / units::second);
            },
        .examples = {{{900e9}, 450e9, 0, "NVLink of an H100"}}}};
inline constexpr auto units_formulas = with_words(units_rows, words::units_formulas);

}  // namespace gpuplan::registry
