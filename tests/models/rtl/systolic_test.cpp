// A systolic array in Verilog writes the same bits as a detailed one, in the same cycles, with the same results leaving
// in each, and counts the same overflows: tiles of any sizes and speeds, streaming or one by one, with odd numbers; so
// do its waveforms.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/rtl/formats.h>
#include "models/blocks/array_bench.h"
#include "models/blocks/tile_bench.h"
#include "models/rtl/amount.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

template <class Element> class rtl_systolic_test : public sim_test {
protected:
    struct watched_array {
        std::unique_ptr<blocks::systolic_array> array;
        const blocks::element_waveform* first;
        const blocks::element_waveform* last;
    };
    struct pair {
        blocks::systolic_array_config config;
        watched_array detailed, rtl;
    };

    watched_array make(const std::string& name, blocks::systolic_array_config config, blocks::fidelity model)
    {
        config.model = model;
        watched_array made;
        made.array = blocks::make_systolic_array(name.c_str(), config, m_stop);
        made.first = made.array->watch(0, 0);
        made.last = made.array->watch(config.side - 1, config.side - 1);
        return made;
    }
    pair make_pair(unsigned side, bool streaming)
    {
        blocks::systolic_array_config c;
        c.side = side;
        c.format = base::element_type_of<Element>;
        c.streaming = streaming;
        c.in_words = m_random() % 2 == 0 ? 0 : 1 + static_cast<unsigned>(m_random() % side);
        c.out_words = m_random() % 2 == 0 ? 0 : 1 + static_cast<unsigned>(m_random() % side);
        c.clock_period = array_period();
        const std::string number = std::to_string(m_count++);
        return {c, make("detailed_" + number, c, blocks::fidelity::detailed),
                make("rtl_" + number, c, blocks::fidelity::rtl)};
    }
    static void expect_equal(const blocks::element_waveform& a, const blocks::element_waveform& b)
    {
        ASSERT_EQ(a.valid, b.valid);
        for (const auto part : {&blocks::element_waveform::a_out, &blocks::element_waveform::c_out,
                                &blocks::element_waveform::weight, &blocks::element_waveform::shadow}) {
            ASSERT_TRUE(same_bits(std::vector<double>{(a.*part).re}, std::vector<double>{(b.*part).re}));
        }
    }

    bus::stop_request m_stop;
    unsigned m_count = 0;
    std::mt19937_64 m_random{31};
};

using formats = testing::Types<std::int8_t, arithmetic::bfloat16, float, double>;
TYPED_TEST_SUITE(rtl_systolic_test, formats);

TYPED_TEST(rtl_systolic_test, random_programs_are_those_of_the_detailed_array)
{
    if (!rtl::has(base::element_type_of<TypeParam>)) {
        GTEST_SKIP() << *rtl::missing(base::element_type_of<TypeParam>);
    }
    std::vector<typename TestFixture::pair> pairs;
    for (const unsigned side : {4, 8, 16}) {
        for (const bool streaming : {false, true}) {
            pairs.push_back(this->make_pair(side, streaming));
            pairs.push_back(this->make_pair(side, streaming));
        }
    }
    simulate([&] {
        const std::uint64_t programs = amount(50, 1000);
        for (std::uint64_t p = 0; p < programs; ++p) {
            auto& arrays = pairs[p % pairs.size()];
            const bool odd = this->m_random() % 3 == 0;
            random_tiles<TypeParam> bench(arrays.config.side, 1 + static_cast<unsigned>(this->m_random() % 5),
                                          this->m_random, odd);
            auto in_detailed = bench;
            auto in_rtl = bench;
            heard_results heard_detailed, heard_rtl;
            arrays.detailed.array->listen(&heard_detailed);
            arrays.rtl.array->listen(&heard_rtl);
            const auto detailed = arrays.detailed.array->multiply(in_detailed.tiles());
            const auto rtl = arrays.rtl.array->multiply(in_rtl.tiles());
            ASSERT_EQ(detailed.cycles, rtl.cycles) << "program " << p;
            ASSERT_EQ(detailed.overflowed, rtl.overflowed) << "program " << p;
            ASSERT_EQ(heard_detailed.all, heard_rtl.all) << "program " << p;
            for (std::size_t t = 0; t < bench.jobs.size(); ++t) {
                ASSERT_TRUE(same_bits(in_detailed.jobs[t].result, in_rtl.jobs[t].result))
                    << "program " << p << ", tile " << t;
            }
            this->expect_equal(*arrays.detailed.first, *arrays.rtl.first);
            this->expect_equal(*arrays.detailed.last, *arrays.rtl.last);
        }
    });
}

TYPED_TEST(rtl_systolic_test, a_stopped_stream_leaves_the_same_and_the_next_one_begins_afresh)
{
    if (!rtl::has(base::element_type_of<TypeParam>)) {
        GTEST_SKIP() << *rtl::missing(base::element_type_of<TypeParam>);
    }
    std::vector<typename TestFixture::pair> pairs;
    for (const unsigned side : {4, 8}) {
        for (const bool streaming : {false, true}) { pairs.push_back(this->make_pair(side, streaming)); }
    }
    simulate([&] {
        for (std::uint64_t p = 0; p < amount(12, 200); ++p) {
            auto& arrays = pairs[p % pairs.size()];
            const std::uint64_t cycles = 1 + this->m_random() % 40;
            const bool stops = p % 3 != 2;
            random_tiles<TypeParam> bench(arrays.config.side, 3, this->m_random, false);
            const auto run = [&](typename TestFixture::watched_array& array, random_tiles<TypeParam>& mine) {
                if (stops) { this->m_stop.request(sc_core::sc_time::from_value(cycles * array_period().value())); }
                const auto outcome = array.array->multiply(mine.tiles());
                this->m_stop.clear();
                return outcome;
            };
            auto in_detailed = bench;
            auto in_rtl = bench;
            const auto detailed = run(arrays.detailed, in_detailed);
            const auto rtl = run(arrays.rtl, in_rtl);
            ASSERT_EQ(detailed.stopped, rtl.stopped) << "program " << p;
            ASSERT_EQ(detailed.cycles, rtl.cycles) << "program " << p;
            for (std::size_t t = 0; t < bench.jobs.size(); ++t) {
                ASSERT_TRUE(same_bits(in_detailed.jobs[t].result, in_rtl.jobs[t].result))
                    << "program " << p << ", tile " << t;
            }
        }
    });
}

} // namespace
