#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include <tensorloom/models/torus/device.h>
#include "models/device_bench.h"
#include "models/memory_places.h"
#include "models/torus/array_bench.h"

namespace tensorloom::test {

using blocks::fidelity;
using torus::orbit_command;

/// A torus of P nodes along a side, with blocks of at most so many elements along each mode.
inline torus::config torus_config(std::uint32_t side, std::uint32_t block, base::element_type format,
                                  fidelity modelled = fidelity::fast)
{
    torus::config c;
    c.side = side;
    c.block = {block, block, block};
    c.format = format;
    c.fidelity = modelled;
    return c;
}

/// An orbital torus between protocol checkers, whose host places and runs transforms.
class orbit_bench : public device_bench<torus::traits> {
public:
    using program_type = std::function<void(orbit_bench&)>;

    static constexpr std::uint64_t data_at = testbench::memory_base + 0x8000;

    orbit_bench(const std::string& name, const torus::config& config, program_type program)
        : device_bench(name, config, [this, run = std::move(program)](device_bench&) { run(*this); })
    {}

    /// Writes a case into memory; the command to run it, in blocks of ceil(size / P) elements, or where that is more
    /// than the device has, of as many as it has, with a workspace.
    template <class T> orbit_command place(const orbital_case<T>& c)
    {
        const auto type = base::element_type_of<T>;
        const auto& settings = device().settings();
        orbit_command o;
        o.way = c.problem.way;
        o.vector = c.problem.vector;
        for (unsigned m = 0; m < 3; ++m) {
            o.order[m] = static_cast<std::uint8_t>(c.problem.order[m]);
            const auto block_of = [&](std::uint32_t size) {
                return std::min((size + settings.side - 1) / settings.side, settings.block[m]);
            };
            o.blocks.in_block[m] = block_of(c.n[m]);
            o.blocks.out_block[m] = block_of(c.k[m]);
            if (c.problem.matrices[m] == nullptr) {
                ++o.left_out;
                continue;
            }
            o.matrix[m] = isa::dense_descriptor(store(c.matrices[m]), type, {c.n[m], c.k[m]});
        }
        const auto& from = o.way == direction::forward ? c.n : c.k;
        const auto& to = c.problem.sizes;
        o.x = isa::dense_descriptor(store(c.input.data), type, {from[0], from[1], from[2]});
        o.y = isa::dense_descriptor(reserve(isa::volume_of(to) * sizeof(T)), type, {to[0], to[1], to[2]});
        for (unsigned stage = 0; stage < 3; ++stage) {
            o.shifts[stage] = static_cast<std::uint8_t>(c.problem.shifts[stage]);
        }
        if (c.problem.initial != nullptr) {
            o.flags |= orbit_command::flag_accumulate;
            o.y = isa::dense_descriptor(store(c.initial.data), base::accumulator_type(type), {to[0], to[1], to[2]});
        }
        const auto elements = plan_orbit(o, {c.n, c.k}, settings.side).workspace_elements();
        if (elements > 0) {
            o.workspace =
                isa::dense_descriptor(reserve(elements * sizeof(T)), type, {static_cast<std::uint32_t>(elements)});
        }
        return o;
    }

    using device_bench::run;
    outcome_type run(const std::vector<orbit_command>& commands) { return run(torus::driver::program(commands)); }

    /// The results of a command, rounded to T where they are sums.
    template <class T> std::vector<T> fetch(const orbit_command& command)
    {
        using sum = arithmetic::accumulator_of<T>;
        if constexpr (!std::is_same_v<T, sum>) {
            if (command.y.type != static_cast<std::uint8_t>(base::element_type_of<T>)) {
                std::vector<T> rounded;
                for (const auto& s : fetch<sum>(command)) {
                    rounded.push_back(arithmetic::narrowed<T>(s, 0).value); // the device has shifted it
                }
                return rounded;
            }
        }
        std::vector<T> values(command.y.elements());
        cpu().read_block(command.y.base, values.data(), values.size() * sizeof(T));
        return values;
    }
    /// Places and runs a case, which must end well.
    template <class T> std::vector<T> transformed(const orbital_case<T>& c, outcome_type* outcome = nullptr)
    {
        restart();
        const auto command = place(c);
        const auto found = run({command});
        EXPECT_TRUE(found.result.done) << isa::error_text(found.result.error);
        if (outcome != nullptr) { *outcome = found; }
        return fetch<T>(command);
    }

    /// What follows is placed from data_at on again.
    void restart() { m_places.restart(); }
    template <class V> std::uint64_t store(const std::vector<V>& values) { return m_places.store(cpu(), values); }
    std::uint64_t reserve(std::uint64_t bytes) { return m_places.reserve(bytes); }

private:
    memory_places m_places{data_at};
};

} // namespace tensorloom::test
