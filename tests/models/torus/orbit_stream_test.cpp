// What stays on the torus between commands, and streams of transforms.
#include <cmath>
#include <gtest/gtest.h>
#include "models/torus/orbit_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using isa::error_code;
using torus::event;
using complex = std::complex<double>;

constexpr double pi = 3.14159265358979323846;

class orbit_stream : public sim_test {};

orbit_command keeping(orbit_command command, std::uint16_t flags)
{
    command.flags = static_cast<std::uint16_t>(command.flags | flags);
    if ((flags & orbit_command::flag_keep_matrices) != 0) { command.matrix = {}; }
    if ((flags & orbit_command::flag_keep_tensor) != 0) { command.x = {}; }
    if ((flags & orbit_command::flag_hold_result) != 0) { command.y = {}; }
    return command;
}
constexpr auto keep_matrices = orbit_command::flag_keep_matrices;
constexpr auto keep_tensor = orbit_command::flag_keep_tensor;
constexpr auto hold_result = orbit_command::flag_hold_result;

/// Matrices of a transform of n elements, C[n,k].
template <class T, class Of> std::vector<T> square_matrix(std::uint32_t n, const Of& of)
{
    std::vector<T> c(std::size_t{n} * n);
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t k = 0; k < n; ++k) { c[std::size_t{i} * n + k] = static_cast<T>(of(i, k)); }
    }
    return c;
}
complex dft(unsigned n, unsigned k, std::uint32_t size) { return std::polar(1.0, -2 * pi * ((n * k) % size) / size); }
double hartley(unsigned n, unsigned k, std::uint32_t size)
{
    return std::cos(2 * pi * n * k / size) + std::sin(2 * pi * n * k / size);
}
double cosine(unsigned n, unsigned k, std::uint32_t size) { return std::cos(pi * (2 * n + 1) * k / (2.0 * size)); }
double walsh(unsigned n, unsigned k, std::uint32_t)
{
    unsigned common = n & k, ones = 0;
    for (; common != 0; common >>= 1) { ones += common & 1; }
    return ones % 2 == 0 ? 1 : -1;
}

template <class T> double largest_distance(const std::vector<T>& a, const std::vector<T>& b)
{
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) { most = std::max(most, static_cast<double>(std::abs(a[i] - b[i]))); }
    return most;
}

/// Forward, held on the torus, and back from there by the same matrices; of each case.
template <class T>
std::vector<std::vector<T>> there_and_back(const std::vector<std::unique_ptr<orbital_case<T>>>& cases)
{
    std::vector<std::vector<T>> back;
    orbit_bench bench("bench", torus_config(2, 4, base::element_type_of<T>), [&](orbit_bench& b) {
        for (const auto& c : cases) {
            const auto forward = keeping(b.place(*c), hold_result);
            auto inverse = keeping(b.place(*c), keep_matrices | keep_tensor);
            inverse.way = direction::inverse;
            EXPECT_TRUE(b.run({forward, inverse}).result.done);
            back.push_back(b.fetch<T>(inverse));
        }
    });
    run_to_end(bench);
    return back;
}

template <class T, class Of> std::unique_ptr<orbital_case<T>> square_case(const shape3& n, const Of& of)
{
    std::mt19937 random(3);
    auto c = std::make_unique<orbital_case<T>>(2, n, n, direction::forward, random);
    for (unsigned m = 0; m < 3; ++m) {
        c->matrices[m] = square_matrix<T>(n[m], [&](unsigned i, unsigned k) { return of(i, k, n[m]); });
    }
    return c;
}

TEST_F(orbit_stream, unitary_matrices_bring_back_what_was_given)
{
    std::vector<std::unique_ptr<orbital_case<complex>>> cases;
    cases.push_back(square_case<complex>({8, 6, 7}, [](unsigned n, unsigned k, std::uint32_t size) {
        return dft(n, k, size) / std::sqrt(static_cast<double>(size));
    }));
    EXPECT_LT(largest_distance(there_and_back(cases)[0], cases[0]->input.data), 1e-13);
}

