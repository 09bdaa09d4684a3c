#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/blocks/butterfly_switches.h>

namespace tensorloom::test {

constexpr blocks::level_order level_orders[] = {blocks::level_order::far_first, blocks::level_order::near_first};

/// What a butterfly does to all its ports, found by sending marks through its switch functions.

/// By output: the input whose row it gets.
using row_map = std::array<std::uint8_t, 64>;
/// By output: the inputs whose rows it adds up, a bit each; 0: nothing.
using sum_map = std::array<std::uint64_t, 64>;

inline row_map straight_rows()
{
    row_map rows{};
    for (unsigned i = 0; i < 64; ++i) { rows[i] = static_cast<std::uint8_t>(i); }
    return rows;
}

inline row_map after_multiplexers(const blocks::butterfly& shape, const row_map& in, std::uint64_t diagonal, unsigned q)
{
    row_map out{};
    blocks::for_arrivals(blocks::multiplex(shape.all_ports(), diagonal, q), q,
                         [&](unsigned from, unsigned to) { out[to] = in[from]; });
    return out;
}

inline std::uint64_t valid_ports(const blocks::butterfly& shape, const sum_map& sums)
{
    std::uint64_t valid = 0;
    for (unsigned port = 0; port < shape.ports(); ++port) { valid |= sums[port] != 0 ? std::uint64_t{1} << port : 0; }
    return valid;
}

inline sum_map after_adders(const blocks::butterfly& shape, const sum_map& in, std::uint64_t diagonal, unsigned q,
                            blocks::idle_output idle)
{
    sum_map out{};
    blocks::for_arrivals(
        blocks::switch_adders(valid_ports(shape, in), diagonal, q, idle), q,
        [&](unsigned from, unsigned to) { out[to] = in[from]; },
        [&](unsigned left, unsigned right, unsigned to) { out[to] = in[left] | in[right]; });
    return out;
}

template <class Map> Map through_transpose(const blocks::butterfly& shape, const Map& in)
{
    Map out{};
    for (unsigned port = 0; port < shape.ports(); ++port) { out[shape.transposed(port)] = in[port]; }
    return out;
}

inline row_map distributed(const blocks::butterfly& shape, const blocks::butterfly_controls& controls)
{
    row_map rows = controls.transpose ? through_transpose(shape, straight_rows()) : straight_rows();
    for (unsigned level = 0; level < shape.levels; ++level) {
        rows = after_multiplexers(shape, rows, controls.diagonal[shape.bit(level)], shape.bit(level));
    }
    return rows;
}

inline sum_map reduced(const blocks::butterfly& shape, const blocks::butterfly_controls& controls, std::uint64_t valid,
                       blocks::idle_output idle = blocks::idle_output::invalid)
{
    sum_map sums{};
    for (unsigned port = 0; port < shape.ports(); ++port) { sums[port] = valid & std::uint64_t{1} << port; }
    for (unsigned level = 0; level < shape.levels; ++level) {
        sums = after_adders(shape, sums, controls.diagonal[shape.bit(level)], shape.bit(level), idle);
    }
    return controls.transpose ? through_transpose(shape, sums) : sums;
}

/// All maps of at most 8 ports to 8, one bit each; the number of a map has its entries as digits, entry 0 lowest.
class map_set {
public:
    explicit map_set(const blocks::butterfly& shape)
        : m_digit(shape.levels), m_ports(shape.ports()), m_has(std::size_t{1} << (m_digit * m_ports))
    {}
    template <class Map> std::size_t number(const Map& map) const
    {
        std::size_t n = 0;
        for (unsigned port = 0; port < m_ports; ++port) { n |= std::size_t{map[port]} << (port * m_digit); }
        return n;
    }
    std::vector<unsigned> map(std::size_t number) const
    {
        std::vector<unsigned> entries(m_ports);
        for (unsigned port = 0; port < m_ports; ++port) {
            entries[port] = static_cast<unsigned>(number >> (port * m_digit)) & (m_ports - 1);
        }
        return entries;
    }
    void insert(std::size_t number) { m_has[number] = 1; }
    bool has(std::size_t number) const { return m_has[number] != 0; }
    std::size_t possible() const { return m_has.size(); }
    template <class Predicate> std::uint64_t count(const Predicate& counted) const
    {
        std::uint64_t n = 0;
        for (std::size_t i = 0; i < m_has.size(); ++i) { n += m_has[i] != 0 && counted(map(i)) ? 1 : 0; }
        return n;
    }
    std::uint64_t count() const
    {
        return count([](const std::vector<unsigned>&) { return true; });
    }

private:
    unsigned m_digit;
    unsigned m_ports;
    std::vector<std::uint8_t> m_has;
};

/// The maps output -> bank of every setting of every multiplexer.
inline void each_setting(const blocks::butterfly& shape, unsigned level, const row_map& in, map_set& found)
{
    if (level == shape.levels) {
        found.insert(found.number(in));
        return;
    }
    for (std::uint64_t diagonal = 0; diagonal <= shape.all_ports(); ++diagonal) {
        each_setting(shape, level + 1, after_multiplexers(shape, in, diagonal, shape.bit(level)), found);
    }
}

inline map_set all_distributions(const blocks::butterfly& shape, const row_map& in = straight_rows())
{
    map_set found(shape);
    each_setting(shape, 0, in, found);
    return found;
}

/// The settings of a level of adder switches: every mode of every switch.
inline std::vector<std::uint64_t> all_modes(const blocks::butterfly& shape, unsigned q)
{
    std::vector<std::uint64_t> settings{0};
    for (unsigned left = 0; left < shape.ports(); ++left) {
        if ((left >> q & 1) != 0) { continue; }
        std::vector<std::uint64_t> more;
        for (const std::uint64_t setting : settings) {
            for (unsigned mode = 0; mode < 4; ++mode) {
                blocks::butterfly_controls controls;
                controls.diagonal[q] = setting;
                blocks::set_mode(controls, q, left, static_cast<blocks::adder_mode>(mode));
                more.push_back(controls.diagonal[q]);
            }
        }
        settings = more;
    }
    return settings;
}

/// The maps input -> output of every mode of every adder switch. lost: configurations in which an input is in no sum or
/// in several.
struct all_reductions {
    explicit all_reductions(const blocks::butterfly& all) : shape(all), found(all)
    {
        for (unsigned q = 0; q < shape.levels; ++q) { modes.push_back(all_modes(shape, q)); }
        sum_map in{};
        for (unsigned port = 0; port < shape.ports(); ++port) { in[port] = std::uint64_t{1} << port; }
        each_mode(0, in);
    }
    void each_mode(unsigned level, const sum_map& in)
    {
        if (level == shape.levels) { return insert(in); }
        for (const std::uint64_t diagonal : modes[shape.bit(level)]) {
            each_mode(level + 1, after_adders(shape, in, diagonal, shape.bit(level), blocks::idle_output::invalid));
        }
    }
    void insert(const sum_map& sums)
    {
        ++settings;
        std::array<std::uint8_t, 64> output_of{};
        std::uint64_t seen = 0;
        std::uint64_t times = 0;
        for (unsigned port = 0; port < shape.ports(); ++port) {
            for (std::uint64_t rest = sums[port]; rest != 0; rest &= rest - 1, ++times) {
                output_of[static_cast<unsigned>(__builtin_ctzll(rest))] = static_cast<std::uint8_t>(port);
            }
            seen |= sums[port];
        }
        lost += seen != shape.all_ports() || times != shape.ports() ? 1 : 0;
        found.insert(found.number(output_of));
    }

    blocks::butterfly shape;
    std::vector<std::vector<std::uint64_t>> modes; // by q
    map_set found;
    std::uint64_t settings = 0;
    std::uint64_t lost = 0;
};

} // namespace tensorloom::test
