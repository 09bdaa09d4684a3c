// Counts of CONTRACT in closed form against rows counted one by one.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include "naive_accesses.h"
#include "random_contraction.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::contract_command;
using fetta::counts;
using fetta::device_limits;
using fetta::event;

/// The same command with all of the contracted indices that its slots have: then every port that takes part has an
/// element.
contract_command with_all_slots(contract_command c, const device_limits& g)
{
    const std::uint32_t slots = (1u << __builtin_popcount(c.mask_contracted)) * (c.mapping >= 4 ? 1 : g.side);
    while (c.contracted % slots != 0) { ++c.contracted; }
    return c;
}

counts counted(const contract_command& c, const device_limits& g)
{
    const bool os = c.mapping >= 4;
    counts n;
    std::set<std::tuple<int, std::uint64_t, std::uint64_t, unsigned>> read; // role, tile, line, bank
    std::set<std::array<std::uint64_t, 3>> written;                         // first index
    std::map<std::uint64_t, std::set<std::uint64_t>> steps;                 // by tile
    naive_accesses(c, g).visit([&](const naive_row& row) {
        if (row.role == 0) { steps[row.tile].insert(row.line); }
        if (row.role != 2) {
            read.emplace(row.role, row.tile, row.line, row.bank);
            return;
        }
        written.insert(row.elements.front().index);
        n[event::reduction_element] += g.side;
        if ((row.engine & c.mask_contracted) == 0) { n[event::accumulator_psum] += g.side; }
    });
    naive_accesses(with_all_slots(c, g), g).visit([&](const naive_row& row) {
        if (row.role == 0) { n[event::ia_element] += g.side; }
        if (row.role == 1) { n[event::ib_element] += g.side; }
    });
    const std::uint64_t of_operand = g.operand == element_type::f32 ? 2 : 1;
    for (const auto& access : read) {
        n[std::get<0>(access) == 0 ? event::ia_row_read : event::ib_row_read] += of_operand;
    }
    if ((c.flags & contract_command::flag_keep) == 0) {
        n[event::result_row_write] = written.size() * ((c.flags & contract_command::flag_store_bf16) != 0 ? 1 : 2);
    }

    n[event::contract] = 1;
    n[event::tile] = steps.size();
    for (const auto& [tile, of_tile] : steps) {
        n[event::compute_cycle] += of_tile.size();
        if (tile + 1 < steps.size()) {
            n[os ? event::psum_cycle : event::reload_cycle] +=
                std::max<std::uint64_t>(of_tile.size(), g.side) - of_tile.size();
        }
    }
    const std::uint64_t levels = g.engines == 64 ? 6 : g.engines == 16 ? 4 : 2;
    n[event::fill_cycle] = (os ? 0 : g.side) + g.side - 1 + levels + 1;
    if (os) { n[event::psum_cycle] += g.side; }
    for (std::uint32_t b = 0; b < c.batch; ++b) {
        for (std::uint32_t k = 0; k < c.contracted; ++k) { n[event::mac] += std::uint64_t{c.ia_free} * c.ib_free; }
    }
    n[event::padding_mac] = n[event::compute_cycle] * g.side * g.side * g.engines - n[event::mac];
    return n;
}

TEST(fetta_counts, are_those_of_rows_counted_one_by_one)
{
    random_contraction random(11);
    for (int i = 0; i < 150; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, i % 10 == 0 ? 150 : 25);
        if (i % 3 == 1) { c.flags |= contract_command::flag_keep; }
        if (i % 5 == 1) { c.flags |= contract_command::flag_accumulate; }
        if (random.coin()) { c.flags |= contract_command::flag_store_bf16; }
        if (i % 20 == 0) { // several pieces
            c.ia_free = random.from_to(500, 1500);
            c.contracted = c.ib_free = random.from_to(1, 6);
        }
        const counts expected = counted(c, g), found = fetta::contract_counts(c, g);
        for (std::size_t e = 0; e < fetta::event_count; ++e) {
            ASSERT_EQ(found.data()[e], expected.data()[e])
                << fetta::event_definitions[e].name << " of case " << i << ", mapping " << c.mapping;
        }
    }
}

/// By bank: 16-bit rows that a command reads and writes.
std::vector<std::uint64_t> rows_by_bank(const contract_command& c, const device_limits& g)
{
    const std::uint64_t slots = (std::uint64_t{1} << __builtin_popcount(c.mask_contracted)) * g.side;
    const std::uint64_t contracted_tiles = c.mapping >= 4 ? 1 : (c.contracted + slots - 1) / slots;
    std::set<std::tuple<int, std::uint64_t, std::uint64_t, unsigned, std::int64_t>> rows; // role, tile, line, bank, row
    naive_accesses(c, g).visit([&](const naive_row& row) {
        if (row.role == 2 && (c.flags & contract_command::flag_keep) != 0) { return; }
        if (row.role == 2 && (row.tile + 1) % contracted_tiles != 0) { return; } // sums leave with the last
        if (!is_linear(c, fetta::operand_roles[row.role])) {
            rows.emplace(row.role, row.tile, row.line, row.bank, row.row);
            return;
        }
        for (const auto& element : row.elements) {
            const std::int64_t number = element.linear / g.side;
            rows.emplace(row.role, row.tile, row.line, number % g.engines, number / g.engines);
        }
    });
    std::vector<std::uint64_t> found(g.engines);
    for (const auto& [role, tile, line, bank, row] : rows) {
        const bool short_row =
            role == 2 ? (c.flags & contract_command::flag_store_bf16) != 0 : g.operand == element_type::bf16;
        found[bank] += short_row ? 1 : 2;
    }
    return found;
}

