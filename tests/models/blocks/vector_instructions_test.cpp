// Every instruction of a vector unit in every format, in both fidelities, against the reference interpreter and naive
// accesses: results, errors, counts, time.
#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/vector/limits.h>
#include "models/blocks/naive_vector_accesses.h"
#include "models/blocks/random_vector.h"
#include "models/blocks/vector_bench.h"
#include "support/mmv_reference_units.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using isa::error_code;
using isa::vector::event;
using isa::vector::opcode;
using isa::vector::vector_command;

constexpr unsigned commands = 100;

using parameter = std::tuple<element_type, opcode>;

std::string name_of(const ::testing::TestParamInfo<parameter>& info)
{
    return std::string(base::element_type_name(std::get<0>(info.param))) + "_" +
           isa::vector::find_instruction(static_cast<std::uint8_t>(std::get<1>(info.param)))->name;
}

std::vector<parameter> parameters()
{
    std::vector<parameter> all;
    for (const auto format :
         {element_type::f32, element_type::f64, element_type::c128, element_type::int32, element_type::int64}) {
        for (const auto& i : isa::vector::instructions) {
            if (i.payload == isa::vector::payload_kind::vector && isa::vector::exists_in_format(i.code, format)) {
                all.emplace_back(format, i.code);
            }
        }
    }
    return all;
}

template <class W> naive_vector_accesses<W> accesses_of(opcode code, const random_vector<W>& from)
{
    const vector_command& c = from.command;
    naive_vector_accesses<W> naive;
    naive.code = code;
    naive.n = c.length;
    naive.table = c.table;
    naive.s = std::max(c.block, 1u);
    naive.broadcast = c.broadcast_b();
    naive.in_place = !c.zero_a() && c.a.shift == 0 && c.a.address == c.result.address;
    const auto element = [&from](const isa::vector::vector_operand& o, std::uint64_t i) {
        return i < o.shift ? W(0) : from.get(o.address / sizeof(W) + i - o.shift);
    };
    naive.a_exists = [c](std::uint64_t i) { return !c.zero_a() && i >= c.a.shift; };
    naive.b_exists = [c](std::uint64_t i) { return i >= c.b.shift; };
    naive.a = [=](std::uint64_t i) { return c.zero_a() ? W(0) : element(c.a, i); };
    naive.b = [=](std::uint64_t i) { return element(c.b, c.broadcast_b() ? 0 : i); };
    naive.run();
    return naive;
}

std::uint64_t ceiling(std::uint64_t n, std::uint64_t d) { return (n + d - 1) / d; }

/// What the reference counts, by the names of the vector unit's events.
isa::vector::counts counts_of(const reference_effect& effect)
{
    isa::vector::counts counts;
    for (std::size_t e = 0; e < isa::vector::event_count; ++e) {
        for (std::size_t m = 0; m < mmv::event_count; ++m) {
            const std::string name = mmv::event_definitions[m].name;
            if (name == isa::vector::event_definitions[e].name) { counts.data()[e] = effect.counts.data()[m]; }
        }
    }
    return counts;
}

/// What an instruction is expected to take and to count, beside its values.
template <class W>
void expect_counts(const blocks::vector_outcome& outcome, const naive_vector_accesses<W>& naive,
                   const reference_effect& effect, const vector_command& c, const vector_bench& bench)
{
    auto expected = counts_of(effect);
    std::uint64_t words = 0; // that the lanes go through
    for (const auto lanes :
         {event::lane_add, event::lane_multiply, event::lane_multiply_add, event::lane_function, event::lane_logic,
          event::lane_move, event::revspec_op, event::compact_op, event::revert_op}) {
        words += expected[lanes];
    }
    const auto cost = bench.config.costs[isa::vector::instruction_index(naive.code)];
    const std::uint64_t own = ceiling(words, bench.config.lanes) * cost.cycles_per_group;
    const auto first = [](const isa::vector::vector_operand& o) { return o.address / sizeof(W) - o.shift; };
    const bool broadcast = bench.config.equal_reads == base::equal_reads::broadcast;
    const auto accesses = [&](const auto& items, const isa::vector::vector_operand& o, bool merge_equal) {
        return naive_accesses(items, first(o), bench.config.lanes, bench.bank_count, merge_equal);
    };
    const auto at_a = accesses(naive.irregular_a, c.a, broadcast), at_c = accesses(naive.irregular_c, c.c, broadcast);
    const std::uint64_t conflict = std::max(own, ceiling(words, bench.bank_count)) - own + at_a.conflict_cycles +
                                   at_c.conflict_cycles + accesses(naive.irregular_z, c.result, false).conflict_cycles;
    EXPECT_EQ(cycles_of(outcome, "vector"), own + cost.depth);
    EXPECT_EQ(cycles_of(outcome, "conflict"), conflict);
    EXPECT_EQ(outcome.cycles(), own + cost.depth + conflict);

    expected[event::scratchpad_read] = naive.reads + at_a.words + at_c.words;
    expected[event::scratchpad_write] = effect.writes;
    for (std::size_t e = 0; e < isa::vector::event_count; ++e) {
        EXPECT_EQ(outcome.counts.data()[e], expected.data()[e]) << isa::vector::event_definitions[e].name;
    }
}

