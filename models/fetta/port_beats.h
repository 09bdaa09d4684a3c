#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>
#include <systemc>
#include <tensorloom/models/blocks/butterfly_switches.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::fetta {

/// The beats (fetta/isa/device_limits.h) at all ports of a network in one cycle. Port p has values[p * side] to
/// values[p * side + side - 1]. bfloat16 is stored as the equal float.
struct port_beats {
    port_beats() = default;
    port_beats(unsigned ports, unsigned side) : values(std::size_t{ports} * side) {}

    std::vector<float> values;
    std::uint64_t valid = 0; ///< bit p: port p has a beat
};

/// Moves and adds beats of Side elements. The constant size compiles to few wide instructions.
template <unsigned Side> struct beat_moves {
    static void copy(const float* from, float* to) { std::copy_n(from, Side, to); }
    template <class Psum> static void add(const float* left, const float* right, float* to)
    {
        for (unsigned lane = 0; lane < Side; ++lane) { to[lane] = Psum::add(left[lane], right[lane]); }
    }
    /// Copies a beat from port to port.
    static auto copier(const port_beats& in, port_beats& out)
    {
        const float* const from = in.values.data();
        float* const into = out.values.data();
        return [=](unsigned source, unsigned port) { copy(from + source * Side, into + port * Side); };
    }
    template <class Psum> static auto adder(const port_beats& in, port_beats& out)
    {
        const float* const from = in.values.data();
        float* const into = out.values.data();
        return [=](unsigned left, unsigned right, unsigned port) {
            add<Psum>(from + left * Side, from + right * Side, into + port * Side);
        };
    }
    /// The transpose layer.
    static void transpose(const blocks::butterfly& shape, const port_beats& in, port_beats& out)
    {
        const auto move = copier(in, out);
        out.valid = 0;
        for (std::uint64_t rest = in.valid; rest != 0; rest &= rest - 1) {
            const auto port = static_cast<unsigned>(__builtin_ctzll(rest));
            move(port, shape.transposed(port));
            out.valid |= std::uint64_t{1} << shape.transposed(port);
        }
    }
};

/// Calls make with `side` as a constant. A side that no device has is an SC_ERROR of the module to be named `name`.
template <class Make> auto with_side(const sc_core::sc_module_name& name, unsigned side, const Make& make)
{
    switch (side) {
    case 2: return make(std::integral_constant<unsigned, 2>{});
    case 8: return make(std::integral_constant<unsigned, 8>{});
    case 16: return make(std::integral_constant<unsigned, 16>{});
    case 4: break;
    default:
        bus::report_error(bus::name_to_be(name), "/tensorloom/fetta/side",
                          "side is " + std::to_string(side) + ", not 2, 4, 8 or 16");
    }
    return make(std::integral_constant<unsigned, 4>{});
}

} // namespace tensorloom::fetta
