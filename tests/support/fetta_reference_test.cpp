#include "support/fetta_reference.h"
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>
#include "support/fetta_reference_sums.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::contract_command;
using fetta::device_limits;
using fetta::event;
using fetta::mapping;
using isa::error_code;

// Float32 throughout, so that integers are exact. Memory on the bus: X at the beginning, W 64 KiB behind, Y 128 KiB
// behind; the unified memory likewise by elements of float32.
class fetta_reference_test : public ::testing::Test {
protected:
    static device_limits sizes()
    {
        device_limits g;
        g.operand = element_type::f32;
        return g;
    }
    static constexpr std::uint32_t w_element = 1u << 14, y_element = 1u << 15;

    static void add_mode(fetta::contract_operand& o, unsigned group, std::uint32_t size, std::int32_t stride)
    {
        const unsigned at = o.modes[0] + o.modes[1] + o.modes[2];
        o.modes[group] += 1;
        o.mode[at] = {size, stride};
    }

    // Y[g,m,n] = sum over k of X[g,m,k] W[g,k,n], all in C order.
    static contract_command batched_product(mapping how, std::uint32_t g, std::uint32_t m, std::uint32_t k,
                                            std::uint32_t n)
    {
        contract_command c;
        c.mapping = static_cast<std::uint32_t>(how);
        c.flags =
            contract_command::flag_linear_ia | contract_command::flag_linear_ib | contract_command::flag_linear_result;
        const bool x_in_ib = has_x_in_ib(how);
        c.batch = g;
        c.contracted = k;
        c.ia_free = x_in_ib ? n : m;
        c.ib_free = x_in_ib ? m : n;
        auto& x = x_in_ib ? c.ib : c.ia;
        auto& w = x_in_ib ? c.ia : c.ib;
        const auto stride = [](std::uint32_t s) { return static_cast<std::int32_t>(s); };
        add_mode(x, 0, g, stride(m * k)), add_mode(x, 1, k, 1), add_mode(x, 2, m, stride(k));
        add_mode(w, 0, g, stride(k * n)), add_mode(w, 1, k, stride(n)), add_mode(w, 2, n, 1);
        w.base = w_element;
        c.result.base = y_element;
        add_mode(c.result, 0, g, stride(m * n));
        if (x_in_ib) {
            add_mode(c.result, 1, n, 1), add_mode(c.result, 2, m, stride(n));
        } else {
            add_mode(c.result, 1, m, stride(n)), add_mode(c.result, 2, n, 1);
        }
        return c;
    }

    void add(isa::program_builder& program, isa::opcode code, std::uint32_t element, std::uint32_t elements)
    {
        isa::transfer_command t;
        t.tensor =
            isa::dense_descriptor(machine.data_base() + 4 * std::uint64_t{element}, element_type::f32, {elements});
        t.local = machine.limits().memory_bytes() + 4 * std::uint64_t{element};
        program.add(code, 0, 0, t.encode());
    }
    static void add(isa::program_builder& program, const contract_command& c)
    {
        program.add(static_cast<isa::opcode>(fetta::opcode::contract), c.flags, 0, c.encode());
    }
    void put(std::uint32_t element, const std::vector<float>& values)
    {
        machine.write(machine.data_base() + 4 * std::uint64_t{element}, values.data(), 4 * values.size());
    }
    std::vector<float> taken(std::uint32_t element, std::size_t size)
    {
        std::vector<float> values(size);
        machine.read(machine.data_base() + 4 * std::uint64_t{element}, values.data(), 4 * size);
        return values;
    }
    static std::vector<float> integers(std::size_t size, int first)
    {
        std::vector<float> v(size);
        for (std::size_t i = 0; i < size; ++i) {
            v[i] = static_cast<float>((static_cast<int>(i) * 7 + first) % 19 - 9);
        }
        return v;
    }
    static std::vector<float> product(const std::vector<float>& x, const std::vector<float>& w, unsigned g, unsigned m,
                                      unsigned k, unsigned n)
    {
        std::vector<float> y(std::size_t{g} * m * n);
        for (unsigned b = 0; b < g; ++b) {
            for (unsigned r = 0; r < m; ++r) {
                for (unsigned c = 0; c < n; ++c) {
                    for (unsigned i = 0; i < k; ++i) {
                        y[(b * m + r) * n + c] += x[(b * m + r) * k + i] * w[(b * k + i) * n + c];
                    }
                }
            }
        }
        return y;
    }