TEST(fetta_counts, rows_of_each_bank_are_those_counted_one_by_one)
{
    random_contraction random(12);
    int with_conflicts = 0;
    for (int i = 0; i < 60; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, 25);
        if (i % 3 == 1) { c.flags |= contract_command::flag_keep; }
        if (random.coin()) { c.flags |= contract_command::flag_store_bf16; }
        if (i % 30 == 0) { // several pieces
            c.ia_free = random.from_to(500, 1500);
            c.contracted = c.ib_free = random.from_to(1, 6);
        }
        random.places(c, g, 1u << 20, 1u << 20);
        const auto found = fetta::banks_of(c, g);
        const auto expected = rows_by_bank(c, g);
        std::uint64_t conflicts = 0;
        for (unsigned b = 0; b < g.engines; ++b) {
            ASSERT_EQ(found.banks()[b].accesses, expected[b]) << "bank " << b << " of case " << i;
            ASSERT_TRUE(found.banks()[b].accesses > 0 || found.banks()[b].conflict_cycles == 0);
            conflicts += found.banks()[b].conflict_cycles;
        }
        ASSERT_EQ(conflicts, fetta::linear_accesses(c, g).all().conflict_cycles) << "case " << i;
        with_conflicts += conflicts != 0 ? 1 : 0;
    }
    EXPECT_GT(with_conflicts, 15);
}

/// Elements that pass a gather or scatter buffer: of a beat, each index once, however many engines share it.
std::uint64_t buffered_words(const contract_command& c, const device_limits& g)
{
    const std::uint64_t slots = (std::uint64_t{1} << __builtin_popcount(c.mask_contracted)) * g.side;
    const std::uint64_t contracted_tiles = c.mapping >= 4 ? 1 : (c.contracted + slots - 1) / slots;
    std::set<std::tuple<int, std::uint64_t, std::uint64_t, std::array<std::uint64_t, 3>>> elements;
    naive_accesses(c, g).visit([&](const naive_row& row) {
        if (!is_linear(c, fetta::operand_roles[row.role])) { return; }
        const bool leaves = (c.flags & contract_command::flag_keep) == 0 && (row.tile + 1) % contracted_tiles == 0;
        if (row.role == 2 && !leaves) { return; }
        for (const auto& element : row.elements) { elements.emplace(row.role, row.tile, row.line, element.index); }
    });
    std::uint64_t words = 0;
    for (const auto& element : elements) {
        const bool wide = std::get<0>(element) == 2 ? (c.flags & contract_command::flag_store_bf16) == 0
                                                    : g.operand == element_type::f32;
        words += wide ? 2 : 1;
    }
    return words;
}

TEST(fetta_counts, words_of_buffers_are_those_of_linear_operands_counted_one_by_one)
{
    random_contraction random(13);
    std::uint64_t words = 0;
    for (int i = 0; i < 60; ++i) {
        const device_limits g = random.device();
        contract_command c = random.sizes(g, 25);
        if (i % 3 == 1) { c.flags |= contract_command::flag_keep; }
        if (random.coin()) { c.flags |= contract_command::flag_store_bf16; }
        if (i % 30 == 0) { // several pieces
            c.ia_free = random.from_to(500, 1500);
            c.contracted = c.ib_free = random.from_to(1, 6);
        }
        random.places(c, g, 1u << 20, 1u << 20);
        auto found = fetta::contract_counts(c, g);
        ASSERT_EQ(found[event::buffer_word], buffered_words(c, g)) << "case " << i << ", mapping " << c.mapping;
        fetta::count_linear(fetta::linear_accesses(c, g).all(), c, g, found);
        std::uint64_t rows = 0;
        if (is_linear(c, fetta::operand_role::ia)) { rows += found[event::ia_row_read]; }
        if (is_linear(c, fetta::operand_role::ib)) { rows += found[event::ib_row_read]; }
        if (is_linear(c, fetta::operand_role::result)) { rows += found[event::result_row_write]; }
        ASSERT_EQ(found[event::buffer_row], rows) << "case " << i;
        words += found[event::buffer_word];
    }
    EXPECT_GT(words, 10000u);
}

TEST(fetta_counts, buffers_take_their_cycles_where_they_are_passed)
{
    random_contraction random(14);
    device_limits g = random.device();
    contract_command c = random.sizes(g, 25);
    const auto fill = [&](std::uint16_t flags, std::uint32_t cycles) {
        c.flags = flags;
        g.buffer_cycles = cycles;
        EXPECT_EQ(fetta::contract_counts(c, g)[event::fill_cycle], fetta::ideal_cycles(c, g).fill);
        return fetta::ideal_cycles(c, g).fill;
    };
    const std::uint64_t banked = fill(0, 3);
    EXPECT_EQ(banked, fill(contract_command::flag_linear_ia | contract_command::flag_linear_result, 0));
    EXPECT_EQ(fill(contract_command::flag_linear_ia, 3), banked + 3);
    EXPECT_EQ(fill(contract_command::flag_linear_ia | contract_command::flag_linear_ib, 3), banked + 3);
    EXPECT_EQ(fill(contract_command::flag_linear_result, 3), banked + 3);
    EXPECT_EQ(fill(contract_command::flag_linear_ib | contract_command::flag_linear_result, 3), banked + 6);
    EXPECT_EQ(fill(contract_command::flag_linear_ib | contract_command::flag_keep, 3), banked + 3);
}

} // namespace
} // namespace tensorloom::test
