#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {

/// The registers of a device on a bus, and its interrupt.
struct mapped_device {
    std::string name; ///< of the instance
    std::string kind; ///< the name of its device_description: "triada"
    std::uint64_t base;
    unsigned interrupt; ///< number at the interrupt controller, up to largest_interrupt
};

inline constexpr unsigned largest_interrupt = 1023; ///< as of a PLIC

/// A memory on a bus.
struct mapped_memory {
    std::string name;
    std::uint64_t base;
    std::uint64_t bytes;
};

/// The addresses of a platform, from which headers, trees and the routes of its bus are made. Names are unique, and no
/// two entries share an address: read_memory_map() (isa/export/memory_map_file.h) checks both.
///
/// Not described: initiators, several buses, addresses that differ between initiators.
struct memory_map {
    /// Addresses of an entry; both ends are inclusive.
    struct range {
        std::string name;
        std::uint64_t first;
        std::uint64_t last;
    };

    std::string platform; ///< its name
    std::vector<mapped_device> devices;
    std::vector<mapped_memory> memories;
    std::string interrupt_controller; ///< label of its node in a device tree; empty: the tree's default
    unsigned interrupt_cells = 1;     ///< cells of an interrupt there, 1 to 3

    /// Devices, then memories, in their order.
    std::vector<range> ranges() const
    {
        std::vector<range> all;
        for (const auto& d : devices) { all.push_back({d.name, d.base, d.base + (registers.block_bytes - 1)}); }
        for (const auto& m : memories) { all.push_back({m.name, m.base, m.base + (m.bytes - 1)}); }
        return all;
    }
};

} // namespace tensorloom::isa