    fetta_reference machine{sizes()};
};

TEST_F(fetta_reference_test, products_of_integers_by_every_mapping_and_many_splits)
{
    const unsigned g = 3, m = 9, k = 21, n = 14;
    const auto x = integers(g * m * k, 3), w = integers(g * k * n, 5);
    put(0, x), put(w_element, w);
    const std::uint32_t splits[][4] = {{0, 15, 0, 0}, {0, 0, 15, 0}, {0, 0, 0, 15}, {15, 0, 0, 0},
                                       {1, 2, 4, 8},  {8, 1, 2, 4},  {0, 6, 9, 0},  {4, 3, 0, 8}};
    for (unsigned how = 0; how < fetta::mapping_count; ++how) {
        for (const auto& split : splits) {
            auto c = batched_product(static_cast<mapping>(how), g, m, k, n);
            c.mask_batch = split[0], c.mask_contracted = split[1], c.mask_ia = split[2], c.mask_ib = split[3];
            isa::program_builder program;
            add(program, isa::opcode::load, 0, g * m * k);
            add(program, isa::opcode::load, w_element, g * k * n);
            add(program, c);
            add(program, isa::opcode::store, y_element, g * m * n);
            put(y_element, std::vector<float>(g * m * n, -1));
            const auto run = machine.run(program.bytes());
            EXPECT_EQ(taken(y_element, g * m * n), product(x, w, g, m, k, n)) << "mapping " << how;
            EXPECT_EQ(run.counts[event::mac], g * m * k * n);
        }
    }
}

// Rows of X along K lie in bank 2, one per step; those of W along N in bank 5, from row 100 on; Y goes to bank 7, with
// the transpose layer to bank 13 (0111 becomes 1101).
TEST_F(fetta_reference_test, banked_rows_lie_where_bank_and_strides_say)
{
    const auto x = integers(12, 3), w = integers(16, 5); // 3 x 4, 4 x 4
    for (unsigned t = 0; t < 3; ++t) {
        for (unsigned i = 0; i < 4; ++i) { machine.unified_memory().put(element_type::f32, 2, t, i, x[4 * t + i]); }
    }
    for (unsigned r = 0; r < 4; ++r) {
        for (unsigned n = 0; n < 4; ++n) {
            machine.unified_memory().put(element_type::f32, 5, 100 + r, n, w[4 * r + n]);
        }
    }
    contract_command c;
    c.contracted = 4, c.ia_free = 3, c.ib_free = 4;
    c.mask_batch = 15;
    c.ia.bank = 2, c.ia.stride = {0, 0, 1, 0};
    c.ib.base = 100, c.ib.bank = 5, c.ib.stride = {0, 0, 0, 1};
    c.result.base = 200, c.result.bank = 7, c.result.stride = {0, 1, 0, 0};
    for (const bool transposed : {false, true}) {
        c.flags = transposed ? contract_command::flag_transpose_result : std::uint16_t{0};
        isa::program_builder program;
        add(program, c);
        const auto run = machine.run(program.bytes());
        EXPECT_EQ(run.cycles, 4u + 3 + 3 + 4 + 1); // load, steps, rows of the engine, networks
        const auto y = product(x, w, 1, 3, 4, 4);
        for (unsigned t = 0; t < 3; ++t) {
            for (unsigned n = 0; n < 4; ++n) {
                EXPECT_EQ(machine.unified_memory().get(element_type::f32, transposed ? 13 : 7, 200 + t, n),
                          y[4 * t + n]);
            }
        }
        EXPECT_EQ(run.counts[event::ia_row_read], 6u);
        EXPECT_EQ(run.counts[event::ib_row_read], 8u);
        EXPECT_EQ(run.counts[event::result_row_write], 6u);
        EXPECT_EQ(run.counts[event::padding_mac], 3u * 16 * 16 - 48);
        EXPECT_EQ(run.counts[event::accumulator_psum], 12u);
    }
}