TEST_F(orbit_stream, orthonormal_matrices_bring_back_what_was_given)
{
    std::vector<std::unique_ptr<orbital_case<double>>> cases;
    cases.push_back(square_case<double>({5, 6, 7}, [](unsigned n, unsigned k, std::uint32_t size) {
        return cosine(n, k, size) * std::sqrt((k == 0 ? 1.0 : 2.0) / size);
    }));
    EXPECT_LT(largest_distance(there_and_back(cases)[0], cases[0]->input.data), 1e-13);
}

// The forms that the report prints are not scaled, and it does not conjugate.
TEST_F(orbit_stream, printed_forms_do_not_bring_back_what_was_given)
{
    constexpr double volume = 4 * 4 * 4;
    std::vector<std::unique_ptr<orbital_case<double>>> cases;
    for (const auto& form : {hartley, walsh, cosine}) { cases.push_back(square_case<double>({4, 4, 4}, form)); }
    const auto back = there_and_back(cases);
    const auto distance = [&](unsigned form) {
        auto expected = cases[form]->input.data;
        for (auto& x : expected) { x *= volume; }
        return largest_distance(back[form], expected);
    };
    EXPECT_LT(distance(0), 1e-12); // N^3 x
    EXPECT_LT(distance(1), 1e-12);
    EXPECT_GT(distance(2), 1); // not even that
}

TEST_F(orbit_stream, printed_inverse_of_the_dft_reverses_the_indices)
{
    const auto c = square_case<complex>({4, 4, 4}, dft);
    std::vector<complex> twice;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::c128), [&](orbit_bench& b) {
        const auto forward = b.place(*c);
        auto again = forward; // the DFT's matrix is symmetric: transposed without conjugation it is itself
        again.x = forward.y;
        EXPECT_TRUE(b.run({forward, again}).result.done);
        twice = b.fetch<complex>(again);
    });
    run_to_end(bench);
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned mirrored = (4 - i / 16) % 4 * 16 + (4 - i / 4 % 4) % 4 * 4 + (4 - i % 4) % 4;
        EXPECT_LT(std::abs(twice[i] - 64.0 * c->input.data[mirrored]), 1e-12) << i;
    }
}

// Of bfloat16, too: what is held are sums, which are rounded when they become operands.
template <class T> void expect_chain_of_ordered_transforms()
{
    std::mt19937 random(11);
    orbital_case<T> c(3, {7, 5, 8}, {4, 9, 6}, direction::forward, random);
    c.problem.vector = {{1, -1, 1}};
    c.problem.order = {2, 3, 1};
    orbital_case<T> back(3, c.n, c.k, direction::inverse, random);
    back.matrices = c.matrices;
    back.problem.vector = c.problem.vector;
    back.problem.order = c.problem.order;
    back.input = ordered_transform(c.problem);

    std::vector<T> held, from_memory;
    orbit_bench bench("bench", torus_config(3, 3, base::element_type_of<T>), [&](orbit_bench& b) {
        const auto forward = b.place(c);
        const auto inverse = b.place(back);
        const auto chained = keeping(inverse, keep_matrices | keep_tensor);
        const auto outcome = b.run({keeping(forward, hold_result), chained});
        EXPECT_TRUE(outcome.result.done);
        EXPECT_EQ(outcome.counts[event::element_load], c.input.data.size());
        EXPECT_EQ(outcome.counts[event::element_unload], c.input.data.size());
        EXPECT_EQ(outcome.counts[event::coefficient_load], 7u * 4 + 5 * 9 + 8 * 6);
        EXPECT_EQ(outcome.counts[event::coefficient_copy], 3u * (7 * 4 + 5 * 9 + 8 * 6));
        held = b.fetch<T>(chained);
    });
    run_to_end(bench);
    EXPECT_TRUE(same_bits(held, ordered_transform(back.problem).data));
}
TEST_F(orbit_stream, chain_has_the_bits_of_transforms_through_memory_in_f64)
{
    expect_chain_of_ordered_transforms<double>();
}
TEST_F(orbit_stream, chain_has_the_bits_of_transforms_through_memory_in_bf16)
{
    expect_chain_of_ordered_transforms<arithmetic::bfloat16>();
}

