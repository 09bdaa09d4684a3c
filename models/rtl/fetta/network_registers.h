#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::rtl {

// FETTA's networks in Verilog, with 16 ports of 4 lanes, by their pins. Lane l of port p is values[4 p + l]; values of
// ports that are not valid are not read and not written. Elements of bf16 are the equal floats.

inline constexpr unsigned network_ports = 16, network_lanes = 4, network_levels = 4;

/// The setting of a network's switches: bit p of diagonal[q], port p of the level on bit q.
struct network_controls {
    std::array<std::uint16_t, network_levels> diagonal{};
    bool transpose = false;
};

/// The distribution network (fetta/distribution_network.v).
///
/// Example
///
///     auto network = rtl::make_distribution_multiplexers(base::element_type::f32);
///     float rows[64] = {1, 2, 3, 4};
///     network->set(1, rows, {});
class distribution_multiplexers {
public:
    virtual ~distribution_multiplexers() = default;

    /// These beats arrive at the banks; combinational.
    virtual void set(std::uint16_t valid, const float* values, const network_controls& controls) = 0;
    /// After a level, 0 at the banks; after the last one they reach the engines.
    virtual std::uint16_t valid(unsigned level) const = 0;
    virtual void values(unsigned level, float* to) const = 0;
};

/// The reduction network (fetta/reduction_network.v), a module per lane; sums are f32.
///
/// Example
///
///     auto network = rtl::make_reduction_registers();
///     float psums[64] = {1, 2, 3, 4};
///     network->set(1, psums, {});
///     network->tick(false);
class reduction_registers {
public:
    virtual ~reduction_registers() = default;

    /// The beats that enter with the next clock edge, and their controls.
    virtual void set(std::uint16_t valid, const float* values, const network_controls& controls) = 0;
    /// A clock edge; clear drops what is in flight, and what enters.
    virtual void tick(bool clear) = 0;

    /// What leaves, after the transpose layer.
    virtual std::uint16_t valid() const = 0;
    virtual void values(float* to) const = 0;

    // the register of a level, 0 at the engines, and the setting of its switches at the last clock edge
    virtual std::uint16_t valid(unsigned level) const = 0;
    virtual void values(unsigned level, float* to) const = 0;
    virtual std::uint16_t diagonal(unsigned level) const = 0;
};

/// The networks, the first one for operands of bf16 or f32. nullptr without RTL.
std::unique_ptr<distribution_multiplexers> make_distribution_multiplexers(base::element_type operand);
std::unique_ptr<reduction_registers> make_reduction_registers();

} // namespace tensorloom::rtl
