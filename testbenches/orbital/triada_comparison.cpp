#include "orbital/triada_comparison.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arch/torus/energy.h>
#include <tensorloom/models/arch/triada/energy.h>

namespace tensorloom::testbench {
namespace {

namespace torus = arch::torus;
namespace triada = arch::triada;

constexpr double um_per_mm = 1000;

std::uint64_t power(std::uint64_t base, unsigned exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}
std::uint64_t sum_of(const by_direction& words) { return words[0] + words[1] + words[2]; }

torus::block_sizes blocks_of(const shape3& shape, std::uint32_t side)
{
    torus::block_sizes sizes;
    for (unsigned mode = 0; mode < 3; ++mode) { sizes.given[mode] = (shape[mode] + side - 1) / side; }
    sizes.made = sizes.given;
    return sizes;
}

// A sum on a link, in words of elements.
std::uint64_t words_of_sum(arch::element_type format)
{
    return arch::element_bits(arch::accumulator_type(format)) / arch::element_bits(format);
}

void add_energies(compared_device& device, const arch::energy_model& model, const std::uint64_t* counts,
                  double clock_ghz)
{
    arch::add_energy(device.energies, model, counts, static_cast<double>(device.cycles) / clock_ghz);
}

} // namespace

triada::counts dense_step_counts(const shape3& shape)
{
    struct stage {
        unsigned summed, along_x, slices;
    };
    constexpr stage all[] = {{2, 0, 1}, {0, 2, 1}, {1, 0, 2}};
    triada::counts counts;
    for (const auto& s : all) {
        const std::uint64_t steps = shape[s.summed], slices = shape[s.slices], line = shape[s.along_x];
        const std::uint64_t coefficients = steps * slices * shape[s.summed], operands = steps * slices * line;
        const std::uint64_t macs = steps * shape[0] * shape[1] * shape[2];
        counts[triada::event::step] += steps;
        counts[triada::event::coefficient_read] += steps * shape[s.summed];
        counts[triada::event::coefficient_send] += coefficients;
        counts[triada::event::operand_send] += operands;
        counts[triada::coefficient_hop(s.along_x)] += coefficients * line;
        counts[triada::operand_hop(s.summed)] += operands * shape[s.summed];
        counts[triada::event::mac] += macs;
        counts[triada::event::register_read] += operands + macs;
        counts[triada::event::register_write] += coefficients * line + macs;
    }
    return counts;
}

torus::counts orbital_step_counts(const shape3& shape, std::uint32_t side, arch::element_type format)
{
    const auto sizes = blocks_of(shape, side);
    torus::counts counts;
    for (const auto& stage : torus::stages_of(torus::direction::forward, {}, side)) {
        const std::uint64_t macs = power(side, 3) * stage.steps * torus::macs_of(stage, sizes);
        counts[torus::event::step] += stage.steps;
        counts[torus::event::mac] += macs;
        counts[torus::event::register_read] += 3 * macs;
        counts[torus::event::register_write] += macs;
        for (const auto& roll : stage.rolls) {
            const auto moved = torus::counts_of(roll, sizes, side);
            const std::uint64_t width = roll.which == stage.accumulator ? words_of_sum(format) : 1;
            counts[torus::event::block_read] += moved.words * width;
            counts[torus::event::block_write] += moved.words * width;
            counts[torus::event::roll_block] += moved.blocks;
            counts[torus::roll_word(roll.along)] += moved.words * width;
            counts[torus::event::wrap_word] += moved.wrap_words * width;
            counts[torus::link_word_pitch(roll.along)] += moved.word_pitches * width;
        }
    }
    return counts;
}

by_direction line_word_pitches(const triada::counts& counts, const shape3& mesh)
{
    by_direction words{};
    for (unsigned mode = 0; mode < 3; ++mode) {
        const std::uint64_t hops = counts[triada::coefficient_hop(mode)] + counts[triada::operand_hop(mode)];
        words[mode] = hops / mesh[mode] * (mesh[mode] - 1);
    }
    return words;
}

by_direction link_word_pitches(const torus::counts& counts)
{
    return {counts[torus::event::link_word_pitch_q], counts[torus::event::link_word_pitch_r],
            counts[torus::event::link_word_pitch_s]};
}

std::uint64_t wire_cycles(double um, double mm_per_cycle)
{
    if (mm_per_cycle <= 0) { return 1; }
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(um / um_per_mm / mm_per_cycle)));
}

