// POINTWISE on tensors that lie on the torus, and chains whose tensors move beside the work: bits by the definition of
// each operation and the order of the schedule's sums, counts in closed form, the same log in both fidelities.
#include <complex>
#include <map>
#include <optional>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include "models/saved_state.h"
#include "models/torus/orbit_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using isa::error_code;
using isa::pointwise_command;
using isa::pointwise_operation;
using torus::event;

class torus_pointwise : public sim_test {};

constexpr std::uint32_t side = 2;

/// Commands of both kinds, one after the other.
class mixed_program {
public:
    mixed_program& operator()(const orbit_command& c) { return add(torus::opcode::orbit, c); }
    mixed_program& operator()(const pointwise_command& c) { return add(torus::opcode::pointwise, c); }
    std::vector<std::uint8_t> bytes() const { return m_builder.bytes(); }

private:
    template <class Command> mixed_program& add(torus::opcode opcode, const Command& c)
    {
        m_builder.add(opcode, c.flags, ++m_token, c.encode());
        return *this;
    }
    isa::program_builder m_builder;
    std::uint32_t m_token = 0;
};

template <class T> bool is_zero_element(const T& x) { return arithmetic::is_zero(x); }

/// One element, by the definition.
template <class T> arithmetic::accumulator_of<T> changed(const pointwise_command& c, const T& x, const T& b, const T& s)
{
    using sum = arithmetic::accumulator_of<T>;
    const auto skips = [&](const T& p, const T& q) { return c.esop() && (is_zero_element(p) || is_zero_element(q)); };
    switch (c.operation) {
    case pointwise_operation::multiply: return skips(x, b) ? sum{} : arithmetic::mac(sum{}, x, b);
    case pointwise_operation::add: return skips(b, s) ? sum(x) : arithmetic::mac(sum(x), b, s);
    case pointwise_operation::scale: return skips(x, s) ? sum{} : arithmetic::mac(sum{}, x, s);
    case pointwise_operation::threshold: return std::abs(sum(x)) <= std::abs(sum(s)) ? sum{} : sum(x);
    case pointwise_operation::relu: break;
    }
    if constexpr (arithmetic::number_format<T>::parts == 1) { return sum(x) <= 0 ? sum{} : sum(x); }
    return sum(x);
}

template <class T> T element_of(double value)
{
    if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return T::from_double(value);
    } else {
        return static_cast<T>(value);
    }
}

template <class T> isa::tensor_descriptor lying(const shape3& n)
{
    return isa::dense_descriptor(0, base::element_type_of<T>, {n[0], n[1], n[2]});
}

