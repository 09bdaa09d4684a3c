#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::test {

constexpr blocks::fidelity fidelities[] = {blocks::fidelity::detailed, blocks::fidelity::fast};

/// Limits of a device whose networks have these sizes.
inline fetta::device_limits limits_of_network(unsigned ports, unsigned side,
                                              base::element_type psum = base::element_type::f32)
{
    fetta::device_limits g;
    g.engines = ports;
    g.side = side;
    g.psum = psum;
    return g;
}

/// Networks in the words of the paper: a row per port or none, level by level, switch by switch. The oracle of both
/// networks.
using naive_row = std::optional<std::vector<float>>;
using naive_rows = std::vector<naive_row>;

inline naive_rows naive_transpose(const naive_rows& in)
{
    unsigned root = 1;
    while (root * root < in.size()) { ++root; }
    naive_rows out(in.size());
    for (unsigned high = 0; high < root; ++high) {
        for (unsigned low = 0; low < root; ++low) { out[low * root + high] = in[high * root + low]; }
    }
    return out;
}

inline naive_rows naive_distribution(naive_rows rows, const blocks::butterfly_controls& controls)
{
    if (controls.transpose) { rows = naive_transpose(rows); }
    unsigned q = 0;
    for (std::size_t distance = rows.size() / 2; distance > 0; distance /= 2) {
        for (q = 0; std::size_t{1} << q != distance; ++q) {}
        naive_rows next(rows.size());
        for (std::size_t j = 0; j < rows.size(); ++j) {
            next[j] = (controls.diagonal[q] >> j & 1) != 0 ? rows[j ^ distance] : rows[j];
        }
        rows = next;
    }
    return rows;
}

// In double sums of such values are exact: exponents of test values differ by at most 28.
inline float naive_sum(float left, float right, base::element_type psum)
{
    const double exact = double{left} + double{right};
    if (std::isnan(exact)) { return std::numeric_limits<float>::quiet_NaN(); }
    if (psum == base::element_type::f32 || exact == 0 || std::isinf(exact)) { return static_cast<float>(exact); }
    int exponent = 0;
    const double mantissa = std::frexp(exact, &exponent); // 8 bits of it stay, ties go to even
    return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8));
}

inline naive_row naive_sum(const naive_row& left, const naive_row& right, base::element_type psum)
{
    if (!left) { return right; }
    if (!right) { return left; }
    naive_row sum = left;
    for (std::size_t lane = 0; lane < sum->size(); ++lane) {
        (*sum)[lane] = naive_sum((*left)[lane], (*right)[lane], psum);
    }
    return sum;
}

inline naive_rows naive_reduction(naive_rows rows, const blocks::butterfly_controls& controls, base::element_type psum,
                                  bool idle_forwards)
{
    for (unsigned q = 0; std::size_t{1} << q < rows.size(); ++q) {
        naive_rows next(rows.size());
        for (std::size_t left = 0; left < rows.size(); ++left) {
            if ((left >> q & 1) != 0) { continue; }
            const std::size_t right = left + (std::size_t{1} << q);
            const std::uint64_t command = (controls.diagonal[q] >> left & 1) + 2 * (controls.diagonal[q] >> right & 1);
            if (command == 0b00) { // pass
                next[left] = rows[left];
                next[right] = rows[right];
            } else if (command == 0b11) { // swap
                next[left] = rows[right];
                next[right] = rows[left];
            } else { // add left, add right
                next[command == 0b10 ? left : right] = naive_sum(rows[left], rows[right], psum);
                const std::size_t other = command == 0b10 ? right : left;
                if (idle_forwards) { next[other] = rows[other]; }
            }
        }
        rows = next;
    }
    return controls.transpose ? naive_transpose(rows) : rows;
}

inline fetta::port_beats packed(const naive_rows& rows, unsigned side)
{
    fetta::port_beats out(static_cast<unsigned>(rows.size()), side);
    for (float& value : out.values) { value = 4711; } // nobody may read what is not valid
    for (std::size_t port = 0; port < rows.size(); ++port) {
        if (!rows[port]) { continue; }
        out.valid |= std::uint64_t{1} << port;
        for (unsigned lane = 0; lane < side; ++lane) { out.values[port * side + lane] = (*rows[port])[lane]; }
    }
    return out;
}

/// The same valid ports with the same bits.
inline bool is_same(const fetta::port_beats& found, const naive_rows& expected, unsigned side)
{
    for (std::size_t port = 0; port < expected.size(); ++port) {
        if ((found.valid >> port & 1) != (expected[port] ? 1u : 0u)) { return false; }
        if (expected[port] &&
            std::memcmp(&found.values[port * side], expected[port]->data(), side * sizeof(float)) != 0) {
            return false;
        }
    }
    return expected.size() == 64 || found.valid >> expected.size() == 0;
}

/// Values of bfloat16 (exact in every psum format) or of float; -0 and, when asked for, infinities and NaN are among
/// them.
inline naive_rows random_rows(unsigned ports, unsigned side, std::uint64_t valid, std::mt19937_64& random,
                              bool has_specials = false)
{
    naive_rows rows(ports);
    for (unsigned port = 0; port < ports; ++port) {
        if ((valid >> port & 1) == 0) { continue; }
        rows[port] = std::vector<float>(side);
        for (float& value : *rows[port]) {
            const auto mantissa = static_cast<double>(static_cast<int>(random() % 511) - 255);
            value = static_cast<float>(std::ldexp(mantissa, static_cast<int>(random() % 20)));
            if (random() % 16 == 0) { value = -0.0f; }
            if (has_specials && random() % 4 == 0) {
                constexpr float infinity = std::numeric_limits<float>::infinity();
                const float specials[] = {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
                value = specials[random() % 3];
            }
        }
    }
    return rows;
}

/// Any setting of every switch.
inline blocks::butterfly_controls random_controls(unsigned ports, std::mt19937_64& random)
{
    blocks::butterfly_controls controls;
    const auto shape = blocks::butterfly::of_ports(ports, blocks::level_order::far_first);
    for (unsigned q = 0; q < shape.levels; ++q) { controls.diagonal[q] = random() & shape.all_ports(); }
    controls.transpose = shape.has_transpose() && random() % 2 != 0;
    return controls;
}

} // namespace tensorloom::test