double compared_device::utilisation() const
{
    return static_cast<double>(macs) / (static_cast<double>(multipliers) * static_cast<double>(cycles));
}

double compared_device::pj(const std::string& component) const
{
    for (const auto& energy : energies) {
        if (energy.component == component) { return energy.pj; }
    }
    return 0;
}

compared_device triada_at(const arch::technology& tech, std::uint32_t size, const comparison_settings& settings)
{
    constexpr unsigned words_of_cell = 5, vertical_mode = 1;
    const shape3 cube{size, size, size};
    const auto counts = dense_step_counts(cube);
    const auto pitches = line_word_pitches(counts, cube);

    compared_device device;
    device.device = "triada";
    device.size = device.side = size;
    device.multipliers = power(size, 3);
    device.memory_words = words_of_cell * power(size, 3);
    device.steps = counts[triada::event::step];
    device.macs = counts[triada::event::mac];
    device.word_pitches = sum_of(pitches);
    device.pitch_um = tech.cell_pitch_um(settings.format).value;
    device.longest_wire_um = (size - 1) * device.pitch_um;
    device.wire_cycles = wire_cycles(device.longest_wire_um, settings.mm_per_cycle);
    device.cycles = device.steps * (2 * device.wire_cycles + settings.cell_mac_cycles);
    device.word_mm = static_cast<double>(device.word_pitches - pitches[vertical_mode]) * device.pitch_um / um_per_mm;

    // Energy counts pitches, too: a line costs nothing in front of its first cell.
    auto charged = counts;
    for (unsigned mode = 0; mode < 3; ++mode) {
        for (const auto hop : {triada::coefficient_hop(mode), triada::operand_hop(mode)}) {
            charged[hop] = counts[hop] / size * (size - 1);
        }
    }
    add_energies(device, triada::device_energy(tech, {cube, settings.format, vertical_mode + 1}), charged.data(),
                 settings.clock_ghz);
    return device;
}

compared_device torus_at(const arch::technology& tech, std::uint32_t size, std::uint32_t block,
                         const comparison_settings& settings)
{
    const std::uint32_t side = (size + block - 1) / block;
    const shape3 cube{size, size, size};
    const auto counts = orbital_step_counts(cube, side, settings.format);
    const auto pitches = link_word_pitches(counts);

    torus::geometry geometry;
    geometry.side = side;
    geometry.block = blocks_of(cube, side).given;
    geometry.format = settings.format;
    geometry.macs_per_cycle =
        settings.macs_per_cycle != 0 ? settings.macs_per_cycle : static_cast<unsigned>(power(geometry.block[0], 3));
    geometry.receives_beside_work = settings.overlap != torus::overlap_kind::none;
    geometry.folded = settings.folded;

    compared_device device;
    device.device = "torus";
    device.size = size;
    device.side = side;
    device.block = geometry.block[0];
    device.multipliers = power(side, 3) * geometry.macs_per_cycle;
    device.memory_words = power(side, 3) * torus::node_memory_words(geometry);
    device.steps = counts[torus::event::step];
    device.macs = counts[torus::event::mac];
    device.word_pitches = sum_of(pitches);
    device.pitch_um = torus::node_pitch_um(tech, geometry).value;
    device.longest_wire_um = torus::longest_wire_um(tech, geometry).value;
    device.wire_cycles = wire_cycles(device.longest_wire_um, settings.mm_per_cycle);
    device.word_mm = static_cast<double>(device.word_pitches - pitches[static_cast<unsigned>(torus::axis::r)]) *
                     device.pitch_um / um_per_mm;

    const std::uint64_t link_words =
        settings.words_per_cycle != 0 ? settings.words_per_cycle : power(geometry.block[0], 2);
    const torus::timing_parameters timing{geometry.macs_per_cycle, settings.fma_latency, link_words,
                                          device.wire_cycles,      settings.overlap,     0};
    for (const auto& stage : torus::stages_of(torus::direction::forward, {}, side)) {
        device.cycles += torus::stage_cycles(stage, blocks_of(cube, side), timing, words_of_sum(settings.format));
    }
    add_energies(device, torus::device_energy(tech, geometry), counts.data(), settings.clock_ghz);
    return device;
}

} // namespace tensorloom::testbench
