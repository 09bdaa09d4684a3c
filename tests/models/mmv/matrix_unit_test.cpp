// The matrix unit on a scratchpad: what it computes, when it loads weights, what its cycles are for and what it counts.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/matrix_unit.h>
#include "models/arithmetic/naive_rows.h"
#include "models/blocks/array_bench.h"
#include "support/mmv_reference_units.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using mmv::event;
using mmv::matmul_command;
using mmv::product_command;

/// A matrix unit with a scratchpad of its own.
class unit_bench {
public:
    static constexpr std::uint64_t bytes = 1u << 17;

    unit_bench(const std::string& name, const mmv::config& config)
        : m_config(config),
          m_memory((name + "_memory").c_str(), bytes,
                   static_cast<unsigned>(base::element_bytes(base::accumulator_type(config.format))), config.banks),
          m_unit((name + "_unit").c_str(), config, config.clock_period, m_stop)
    {
        m_unit.pad.bind(m_memory.port);
    }

    memory::scratchpad_if& memory() { return *m_memory.port.operator->(); }
    bus::stop_request& stop() { return m_stop; }
    mmv::matrix_unit& unit() { return m_unit; }
    const mmv::config& config() const { return m_config; }

    /// Its cycles must have passed.
    template <class... Command> mmv::unit_outcome execute(const Command&... command)
    {
        const sc_core::sc_time start = sc_core::sc_time_stamp();
        auto outcome = m_unit.execute(command...);
        EXPECT_EQ((sc_core::sc_time_stamp() - start).value(), outcome.cycles() * m_config.clock_period.value());
        return outcome;
    }
    template <class... Command> std::vector<std::pair<std::string, std::uint64_t>> segments(const Command&... command)
    {
        std::vector<std::pair<std::string, std::uint64_t>> all;
        for (const auto& s : execute(command...).segments) { all.emplace_back(s.cause, s.cycles); }
        return all;
    }

    template <class T> void fill(std::uint64_t address, const std::vector<T>& values)
    {
        std::uint64_t words = 0;
        std::memcpy(memory().write(address, values.size() * sizeof(T), words), values.data(),
                    values.size() * sizeof(T));
    }
    std::vector<unsigned char> contents()
    {
        const unsigned char* const first = memory().at(0);
        return {first, first + bytes};
    }

private:
    mmv::config m_config;
    bus::stop_request m_stop;
    memory::scratchpad m_memory;
    mmv::matrix_unit m_unit;
};

mmv::config f64_config(unsigned side)
{
    mmv::config c;
    c.side = side;
    c.format = base::element_type::f64;
    c.clock_period = array_period();
    return c;
}

constexpr std::uint32_t left_at = 0;
constexpr std::uint32_t result_at = 0x8000;
constexpr std::uint32_t weights_at = 0x10000;

/// Everything whole, without gaps.
matmul_command whole(unsigned side, std::uint32_t rows)
{
    matmul_command c;
    c.left.address = left_at;
    c.result.address = result_at;
    c.weights.address = weights_at;
    c.left.row_stride = c.result.row_stride = c.weights.row_stride = static_cast<std::int32_t>(side);
    c.words = rows * side;
    c.left_columns = c.result_columns = side;
    return c;
}

using named_cycles = std::vector<std::pair<std::string, std::uint64_t>>;

class matrix_unit_test : public sim_test {};

