// The unified memory through all of its ports against banks of bytes.
#include <gtest/gtest.h>
#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/unified_memory.h>
#include "models/fetta/naive_memory.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using fetta::device_limits;

class unified_memory_test : public sim_test_with_param<device_limits> {};

INSTANTIATE_TEST_SUITE_P(sizes, unified_memory_test, testing::ValuesIn(small_geometries()),
                         testing::PrintToStringParamName());

/// A unified memory with random bytes, and its copy.
struct filled_memory {
    filled_memory(const char* name, const device_limits& g) : sizes(g), memory(name, g), copy(g)
    {
        for (std::uint64_t a = 0; a < g.memory_bytes(); ++a) {
            const auto byte = static_cast<unsigned char>(random());
            memory.transfers().write(a, &byte, 1);
            copy.at(a) = byte;
        }
    }
    std::uint64_t below(std::uint64_t n) { return random() % n; }

    void expect_same()
    {
        std::vector<unsigned char> bytes(sizes.memory_bytes());
        for (const std::uint64_t first : {std::uint64_t{0}, sizes.memory_bytes()}) {
            memory.transfers().read(first, bytes.data(), bytes.size());
            for (std::uint64_t a = 0; a < bytes.size(); ++a) {
                ASSERT_EQ(bytes[a], copy.at(first + a)) << "address " << first + a;
            }
        }
    }

    device_limits sizes;
    fetta::unified_memory memory;
    naive_memory copy;
    std::mt19937_64 random{1};
};

TEST_P(unified_memory_test, starts_with_zeros)
{
    fetta::unified_memory memory("memory", GetParam());
    std::vector<unsigned char> bytes(GetParam().memory_bytes(), 1);
    memory.transfers().read(0, bytes.data(), bytes.size());
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), static_cast<std::ptrdiff_t>(bytes.size()));
}

TEST_P(unified_memory_test, windows_show_the_same_bytes)
{
    filled_memory m("m", GetParam());
    m.expect_same();
    const std::uint64_t window = GetParam().memory_bytes();
    for (unsigned n = 0; n < 2000; ++n) {
        const std::uint64_t bytes = 1 + m.below(n % 100 == 0 ? 3000 : 100);
        const std::uint64_t address = m.below(2) * window + m.below(window - bytes + 1);
        std::vector<unsigned char> now(bytes);
        if (m.below(2) == 0) {
            std::generate(now.begin(), now.end(), [&] { return static_cast<unsigned char>(m.random()); });
            m.memory.transfers().write(address, now.data(), bytes);
            for (std::uint64_t i = 0; i < bytes; ++i) { m.copy.at(address + i) = now[i]; }
        } else {
            m.memory.transfers().read(address, now.data(), bytes);
            for (std::uint64_t i = 0; i < bytes; ++i) { ASSERT_EQ(now[i], m.copy.at(address + i)); }
        }
    }
    m.expect_same();
}

TEST_P(unified_memory_test, rows_are_read_and_written_where_their_bank_has_them)
{
    const device_limits& g = GetParam();
    filled_memory m("m", g);
    for (unsigned n = 0; n < 4000; ++n) {
        const element_type type = m.below(2) == 0 ? element_type::bf16 : element_type::f32;
        const std::uint64_t row = m.below(g.bank_rows(type));
        const auto bank = static_cast<unsigned>(m.below(g.engines));
        std::vector<float> values(g.side);
        if (m.below(2) == 0) {
            std::uniform_real_distribution<float> value(-100, 100);
            std::generate(values.begin(), values.end(), [&] { return value(m.random); });
            const auto lanes = static_cast<std::uint32_t>(m.random()) & ((1u << g.side) - 1);
            m.memory.result->write_row(type, row, bank, values.data(), lanes);
            for (unsigned lane = 0; lane < g.side; ++lane) {
                if ((lanes >> lane & 1u) != 0) { m.copy.set(type, row, bank, lane, values[lane]); }
            }
        } else {
            (m.below(2) == 0 ? m.memory.ia : m.memory.ib)->read_row(type, row, bank, values.data());
            for (unsigned lane = 0; lane < g.side; ++lane) {
                const float expected = m.copy.element(type, row, bank, lane);
                ASSERT_EQ(std::memcmp(&values[lane], &expected, sizeof expected), 0);
            }
        }
    }
    m.expect_same();
}

