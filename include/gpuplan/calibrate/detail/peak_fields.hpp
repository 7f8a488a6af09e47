#pragma once
/// \file
/// The fields of a peak, one for each number format.

#include <array>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// In the order of number_formats.
inline constexpr std::array<flop_per_second basic_peak<double>::*, number_formats.size()>
    peak_fields{
        &basic_peak<double>::fp64,     &basic_peak<double>::fp32, &basic_peak<double>::tf32,
        &basic_peak<double>::fp16,     &basic_peak<double>::bf16, &basic_peak<double>::fp8_e4m3,
        &basic_peak<double>::fp8_e5m2, &basic_peak<double>::fp4,  &basic_peak<double>::int8};

}  // namespace gpuplan::detail