TEST_F(matrix_unit_test, weights_are_loaded_when_their_place_changes_or_something_is_written_there)
{
    unit_bench bench("bench", f64_config(4));
    simulate([&] {
        const auto loads = [&](const matmul_command& c) { return bench.execute(c).counts[event::weight_load]; };
        const auto changed = [](auto change) {
            matmul_command c = whole(4, 3);
            change(c);
            return c;
        };
        const matmul_command c = whole(4, 3);
        EXPECT_EQ(loads(c), 1u);
        EXPECT_EQ(loads(c), 0u);
        EXPECT_EQ(loads(changed([](auto& x) { x.left.address += 64; })), 0u);
        EXPECT_EQ(loads(changed([](auto& x) { x.words -= 5; })), 0u);
        EXPECT_EQ(loads(changed([](auto& x) { x.result.row_stride = 9; })), 0u);
        EXPECT_EQ(loads(changed([](auto& x) { x.weights.address += 8; })), 1u);
        EXPECT_EQ(loads(c), 1u);
        EXPECT_EQ(loads(changed([](auto& x) { x.weights.row_stride = 5; })), 1u);
        EXPECT_EQ(loads(changed([](auto& x) { x.weights.row_stride = 5, x.left_columns = 3; })), 1u);
        EXPECT_EQ(loads(changed([](auto& x) { x.weights.row_stride = 5, x.left_columns = 3, x.result_columns = 2; })),
                  1u);

        const auto narrow = changed([](auto& x) { x.weights.row_stride = 6, x.result_columns = 2; });
        EXPECT_EQ(loads(narrow), 1u);
        bench.fill<double>(weights_at - 8, {1});         // before them
        bench.fill<double>(weights_at + 2 * 8, {1, 2});  // between two rows
        bench.fill<double>(weights_at + 20 * 8, {1, 2}); // behind the last one
        EXPECT_EQ(loads(narrow), 0u);
        bench.fill<double>(weights_at + 19 * 8, {0}); // the last one: what it was
        EXPECT_EQ(loads(narrow), 1u);
        EXPECT_EQ(loads(narrow), 0u);
        bench.unit().forget();
        EXPECT_EQ(loads(narrow), 1u);
        bench.memory().clear();
        EXPECT_EQ(loads(narrow), 1u);
    });
}

TEST_F(matrix_unit_test, results_of_one_matmul_can_be_the_weights_of_the_next)
{
    unit_bench bench("bench", f64_config(2));
    simulate([&] {
        bench.fill<double>(left_at, {1, 2, 3, 4});
        bench.fill<double>(weights_at, {1, 0, 0, 1});
        matmul_command into_weights = whole(2, 2); // 2 x the rows of x, where the weights of the other one are
        into_weights.weights.address = weights_at + 0x400;
        bench.fill<double>(weights_at + 0x400, {2, 0, 0, 2});
        into_weights.result.address = weights_at;
        bench.execute(whole(2, 2));
        bench.execute(into_weights);
        EXPECT_EQ(bench.execute(whole(2, 2)).counts[event::weight_load], 1u);
        double z[4];
        std::memcpy(z, bench.memory().at(result_at), sizeof z);
        EXPECT_EQ(std::vector<double>(z, z + 4), (std::vector<double>{14, 20, 30, 44})); // [1 2; 3 4] [2 4; 6 8]
    });
}

TEST_F(matrix_unit_test, tells_the_scratchpad_which_bytes_it_writes)
{
    unit_bench bench("bench", f64_config(4));
    matmul_command c = whole(4, 3);
    c.words = 2 * 4 + 1; // two rows of three results, and one more
    c.result_columns = 3;
    std::vector<std::unique_ptr<memory::write_watch>> watches; // of each word of the results' place
    for (std::uint64_t i = 0; i < 16; ++i) {
        watches.push_back(std::make_unique<memory::write_watch>());
        bench.memory().attach(*watches.back());
        watches.back()->watch({result_at + 8 * i, 1, 8, 0});
    }
    simulate([&] { bench.execute(c); });
    std::string written;
    for (const auto& w : watches) { written += w->written() ? 'z' : '.'; }
    EXPECT_EQ(written, "zzz.zzz.z.......");
}

TEST_F(matrix_unit_test, cycles_are_attributed_to_what_they_are_for)
{
    mmv::config c = f64_config(8);
    c.call_latency = 11;
    unit_bench plain("plain", c);
    c.call_latency = 0;
    c.in_words = 3;
    c.out_words = 5;
    unit_bench narrow("narrow", c);
    c.banks = 2;
    unit_bench few_banks("few_banks", c);
    c.side = 1;
    c.in_words = c.out_words = 0;
    unit_bench single("single", c);
    simulate([&] {
        EXPECT_EQ(plain.segments(whole(8, 20)),
                  (named_cycles{{"weights", 8}, {"compute", 20}, {"drain", 14}, {"latency", 11}}));
        EXPECT_EQ(plain.segments(whole(8, 20)), (named_cycles{{"compute", 20}, {"drain", 14}, {"latency", 11}}));
        // 64 weights and 160 operands through 3 words: 22 and 54 cycles. Two banks: 4 cycles a row.
        EXPECT_EQ(narrow.segments(whole(8, 20)),
                  (named_cycles{{"weights", 22}, {"compute", 20}, {"port", 34}, {"drain", 14}}));
        EXPECT_EQ(
            few_banks.segments(whole(8, 20)),
            (named_cycles{
                {"weights", 22}, {"conflict", 10}, {"compute", 20}, {"port", 34}, {"conflict", 26}, {"drain", 14}}));
        EXPECT_EQ(single.segments(whole(1, 3)), (named_cycles{{"weights", 1}, {"compute", 3}}));
    });
}

