#pragma once
#include <cstdint>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/costs/dram/dram_config.h>
#include "platform/options/options.h"

namespace tensorloom::testbench {

/// What the options of a testbench say about the memory on its bus and the device's way there, checked. Every testbench
/// has them, with these defaults.
struct platform_options {
    std::string memory = "dram";      ///< "sram", "dram", or what else --memory takes
    std::string dram = "lpddr4-3200"; ///< a configuration that ships with the project, or a file
    costs::dram_config dram_config;   ///< what it says, where there is one
    unsigned memory_latency = 2;      ///< of an SRAM, in cycles: from the last beat of an access to its response
    unsigned memory_ports = 1;        ///< of an SRAM: accesses that it serves at once
    unsigned dma_bits = 512;          ///< width of a device's DMA port
    std::uint32_t burst_bytes = 4096; ///< largest burst of the DMA
    unsigned outstanding = 8;         ///< bursts of the DMA in flight
    bool overlap_runs = true;         ///< bursts of one row or plane beside those of the next

    bool in_dram() const { return memory == "dram"; }
    /// Of the memory: a DRAM, or an SRAM of so many.
    std::uint64_t memory_bytes(std::uint64_t of_sram) const
    {
        return in_dram() ? dram_config.organisation.bytes() : of_sram;
    }
    /// That pass through the DMA port in a cycle of the bus.
    unsigned bus_bytes_per_cycle() const { return dma_bits / 8; }
};

/// What --memory takes: one memory or the other, or with both in the platform also "split".
struct memory_choice {
    const char* form = "sram|dram";
    const char* help = "Memory on the bus.";
    bool both = false;
};

/// Adds --memory --dram --memory-latency --memory-ports --dma-width --burst --outstanding --overlap-runs.
void add_platform_options(option_table& table, const memory_choice& memories);

/// Throws base::input_error.
platform_options read_platform_options(const option_values& values);

/// Their fields of a summary's configuration. Null: what a DRAM does not have.
nlohmann::ordered_json json_of(const platform_options& options);

/// The SRAM of a platform with one device, of so many bytes: one bank, whose cells have the ports of the memory.
costs::sram_build sram_build_of(const platform_options& options, std::uint64_t bytes);

/// What the memory costs in energy: a DRAM, or such an SRAM. Throws base::input_error for what the
/// technology misses.
costs::energy_model memory_energy(const platform_options& options, const costs::technology& technology,
                                  std::uint64_t sram_bytes);

/// What it takes of the die: a DRAM nothing. Throws as memory_energy().
costs::floor_plan memory_plan(const platform_options& options, const costs::technology& technology,
                              std::uint64_t sram_bytes);

/// Throw base::input_error for a DRAM that is too small: for so many bytes of data; for a place of programs, and data
/// behind it. An SRAM is made as large as it has to be.
void require_room(const platform_options& options, std::uint64_t bytes);
void require_program_room(const platform_options& options, std::uint64_t program_bytes);

} // namespace tensorloom::testbench
