#pragma once
/// \file
/// Rows of units/: number formats, and the two directions of a link.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/block_format.hpp>
#include <gpuplan/units/link_rate.hpp>
#include <gpuplan/units/loss_scale.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr symbol format_place{"k", "number format", "count", "0 to 8",
                                     "fp64 fp32 tf32 fp16 bf16 fp8_e4m3 fp8_e5m2 fp4 int8"};
inline constexpr std::string_view ieee_754 = "IEEE Std 754-2019, table 3.5";

inline constexpr std::array units_formulas{
    formula{.name = "limits_of",
            .header = "units/number_format.hpp",
            .meaning = "Largest finite value of a number format",
            .text = "(2 - 2^-f) 2^e",
            .latex = R"((2 - 2^{-f})\, 2^e)",
            .symbols = {format_place},
            .result = "1",
            .validity = "f fraction bits, e largest exponent; storage is 8 to 0.5 B",
            .source = "IEEE Std 754-2019; P. Micikevicius et al., \"FP8 Formats for Deep "
                      "Learning\" (2022), table 1, arXiv:2209.05433",
            .errata =
                "175e9 parameters are 700 GB in FP32 and 350 GB in FP16; a chapter prints 350 "
                "for FP32. An 8-bit state is a quarter of FP32, not an eighth.",
            .topics = "M2 M18",
            .evaluate =
                [](inputs x) {
                  return limits_of(number_formats[static_cast<std::size_t>(x[0])]).largest_finite;
                },
            .examples = {{{3}, 65504, 0, ieee_754},
                         {{5}, 448, 0, "FP8 E4M3, table 1 of the source"},
                         {{1}, 3.4028234663852886e38, 1e-15, ieee_754}}},
    formula{.name = "hold",
            .header = "units/number_format.hpp",
            .meaning = "What becomes of a number that is written in a format: 0 zero, 1 subnormal, "
                       "2 normal, 3 overflow, 4 NaN",
            .text = "|x| > F overflow; >= smallest normal normal; > half the least subnormal",
            .latex = R"(|x| > F,\; |x| \ge 2^l,\; |x| > 2^{l - f - 1})",
            .symbols = {format_place, {"x", "the number", "1", "any"}},
            .result = "1",
            .validity = "rounds to the nearest",
            .source = ieee_754,
            .errata = "",
            .topics = "M18",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      hold(number_formats[static_cast<std::size_t>(x[0])], x[1]));
                },
            .examples = {{{3, 1e5}, 3, 0, "FP16 ends at 65504"},
                         {{3, 1e-5}, 1, 0, "below 2^-14"},
                         {{4, 1e5}, 2, 0, "BF16 has the range of FP32"}}},
    formula{.name = "block_storage",
            .header = "units/block_format.hpp",
            .meaning = "Storage of a tensor in a block-scaled format",
            .text = "n e + ceil(n/b) s + t",
            .latex = R"(n e + \lceil n/b \rceil s + t)",
            .symbols = {{"n", "elements", "count", ">= 0"}},
            .result = "B",
            .validity = "MXFP8: 1 B an element, 1 B for each 32",
            .source = "Open Compute Project, \"OCP Microscaling Formats (MX) Specification\" 1.0 "
                      "(2023)",
            .errata = "",
            .topics = "M2 M18",
            .evaluate =
                [](inputs x) {
                  return block_storage(mxfp8_e4m3, static_cast<std::int64_t>(x[0])).in(units::byte);
                },
            .examples = {{{1e6}, 1031250, 0, "1e6 + 31250"}, {{33}, 35, 0, "two blocks"}}},
    formula{.name = "storage_per_element",
            .header = "units/block_format.hpp",
            .meaning = "Storage of one element of a large block-scaled tensor",
            .text = "e + s / b",
            .latex = R"(e + s / b)",
            .symbols = {{"b", "elements of a block", "count", ">= 1"},
                        {"s", "scale of a block", "B", ">= 0"}},
            .result = "B",
            .validity = "4-bit elements",
            .source = "NVIDIA, \"Pretraining Large Language Models with NVFP4\" (2025), "
                      "arXiv:2509.25149",
            .errata = "",
            .topics = "M2 M18",
            .evaluate =
                [](inputs x) {
                  return storage_per_element({number_format::fp4, whole(x[0]), bytes{x[1]}, {}})
                      .in(units::byte);
                },
            .examples = {{{16, 1}, 0.5625, 0, "4.5 bits of NVFP4"}}},
    formula{.name = "loss_scales",
            .header = "units/loss_scale.hpp",
            .meaning = "Largest factor that a loss may be multiplied by",
            .text = "F / G",
            .latex = R"(F / G)",
            .symbols = {{"g", "smallest gradient that matters", "1", "> 0"},
                        {"G", "largest gradient", "1", ">= g"}},
            .result = "1",
            .validity = "FP16, constant scale",
            .source = mixed_precision,
            .errata = "",
            .topics = "M18",
            .evaluate =
                [](inputs x) {
                  return loss_scales(number_format::fp16, {x[0], x[1]}).most;
                },
            .examples = {{{1e-6, 2}, 32752, 0, "65504 / 2"}}},
    formula{.name = "per_direction",
            .header = "units/link_rate.hpp",
            .meaning = "What both directions of a link carry that carries `rate` each way",
            .text = "2 W",
            .latex = R"(2 W)",
            .symbols = {{"W", "one direction", "B/s", ">= 0"}},
            .result = "B/s",
            .validity = "a link that is as fast each way",
            .source = definition,
            .errata = "NVLink is sold by the sum, InfiniBand by one direction.",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return per_direction(bytes_per_second{x[0]})
                      .both_directions()
                      .in(units::byte / units::second);
                },
            .examples = {{{450e9}, 900e9, 0, "NVLink of an H100"}}},
    formula{.name = "both_directions",
            .header = "units/link_rate.hpp",
            .meaning = "What one direction of a link carries whose two together carry `rate`",
            .text = "W / 2",
            .latex = R"(W / 2)",
            .symbols = {{"W", "both directions together", "B/s", ">= 0"}},
            .result = "B/s",
            .validity = "a link that is as fast each way",
            .source = definition,
            .errata = "A chapter sends 600 GB/s one way over NVLink of an A100, which carries 300.",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return both_directions(bytes_per_second{x[0]})
                      .per_direction()
                      .in(units::byte / units::second);
                },
            .examples = {{{900e9}, 450e9, 0, "NVLink of an H100"}}}};

}  // namespace gpuplan::registry