TEST_F(matrix_unit_test, banks_give_four_weights_of_int8_at_once)
{
    mmv::config c = f64_config(8);
    c.format = base::element_type::int8;
    c.banks = 2;
    unit_bench two_banks("two_banks", c);
    c.banks = 1;
    unit_bench one_bank("one_bank", c);
    simulate([&] {
        // A row of weights is 2 words, a row of results 8.
        EXPECT_EQ(two_banks.segments(whole(8, 20)),
                  (named_cycles{{"weights", 8}, {"compute", 20}, {"conflict", 3 * 20}, {"drain", 14}}));
        EXPECT_EQ(
            one_bank.segments(whole(8, 20)),
            (named_cycles{{"weights", 8}, {"conflict", 8}, {"compute", 20}, {"conflict", 7 * 20}, {"drain", 14}}));
    });
}

TEST_F(matrix_unit_test, a_matmul_counts_all_places_of_the_array_but_only_words_of_elements_that_exist)
{
    mmv::config c = f64_config(8);
    c.format = base::element_type::int8;
    unit_bench bench("bench", c);
    simulate([&] {
        matmul_command m = whole(8, 1);
        m.words = 3 * 8 + 2;
        m.left_columns = 5;
        m.result_columns = 1;
        const auto counts = bench.execute(m).counts;
        mmv::counts expected;
        expected[event::matmul_call] = 1;
        expected[event::matmul_row] = 4;
        expected[event::mac] = 4 * 64;
        expected[event::weight_load] = 1;
        expected[event::weight_write] = 64;
        expected[event::scratchpad_read] = 5 + 3 * 2 + 1; // a word holds four elements
        expected[event::scratchpad_write] = 3 + 1;
        EXPECT_EQ(counts, expected);
    });
}

TEST_F(matrix_unit_test, a_sum_out_of_range_is_an_error_after_the_matmul)
{
    mmv::config c = f64_config(2);
    c.format = base::element_type::int64;
    unit_bench bench("bench", c);
    simulate([&] {
        constexpr auto most = std::numeric_limits<std::int64_t>::max();
        bench.fill<std::int64_t>(left_at, {most, 1, 5, 6});
        bench.fill<std::int64_t>(weights_at, {1, 2, 1, 0});
        const auto outcome = bench.execute(whole(2, 2));
        EXPECT_EQ(outcome.error, isa::error_code::accumulator_overflow);
        EXPECT_EQ(outcome.counts[event::mac_overflowed], 2u);
        EXPECT_EQ(outcome.cycles(), 2u + 2u + 2u);
        std::int64_t z[4];
        std::memcpy(z, bench.memory().at(result_at), sizeof z);
        EXPECT_EQ(std::vector<std::int64_t>(z, z + 4),
                  (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min(), -2, 11, 10}));
        EXPECT_TRUE(bench
                        .execute([] {
                            matmul_command m = whole(2, 1);
                            m.left.address += 16;
                            return m;
                        }())
                        .ok());
    });
}

TEST_F(matrix_unit_test, a_stop_ends_it_between_two_cycles_whatever_it_does)
{
    mmv::config c = f64_config(3);
    c.call_latency = 4;
    unit_bench fast("fast", c);
    c.fidelity = blocks::fidelity::detailed;
    unit_bench detailed("detailed", c);
    constexpr std::uint64_t total = 3 + 5 + 4 + 4; // weights, rows, drain, latency
    simulate([&] {
        for (auto* bench : {&fast, &detailed}) {
            for (std::uint64_t after = 0; after < total; ++after) {
                bench->unit().forget();
                bench->stop().request(sc_core::sc_time::from_value(after * array_period().value() + 1));
                const auto outcome = bench->execute(whole(3, 5));
                bench->stop().clear();
                if (after + 1 == total) { // too late
                    EXPECT_TRUE(outcome.ok());
                    continue;
                }
                EXPECT_EQ(outcome.error, isa::error_code::aborted);
                EXPECT_EQ(outcome.cycles(), after + 1);
                EXPECT_EQ(outcome.counts, mmv::counts{});
                const std::uint64_t loads = bench->execute(whole(3, 5)).counts[event::weight_load];
                EXPECT_EQ(loads, after + 1 < 3 ? 1u : 0u) << "stopped after " << after + 1 << " cycles";
            }
        }
    });
}

