// Both fidelities of a systolic array write the same bits in the same time and count the same, in every format, for
// whole and partial matrices; and they write what a naive loop gives. Stopped ones have written what has left the
// array.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/array_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

template <class Element> class systolic_fidelity_test : public sim_test {
protected:
    struct pair {
        std::unique_ptr<blocks::systolic_array> fast, detailed;
    };

    /// An array of either fidelity.
    pair make_pair(unsigned side, unsigned in_words = 0, unsigned out_words = 0)
    {
        blocks::systolic_array_config c;
        c.side = side;
        c.format = base::element_type_of<Element>;
        c.in_words = in_words;
        c.out_words = out_words;
        c.clock_period = array_period();
        EXPECT_EQ(blocks::validate(c), std::nullopt);
        const std::string number = std::to_string(m_count++);
        pair made;
        c.model = blocks::fidelity::fast;
        made.fast = blocks::make_systolic_array(("fast_" + number).c_str(), c, m_stop);
        c.model = blocks::fidelity::detailed;
        made.detailed = blocks::make_systolic_array(("detailed_" + number).c_str(), c, m_stop);
        return made;
    }

    /// A number from `least` to `most`.
    template <class T> T any(T least, T most)
    {
        return static_cast<T>(least + static_cast<T>(m_random() % static_cast<std::uint64_t>(most - least + 1)));
    }

    array_job<Element> random_job(unsigned side)
    {
        array_job<Element> job;
        job.side = side;
        job.left_columns = any(0, 1) == 0 ? side : any(1u, side);
        job.result_columns = any(0, 1) == 0 ? side : any(1u, side);
        job.elements_of_rows = any<std::uint64_t>(1, 100 * side / 3);
        const auto stride = [&](unsigned columns) {
            const auto apart = static_cast<std::ptrdiff_t>(columns + (any(0, 1) == 0 ? 0 : any(1u, 5u)));
            return any(0, 3) == 0 ? -apart : apart;
        };
        job.weights_stride = stride(job.result_columns);
        job.left_stride = any(0, 5) == 0 ? any<std::ptrdiff_t>(0, 3) : stride(job.left_columns); // rows may overlap
        job.result_stride = stride(job.result_columns);
        job.weight_row_cycles = any(1u, 2u);
        job.row_cycles = any(1u, 2u);
        if (any(0, 2) == 0) {
            job.call_rows = any(1u, 2 * side);
            job.call_interval = any(0u, 3 * side);
        }
        if (std::is_same_v<Element, word_of<Element>> && any(0, 3) == 0) {
            job.in_place = true;
            job.result_columns = job.left_columns;
            job.weights_stride = job.left_stride = job.result_stride = stride(side);
        }
        const bool odd = any(0, 2) == 0;
        job.fill(m_random, odd ? odd_element<Element, std::mt19937_64> : ordinary_element<Element, std::mt19937_64>);
        return job;
    }

    bus::stop_request m_stop;
    unsigned m_count = 0;
    std::mt19937_64 m_random{23};
};

using formats = testing::Types<double, float, std::complex<double>, arithmetic::bfloat16, arithmetic::float16,
                               std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(systolic_fidelity_test, formats);

TYPED_TEST(systolic_fidelity_test, same_bits_counts_and_time_as_each_other_and_bits_as_a_naive_loop)
{
    std::vector<typename TestFixture::pair> arrays;
    std::vector<unsigned> sides{1, 2, 3, 4, 7, 8, 16, 17, 33, 70};
    for (const unsigned side : sides) {
        arrays.push_back(this->make_pair(side));
        arrays.push_back(this->make_pair(side, this->any(1u, side), this->any(1u, side)));
    }
    simulate([&] {
        for (std::size_t a = 0; a < arrays.size(); ++a) {
            for (unsigned turn = 0; turn < 8; ++turn) {
                const auto job = this->random_job(sides[a / 2]);
                const auto [expected, overflowed] = job.expected();
                auto in_fast = job;
                auto in_detailed = job;
                heard_results heard_fast;
                heard_results heard_detailed;
                arrays[a].fast->listen(&heard_fast);
                arrays[a].detailed->listen(&heard_detailed);

                const auto before = sc_core::sc_time_stamp();
                EXPECT_EQ(in_fast.load(*arrays[a].fast).cycles, in_detailed.load(*arrays[a].detailed).cycles);
                const auto fast = in_fast.stream(*arrays[a].fast);
                const auto middle = sc_core::sc_time_stamp();
                const auto detailed = in_detailed.stream(*arrays[a].detailed);
                EXPECT_EQ(sc_core::sc_time_stamp() - middle,
                          sc_core::sc_time::from_value(fast.cycles * array_period().value()));
                EXPECT_LT(before, middle);

                ASSERT_EQ(fast.cycles, detailed.cycles);
                ASSERT_EQ(fast.overflowed, overflowed);
                ASSERT_EQ(detailed.overflowed, overflowed);
                ASSERT_TRUE(same_bits(in_fast.memory(), expected)) << "side " << job.side;
                ASSERT_TRUE(same_bits(in_detailed.memory(), expected)) << "side " << job.side;
                ASSERT_EQ(heard_fast.all, heard_detailed.all);
                ASSERT_EQ(heard_fast.all.size(), job.rows() * job.side);
            }
        }
    });
}