TEST_P(unified_memory_test, rows_of_16_bits_are_halves_of_a_float32_row)
{
    const device_limits& g = GetParam();
    fetta::unified_memory memory("memory", g);
    std::vector<float> values(g.side, 1.0f); // 0x3f800000: its upper half is 1 in bfloat16, its lower half 0
    memory.result->write_row(element_type::f32, 3, 1, values.data(), ~0u);
    for (const std::uint64_t row : {6u, 7u}) {
        memory.ia->read_row(element_type::bf16, row, 1, values.data());
        for (unsigned lane = 0; lane < g.side; ++lane) { EXPECT_EQ(values[lane], lane % 2 == 0 ? 0.0f : 1.0f); }
    }
}

TEST_P(unified_memory_test, results_are_rounded_once_to_nearest_even)
{
    fetta::unified_memory memory("memory", GetParam());
    std::vector<float> row(GetParam().side);
    const auto stored = [&](float x) {
        std::fill(row.begin(), row.end(), x);
        memory.result->write_row(element_type::bf16, 5, 2, row.data(), ~0u);
        memory.ib->read_row(element_type::bf16, 5, 2, row.data());
        return row.back();
    };
    EXPECT_EQ(stored(1.0f + 1.0f / 256), 1.0f) << "tie to even";
    EXPECT_EQ(stored(1.0f + 3.0f / 256), 1.0f + 4.0f / 256);
    EXPECT_EQ(stored(1.0f + 1.0f / 256 + 1.0f / 65536), 1.0f + 2.0f / 256);
    EXPECT_EQ(stored(std::numeric_limits<float>::infinity()), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(stored(std::numeric_limits<float>::quiet_NaN())));
}

TEST_P(unified_memory_test, whole_operands_are_found_in_the_storage)
{
    const device_limits& g = GetParam();
    filled_memory m("m", g);
    const unsigned char* const bytes = m.memory.ia->bytes();
    const auto& layout = m.memory.ia->layout();
    for (const auto type : {element_type::bf16, element_type::f32}) {
        const std::uint64_t row_bytes = g.row_bytes(type);
        for (std::uint64_t row = 0; row < g.bank_rows(type); row += 3) {
            for (std::uint64_t bank = 0; bank < g.engines; ++bank) {
                const unsigned char* const found = bytes + layout.row(type, row, bank);
                const std::uint64_t address = fetta::row_address(g, type, row, bank);
                for (std::uint64_t b = 0; b < row_bytes; ++b) { ASSERT_EQ(found[b], m.copy.at(address + b)); }
            }
        }
        for (std::uint64_t e = 0; e < g.elements(type); e += 5) {
            const std::uint64_t at = layout.element(type, e);
            ASSERT_EQ(at, layout.row(type, layout.row_of(e), layout.bank_of(e)) +
                              layout.lane_of(e) * base::element_bytes(type));
            float found = 0;
            std::memcpy(reinterpret_cast<unsigned char*>(&found) + (type == element_type::bf16 ? 2 : 0), bytes + at,
                        base::element_bytes(type));
            const float expected = m.copy.linear(type, e);
            ASSERT_EQ(std::memcmp(&found, &expected, sizeof found), 0) << e;
        }
    }
}

TEST_P(unified_memory_test, vector_unit_has_the_float32_window_in_a_bank_per_lane)
{
    const device_limits& g = GetParam();
    filled_memory m("m", g);
    auto& words = *m.memory.words.operator->();
    ASSERT_EQ(words.size(), g.memory_bytes());
    EXPECT_EQ(words.banks().word_bytes(), 4u);
    EXPECT_EQ(words.banks().banks(), g.engines * g.side);
    for (std::uint64_t a = 0; a < words.size(); ++a) {
        ASSERT_EQ(*words.at(a), m.copy.at(g.memory_bytes() + a)) << "byte " << a;
    }
}

