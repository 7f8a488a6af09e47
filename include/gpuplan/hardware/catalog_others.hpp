#pragma once
/// \file
/// Devices that no law of operators fits, and where their numbers come from.
/// Written by tools/make_hardware_catalog.py from tests/data/hardware.json.

#include <array>
#include <string_view>

#include <gpuplan/hardware/fact.hpp>
#include <gpuplan/hardware/other_device.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::catalog {

namespace other_sources {

inline constexpr std::string_view recalled_cerebras =
    "recalled from Cerebras's published figures; not looked up";
inline constexpr std::string_view tomshardware_wse3 =
    "Tom's Hardware, \"Cerebras launches 900,000-core 125 PetaFLOPS wafer-scale processor for AI\" "
    "(2024), tomshardware.com";
inline constexpr std::string_view recalled_xilinx =
    "recalled from Xilinx's published figures; not looked up";
inline constexpr std::string_view amd_ug1393 =
    "AMD, \"Vitis Unified Software Platform Documentation: Application Acceleration Development\", "
    "UG1393 (2021.2), docs.amd.com";

}  // namespace other_sources

inline constexpr std::array wse_2_facts{
    fact{"year", 2021, other_sources::recalled_cerebras, fact_status::recalled},
    fact{"memory", 40000000000, other_sources::recalled_cerebras, fact_status::recalled,
         "SRAM of the wafer"},
    fact{"memory_bandwidth", 2e+16, other_sources::recalled_cerebras, fact_status::recalled},
    fact{"cores", 850000, other_sources::recalled_cerebras, fact_status::recalled},
    fact{"transistors", 2600000000000, other_sources::recalled_cerebras, fact_status::recalled,
         "a chapter on training prints 26 billion"}};

inline constexpr std::array wse_3_facts{
    fact{"year", 2024, other_sources::tomshardware_wse3, fact_status::verified},
    fact{"memory", 44000000000, other_sources::tomshardware_wse3, fact_status::verified,
         "SRAM of the wafer"},
    fact{"memory_bandwidth", 2.1e+16, other_sources::recalled_cerebras, fact_status::recalled},
    fact{"cores", 900000, other_sources::tomshardware_wse3, fact_status::verified},
    fact{"transistors", 4000000000000, other_sources::tomshardware_wse3, fact_status::verified},
    fact{"peak_16", 1.25e+17, other_sources::tomshardware_wse3, fact_status::verified,
         "of sparse products: dense ones are not printed"}};

inline constexpr std::array alveo_u250_facts{
    fact{"year", 2018, other_sources::recalled_xilinx, fact_status::recalled},
    fact{"memory", 68719476736, other_sources::recalled_xilinx, fact_status::recalled,
         "four banks of DDR4"},
    fact{"memory_bandwidth", 77000000000, other_sources::amd_ug1393, fact_status::verified,
         "of DDR cards of the family"},
    fact{"peak_8", 33300000000000, other_sources::recalled_xilinx, fact_status::recalled,
         "integers; depends on the design"},
    fact{"thermal_design_power", 225, other_sources::recalled_xilinx, fact_status::recalled}};

inline constexpr std::array alveo_u280_facts{
    fact{"year", 2018, other_sources::recalled_xilinx, fact_status::recalled},
    fact{"memory", 8589934592, other_sources::recalled_xilinx, fact_status::recalled,
         "HBM2; 32 GiB of DDR4 beside it at 38 GB/s"},
    fact{"memory_bandwidth", 460000000000, other_sources::amd_ug1393, fact_status::verified,
         "of HBM cards of the family"},
    fact{"peak_8", 24500000000000, other_sources::recalled_xilinx, fact_status::recalled,
         "integers; depends on the design"},
    fact{"thermal_design_power", 225, other_sources::recalled_xilinx, fact_status::recalled}};

/// Every device that is known and not planned with.
inline constexpr std::array others{
    other_device{.name = "WSE-2",
                 .vendor = "Cerebras",
                 .year = 2021,
                 .memory = 40 * units::GB,
                 .memory_bandwidth = 2e+16 * units::byte / units::second,
                 .why = "a wafer-scale engine streams weights through the chip layer by layer; the "
                        "operator laws of GPUs do not describe it"},
    other_device{.name = "WSE-3",
                 .vendor = "Cerebras",
                 .year = 2024,
                 .memory = 44 * units::GB,
                 .memory_bandwidth = 2.1e+16 * units::byte / units::second,
                 .peak_16 = 125000 * units::TFLOP / units::second,
                 .why = "a wafer-scale engine streams weights through the chip layer by layer; the "
                        "operator laws of GPUs do not describe it"},
    other_device{
        .name = "Alveo U250",
        .vendor = "AMD",
        .year = 2018,
        .memory = 64 * units::GiB,
        .memory_bandwidth = 77 * units::GB / units::second,
        .peak_8 = 33.3 * units::TFLOP / units::second,
        .thermal_design_power = 225 * units::watt,
        .why = "an FPGA has no fixed matrix units; its rates depend on the design loaded into it"},
    other_device{
        .name = "Alveo U280",
        .vendor = "AMD",
        .year = 2018,
        .memory = 8 * units::GiB,
        .memory_bandwidth = 460 * units::GB / units::second,
        .peak_8 = 24.5 * units::TFLOP / units::second,
        .thermal_design_power = 225 * units::watt,
        .why = "an FPGA has no fixed matrix units; its rates depend on the design loaded into it"}};

/// Their facts, in that order.
inline constexpr std::array other_facts{
    entry_facts{"WSE-2", wse_2_facts,
                "a wafer-scale engine streams weights through the chip layer by layer; the "
                "operator laws of GPUs do not describe it"},
    entry_facts{"WSE-3", wse_3_facts,
                "a wafer-scale engine streams weights through the chip layer by layer; the "
                "operator laws of GPUs do not describe it"},
    entry_facts{"Alveo U250", alveo_u250_facts,
                "an FPGA has no fixed matrix units; its rates depend on the design loaded into it"},
    entry_facts{
        "Alveo U280", alveo_u280_facts,
        "an FPGA has no fixed matrix units; its rates depend on the design loaded into it"}};

/// Other names of them.
inline constexpr std::array other_aliases{
    alias{"Cerebras WSE-2", "WSE-2"}, alias{"CS-2", "WSE-2"},      alias{"Cerebras WSE-3", "WSE-3"},
    alias{"CS-3", "WSE-3"},           alias{"U250", "Alveo U250"}, alias{"U280", "Alveo U280"}};

/// The device of that name or alias that is not planned with, or nullptr.
constexpr const other_device* find_other(std::string_view typed) {
  return find_named(typed, others, other_aliases);
}

}  // namespace gpuplan::catalog