/// Forward, one operation, and back, all on the torus; expected bits and the operation's counts.
template <class T> void expect_operations_between_transforms()
{
    constexpr shape3 n{3, 4, 2}, k{4, 3, 4};
    std::mt19937 random(31);
    orbital_case<T> there(side, n, k, direction::forward, random), back(side, n, k, direction::inverse, random);
    back.matrices = there.matrices;
    auto operand = random_elements<T>(random, isa::volume_of(k));
    for (std::size_t i = 0; i < operand.size(); i += 3) { operand[i] = T{}; }
    if (std::is_integral_v<T>) {
        there.problem.shifts = {8, 8, 6};
        back.problem.shifts = {9, 8, 9};
    }
    std::vector<pointwise_command> commands;
    for (const auto operation : {pointwise_operation::multiply, pointwise_operation::add, pointwise_operation::scale,
                                 pointwise_operation::threshold, pointwise_operation::relu}) {
        for (const std::uint16_t esop : {std::uint16_t{0}, pointwise_command::flag_esop}) {
            if (operation == pointwise_operation::relu && arithmetic::number_format<T>::parts == 2) { continue; }
            pointwise_command c;
            c.flags = static_cast<std::uint16_t>(esop | pointwise_command::flag_keep_tensor |
                                                 pointwise_command::flag_hold_result);
            c.operation = operation;
            if (c.has_value()) { c.value[0] = std::is_integral_v<T> ? 5 : 0.3; }
            c.shift = std::is_integral_v<T> && c.multiplies() ? 2 : 0;
            c.x = c.y = lying<T>(k);
            commands.push_back(c);
        }
    }
    std::array<std::vector<orbit_bench::outcome_type>, 2> outcomes;
    std::array<std::vector<std::vector<T>>, 2> results;
    const auto program = [&](orbit_bench& b) {
        const unsigned f = b.device().settings().fidelity == fidelity::fast ? 0 : 1;
        auto forward = b.place(there), inverse = b.place(back);
        forward.flags = orbit_command::flag_hold_result;
        inverse.flags = orbit_command::flag_keep_matrices | orbit_command::flag_keep_tensor;
        forward.y = inverse.x = {};
        inverse.matrix = {};
        const auto at = b.store(operand);
        for (auto c : commands) {
            if (c.has_operand()) {
                c.operand = c.x;
                c.operand.base = at;
            }
            outcomes[f].push_back(b.run(mixed_program()(forward)(c)(inverse).bytes()));
            results[f].push_back(b.template fetch<T>(inverse));
        }
    };
    auto config = torus_config(side, 2, base::element_type_of<T>);
    config.macs_per_cycle = 3;
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    const auto middle = ordered_transform(there.problem);
    for (std::size_t i = 0; i < commands.size(); ++i) {
        SCOPED_TRACE(i);
        const auto& c = commands[i];
        const T value = element_of<T>(c.value[0]);
        back.input = middle;
        std::uint64_t with_both = 0;
        for (std::size_t e = 0; e < middle.data.size(); ++e) {
            const T& x = middle.data[e];
            const T b = c.has_operand() ? operand[e] : T{};
            back.input.data[e] = arithmetic::narrowed<T>(changed(c, x, b, value), c.shift).value;
            const bool one = c.operation == pointwise_operation::add || !is_zero_element(x);
            const bool other = c.operation == pointwise_operation::scale || !is_zero_element(b);
            with_both += one && other ? 1 : 0;
        }
        ASSERT_TRUE(outcomes[0][i].result.done) << isa::error_text(outcomes[0][i].result.error);
        EXPECT_TRUE(same_bits(results[0][i], ordered_transform(back.problem).data));
        EXPECT_TRUE(same_bits(results[1][i], results[0][i]));
        EXPECT_TRUE(outcomes[0][i].rows == outcomes[1][i].rows);
        EXPECT_EQ(outcomes[0][i].logged_cycles(), outcomes[0][i].result.cycles);
        torus::counts counts;
        std::uint64_t cycles = 0;
        for (const auto& row : outcomes[0][i].rows) {
            if (row.phase != "pointwise") { continue; }
            counts += row.counts;
            cycles += row.cycles;
        }
        constexpr std::uint64_t block = 8, elements = side * side * side * block; // of 4 x 4 x 4, with padding
        constexpr std::uint64_t words = sizeof(arithmetic::accumulator_of<T>) / sizeof(T);
        const std::uint64_t read = 1 + (c.has_operand() ? 1 : 0) + (c.has_value() ? 1 : 0);
        const std::uint64_t macs = !c.multiplies() ? 0 : c.esop() ? with_both : elements;
        EXPECT_EQ(cycles, 3u + 4 - 1); // 8 elements, 3 a cycle
        EXPECT_EQ(counts[event::step], 1u);
        EXPECT_EQ(counts[event::mac], macs);
        EXPECT_EQ(counts[event::mac_skipped], c.multiplies() ? elements - macs : 0);
        EXPECT_EQ(counts[event::compare], c.multiplies() ? 0 : elements);
        EXPECT_EQ(counts[event::register_read], read * elements);
        EXPECT_EQ(counts[event::register_write], elements);
        EXPECT_EQ(counts[event::block_read], (words + (c.has_operand() ? 1 : 0)) * elements);
        EXPECT_EQ(counts[event::block_write], words * elements);
        EXPECT_EQ(counts[event::compute_cycle], cycles);
    }
}

TEST_F(torus_pointwise, f64_between_transforms) { expect_operations_between_transforms<double>(); }
TEST_F(torus_pointwise, f32_between_transforms) { expect_operations_between_transforms<float>(); }
TEST_F(torus_pointwise, c128_between_transforms) { expect_operations_between_transforms<std::complex<double>>(); }
TEST_F(torus_pointwise, c64_between_transforms) { expect_operations_between_transforms<std::complex<float>>(); }
TEST_F(torus_pointwise, bf16_between_transforms) { expect_operations_between_transforms<arithmetic::bfloat16>(); }
TEST_F(torus_pointwise, int8_between_transforms) { expect_operations_between_transforms<std::int8_t>(); }