TEST_F(orbit_stream, several_sets_of_matrices_work_on_one_tensor)
{
    std::mt19937 random(12);
    orbital_case<float> first(2, {4, 3, 4}, {4, 4, 2}, direction::forward, random);
    orbital_case<float> second(2, {4, 3, 4}, {3, 4, 2}, direction::forward, random);
    second.input = first.input;
    std::vector<float> y;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f32), [&](orbit_bench& b) {
        const auto one = b.place(first);
        const auto other = keeping(b.place(second), keep_tensor);
        EXPECT_TRUE(b.run({one, other}).result.done);
        y = b.fetch<float>(other);
    });
    run_to_end(bench);
    EXPECT_TRUE(same_bits(y, ordered_transform(second.problem).data));
}

// ---- streams ----

struct stream_outcome {
    orbit_bench::outcome_type run;
    std::vector<float> y;
};

class orbit_streams : public sim_test_with_param<direction> {};

TEST_P(orbit_streams, double_buffering_hides_transfers_and_changes_nothing_else)
{
    constexpr std::uint32_t count = 4;
    std::mt19937 random(13);
    std::vector<std::unique_ptr<orbital_case<float>>> cases;
    std::vector<float> all, expected;
    for (std::uint32_t i = 0; i < count; ++i) {
        cases.push_back(std::make_unique<orbital_case<float>>(2, shape3{6, 7, 8}, shape3{8, 6, 7}, GetParam(), random));
        if (i > 0) { cases[i]->matrices = cases[0]->matrices; }
        all.insert(all.end(), cases[i]->input.data.begin(), cases[i]->input.data.end());
        const auto y = ordered_transform(cases[i]->problem).data;
        expected.insert(expected.end(), y.begin(), y.end());
    }
    std::array<stream_outcome, 3> outcomes; // plain, double-buffered, detailed
    const auto program = [&](std::uint16_t flags, stream_outcome& outcome) {
        return [&, flags](orbit_bench& b) {
            auto command = b.place(*cases[0]);
            const auto stream = [&](isa::tensor_descriptor& d, std::uint64_t base) {
                d = isa::dense_descriptor(base, base::element_type::f32, {count, d.size[0], d.size[1], d.size[2]});
            };
            stream(command.x, b.store(all));
            stream(command.y, b.reserve(all.size() * sizeof(float)));
            command.flags = flags;
            outcome.run = b.run({command});
            outcome.y = b.fetch<float>(command);
        };
    };
    auto config = torus_config(2, 4, base::element_type::f32);
    config.load_elements = 2;
    constexpr auto both = orbit_command::flag_double_buffer;
    orbit_bench plain("plain", config, program(0, outcomes[0]));
    orbit_bench fast("fast", config, program(both, outcomes[1]));
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program(both, outcomes[2]));
    run_to_end(plain, fast, detailed);

    for (const auto& o : outcomes) {
        EXPECT_TRUE(o.run.result.done);
        EXPECT_TRUE(same_bits(o.y, expected));
        EXPECT_EQ(o.run.logged_cycles(), o.run.result.cycles);
        EXPECT_EQ(o.run.counts[event::load_cycle] + o.run.counts[event::unload_cycle],
                  o.run.cycles_of("load") + o.run.cycles_of("unload") + o.run.counts[event::overlapped_cycle]);
    }
    EXPECT_TRUE(outcomes[1].run.rows == outcomes[2].run.rows);
    EXPECT_EQ(outcomes[0].run.counts[event::overlapped_cycle], 0u);
    EXPECT_EQ(outcomes[0].run.cycles_of("compute"), outcomes[1].run.cycles_of("compute"));
    // All but the first load and the last unload are hidden: (8 x 7 x 6) / 2 cycles each, less than two stages.
    const auto& hidden = outcomes[1].run;
    const std::uint64_t transfer = 8 * 7 * 6 / 2;
    EXPECT_EQ(hidden.cycles_of("load"), transfer);
    EXPECT_EQ(hidden.cycles_of("unload"), transfer);
    EXPECT_EQ(hidden.counts[event::overlapped_cycle], 2 * (count - 1) * transfer);
    EXPECT_EQ(hidden.result.cycles, outcomes[0].run.result.cycles - hidden.counts[event::overlapped_cycle]);
}

