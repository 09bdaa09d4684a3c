#pragma once
#include <cstdint>
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/costs/dma_costs.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/costs/dram/dram_config.h>
#include "platform/options/options.h"

namespace tensorloom::testbench {

/// Options of the memory on the bus and of the device's DMA, checked. Every testbench has them, with these defaults.
struct platform_options {
    std::string memory = "dram";      ///< "sram", "dram", or another value of --memory
    std::string dram = "lpddr4-3200"; ///< a configuration that ships with the project, or a file
    costs::dram_config dram_config;   ///< the configuration of `dram`, with the channels of --memory-bandwidth
    unsigned memory_latency = 2;      ///< SRAM: cycles from the last beat of an access to its response
    unsigned memory_ports = 1;        ///< SRAM: number of concurrent accesses
    unsigned memory_bytes_per_cycle = 64; ///< SRAM: of a port
    unsigned memory_modify_bytes = 1, memory_modify_cycles = 0; ///< SRAM: of writes of parts (memory/sram_timing.h)
    unsigned dma_bits = 512;          ///< width of a device's DMA port
    std::uint32_t burst_bytes = 4096; ///< largest burst of the DMA
    unsigned outstanding = 8;         ///< bursts of the DMA in flight
    bool overlap_runs = true;         ///< bursts of consecutive rows or planes overlap

    bool in_dram() const { return memory == "dram"; }
    bool has_dram() const { return !dram_config.name.empty(); } ///< also a platform with both memories
    /// Size of the memory: of the DRAM, or `of_sram`.
    std::uint64_t memory_bytes(std::uint64_t of_sram) const
    {
        return in_dram() ? dram_config.organisation.bytes() : of_sram;
    }
    /// Bytes through the DMA port per cycle of the bus.
    unsigned bus_bytes_per_cycle() const { return dma_bits / 8; }
};

/// Values of --memory: one of the two memories; for a platform with both also "split".
struct memory_choice {
    const char* form = "sram|dram";
    const char* help = "Memory on the bus.";
    bool both = false;
};

/// Adds --memory --dram --memory-bandwidth --memory-latency --memory-ports --dma-width --burst --outstanding
/// --overlap-runs.
void add_platform_options(option_table& table, const memory_choice& memories);

/// Throws base::input_error.
platform_options read_platform_options(const option_values& values);

/// Fields of a summary's configuration. Null: not applicable to the memory.
nlohmann::ordered_json json_of(const platform_options& options);

/// The DMA of a device, for its energy and area. `program_piece`: bytes of a piece of a program, if it is fetched in
/// pieces.
costs::dma_build dma_build_of(const platform_options& options, unsigned ports = 1, std::uint32_t program_piece = 0);

/// The SRAM of a platform with one device: one bank of this size, whose cells have the memory's number of ports.
costs::sram_build sram_build_of(const platform_options& options, std::uint64_t bytes);

/// The energy model of the memory: the DRAM, or this SRAM. Throws base::input_error for missing entries of the
/// technology.
costs::energy_model memory_energy(const platform_options& options, const costs::technology& technology,
                                  std::uint64_t sram_bytes);

/// The area of the memory on the die; empty for a DRAM. Throws as memory_energy().
costs::floor_plan memory_plan(const platform_options& options, const costs::technology& technology,
                              std::uint64_t sram_bytes);

/// Throw base::input_error for a DRAM that is too small for this many bytes of data; for the area of programs and data
/// after it. An SRAM is made as large as needed.
void require_room(const platform_options& options, std::uint64_t bytes);
void require_program_room(const platform_options& options, std::uint64_t program_bytes);

} // namespace tensorloom::testbench