TEST_F(matrix_unit_test, weights_that_were_stopped_on_their_way_have_replaced_those_before)
{
    unit_bench bench("bench", f64_config(4));
    simulate([&] {
        const matmul_command first = whole(4, 2);
        matmul_command second = first;
        second.weights.address += 0x400;
        bench.execute(first);
        bench.stop().request(sc_core::sc_time::from_value(array_period().value() + 1));
        EXPECT_EQ(bench.execute(second).error, isa::error_code::aborted);
        bench.stop().clear();
        EXPECT_EQ(bench.execute(first).counts[event::weight_load], 1u);
    });
}

template <class Element> class matrix_unit_format_test : public sim_test {
protected:
    using word = word_of<Element>;

    template <class T> T any(T least, T most)
    {
        return static_cast<T>(least + static_cast<T>(m_random() % static_cast<std::uint64_t>(most - least + 1)));
    }

    /// Operands anywhere in their thirds of the scratchpad.
    matmul_command random_command(unsigned side)
    {
        matmul_command c;
        c.words = any(1u, 12 * side);
        c.left_columns = any(0, 1) == 0 ? side : any(1u, side);
        c.result_columns = any(0, 1) == 0 ? side : any(1u, side);
        const auto place = [&](mmv::matrix_operand& o, std::uint32_t third, std::uint32_t columns, std::size_t bytes) {
            o.row_stride = static_cast<std::int32_t>(any(columns, columns + 3));
            o.address = third + static_cast<std::uint32_t>(any(0u, 9u) * bytes);
            if (any(0, 3) == 0) { // backwards
                o.address += static_cast<std::uint32_t>(static_cast<std::size_t>(o.row_stride) * 40 * bytes);
                o.row_stride = -o.row_stride;
            }
        };
        place(c.left, left_at, c.left_columns, sizeof(Element));
        place(c.result, result_at, c.result_columns, sizeof(word));
        place(c.weights, weights_at, c.result_columns, sizeof(Element));
        if (std::is_same_v<Element, word> && any(0, 3) == 0) {
            c.result = c.left;
            c.result_columns = std::min(c.left_columns, c.result_columns);
        }
        return c;
    }

    /// Words that elements of a matrix lie in, row by row.
    static std::uint64_t words_of(const mmv::matrix_operand& o, std::uint64_t rows, unsigned columns, std::size_t bytes,
                                  std::uint64_t elements, unsigned side)
    {
        std::uint64_t words = 0;
        for (std::uint64_t r = 0; r < rows; ++r) {
            std::set<std::int64_t> of_row;
            for (unsigned i = 0; i < columns && r * side + i < elements; ++i) {
                const std::int64_t index = static_cast<std::int64_t>(r) * o.row_stride + i;
                of_row.insert((o.address + index * static_cast<std::int64_t>(bytes)) /
                              static_cast<std::int64_t>(sizeof(word)));
            }
            words += of_row.size();
        }
        return words;
    }

    std::mt19937_64 m_random{41};
};

using formats = testing::Types<double, float, std::complex<double>, arithmetic::bfloat16, arithmetic::float16,
                               std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(matrix_unit_format_test, formats);