TEST_F(fetta_reference_test, both_windows_show_the_same_bytes)
{
    const auto& g = machine.limits();
    auto& memory = machine.unified_memory();
    memory.put(element_type::f32, 3, 5, 2, 1.5f); // rows 10 and 11 of 16-bit elements; element 2 is in the second
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const std::int64_t place = memory.byte((11 * 16 + 3) * 8 + i);
        EXPECT_EQ(memory.byte(g.memory_bytes() + (5 * 16 + 3) * 16 + 8 + i), place);
        bits |= static_cast<std::uint32_t>(memory.words().get<std::uint8_t>(place)) << 8 * i;
    }
    EXPECT_EQ(bits, 0x3fc00000u);
}

TEST_F(fetta_reference_test, rows_in_one_bank_take_turns)
{
    // Steps are 64 elements apart: 16 rows. The rows of a step's 16 engines, all of one batch each, are 1024 elements
    // apart: one bank.
    contract_command c;
    c.flags = contract_command::flag_linear_ia;
    c.batch = 16, c.contracted = 4, c.ia_free = 2, c.ib_free = 4;
    c.mask_batch = 15;
    add_mode(c.ia, 0, 16, 1024), add_mode(c.ia, 1, 4, 1), add_mode(c.ia, 2, 2, 64);
    c.ib.base = 1000, c.ib.stride = {0, 0, 0, 1};
    c.result.base = 1200, c.result.stride = {0, 1, 0, 0};
    isa::program_builder program;
    add(program, c);
    const auto run = machine.run(program.bytes());
    EXPECT_EQ(run.counts[event::conflict_cycle], 2u * 15);
    EXPECT_EQ(run.cycles, 4u + 2 + 3 + 4 + 1 + 30);
}

TEST_F(fetta_reference_test, kept_sums_go_on)
{
    const unsigned m = 6, k = 8, n = 4;
    const auto x = integers(m * k, 3), w = integers(k * n, 5);
    put(0, x), put(w_element, w);
    for (const auto how : {mapping::ws_v, mapping::os_2}) {
        isa::program_builder program;
        add(program, isa::opcode::load, 0, m * k);
        add(program, isa::opcode::load, w_element, k * n);
        for (unsigned half = 0; half < 2; ++half) {
            auto c = batched_product(how, 1, m, k, n);
            c.mask_ia = 15;
            c.contracted = k / 2;
            (has_x_in_ib(how) ? c.ib : c.ia).base += half * k / 2;
            (has_x_in_ib(how) ? c.ia : c.ib).base += half * k / 2 * n;
            c.ia.mode[1].size = c.ib.mode[1].size = k / 2;
            c.accumulator_row = 2;
            c.flags |= half == 0 ? contract_command::flag_keep : contract_command::flag_accumulate;
            if (half == 0) { c.result = {}; }
            add(program, c);
        }
        add(program, isa::opcode::store, y_element, m * n);
        machine.run(program.bytes());
        EXPECT_EQ(taken(y_element, m * n), product(x, w, 1, m, k, n));
    }
}

TEST(fetta_reference_sums_test, bfloat16_is_rounded_once)
{
    const reference_sums sums{true};
    const float above = 1 + std::ldexp(1.0f, -4), tiny = std::ldexp(1.0f, -40);
    EXPECT_EQ(sums.fused(tiny, above, above), 1 + std::ldexp(17.0f, -7)); // through float it would be the even 16
    EXPECT_EQ(sums.fused(0, above, above), 1 + std::ldexp(16.0f, -7));
    EXPECT_EQ(sums.sum(256, 1), 256.0f);
    EXPECT_EQ(sums.sum(std::ldexp(1.0f, -133), std::ldexp(1.0f, -133)), std::ldexp(1.0f, -132));
}

} // namespace
} // namespace tensorloom::test