// Whoever watches learns of every writer, exactly.
TEST_P(unified_memory_test, tells_watches_of_writes_through_every_port)
{
    const device_limits& g = GetParam();
    fetta::unified_memory memory("memory", g);
    auto& words = *memory.words.operator->();
    memory::write_watch watch;
    words.attach(watch);
    const auto write = [&](std::uint64_t first, std::uint64_t bytes, const auto& access) {
        watch.watch({first, 1, bytes, 0});
        access();
        return watch.written();
    };
    const std::vector<float> row(g.side, 1);
    const std::uint64_t row_3 = (std::uint64_t{3} * g.engines + 1) * 4 * g.side; // float32 row 3 of bank 1
    const auto wide_row = [&] { memory.result->write_row(element_type::f32, 3, 1, row.data(), 2); };
    EXPECT_TRUE(write(row_3 + 7, 1, wide_row));
    EXPECT_FALSE(write(row_3, 4, wide_row)) << "lane 0 is not written";
    const auto narrow_row = [&] { memory.result->write_row(element_type::bf16, 7, 1, row.data(), 1); };
    EXPECT_TRUE(write(row_3 + 2 * g.side, 1, narrow_row));
    EXPECT_FALSE(write(row_3, 2 * g.side, narrow_row)) << "row 6";
    const unsigned char byte = 1;
    const auto load = [&] { memory.transfers().write(2 * g.side, &byte, 1); }; // row 0 of bank 1
    EXPECT_TRUE(write(4 * g.side, 1, load));
    EXPECT_FALSE(write(2 * g.side, 1, load));
    EXPECT_TRUE(write(640, 64, [&] { memory.result->note_written({512, 641}); }));
    EXPECT_FALSE(write(640, 64, [&] { memory.result->note_written({512, 640}); }));
    EXPECT_FALSE(write(640, 64, [&] { memory.result->note_written({641, 641}); })) << "nothing";
}

TEST_P(unified_memory_test, several_have_contents_of_their_own)
{
    const device_limits& g = GetParam();
    fetta::unified_memory a("a", g), b("b", g);
    std::vector<float> row(g.side, 2);
    a.result->write_row(element_type::f32, 0, 0, row.data(), ~0u);
    b.ia->read_row(element_type::f32, 0, 0, row.data());
    EXPECT_EQ(row, std::vector<float>(g.side, 0));
}

// ---- what LOAD and STORE need besides ----

TEST_P(unified_memory_test, transfers_touch_rows_and_take_a_cycle_for_each_of_a_bank)
{
    const device_limits& g = GetParam();
    filled_memory m("m", g);
    const std::uint64_t window = g.memory_bytes();
    const auto& windows = m.memory.transfers();
    EXPECT_EQ(windows.bytes(), 2 * window);
    EXPECT_EQ(windows.window_bytes(), window);
    for (unsigned n = 0; n < 300; ++n) {
        const bool wide = m.below(2) != 0;
        const std::uint64_t bytes = 1 + m.below(1000);
        const std::uint64_t address = (wide ? window : 0) + m.below(window - bytes + 1);
        std::set<std::pair<std::uint64_t, std::uint64_t>> narrow_rows; // bank, row of 16 bits
        std::vector<std::set<std::uint64_t>> rows_of_bank(g.engines);  // of the window's kind
        std::set<std::uint64_t> places;                                // in the storage
        for (std::uint64_t a = address; a < address + bytes; ++a) {
            const auto [bank, byte] = m.copy.place(a);
            narrow_rows.insert({bank, byte / (2 * g.side)});
            rows_of_bank[bank].insert(byte / ((wide ? 4 : 2) * g.side));
            places.insert(byte / (4 * g.side) * (4 * g.side) * g.engines + bank * 4 * g.side + byte % (4 * g.side));
        }
        std::size_t most = 0;
        for (const auto& rows : rows_of_bank) { most = std::max(most, rows.size()); }
        EXPECT_EQ(windows.accesses({address, bytes}), narrow_rows.size());
        EXPECT_EQ(windows.port_cycles(address, bytes), most);
        const auto place = windows.place({address, bytes});
        const std::uint64_t slack = wide ? 0 : 4 * g.side * g.engines;
        EXPECT_LE(place.first, *places.begin());
        EXPECT_GE(place.first + place.bytes, *places.rbegin() + 1);
        EXPECT_LE(place.bytes, *places.rbegin() + 1 - *places.begin() + 2 * slack);
        EXPECT_LE(place.first + place.bytes, window);
    }
    EXPECT_EQ(windows.accesses({7, 0}), 0u);
}

} // namespace