TYPED_TEST(matrix_unit_format_test, both_fidelities_leave_in_the_scratchpad_what_the_reference_does)
{
    std::vector<std::unique_ptr<unit_bench>> benches; // of each side a fast one and a detailed one
    for (const unsigned side : {2u, 5u, 16u}) {
        mmv::config c = f64_config(side);
        c.format = base::element_type_of<TypeParam>;
        c.banks = 4;
        c.in_words = 2;
        benches.push_back(std::make_unique<unit_bench>("fast_" + std::to_string(side), c));
        c.fidelity = blocks::fidelity::detailed;
        benches.push_back(std::make_unique<unit_bench>("detailed_" + std::to_string(side), c));
    }
    simulate([&] {
        for (std::size_t b = 0; b < benches.size(); b += 2) {
            const unsigned side = benches[b]->config().side;
            for (unsigned turn = 0; turn < 12; ++turn) {
                const auto draw = turn % 2 == 0 ? ordinary_element<TypeParam, std::mt19937_64>
                                                : odd_element<TypeParam, std::mt19937_64>;
                const auto values = elements<TypeParam>(unit_bench::bytes / sizeof(TypeParam), this->m_random, draw);
                const matmul_command command = this->random_command(side);
                for (auto* bench : {benches[b].get(), benches[b + 1].get()}) { bench->fill(0, values); }
                const auto effect = effect_of(mmv::limits_of(benches[b]->config()), 64, benches[b]->contents(),
                                              [&](reference_units& units) { units.matmul(command); });
                const auto fast = benches[b]->execute(command);
                const auto detailed = benches[b + 1]->execute(command);
                ASSERT_TRUE(same_bits(benches[b]->contents(), effect.memory));
                ASSERT_TRUE(same_bits(benches[b + 1]->contents(), effect.memory));
                EXPECT_EQ(fast.counts, detailed.counts);
                EXPECT_EQ(fast.counts[event::mac_overflowed], effect.counts[event::mac_overflowed]);
                const auto words = [&](const mmv::matrix_operand& o, unsigned columns, std::size_t bytes) {
                    return this->words_of(o, (command.words + side - 1) / side, columns, bytes, command.words, side);
                };
                EXPECT_EQ(fast.counts[event::scratchpad_read],
                          words(command.left, command.left_columns, sizeof(TypeParam)) +
                              this->words_of(command.weights, command.left_columns, command.result_columns,
                                             sizeof(TypeParam), std::uint64_t{side} * side, side));
                EXPECT_EQ(fast.counts[event::scratchpad_write],
                          words(command.result, command.result_columns, sizeof(typename TestFixture::word)));
                EXPECT_EQ(fast.error, detailed.error);
                EXPECT_EQ(fast.error, effect.error);
                ASSERT_EQ(fast.segments.size(), detailed.segments.size());
                for (std::size_t i = 0; i < fast.segments.size(); ++i) {
                    EXPECT_STREQ(fast.segments[i].cause, detailed.segments[i].cause);
                    EXPECT_EQ(fast.segments[i].cycles, detailed.segments[i].cycles);
                }
            }
        }
    });
}

// ---- PRODUCT ----

product_command whole_product(std::uint32_t rows, std::uint32_t depth, std::uint32_t columns)
{
    product_command c;
    c.left = {left_at, static_cast<std::int32_t>(depth), {}};
    c.weights = {weights_at, static_cast<std::int32_t>(columns), {}};
    c.result = {result_at, static_cast<std::int32_t>(columns), {}};
    c.rows = rows, c.depth = depth, c.columns = columns;
    return c;
}

// s = 4: a load takes 4 cycles, the array drains for 2 s - 2 = 6.
TEST_F(matrix_unit_test, tiles_of_a_product_follow_one_another_or_wait)
{
    auto config = f64_config(4);
    unit_bench one_by_one("one_by_one", config);
    config.streaming = true;
    unit_bench streaming("streaming", config);
    config.call_interval = 5, config.call_latency = 7;
    unit_bench slow("slow", config);
    config.in_words = 2;
    unit_bench narrow("narrow", config);
    simulate([&] {
        auto c = whole_product(10, 8, 12); // 2 x 3 tiles of 10 rows
        EXPECT_EQ(one_by_one.segments(c, false),
                  (named_cycles{{"weights", 6 * 4}, {"compute", 6 * 10}, {"drain", 6 * 6}}));
        EXPECT_EQ(streaming.segments(c, false), (named_cycles{{"weights", 4}, {"compute", 6 * 10}, {"drain", 6}}));
        // Of 2 rows an end of a tile waits for the one before, 4 cycles after it.
        EXPECT_EQ(streaming.segments(whole_product(2, 8, 12), false),
                  (named_cycles{{"weights", 4 + 6 * 2}, {"compute", 6 * 2}, {"drain", 6}}));
        // Calls of 3, 3, 3 and 1 rows, 5 cycles apart; weights enter in the last one.
        c.call_rows = 3;
        EXPECT_EQ(slow.segments(c, false),
                  (named_cycles{{"weights", 4}, {"compute", 60}, {"latency", 6 * 10}, {"drain", 6}, {"latency", 7}}));
        // Without calls for the weights: a load of 16 words takes 8 cycles, a row 2.
        c.call_rows = 5;
        EXPECT_EQ(narrow.segments(c, false),
                  (named_cycles{{"weights", 8}, {"compute", 60}, {"port", 60}, {"drain", 6}, {"latency", 7}}));
        c.tile_columns = 2; // 2 x 6 tiles
        EXPECT_EQ(streaming.segments(whole_product(10, 8, 12), false).front().second, 4u);
        EXPECT_EQ(slow.execute(c, false).counts[event::weight_load], 12u);
    });
}