// Without a transform: X comes from memory and Y goes there, elements or sums.
TEST_F(torus_pointwise, tensors_come_from_memory_and_leave)
{
    using arithmetic::bfloat16;
    constexpr shape3 n{3, 2, 5};
    std::mt19937 random(32);
    const auto x = random_elements<bfloat16>(random, isa::volume_of(n));
    const auto b = random_elements<bfloat16>(random, isa::volume_of(n));
    std::vector<float> sums;
    std::vector<bfloat16> elements;
    pointwise_command c;
    c.operation = pointwise_operation::multiply;
    orbit_bench bench("bench", torus_config(side, 3, base::element_type::bf16), [&](orbit_bench& bench_) {
        c.x = lying<bfloat16>(n);
        c.x.base = bench_.store(x);
        c.operand = lying<bfloat16>(n);
        c.operand.base = bench_.store(b);
        for (const auto type : {base::element_type::f32, base::element_type::bf16}) {
            c.y = isa::dense_descriptor(bench_.reserve(4 * x.size()), type, {n[0], n[1], n[2]});
            const auto outcome = bench_.run(mixed_program()(c).bytes());
            EXPECT_TRUE(outcome.result.done);
            EXPECT_EQ(outcome.counts[event::element_load], 2 * x.size());
            EXPECT_EQ(outcome.counts[event::element_unload], x.size());
            orbit_command read;
            read.y = c.y;
            if (type == base::element_type::f32) { sums = bench_.fetch<float>(read); }
            if (type == base::element_type::bf16) { elements = bench_.fetch<bfloat16>(read); }
        }
    });
    run_to_end(bench);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float product = static_cast<float>(x[i]) * static_cast<float>(b[i]);
        EXPECT_EQ(sums[i], product);
        EXPECT_EQ(elements[i].bits, bfloat16(product).bits);
    }
}

/// Cycles of an ORBIT that fits, by the times of its parts: X is loaded, others move beside the stages, Y leaves last.
struct overlapped_parts {
    std::uint64_t x = 0, y = 0, previous = 0, next = 0, stages = 0, matrices = 0;

    explicit overlapped_parts(const std::vector<log_row<torus::counts>>& rows)
    {
        for (const auto& row : rows) {
            const std::uint64_t cycles = row.cycles + row.counts[event::overlapped_cycle];
            if (row.phase == "matrices") { matrices += cycles; }
            if (row.phase == "load") { (row.id == 0 ? x : next) += cycles; }
            if (row.phase == "unload") { (row.id == 0 ? y : previous) += cycles; }
            if (row.phase.rfind("stage_", 0) == 0) { stages += cycles; }
        }
    }
    std::uint64_t cycles() const { return matrices + std::max(x + stages, x + previous + next) + y; }
};

/// The previous result is stored beside the forward transform, the next tensor loaded beside it or the inverse one.
enum overlap_of_chains { no_overlap, beside_forward, beside_both };

/// A batch of forward transforms, products with a filter that stays, and transforms back.
struct filtered_batch {
    static constexpr std::uint32_t count = 4, n = 6;
    std::vector<std::unique_ptr<orbital_case<float>>> cases;
    std::vector<float> filter;