TYPED_TEST(systolic_fidelity_test, a_stop_leaves_what_has_left_the_array_by_the_next_cycle_boundary)
{
    const auto narrow = this->make_pair(4, 3, 2);
    const auto wide = this->make_pair(5);
    simulate([&] {
        for (const auto* arrays : {&narrow, &wide}) {
            for (std::uint64_t half_cycle = 0; half_cycle < 40; ++half_cycle) {
                auto job = this->random_job(arrays == &narrow ? 4 : 5);
                job.elements_of_rows = 6 * job.side - 2;
                job.fill(this->m_random, ordinary_element<TypeParam, std::mt19937_64>);
                auto unstopped = job;
                unstopped.load(*arrays->fast);
                const std::uint64_t whole = unstopped.stream(*arrays->fast).cycles;
                const auto run = [&](blocks::systolic_array& array) {
                    auto done = job;
                    heard_results heard;
                    array.listen(&heard);
                    done.load(array);
                    this->m_stop.request(sc_core::sc_time::from_value(half_cycle * array_period().value() / 2));
                    const auto outcome = done.stream(array);
                    this->m_stop.clear();
                    array.listen(nullptr);
                    const auto [expected, overflowed] = job.expected([&](std::uint64_t row, unsigned column) {
                        for (const auto& [r, j, cycle] : heard.all) {
                            if (r == row && j == column) { return cycle < outcome.cycles; }
                        }
                        return false;
                    });
                    EXPECT_TRUE(same_bits(done.memory(), expected)) << half_cycle;
                    EXPECT_EQ(outcome.overflowed, outcome.stopped ? 0 : overflowed);
                    if (outcome.stopped) { EXPECT_EQ(outcome.cycles, half_cycle / 2 + 1); }
                    return std::make_tuple(outcome.cycles, outcome.stopped, heard.all);
                };
                const auto fast = run(*arrays->fast);
                EXPECT_EQ(fast, run(*arrays->detailed)) << half_cycle;
                EXPECT_EQ(std::get<1>(fast), half_cycle / 2 + 1 < whole);
            }
        }
    });
}

TYPED_TEST(systolic_fidelity_test, a_stop_ends_a_load_and_the_next_work_starts_afresh)
{
    const auto arrays = this->make_pair(6);
    simulate([&] {
        for (auto* array : {arrays.fast.get(), arrays.detailed.get()}) {
            auto job = array_job<TypeParam>::whole(6, 8, this->m_random, ordinary_element<TypeParam, std::mt19937_64>);
            const auto expected = job.expected().first;
            this->m_stop.request(sc_core::sc_time::from_value(3 * array_period().value()));
            const auto load = job.load(*array);
            EXPECT_TRUE(load.stopped);
            EXPECT_EQ(load.cycles, 4u);
            this->m_stop.clear();

            job.load(*array);
            this->m_stop.request(sc_core::sc_time::from_value(9 * array_period().value()));
            auto dropped = job;
            EXPECT_TRUE(dropped.stream(*array).stopped);
            this->m_stop.clear();

            EXPECT_FALSE(job.stream(*array).stopped);
            EXPECT_TRUE(same_bits(job.result, expected));
        }
    });
}

TYPED_TEST(systolic_fidelity_test, a_stop_that_was_requested_before_acts_at_once)
{
    const auto arrays = this->make_pair(3);
    simulate([&] {
        for (auto* array : {arrays.fast.get(), arrays.detailed.get()}) {
            auto job = array_job<TypeParam>::whole(3, 4, this->m_random, ordinary_element<TypeParam, std::mt19937_64>);
            const auto before = job.result;
            job.load(*array);
            this->m_stop.request();
            sc_core::wait(array_period());
            const auto outcome = job.stream(*array);
            EXPECT_TRUE(outcome.stopped);
            EXPECT_EQ(outcome.cycles, 0u);
            EXPECT_TRUE(same_bits(job.result, before));
            this->m_stop.clear();
        }
    });
}

} // namespace