TEST_F(matrix_unit_test, a_product_leaves_no_weights_for_a_matmul)
{
    auto config = f64_config(4);
    config.streaming = true;
    unit_bench bench("bench", config);
    simulate([&] {
        const matmul_command c = whole(4, 3);
        EXPECT_EQ(bench.execute(c).counts[event::weight_load], 1u);
        EXPECT_EQ(bench.execute(c).counts[event::weight_load], 0u);
        bench.execute(whole_product(3, 4, 4), false);
        EXPECT_EQ(bench.execute(c).counts[event::weight_load], 1u);
    });
}

TEST_F(matrix_unit_test, an_aborted_product_counts_nothing)
{
    auto config = f64_config(4);
    config.streaming = true;
    unit_bench bench("bench", config);
    simulate([&] {
        bench.stop().request(sc_core::sc_time::from_value(19 * array_period().value() + 1));
        const auto outcome = bench.execute(whole_product(10, 8, 12), false);
        EXPECT_EQ(outcome.error, isa::error_code::aborted);
        EXPECT_EQ(outcome.cycles(), 20u);
        EXPECT_EQ(outcome.counts, mmv::counts{});
    });
}

TYPED_TEST(matrix_unit_format_test, products_of_both_fidelities_are_those_of_the_reference)
{
    std::vector<std::unique_ptr<unit_bench>> benches; // a fast and a detailed one each
    for (const bool streaming : {false, true}) {
        for (const unsigned side : {2u, 5u, 8u}) {
            mmv::config c = f64_config(side);
            c.format = base::element_type_of<TypeParam>;
            c.banks = 4;
            c.in_words = side == 5 ? 3 : 0;
            c.streaming = streaming;
            c.call_interval = side == 8 ? 6 : 0;
            const std::string name = (streaming ? "streaming_" : "one_by_one_") + std::to_string(side);
            benches.push_back(std::make_unique<unit_bench>("fast_" + name, c));
            c.fidelity = blocks::fidelity::detailed;
            benches.push_back(std::make_unique<unit_bench>("detailed_" + name, c));
        }
    }
    simulate([&] {
        for (std::size_t b = 0; b < benches.size(); b += 2) {
            const unsigned side = benches[b]->config().side;
            for (unsigned turn = 0; turn < 8; ++turn) {
                const auto draw = turn % 2 == 0 ? ordinary_element<TypeParam, std::mt19937_64>
                                                : odd_element<TypeParam, std::mt19937_64>;
                const auto values = elements<TypeParam>(unit_bench::bytes / sizeof(TypeParam), this->m_random, draw);
                auto command = whole_product(this->any(1u, 3 * side), this->any(1u, 3 * side), this->any(1u, 3 * side));
                for (auto* o : {&command.left, &command.weights, &command.result}) { o->row_stride += this->any(0, 3); }
                if (turn % 3 != 0) { command.call_rows = static_cast<std::uint16_t>(this->any(1u, 2 * side)); }
                if (turn % 3 == 1) { command.tile_columns = static_cast<std::uint16_t>(this->any(1u, side)); }
                const bool accumulate = turn % 4 > 1;
                for (auto* bench : {benches[b].get(), benches[b + 1].get()}) { bench->fill(0, values); }
                const auto effect = effect_of(mmv::limits_of(benches[b]->config()), 64, benches[b]->contents(),
                                              [&](reference_units& units) { units.product(command, accumulate); });
                const auto fast = benches[b]->execute(command, accumulate);
                const auto detailed = benches[b + 1]->execute(command, accumulate);
                ASSERT_TRUE(same_bits(benches[b]->contents(), effect.memory));
                ASSERT_TRUE(same_bits(benches[b + 1]->contents(), effect.memory));
                EXPECT_EQ(fast.counts, detailed.counts);
                auto counted = fast.counts;
                counted[event::scratchpad_read] = counted[event::scratchpad_write] = 0;
                EXPECT_EQ(counted, effect.counts);
                EXPECT_EQ(fast.error, detailed.error);
                EXPECT_EQ(fast.error, effect.error);
                EXPECT_EQ(fast.cycles(), detailed.cycles());
            }
        }
    });
}

} // namespace