    explicit filtered_batch(std::mt19937& random) : filter(random_elements<float>(random, n * n * n))
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            cases.push_back(std::make_unique<orbital_case<float>>(side, shape3{n, n, n}, shape3{n, n, n},
                                                                  direction::forward, random));
            if (i > 0) { cases[i]->matrices = cases[0]->matrices; }
        }
    }
    std::vector<float> expected(std::size_t i) const
    {
        auto middle = ordered_transform(cases[i]->problem);
        for (std::size_t e = 0; e < filter.size(); ++e) { middle.data[e] = middle.data[e] * filter[e]; }
        orbital_case<float> back(side, cases[i]->n, cases[i]->k, direction::inverse);
        back.matrices = cases[i]->matrices;
        back.input = middle;
        return ordered_transform(back.problem).data;
    }
    /// Runs it; returns the addresses of the results.
    std::vector<std::uint64_t> run(orbit_bench& b, overlap_of_chains overlap, orbit_bench::outcome_type& outcome) const
    {
        mixed_program program;
        const bool overlaps = overlap != no_overlap;
        const auto at = b.store(filter);
        const auto first = b.place(*cases[0]);
        std::vector<std::uint64_t> x, y;
        for (const auto& c : cases) {
            x.push_back(b.store(c->input.data));
            y.push_back(b.reserve(4 * filter.size()));
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            auto forward = first, inverse = first;
            forward.flags = orbit_command::flag_hold_result;
            forward.y = {};
            forward.x.base = x[i];
            if (i > 0) {
                forward.flags |= orbit_command::flag_keep_matrices;
                forward.matrix = {};
            }
            if (overlaps && i > 0) {
                forward.flags |= orbit_command::flag_take_next | orbit_command::flag_store_previous;
                forward.x = {};
                forward.y = first.y;
                forward.y.base = y[i - 1];
            }
            pointwise_command c;
            c.operation = pointwise_operation::multiply;
            c.flags = pointwise_command::flag_keep_tensor | pointwise_command::flag_hold_result |
                      pointwise_command::flag_hold_operand;
            c.x = c.y = c.operand = lying<float>({n, n, n});
            if (i == 0) { c.operand.base = at; }
            if (i > 0) { c.flags |= pointwise_command::flag_keep_operand; }
            inverse.way = direction::inverse;
            inverse.flags = orbit_command::flag_keep_matrices | orbit_command::flag_keep_tensor;
            inverse.x = {};
            inverse.matrix = {};
            inverse.y.base = y[i];
            if (overlaps && i + 1 < count) {
                inverse.flags |= orbit_command::flag_hold_result;
                inverse.y = {};
            }
            if (overlaps && i + 1 < count) {
                auto& loads = overlap == beside_forward ? forward : inverse;
                loads.flags |= orbit_command::flag_load_next;
                loads.workspace = first.x;
                loads.workspace.base = x[i + 1];
            }
            program(forward)(c)(inverse);
        }
        outcome = b.run(program.bytes());
        return y;
    }
};

/// Every command takes the time of its parts; the same work and transfers as without overlap, all but the first load
/// and the last store beside the work, as here computing takes longer.
void expect_times_and_counts(const orbit_bench::outcome_type& without, const orbit_bench::outcome_type& with)
{
    std::map<std::uint32_t, std::vector<log_row<torus::counts>>> rows_of;
    for (const auto& row : with.rows) {
        if (row.phase != "fetch") { rows_of[row.command].push_back(row); }
    }
    EXPECT_EQ(rows_of.size(), 3u * filtered_batch::count);
    for (const auto& [command, rows] : rows_of) {
        std::uint64_t cycles = 0;
        for (const auto& row : rows) { cycles += row.cycles; }
        if (command % 3 != 1) { EXPECT_EQ(cycles, overlapped_parts(rows).cycles()) << command; }
    }
    for (const auto e : {event::step, event::mac, event::element_load, event::element_unload, event::compute_cycle,
                         event::exposed_roll_cycle, event::load_cycle, event::unload_cycle}) {
        EXPECT_EQ(with.counts[e], without.counts[e]) << static_cast<unsigned>(e);
    }
    EXPECT_EQ(without.counts[event::overlapped_cycle], 0u);
    std::uint64_t moving = 0, first_and_last = 0;
    for (const auto& row : without.rows) {
        if (row.cause != "load" && row.cause != "unload") { continue; }
        if (row.phase == "load" && row.detail == 1) { continue; } // the filter, once
        moving += row.cycles;
        if (first_and_last == 0) { first_and_last = row.cycles; }
    }
    first_and_last += std::find_if(without.rows.rbegin(), without.rows.rend(), [](const auto& row) {
                          return row.cause == "unload";
                      })->cycles;
    EXPECT_EQ(with.counts[event::overlapped_cycle], moving - first_and_last);
}

