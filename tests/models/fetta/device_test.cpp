// The device as a host sees it: registers, limits, units over one memory.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/register_map.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/fetta_program.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::event;
using fetta::mapping;

class fetta_device : public sim_test {
protected:
    std::vector<std::unique_ptr<fetta_bench>> benches;
};

TEST_F(fetta_device, registers_tell_its_name_its_events_and_its_sizes)
{
    fetta::config config;
    config.limits.engines = 4;
    config.limits.side = 8;
    config.limits.bank_bytes = 8192;
    config.limits.accumulator_bank_bytes = 2048;
    config.limits.psum = base::element_type::bf16;
    fetta_bench bench("bench", config, [&](fetta_bench& b) {
        auto driver = b.driver(); // throws unless ID and VERSION are right
        EXPECT_EQ(driver.limits().engines, 4u);
        EXPECT_EQ(driver.limits().side, 8u);
        EXPECT_EQ(driver.limits().bank_bytes, 8192u);
        EXPECT_EQ(driver.limits().accumulator_bank_bytes, 2048u);
        EXPECT_EQ(driver.limits().operand, base::element_type::bf16);
        EXPECT_EQ(driver.limits().psum, base::element_type::bf16);
        EXPECT_EQ(driver.read(isa::reg::caps) >> 8 & 0xff, fetta::event_count);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

TEST_F(fetta_device, bad_configuration_is_an_error)
{
    expected_report report("/tensorloom/fetta/config");
    fetta::config config;
    config.limits.engines = 8; // no square
    EXPECT_THROW(fetta::device<32>("engines", config), sc_core::sc_report);
    config = {};
    config.lanes = 0;
    EXPECT_THROW(fetta::device<32>("lanes", config), sc_core::sc_report);
    config = {};
    config.limits.operand = base::element_type::f32;
    config.limits.psum = base::element_type::bf16;
    EXPECT_THROW(fetta::device<32>("psum", config), sc_core::sc_report);
    EXPECT_EQ(report.count(), 3u);
}

// Y = X W by the engines, Y + Y by the vector unit, in float32; numbers are integers.
TEST_F(fetta_device, contraction_and_vector_unit_share_the_memory_in_order)
{
    const std::uint32_t m = 9, k = 10, n = 11;
    fetta::config config;
    config.limits.operand = base::element_type::f32;
    std::vector<float> operands(m * k + k * n), y(m * n);
    for (std::size_t i = 0; i < operands.size(); ++i) { operands[i] = static_cast<float>(i * 7 % 13) - 6; }
    for (std::uint32_t r = 0; r < m; ++r) {
        for (std::uint32_t c = 0; c < n; ++c) {
            for (std::uint32_t i = 0; i < k; ++i) {
                y[r * n + c] += 2 * operands[r * k + i] * operands[m * k + i * n + c];
            }
        }
    }
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        config.fidelity = fidelity;
        const auto name = fidelity == blocks::fidelity::fast ? "fast" : "detailed";
        benches.push_back(std::make_unique<fetta_bench>(name, config, [&, config](fetta_bench& b) {
            b.cpu().preload(fetta_bench::data_at, operands.data(), 4 * operands.size());
            fetta_program p(config.limits);
            p.load(fetta_bench::data_at, 0, m * k + k * n);
            p.contract(fetta_program::product(config.limits, 2048, 0, m * k, m, k, n));
            p.vector(isa::vector::opcode::add, 4096, 2048, 2048, m * n);
            p.store(4096, fetta_bench::data_at + 0x8000, m * n);
            const auto outcome = b.run(p.bytes());
            EXPECT_TRUE(outcome.result.done);
            std::vector<float> found(m * n);
            b.cpu().read_block(fetta_bench::data_at + 0x8000, found.data(), 4 * found.size());
            EXPECT_EQ(found, y);
            EXPECT_EQ(outcome.counts[event::vector_instruction], 1u);
            EXPECT_EQ(outcome.counts[event::vector_op], m * n);
            EXPECT_EQ(outcome.counts[event::vector_word_read], 2 * m * n);
            EXPECT_EQ(outcome.counts[event::vector_word_write], m * n);
            EXPECT_EQ(outcome.counts[event::load_row], (m * k + k * n + 1) / 2); // two words in a row of 8 bytes
            EXPECT_EQ(outcome.counts[event::store_row], (m * n + 1) / 2);
            EXPECT_EQ(outcome.cycles_of("vector"), (m * n + 63) / 64 + 2);
        }));
    }
    sc_core::sc_start();
    for (const auto& b : benches) { EXPECT_TRUE(b->finished()); }
}

// The gradient of an embedding: rows of a batch go to the rows of their tokens, one after the other.
TEST_F(fetta_device, rows_of_a_batch_are_added_to_those_of_their_tokens)
{
    constexpr std::uint32_t tokens = 150, vocabulary = 20, width = 24, rows_at = 1000, tokens_at = 6000;
    std::vector<float> token(tokens), rows(tokens * width), gradient(vocabulary * width);
    for (std::uint32_t i = 0; i < tokens; ++i) { token[i] = static_cast<float>(i * i % vocabulary); } // some never
    for (std::size_t i = 0; i < rows.size(); ++i) { rows[i] = 1 / static_cast<float>(i % 97 + 1); }
    for (std::uint32_t w = 0; w < tokens * width; ++w) {
        gradient[static_cast<std::uint32_t>(token[w / width]) * width + w % width] += rows[w];
    }
    std::uint64_t cycles[2] = {};
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        fetta::config config;
        config.fidelity = fidelity;
        const bool fast = fidelity == blocks::fidelity::fast;
        benches.push_back(std::make_unique<fetta_bench>(fast ? "fast" : "detailed", config, [&, fast](fetta_bench& b) {
            constexpr std::uint64_t data = fetta_bench::data_at;
            b.cpu().preload(data, token.data(), 4 * token.size());
            b.cpu().preload(data + 0x1000, rows.data(), 4 * rows.size());
            isa::vector::vector_command add_rows;
            add_rows.a.address = 4 * rows_at;
            add_rows.b.address = 4 * tokens_at;
            add_rows.length = tokens;
            add_rows.table = vocabulary;
            add_rows.block = width;
            fetta_program p(fetta::config{}.limits);
            p.load(data, tokens_at, tokens).load(data + 0x1000, rows_at, tokens * width);
            p.add(isa::vector::opcode::scatter_add, add_rows.encode()).store(0, data + 0x8000, vocabulary * width);
            const auto outcome = b.run(p.bytes());
            EXPECT_TRUE(outcome.result.done);
            std::vector<float> found(gradient.size());
            b.cpu().read_block(data + 0x8000, found.data(), 4 * found.size());
            EXPECT_EQ(found, gradient);
            EXPECT_EQ(outcome.counts[event::vector_op], tokens * width);
            EXPECT_EQ(outcome.counts[event::vector_word_read], 2 * tokens * width + tokens);
            EXPECT_EQ(outcome.counts[event::vector_word_write], tokens * width);
            EXPECT_EQ(outcome.cycles_of("vector"), (tokens * width + 63) / 64 + 4);
            EXPECT_GT(outcome.cycles_of("conflict"), 0u);
            cycles[fast] = outcome.result.cycles;
        }));
    }
    sc_core::sc_start();
    for (const auto& b : benches) { EXPECT_TRUE(b->finished()); }
    EXPECT_EQ(cycles[0], cycles[1]);
}

// One half of the memory is loaded while the engines work in the other.
TEST_F(fetta_device, ping_pong_hides_a_load)
{
    std::uint64_t cycles[2] = {}, overlapped[2] = {};
    const auto program = [&](bool overlap) {
        return [&cycles, &overlapped, overlap](fetta_bench& b) {
            const auto g = fetta::config{}.limits;
            auto c = fetta_program::banked(g, mapping::ws_v);
            c.ia_free = 400;
            c.ia.stride = {0, 400, 1, 0};
            c.ib.base = 1500;
            c.result.base = 800;
            fetta_program p(g);
            p.contract(c).load(fetta_bench::data_at, 128 * 1024 - 4096, 4096);
            const auto outcome = b.run(p.bytes());
            EXPECT_TRUE(outcome.result.done);
            cycles[overlap] = outcome.result.cycles;
            overlapped[overlap] = outcome.counts[event::overlapped_cycle];
        };
    };
    fetta::config config;
    fetta_bench with("with", config, program(true));
    config.overlap = false;
    fetta_bench without("without", config, program(false));
    sc_core::sc_start();
    ASSERT_TRUE(with.finished() && without.finished());
    EXPECT_LT(cycles[1] + 200, cycles[0]);
    EXPECT_EQ(cycles[1] + overlapped[1], cycles[0] + overlapped[0]);
}

// Columns that a command has no elements for keep sums of zeros, whatever commands before have left behind.
TEST_F(fetta_device, missing_columns_keep_zeros)
{
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        fetta::config config;
        config.limits.bank_bytes = 4096;
        config.limits.engines = 4;
        config.fidelity = fidelity;
        const auto g = config.limits;
        benches.push_back(std::make_unique<fetta_bench>(
            fidelity == blocks::fidelity::fast ? "fast" : "detailed", config, [g](fetta_bench& b) {
                const std::vector<std::uint16_t> ones(4096, 0x3f80);
                b.cpu().preload(fetta_bench::data_at, ones.data(), 8192);
                const auto whole = fetta_program::banked(g, mapping::ws_v);
                auto kept = whole, last = whole;
                kept.flags = fetta::contract_command::flag_keep;
                kept.result.base = 0;
                kept.ib_free = 2;
                last.flags = fetta::contract_command::flag_accumulate;
                fetta_program p(g);
                p.load(fetta_bench::data_at, 0, 2048).contract(whole).contract(kept).contract(last);
                p.store(1024, fetta_bench::data_at + 0x10000, 4); // row 64
                EXPECT_TRUE(b.run(p.bytes()).result.done);
                float row[4];
                std::memcpy(row, b.read(fetta_bench::data_at + 0x10000, 16).data(), 16);
                EXPECT_EQ(row[0], 24.0f);
                EXPECT_EQ(row[1], 24.0f);
                EXPECT_EQ(row[2], 12.0f);
                EXPECT_EQ(row[3], 12.0f);
            }));
    }
    sc_core::sc_start();
    for (const auto& b : benches) { EXPECT_TRUE(b->finished()); }
}

} // namespace
