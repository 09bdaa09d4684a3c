#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_config.h>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/tolerance.h>

namespace tensorloom::shell {

/// The part of the configuration that all devices share.
///
/// Example
///
///     triada::config config; // a device_config
///     config.clock_period = sc_core::sc_time(2, sc_core::SC_NS);
///     config.dma.outstanding = 16;
///     triada::device<> device("device", config);
struct device_config {
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0, so not below the time resolution
    unsigned burst_bytes = 4096;                      ///< largest DMA transfer: a power of two, 4 to 1 MiB
    bus::dma_options dma;            ///< bursts in flight, blocking or non-blocking, direct pointers, time-out
    bus::target_tolerance tolerance; ///< of the register port
    bool count_banks =
        false; ///< counts accesses and stalls per memory bank (counted_memories()); slows down the simulation
};

/// Its fields, which follow a device's own fields in its table. bus::validate() checks them.
base::config_fields fields_of(device_config& config);

/// A device's own fields, followed by these.
base::config_fields with_shell_fields(base::config_fields own, device_config& config);

/// The configuration of the device's DMA engine.
bus::dma_config dma_settings(const device_config& config);

/// The field of shell_config::dma_ports, for the table of a device that has it.
base::config_field dma_ports_field(unsigned& ports);

/// The field of shell_config::program_prefetch, for the table of a device that has it.
base::config_field prefetch_field(std::uint32_t& piece_bytes);
/// The error of this piece size for fetching programs (shell_config::program_prefetch).
std::optional<std::string> validate_prefetch(std::uint32_t piece_bytes, const sc_core::sc_time& clock_period);

/// The configuration of a device's shell.
struct shell_config : device_config {
    std::uint8_t format = 0;                     ///< bits 7..0 of CAPS; the other bits hold the number of events
    std::array<std::uint32_t, 3> caps_size{};    ///< CAPS_SIZE registers
    unsigned dma_ports = 1;                      ///< 1 to bus::dma_ports::most
    std::uint32_t max_program_bytes = 16u << 20; ///< longer programs are refused
    /// 0: a program is fetched completely before its first command. Otherwise it is fetched in pieces of this many
    /// bytes, a multiple of 16, while its commands run (program_fetch.h); only for devices that use their DMA for
    /// nothing but LOAD and STORE. The clock period must then be at least two steps of the time resolution.
    std::uint32_t program_prefetch = 0;
    bool overlap = false;                        ///< commands of different units run in parallel
    std::optional<std::size_t> overlapped_cycle; ///< with overlap: the device event that counts overlapped cycles

    shell_config() = default;
    /// For a device whose commands run one after the other.
    shell_config(const device_config& device, base::element_type elements, const std::array<std::uint32_t, 3>& sizes,
                 unsigned ports = 1)
        : device_config(device), format(static_cast<std::uint8_t>(elements)), caps_size(sizes), dma_ports(ports)
    {}
    /// For a device whose commands may overlap. Event: the enumeration of its events.
    template <class Event>
    shell_config(const device_config& device, base::element_type elements, const std::array<std::uint32_t, 3>& sizes,
                 bool commands_overlap, Event overlapped, std::uint32_t prefetched_bytes = 0)
        : shell_config(device, elements, sizes)
    {
        program_prefetch = prefetched_bytes;
        overlap = commands_overlap;
        overlapped_cycle = static_cast<std::size_t>(overlapped);
    }
};

/// Returns `config` when validate(config) finds no error; otherwise reports an SC_ERROR with this id, of the device to
/// be named `name`.
template <class Config>
const Config& checked(const sc_core::sc_module_name& name, const Config& config, const char* report_id)
{
    if (const std::optional<std::string> wrong = validate(config)) {
        bus::report_error(bus::name_to_be(name), report_id, *wrong);
    }
    return config;
}

} // namespace tensorloom::shell