TEST_F(torus_pointwise, chains_overlap_with_loads_and_stores)
{
    std::mt19937 random(33);
    const filtered_batch batch(random);
    std::array<std::array<orbit_bench::outcome_type, 3>, 2> outcomes; // by fidelity and overlap
    std::array<std::array<std::vector<std::vector<float>>, 3>, 2> results;
    constexpr std::array all{no_overlap, beside_forward, beside_both};
    const auto program = [&](orbit_bench& b) {
        const unsigned f = b.device().settings().fidelity == fidelity::fast ? 0 : 1;
        for (const auto overlaps : all) {
            b.restart();
            for (const auto at : batch.run(b, overlaps, outcomes[f][overlaps])) {
                orbit_command read;
                read.y = isa::dense_descriptor(at, base::element_type::f32, {batch.n, batch.n, batch.n});
                results[f][overlaps].push_back(b.fetch<float>(read));
            }
        }
    };
    auto config = torus_config(side, 3, base::element_type::f32);
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    for (const auto overlaps : all) {
        SCOPED_TRACE(overlaps);
        ASSERT_TRUE(outcomes[0][overlaps].result.done) << isa::error_text(outcomes[0][overlaps].result.error);
        EXPECT_TRUE(outcomes[0][overlaps].rows == outcomes[1][overlaps].rows);
        EXPECT_EQ(outcomes[0][overlaps].logged_cycles(), outcomes[0][overlaps].result.cycles);
        for (std::size_t i = 0; i < batch.count; ++i) {
            EXPECT_TRUE(same_bits(results[0][overlaps][i], batch.expected(i))) << i;
            EXPECT_TRUE(same_bits(results[1][overlaps][i], results[0][overlaps][i])) << i;
        }
    }
    for (const auto overlap : {beside_forward, beside_both}) {
        SCOPED_TRACE(overlap);
        expect_times_and_counts(outcomes[0][no_overlap], outcomes[0][overlap]);
    }
}

TEST_F(torus_pointwise, what_does_not_lie_there_is_not_resident)
{
    std::mt19937 random(34);
    orbital_case<float> there(side, {4, 4, 4}, {4, 4, 4}, direction::forward, random);
    std::vector<std::pair<error_code, std::uint32_t>> errors;
    orbit_bench bench("bench", torus_config(side, 2, base::element_type::f32), [&](orbit_bench& b) {
        auto forward = b.place(there);
        const auto stored = forward;
        forward.flags = orbit_command::flag_hold_result;
        forward.y = {};
        pointwise_command relu;
        relu.flags = pointwise_command::flag_keep_tensor | pointwise_command::flag_hold_result;
        relu.x = relu.y = lying<float>({4, 4, 4});
        auto smaller = relu;
        smaller.x = smaller.y = lying<float>({4, 4, 3});
        auto filter = relu;
        filter.operation = pointwise_operation::multiply;
        filter.flags |= pointwise_command::flag_keep_operand;
        filter.operand = relu.x;
        auto given = filter; // loads it, and keeps it
        given.flags = relu.flags | pointwise_command::flag_hold_operand;
        given.operand.base = stored.x.base;
        auto back = stored;
        back.way = direction::inverse;
        back.flags =
            orbit_command::flag_keep_matrices | orbit_command::flag_keep_tensor | orbit_command::flag_hold_result;
        back.x = back.y = {};
        back.matrix = {};
        auto takes = forward;
        takes.flags |= orbit_command::flag_take_next;
        takes.x = {};
        auto stores = forward;
        stores.flags |= orbit_command::flag_store_previous;
        stores.y = stored.y;
        const auto expect = [&](const mixed_program& program) {
            const auto result = b.run(program.bytes()).result;
            errors.emplace_back(result.error, result.error_command);
        };
        expect(mixed_program()(relu));                                  // nothing lies there
        expect(mixed_program()(stored)(relu));                          // not held
        expect(mixed_program()(forward)(smaller));                      // another size
        expect(mixed_program()(forward)(filter));                       // no operand
        expect(mixed_program()(forward)(given)(back)(filter));          // it lies as X3 does, the tensor as X
        expect(mixed_program()(takes));                                 // nothing was loaded
        expect(mixed_program()(stored)(stores));                        // nothing is held
        expect(mixed_program()(forward)(given)(back)(forward)(filter)); // the operand stays
        expect(mixed_program()(forward)(given)(filter)(filter));        // not after a command that does not hold it
        auto holds = filter;
        holds.flags |= pointwise_command::flag_hold_operand;
        expect(mixed_program()(forward)(given)(holds)(filter));
    });
    run_to_end(bench);
    const std::vector<std::pair<error_code, std::uint32_t>> expected{
        {error_code::not_resident, 0}, {error_code::not_resident, 1}, {error_code::not_resident, 1},
        {error_code::not_resident, 1}, {error_code::not_resident, 3}, {error_code::not_resident, 0},
        {error_code::not_resident, 1}, {error_code::none, 0},         {error_code::not_resident, 3},
        {error_code::none, 0}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(errors[i].first, expected[i].first) << i;
        if (expected[i].first != error_code::none) { EXPECT_EQ(errors[i].second, expected[i].second) << i; }
    }
}

