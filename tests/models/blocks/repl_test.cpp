// REPL against naive copies by strides, in both fidelities.
#include <gtest/gtest.h>
#include <complex>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tensorloom/models/isa/vector/limits.h>
#include "models/blocks/naive_vector_accesses.h"
#include "models/blocks/random_vector.h"
#include "models/blocks/vector_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using isa::vector::event;
using isa::vector::opcode;
using isa::vector::strided_command;

class repl_test : public sim_test_with_param<element_type> {
protected:
    template <class W> void check()
    {
        struct pair {
            std::unique_ptr<vector_bench> fast, detailed;
        };
        std::vector<pair> pairs;
        constexpr auto broadcast = base::equal_reads::broadcast, serial = base::equal_reads::serial;
        const struct {
            unsigned lanes, banks;
            base::equal_reads equal;
        } shapes[] = {{1, 1, broadcast}, {4, 16, broadcast}, {8, 2, broadcast}, {64, 64, broadcast}, {8, 2, serial}};
        constexpr std::uint32_t most_banks = 64;
        const std::uint64_t bytes = random_vector<W>::scratchpad_words * sizeof(W);
        for (const auto& [lanes, banks, equal] : shapes) {
            blocks::vector_unit_config config;
            config.word = GetParam();
            config.lanes = lanes;
            config.equal_reads = equal;
            const auto make = [&, banks_ = banks](const std::string& name) {
                return std::make_unique<vector_bench>(name + std::to_string(pairs.size()), config, banks_, bytes);
            };
            pair p;
            p.fast = make("fast");
            config.fidelity = blocks::fidelity::detailed;
            p.detailed = make("detailed");
            pairs.push_back(std::move(p));
        }
        isa::vector::limits limits;
        limits.word = GetParam();
        limits.scratchpad_bytes = bytes;
        bench_thread thread("thread", [&] {
            random_vector<W> random(static_cast<std::uint64_t>(GetParam()));
            unsigned done = 0;
            while (done < 100 && !HasFailure()) {
                random.next(opcode::add); // new contents
                const strided_command c = command(random);
                if (isa::vector::check(opcode::repl, c, 0, limits)) { continue; }
                SCOPED_TRACE("command " + std::to_string(done++));
                for (auto& p : pairs) { run_pair(random, c, *p.fast, *p.detailed); }
                strided_command moved = c; // by whole rounds of the banks: it waits as before
                moved.a.address += most_banks * sizeof(W);
                moved.result.address += most_banks * sizeof(W);
                if (isa::vector::check(opcode::repl, moved, 0, limits)) { continue; }
                for (auto& p : pairs) { run_pair(random, moved, *p.fast, *p.detailed); }
            }
        });
        sc_core::sc_start();
        EXPECT_TRUE(thread.ended());
    }

private:
    template <class W> static strided_command command(random_vector<W>& random)
    {
        strided_command c;
        c.result.address = static_cast<std::uint32_t>((600 + random.below(600)) * sizeof(W));
        c.a.address = static_cast<std::uint32_t>((100 + random.below(300)) * sizeof(W));
        c.cpu_ops = random.below(9);
        for (unsigned m = 0; m < 3; ++m) {
            c.size[m] = static_cast<std::uint32_t>(1 + random.below(7));
            c.valid[m] = random.chance(60) ? c.size[m] : static_cast<std::uint32_t>(random.below(c.size[m] + 1));
            c.result.stride[m] = static_cast<std::int32_t>(random.below(41)) - 20;
            c.a.stride[m] = random.chance(20) ? 0 : static_cast<std::int32_t>(random.below(17)) - 8;
        }
        if (random.chance(15)) { c.a = c.result; }
        return c;
    }

    template <class W>
    void run_pair(const random_vector<W>& random, const strided_command& c, vector_bench& fast, vector_bench& detailed)
    {
        fast.fill(random.memory);
        detailed.fill(random.memory);
        const auto outcome = fast.unit.execute(c);
        EXPECT_TRUE(same_outcome(outcome, detailed.unit.execute(c)));

        const auto place = [](const isa::vector::strided_operand& o, std::int64_t i, std::int64_t j, std::int64_t k) {
            return static_cast<std::uint64_t>(o.address / std::int64_t{sizeof(W)} + i * o.stride[0] + j * o.stride[1] +
                                              k * o.stride[2]);
        };
        random_vector<W> expected = random;
        std::vector<std::vector<std::uint64_t>> from, to;
        for (std::uint32_t i = 0; i < c.size[0]; ++i) {
            for (std::uint32_t j = 0; j < c.size[1]; ++j) {
                for (std::uint32_t k = 0; k < c.size[2]; ++k) {
                    const bool valid = i < c.valid[0] && j < c.valid[1] && k < c.valid[2];
                    to.push_back({place(c.result, i, j, k)});
                    from.push_back({});
                    if (valid) { from.back().push_back(place(c.a, i, j, k)); }
                    expected.put(to.back()[0], valid ? random.get(from.back()[0]) : W(0));
                }
            }
        }
        EXPECT_TRUE(fast.contents() == expected.memory) << "fast";
        EXPECT_TRUE(detailed.contents() == expected.memory) << "detailed";

        const auto cost = fast.config.costs[isa::vector::instruction_index(opcode::repl)];
        const std::uint64_t groups = (to.size() + fast.config.lanes - 1) / fast.config.lanes;
        EXPECT_EQ(cycles_of(outcome, "vector"), groups * cost.cycles_per_group + cost.depth);
        const bool broadcast = fast.config.equal_reads == base::equal_reads::broadcast;
        const naive_accesses read(from, 0, fast.config.lanes, fast.bank_count, broadcast);
        const naive_accesses written(to, 0, fast.config.lanes, fast.bank_count, false);
        EXPECT_EQ(cycles_of(outcome, "conflict"), read.conflict_cycles + written.conflict_cycles);
        isa::vector::counts counts;
        counts[event::vector_instruction] = 1;
        counts[event::vector_element] = to.size();
        counts[event::vector_circuit] = to.size() * fast.config.word_bits;
        counts[event::lane_move] = to.size();
        counts[event::scratchpad_read] = read.words;
        counts[event::scratchpad_write] = to.size();
        counts[event::cpu_op] = c.cpu_ops;
        EXPECT_TRUE(outcome.counts == counts);
        EXPECT_TRUE(outcome.ok());
    }
};

TEST_P(repl_test, copies_as_naive_loops_do)
{
    switch (GetParam()) {
    case element_type::f64: check<double>(); break;
    case element_type::f32: check<float>(); break;
    case element_type::c128: check<std::complex<double>>(); break;
    case element_type::int32: check<std::int32_t>(); break;
    default: check<std::int64_t>(); break;
    }
}

INSTANTIATE_TEST_SUITE_P(formats, repl_test,
                         ::testing::Values(element_type::f64, element_type::f32, element_type::c128,
                                           element_type::int32, element_type::int64),
                         [](const auto& of) { return std::string(base::element_type_name(of.param)); });

} // namespace