// A memory port that is slower than the nodes: stage I waits for its operand, stage III for the result to have left.
TEST_P(orbit_streams, slow_memory_port_is_always_busy)
{
    constexpr std::uint32_t count = 3;
    std::mt19937 random(14);
    orbital_case<float> c(2, {4, 4, 4}, {4, 4, 4}, GetParam(), random);
    const auto expected = ordered_transform(c.problem).data;
    std::array<stream_outcome, 2> outcomes;
    const auto program = [&](stream_outcome& outcome) {
        return [&](orbit_bench& b) {
            auto command = b.place(c);
            command.x = isa::dense_descriptor(command.x.base, base::element_type::f32, {count, 4, 4, 4});
            command.x.stride[0] = 0; // the same tensor again and again
            command.y = isa::dense_descriptor(b.reserve(count * 64 * 4), base::element_type::f32, {count, 4, 4, 4});
            command.flags = orbit_command::flag_double_buffer;
            outcome.run = b.run({command});
            outcome.y = b.fetch<float>(command);
        };
    };
    auto config = torus_config(2, 2, base::element_type::f32);
    config.load_elements = 1;
    config.macs_per_cycle = 4;
    config.mac_latency = 1;
    config.words_per_cycle = 8;
    orbit_bench fast("fast", config, program(outcomes[0]));
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program(outcomes[1]));
    run_to_end(fast, detailed);
    EXPECT_TRUE(outcomes[0].run.rows == outcomes[1].run.rows);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::vector<float> one(outcomes[0].y.begin() + 64 * i, outcomes[0].y.begin() + 64 * (i + 1));
        EXPECT_TRUE(same_bits(one, expected)) << i;
    }
    // From the first load to the last unload the port rests in the stages in which nothing can be moved alone: I of the
    // first transform, and III of the last.
    const auto& run = outcomes[0].run;
    std::uint64_t outside = 0, steps = 0;
    for (const auto& r : run.rows) {
        if (r.cause != "compute" && r.cause != "roll") { continue; }
        const std::uint64_t transform = r.id / 2;
        steps += r.cycles;
        const bool first = transform == 0 && r.phase == "stage_I";
        const bool last = transform + 1 == count && r.phase == "stage_III";
        outside += first || last ? r.cycles : 0;
    }
    EXPECT_EQ(run.counts[event::overlapped_cycle], steps - outside);
    EXPECT_EQ(run.result.cycles, run.cycles_of("fetch") + run.cycles_of("matrices") + outside + 2 * count * 64);
}

INSTANTIATE_TEST_SUITE_P(ways, orbit_streams, ::testing::Values(direction::forward, direction::inverse),
                         [](const auto& tested) { return tested.param == direction::forward ? "forward" : "inverse"; });