class vector_instructions : public sim_test_with_param<parameter> {
protected:
    template <class W> void check()
    {
        const auto [format, code] = GetParam();
        const auto limits = [format = format] {
            isa::vector::limits l;
            l.word = format;
            l.scratchpad_bytes = random_vector<W>::scratchpad_words * sizeof(W);
            return l;
        }();
        std::vector<std::unique_ptr<vector_bench>> benches; // pairs: fast, detailed
        constexpr auto broadcast = base::equal_reads::broadcast, serial = base::equal_reads::serial;
        const struct {
            unsigned lanes, banks;
            base::equal_reads equal;
        } shapes[] = {{1, 1, broadcast}, {4, 16, broadcast}, {8, 2, broadcast}, {64, 64, broadcast},
                      {7, 4, broadcast}, {8, 2, serial},     {64, 64, serial}};
        for (const auto& [lanes, banks, equal] : shapes) {
            for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
                blocks::vector_unit_config config;
                config.word = format;
                config.lanes = lanes;
                config.equal_reads = equal;
                config.word_bits = 8 * sizeof(W);
                config.fidelity = fidelity;
                benches.push_back(std::make_unique<vector_bench>("bench_" + std::to_string(benches.size()), config,
                                                                 banks, limits.scratchpad_bytes));
            }
        }
        mmv::limits of_reference;
        of_reference.format = format;
        of_reference.scratchpad_bytes = limits.scratchpad_bytes;
        bench_thread thread("thread", [&, code = code] {
            random_vector<W> random(static_cast<std::uint64_t>(code) * 10 + static_cast<std::uint64_t>(format));
            unsigned bad = 0, overflowed = 0;
            for (unsigned n = 0; n < commands && !HasFailure(); ++n) {
                random.next(code);
                SCOPED_TRACE("command " + std::to_string(n));
                const auto refused = isa::vector::check(code, random.command, limits);
                ASSERT_FALSE(refused) << refused->text;
                const auto effect = effect_of(of_reference, 8 * sizeof(W), random.memory,
                                              [&](reference_units& units) { units.vector(code, random.command); });
                bad += effect.error == error_code::bad_index ? 1 : 0;
                overflowed += effect.error == error_code::arithmetic_overflow ? 1 : 0;
                for (std::size_t b = 0; b < benches.size(); b += 2) {
                    run_pair(code, random, effect, *benches[b], *benches[b + 1]);
                }
            }
            const auto has = isa::vector::vector_signature_of(code);
            if (has.table) { EXPECT_GT(bad, 0u) << "no command had a bad index"; }
            if (std::is_integral_v<W> && (code == opcode::add || code == opcode::mul)) { EXPECT_GT(overflowed, 0u); }
        });
        sc_core::sc_start();
        EXPECT_TRUE(thread.ended());
    }

private:
    template <class W>
    void run_pair(opcode code, const random_vector<W>& random, const reference_effect& effect, vector_bench& fast,
                  vector_bench& detailed)
    {
        const auto& c = random.command;
        fast.fill(random.memory);
        detailed.fill(random.memory);
        const auto start = sc_core::sc_time_stamp();
        const auto outcome = fast.unit.execute(code, c);
        const auto between = sc_core::sc_time_stamp();
        const auto of_detailed = detailed.unit.execute(code, c);
        EXPECT_EQ(between - start, static_cast<double>(outcome.cycles()) * fast.config.clock_period.period());
        EXPECT_EQ(sc_core::sc_time_stamp() - between, between - start);
        EXPECT_TRUE(same_outcome(outcome, of_detailed));

        EXPECT_TRUE(fast.contents() == effect.memory) << "fast";
        EXPECT_TRUE(detailed.contents() == effect.memory) << "detailed";
        EXPECT_EQ(outcome.error, effect.error);
        if (effect.error == error_code::bad_index) {
            EXPECT_EQ(outcome.cycles(), 0u);
            EXPECT_TRUE(outcome.counts == isa::vector::counts{});
        } else {
            expect_counts(outcome, accesses_of(code, random), effect, c, fast);
        }
    }
};

TEST_P(vector_instructions, do_in_both_fidelities_what_the_reference_does)
{
    switch (std::get<0>(GetParam())) {
    case element_type::f32: check<float>(); break;
    case element_type::f64: check<double>(); break;
    case element_type::c128: check<std::complex<double>>(); break;
    case element_type::int32: check<std::int32_t>(); break;
    default: check<std::int64_t>(); break;
    }
}

INSTANTIATE_TEST_SUITE_P(formats, vector_instructions, ::testing::ValuesIn(parameters()), name_of);

} // namespace
