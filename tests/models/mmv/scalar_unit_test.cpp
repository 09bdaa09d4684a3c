// Every instruction of the scalar unit in every format against the reference interpreter: results, errors, counts,
// time.
#include <gtest/gtest.h>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/scalar_unit.h>
#include "models/blocks/random_vector.h"
#include "models/blocks/vector_bench.h"
#include "support/mmv_reference_units.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using isa::error_code;
using isa::vector::strided_command;
using isa::vector::strided_operand;
using mmv::event;
using mmv::opcode;

constexpr unsigned commands = 200;
constexpr unsigned scalar_ops = 3;

/// A scalar unit with a scratchpad of its own.
struct scalar_bench {
    scalar_bench(const std::string& name, element_type word, std::uint64_t bytes)
        : scratchpad((name + "_pad").c_str(), bytes, static_cast<unsigned>(base::element_bytes(word)), 4),
          unit((name + "_unit").c_str(), word, scalar_ops, sc_core::sc_time(2, sc_core::SC_NS), stop)
    {
        unit.pad(scratchpad.port);
    }
    memory::scratchpad_if& pad() { return *unit.pad.operator->(); }

    bus::stop_request stop;
    memory::scratchpad scratchpad;
    mmv::scalar_unit unit;
};

using parameter = std::tuple<element_type, opcode>;

std::vector<parameter> parameters()
{
    std::vector<parameter> all;
    for (const auto format :
         {element_type::f64, element_type::f32, element_type::c128, element_type::int32, element_type::int64}) {
        for (const auto& i : mmv::instructions) {
            if (is_scalar(i.code) && exists_in_format(i.code, format)) { all.emplace_back(format, i.code); }
        }
    }
    return all;
}

std::string name_of(const ::testing::TestParamInfo<parameter>& info)
{
    return std::string(base::element_type_name(std::get<0>(info.param))) + "_" +
           mmv::find_instruction(static_cast<std::uint8_t>(std::get<1>(info.param)))->name;
}

/// A command that mmv::check() accepts, most of the time; operands may overlap.
template <class W> strided_command random_command(opcode code, random_vector<W>& random)
{
    strided_command c;
    c.cpu_ops = random.below(1000);
    if (code == opcode::charge) { return c; }
    const auto code_value = static_cast<unsigned>(code);
    const bool block = code_value >= static_cast<unsigned>(opcode::eliminate_diagonal);
    for (unsigned m = 0; m < 3; ++m) { c.size[m] = static_cast<std::uint32_t>(1 + random.below(6)); }
    if (block || code == opcode::s_carry) { c.size[0] = 1; }
    if (code == opcode::s_carry) { c.size[1] = 1; }
    if (code == opcode::eliminate_diagonal || code == opcode::close_diagonal) { c.size[2] = c.size[1]; }
    const auto operand = [&] {
        strided_operand o;
        o.address = static_cast<std::uint32_t>((200 + random.below(1500)) * sizeof(W));
        if (random.chance(50)) { o.address = static_cast<std::uint32_t>((600 + random.below(40)) * sizeof(W)); }
        for (auto& s : o.stride) {
            s = random.chance(15) ? 0 : static_cast<std::int32_t>(random.below(21)) - (block ? 0 : 10);
        }
        if (block) { o.stride[1] = static_cast<std::int32_t>(6 + random.below(10)), o.stride[2] = 1; }
        return o;
    };
    c.result = operand();
    const bool diagonal = code == opcode::eliminate_diagonal || code == opcode::close_diagonal;
    if (code != opcode::set && !diagonal) { c.a = operand(); }
    const bool one =
        code == opcode::move || code == opcode::s_positive || code == opcode::s_carry || code == opcode::set;
    if (!one && (!block || code == opcode::eliminate_row)) { c.b = operand(); }
    if (code == opcode::set) {
        const W w = random.word();
        std::memcpy(c.immediate.data(), &w, sizeof w);
    }
    if (code == opcode::s_mul_mod || code == opcode::s_mac_mod) {
        c.immediate[0] = random.chance(20) ? 1 : random.chance(50) ? 1009 : std::numeric_limits<std::int32_t>::max();
    }
    if (code == opcode::s_carry) { c.immediate[0] = 1 + random.below(62); }
    return c;
}