TEST_F(orbit_stream, kept_matrices_serve_later_commands)
{
    std::mt19937 random(15);
    orbital_case<double> first(2, {4, 3, 4}, {4, 4, 2}, direction::forward, random);
    orbital_case<double> second(2, {4, 3, 4}, {4, 4, 2}, direction::forward, random);
    second.matrices = first.matrices;
    std::vector<double> y;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f64), [&](orbit_bench& b) {
        const auto one = b.place(first);
        const auto other = keeping(b.place(second), keep_matrices);
        const auto outcome = b.run({one, other});
        EXPECT_TRUE(outcome.result.done);
        EXPECT_EQ(std::count_if(outcome.rows.begin(), outcome.rows.end(),
                                [](const auto& r) { return r.phase == "matrices"; }),
                  1);
        y = b.fetch<double>(other);
    });
    run_to_end(bench);
    EXPECT_TRUE(same_bits(y, ordered_transform(second.problem).data));
}

// ---- what does not lie there ----

TEST_F(orbit_stream, what_does_not_lie_on_the_torus_cannot_be_kept)
{
    std::mt19937 random(16);
    orbital_case<double> c(2, {4, 4, 4}, {4, 4, 4}, direction::forward, random);
    std::vector<std::pair<std::string, error_code>> ends;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f64), [&](orbit_bench& b) {
        const auto fine = b.place(c);
        const auto end = [&](const char* name, const std::vector<orbit_command>& commands) {
            ends.emplace_back(name, b.run(commands).result.error);
        };
        end("matrices of a fresh device", {keeping(fine, keep_matrices)});
        end("tensor of a fresh device", {keeping(fine, keep_tensor)});
        auto changed = keeping(fine, keep_matrices);
        changed.vector = {{1, 1, -1}};
        end("another vector", {fine, changed});
        changed = keeping(fine, keep_tensor);
        changed.order = {1, 2, 3};
        end("another order", {fine, changed});
        changed = keeping(fine, keep_matrices);
        changed.x.size[1] = 3;
        end("another size", {fine, changed});
        changed = keeping(fine, keep_matrices);
        changed.left_out = 1;
        end("fewer modes", {fine, changed});
        changed = keeping(fine, keep_tensor);
        changed.way = direction::inverse;
        changed.blocks.out_block[2] = 1;
        changed.matrix[2] = isa::dense_descriptor(fine.matrix[2].base, base::element_type::f64, {4, 2});
        end("other blocks", {fine, changed});
        auto stream = fine;
        stream.x = isa::dense_descriptor(fine.x.base, base::element_type::f64, {1, 4, 4, 4});
        stream.y = isa::dense_descriptor(fine.y.base, base::element_type::f64, {1, 4, 4, 4});
        end("a tensor of a stream", {stream, keeping(fine, keep_tensor)});
        end("matrices of a stream", {stream, keeping(fine, keep_matrices)});
        end("both", {fine, keeping(fine, keep_tensor | keep_matrices)});
        auto fails = fine;
        fails.x.base = 0x1000; // nothing is there
        end("a bus error", {fails});
        end("matrices behind a bus error", {keeping(fine, keep_matrices)});
    });
    run_to_end(bench);
    for (const auto& [name, error] : ends) {
        const bool works = name == "matrices of a stream" || name == "both";
        EXPECT_EQ(error, works                   ? error_code::none
                         : name == "a bus error" ? error_code::bus_error
                                                 : error_code::not_resident)
            << name;
    }
    EXPECT_EQ(ends.size(), 12u);
}

TEST_F(orbit_stream, completion_word_is_written_behind_the_result)
{
    std::mt19937 random(17);
    orbital_case<double> c(2, {4, 4, 4}, {4, 4, 4}, direction::forward, random);
    std::vector<std::uint8_t> word;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f64), [&](orbit_bench& b) {
        auto command = b.place(c);
        command.flags = orbit_command::flag_completion;
        command.completion_address = b.reserve(4);
        const auto outcome = b.run({command});
        EXPECT_EQ(outcome.rows.back().phase, "completion");
        word = b.read(command.completion_address, 4);
    });
    run_to_end(bench);
    EXPECT_EQ(word, (std::vector<std::uint8_t>{1, 0, 0, 0})); // the token
}