// What lies there between programs: the held tensor and its shift, the operand, the next tensor, each in some memory.
template <class T> void expect_that_chains_go_on()
{
    constexpr shape3 n{4, 3, 4};
    std::mt19937 random(35);
    orbital_case<T> there(side, n, n, direction::forward, random);
    const auto filter = random_elements<T>(random, isa::volume_of(n)),
               other = random_elements<T>(random, filter.size());
    const bool is_integer = std::is_integral_v<T>;
    struct placed_commands {
        orbit_command forward, back;
        pointwise_command product;
    };
    const auto place = [&](orbit_bench& b) {
        b.restart();
        placed_commands c;
        c.forward = b.place(there);
        if (is_integer) { c.forward.shifts = {8, 8, 6}; }
        c.forward.workspace = c.forward.x;
        c.forward.workspace.base = b.store(other);
        c.back = c.forward;
        c.back.way = direction::inverse;
        c.back.flags = orbit_command::flag_keep_tensor | orbit_command::flag_keep_matrices;
        c.back.x = c.back.workspace = {};
        c.back.matrix = {};
        c.product.operation = pointwise_operation::multiply;
        c.product.shift = is_integer ? 5 : 0;
        c.product.flags = pointwise_command::flag_keep_tensor | pointwise_command::flag_hold_result;
        c.product.x = c.product.y = c.product.operand = lying<T>(n);
        c.product.operand.base = b.store(filter);
        return c;
    };
    const auto run = [](orbit_bench& b, const mixed_program& program) {
        const auto outcome = b.run(program.bytes());
        EXPECT_TRUE(outcome.result.done) << isa::error_text(outcome.result.error);
        return outcome;
    };
    const std::vector<host_step<orbit_bench>> steps{
        [&](orbit_bench& b) {
            auto c = place(b);
            c.forward.flags = orbit_command::flag_load_next | orbit_command::flag_hold_result;
            c.forward.y = {};
            c.product.flags |= pointwise_command::flag_hold_operand;
            return run(b, mixed_program()(c.forward)(c.product));
        },
        [&](orbit_bench& b) {
            auto c = place(b);
            c.back.flags |= orbit_command::flag_hold_result;
            c.back.y = {};
            return run(b, mixed_program()(c.back));
        },
        [&](orbit_bench& b) {
            auto c = place(b);
            c.forward.flags = orbit_command::flag_take_next | orbit_command::flag_store_previous |
                              orbit_command::flag_hold_result | orbit_command::flag_keep_matrices;
            c.forward.x = c.forward.workspace = {};
            c.forward.matrix = {};
            return run(b, mixed_program()(c.forward));
        },
        [&](orbit_bench& b) {
            auto c = place(b);
            c.product.flags |= pointwise_command::flag_keep_operand;
            c.product.operand.base = 0;
            return run(b, mixed_program()(c.product)(c.back));
        },
    };
    expect_that_it_goes_on_when_restored(torus_config(side, 2, base::element_type_of<T>), steps, true);
}

TEST_F(torus_pointwise, chains_of_bf16_go_on_when_restored) { expect_that_chains_go_on<arithmetic::bfloat16>(); }
TEST_F(torus_pointwise, chains_of_int8_go_on_when_restored) { expect_that_chains_go_on<std::int8_t>(); }

} // namespace
} // namespace tensorloom::test