class scalar_instructions : public sim_test_with_param<parameter> {
protected:
    template <class W> void check()
    {
        const auto [format, code] = GetParam();
        constexpr std::uint64_t bytes = random_vector<W>::scratchpad_words * sizeof(W);
        scalar_bench bench("bench", format, bytes);
        mmv::limits limits;
        limits.format = format;
        limits.scratchpad_bytes = bytes;
        bench_thread thread("thread", [&, code = code] {
            random_vector<W> random(static_cast<std::uint64_t>(code));
            unsigned done = 0, overflowed = 0;
            for (unsigned n = 0; n < commands && !HasFailure(); ++n) {
                random.next(isa::vector::opcode::add); // new contents
                const strided_command c = random_command(code, random);
                if (mmv::check(code, c, 0, limits)) { continue; }
                SCOPED_TRACE("command " + std::to_string(n));
                ++done;
                overflowed += run(code, c, random.memory, limits, bench) ? 1 : 0;
            }
            EXPECT_GT(done, commands / 2);
            if (std::is_integral_v<W> && (code == opcode::s_add || code == opcode::s_mac)) {
                EXPECT_GT(overflowed, 0u);
            }
        });
        sc_core::sc_start();
        EXPECT_TRUE(thread.ended());
    }

private:
    static bool run(opcode code, const strided_command& c, const std::vector<unsigned char>& memory,
                    const mmv::limits& limits, scalar_bench& bench)
    {
        std::uint64_t words = 0;
        std::memcpy(bench.pad().write(0, memory.size(), words), memory.data(), memory.size());
        const auto start = sc_core::sc_time_stamp();
        const auto outcome = bench.unit.execute(code, c);
        const auto effect = effect_of(limits, base::element_bits(limits.word()), memory,
                                      [&](reference_units& units) { units.scalar(code, c); });
        EXPECT_TRUE(std::equal(effect.memory.begin(), effect.memory.end(), bench.pad().at(0)));

        const std::uint64_t cycles = (effect.counts[event::scalar_op] + scalar_ops - 1) / scalar_ops;
        EXPECT_EQ(cycles_of(outcome, "scalar"), cycles);
        EXPECT_EQ(outcome.cycles(), cycles);
        EXPECT_EQ(sc_core::sc_time_stamp() - start,
                  sc_core::sc_time(2.0 * static_cast<double>(cycles), sc_core::SC_NS));
        EXPECT_EQ(outcome.error, effect.error);
        auto expected = effect.counts;
        expected[event::scratchpad_read] = effect.reads;
        expected[event::scratchpad_write] = effect.writes;
        for (std::size_t e = 0; e < mmv::event_count; ++e) {
            EXPECT_EQ(outcome.counts.data()[e], expected.data()[e]) << mmv::event_definitions[e].name;
        }
        return effect.counts[event::word_overflowed] != 0;
    }

protected:
    void check_format()
    {
        switch (std::get<0>(GetParam())) {
        case element_type::f64: check<double>(); break;
        case element_type::f32: check<float>(); break;
        case element_type::c128: check<std::complex<double>>(); break;
        case element_type::int32: check<std::int32_t>(); break;
        default: check<std::int64_t>(); break;
        }
    }
};

TEST_P(scalar_instructions, do_what_the_reference_does) { check_format(); }

INSTANTIATE_TEST_SUITE_P(formats, scalar_instructions, ::testing::ValuesIn(parameters()), name_of);

class scalar_unit_test : public sim_test {};

strided_command ones(std::uint32_t n)
{
    strided_command c;
    c.result = {64, {0, 0, 1}, {}};
    c.size = {1, 1, n};
    c.immediate[0] = 1;
    return c;
}

TEST_F(scalar_unit_test, stop_leaves_nothing_written)
{
    scalar_bench bench("bench", element_type::int64, 4096);
    bench_thread thread("thread", [&] {
        const std::uint64_t total = 34; // cycles of 100 operations
        for (std::uint64_t ns = 0; ns < 2 * total + 4; ++ns) {
            SCOPED_TRACE(ns);
            bench.pad().clear();
            bench.stop.request(sc_core::sc_time(static_cast<double>(ns), sc_core::SC_NS));
            const auto outcome = bench.unit.execute(opcode::set, ones(100));
            const std::uint64_t acts = ns / 2 + 1;
            EXPECT_EQ(outcome.cycles(), std::min(acts, total));
            EXPECT_EQ(outcome.error, acts < total ? error_code::aborted : error_code::none);
            EXPECT_EQ(*bench.pad().at(64), acts < total ? 0 : 1);
            EXPECT_EQ(outcome.counts[event::scalar_op], acts < total ? 0u : 100u);
            bench.stop.clear();
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(scalar_unit_test, elimination_writes_only_what_it_updates)
{
    scalar_bench bench("bench", element_type::f64, 4096);
    bench_thread thread("thread", [&] {
        memory::write_watch first_row, first_column, rest;
        for (auto* w : {&first_row, &first_column, &rest}) { bench.pad().attach(*w); }
        strided_command c; // 3 x 3 with rows of 8 words
        c.result = {0, {0, 8, 1}, {}};
        c.size = {1, 3, 3};
        first_row.watch({0, 1, 24, 0});
        first_column.watch({0, 3, 8, 64});
        rest.watch({64 + 8, 1, 8, 0});
        bench.unit.execute(opcode::eliminate_diagonal, c);
        EXPECT_FALSE(first_row.written());
        EXPECT_FALSE(first_column.written());
        EXPECT_TRUE(rest.written());
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(scalar_unit_test, several_units_work_at_the_same_time)
{
    scalar_bench one("one", element_type::int64, 4096), other("other", element_type::int64, 4096);
    std::uint64_t cycles[2] = {};
    bench_thread a("a", [&] { cycles[0] = one.unit.execute(opcode::set, ones(10)).cycles(); });
    bench_thread b("b", [&] { cycles[1] = other.unit.execute(opcode::set, ones(40)).cycles(); });
    sc_core::sc_start();
    EXPECT_EQ(cycles[0], 4u);
    EXPECT_EQ(cycles[1], 14u);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(28, sc_core::SC_NS));
    EXPECT_EQ(*one.pad().at(64 + 9 * 8), 1);
    EXPECT_EQ(*one.pad().at(64 + 10 * 8), 0);
    EXPECT_EQ(*other.pad().at(64 + 39 * 8), 1);
}

} // namespace