// Three transforms in a stream: each initial Y is loaded when the result before it has left, and the tensors are the
// sums that each would have alone.
TEST_F(orbit_stream, affine_transforms_overlap_and_start_from_their_own_sums)
{
    constexpr std::uint32_t n = 4, count = 3;
    std::mt19937 random(26);
    std::vector<std::unique_ptr<orbital_case<float>>> cases;
    for (std::uint32_t i = 0; i < count; ++i) {
        cases.push_back(
            std::make_unique<orbital_case<float>>(2, shape3{n, n, n}, shape3{n, n, n}, direction::forward, random));
        if (i > 0) { cases[i]->matrices = cases[0]->matrices; }
        cases[i]->start_anywhere(random);
    }
    std::array<std::array<orbit_bench::outcome_type, 2>, 2> outcomes; // by fidelity; without and with double buffering
    std::array<std::array<std::vector<float>, 2>, 2> results;
    const auto program = [&](orbit_bench& b) {
        const unsigned f = b.device().settings().fidelity == fidelity::fast ? 0 : 1;
        auto command = b.place(*cases[0]);
        std::vector<float> x, initial;
        for (const auto& c : cases) {
            x.insert(x.end(), c->input.data.begin(), c->input.data.end());
            initial.insert(initial.end(), c->initial.data.begin(), c->initial.data.end());
        }
        command.x = isa::dense_descriptor(b.store(x), base::element_type::f32, {count, n, n, n});
        for (unsigned buffers = 0; buffers < 2; ++buffers) {
            command.y = isa::dense_descriptor(b.store(initial), base::element_type::f32, {count, n, n, n});
            if (buffers == 1) { command.flags |= orbit_command::flag_double_buffer; }
            outcomes[f][buffers] = b.run({command});
            results[f][buffers] = b.fetch<float>(command);
        }
    };
    auto config = torus_config(2, 2, base::element_type::f32);
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    std::vector<float> expected;
    for (const auto& c : cases) {
        const auto one = ordered_transform(c->problem).data;
        expected.insert(expected.end(), one.begin(), one.end());
    }
    for (unsigned buffers = 0; buffers < 2; ++buffers) {
        EXPECT_TRUE(same_bits(results[0][buffers], expected));
        EXPECT_TRUE(same_bits(results[1][buffers], expected));
        EXPECT_TRUE(outcomes[0][buffers].rows == outcomes[1][buffers].rows);
        EXPECT_EQ(outcomes[0][buffers].counts[event::element_load], 2u * count * n * n * n);
        EXPECT_EQ(outcomes[0][buffers].logged_cycles(), outcomes[0][buffers].result.cycles);
    }
    EXPECT_GT(outcomes[0][1].counts[event::overlapped_cycle], 0u);
    EXPECT_LT(outcomes[0][1].result.cycles, outcomes[0][0].result.cycles);
}

// Y1 = Y0 + X A, held; then X1 + Y1 B^H from what lies there.
TEST_F(orbit_stream, held_sums_may_start_anywhere)
{
    std::mt19937 random(27);
    orbital_case<double> c(2, {3, 4, 2}, {4, 3, 4}, direction::forward, random);
    c.start_anywhere(random);
    orbital_case<double> back(2, c.n, c.k, direction::inverse, random);
    back.matrices = c.matrices;
    back.start_anywhere(random);
    std::vector<double> found;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f64), [&](orbit_bench& b) {
        auto there = b.place(c); // its Y is read alone
        there.flags |= hold_result;
        const auto again = keeping(b.place(back), keep_matrices | keep_tensor);
        EXPECT_TRUE(b.run({there, again}).result.done);
        found = b.fetch<double>(again);
    });
    run_to_end(bench);
    back.input = ordered_transform(c.problem);
    EXPECT_TRUE(same_bits(found, ordered_transform(back.problem).data));
}

} // namespace
} // namespace tensorloom::test
