// What lies in the cells between commands: what loses it, who may use it, and what a debugger and a saved state see of
// it.
#include <cstring>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "models/triada/cell_mesh.h"
#include "models/triada/chain_maker.h"
#include "models/triada/chain_run.h"
#include "models/triada/format_turn.h"
#include "models/triada/random_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;
using triada::gemt_command;
using step = chain_step<double>;

constexpr shape3 whole{3, 4, 2};

triada::config small_mesh(triada::fidelity fidelity = triada::fidelity::fast)
{
    triada::config config;
    config.mesh = whole;
    config.fidelity = fidelity;
    return config;
}

/// A product of random numbers; X and Y have the shapes.
step product_step(tensor_place from, bool hold, const shape3& shape = whole, const shape3& out = whole)
{
    case_maker maker(8);
    step s;
    s.from = from;
    s.hold = hold;
    s.product.shape = shape;
    s.product.out = out;
    if (from == tensor_place::memory) {
        s.product.x = maker.numbers<double>(s.product.volume(), case_maker::specials::none);
    }
    for (unsigned m = 0; m < 3; ++m) {
        s.product.matrices[m] = maker.numbers<double>(std::size_t{shape[m]} * out[m], case_maker::specials::none);
    }
    return s;
}

/// Pointwise work without an operand, or a product by one that is given or, without numbers, kept.
step relu_step(tensor_place from, bool hold, const shape3& shape = whole)
{
    step s;
    s.from = from;
    s.hold = hold;
    auto& p = s.pointwise.emplace();
    p.work = pointwise_work::relu;
    p.shape = shape;
    if (from == tensor_place::memory) { p.x.assign(std::size_t{shape[0]} * shape[1] * shape[2], 1.5); }
    return s;
}
step filter_step(tensor_place from, bool hold, bool given, const shape3& shape = whole)
{
    step s = relu_step(from, hold, shape);
    s.pointwise->work = pointwise_work::multiply;
    if (given) { s.pointwise->operand.assign(std::size_t{shape[0]} * shape[1] * shape[2], 2.0); }
    s.pointwise->hold_operand = given;
    return s;
}

constexpr auto memory = tensor_place::memory;
constexpr auto held = tensor_place::held;
constexpr bool stays = true;
constexpr bool leaves = false;

/// Runs the steps as one program.
isa::program_result run_program(triada_bench& bench, const std::vector<step>& steps)
{
    std::vector<chain_command> commands;
    bench.restart();
    for (const auto& s : steps) { commands.push_back(place_step(bench, s)); }
    return bench.run(program_of(commands)).result;
}

void expect_error(const isa::program_result& result, error_code code, std::uint32_t command)
{
    EXPECT_FALSE(result.done);
    EXPECT_STREQ(isa::error_text(result.error), isa::error_text(code));
    EXPECT_EQ(result.error_command, command);
}

// ---- Commands on what is not there

struct absent_case {
    const char* name;
    std::uint32_t command; // that is refused
    std::vector<step> steps;
};
void PrintTo(const absent_case& c, std::ostream* out) { *out << c.name; }

class absent_tensor : public sim_test_with_param<absent_case> {};

TEST_P(absent_tensor, is_an_error_of_the_command_that_wants_it)
{
    const auto& c = GetParam();
    const auto program = [&c](triada_bench& b) {
        expect_error(run_program(b, c.steps), error_code::not_resident, c.command);
        // And what else there was is lost.
        expect_error(run_program(b, {relu_step(held, leaves)}), error_code::not_resident, 0);
        EXPECT_TRUE(run_program(b, {product_step(memory, stays), product_step(held, leaves)}).done);
    };
    triada_bench fast("fast", small_mesh(), program);
    triada_bench detailed("detailed", small_mesh(triada::fidelity::detailed), program);
    run_to_end(fast, detailed);
}

INSTANTIATE_TEST_SUITE_P(
    of, absent_tensor,
    ::testing::Values(
        absent_case{"a_product_on_a_fresh_device", 0, {product_step(held, leaves)}},
        absent_case{"pointwise_work_on_a_fresh_device", 0, {relu_step(held, leaves)}},
        absent_case{"a_product_after_one_that_stored", 1, {product_step(memory, leaves), product_step(held, leaves)}},
        absent_case{"a_product_after_pointwise_work_that_stored",
                    2,
                    {product_step(memory, stays), relu_step(held, leaves), product_step(held, leaves)}},
        absent_case{"a_product_of_another_shape",
                    1,
                    {product_step(memory, stays, {3, 4, 2}, {3, 2, 2}), product_step(held, leaves, {3, 4, 2})}},
        absent_case{"pointwise_work_of_another_shape",
                    1,
                    {product_step(memory, stays, {3, 4, 2}, {3, 2, 2}), relu_step(held, leaves, {3, 2, 1})}},
        absent_case{"a_product_of_the_same_volume",
                    1,
                    {product_step(memory, stays, {3, 4, 2}, {3, 2, 1}), product_step(held, leaves, {3, 1, 2})}},
        absent_case{"an_operand_on_a_fresh_device", 1, {product_step(memory, stays), filter_step(held, leaves, false)}},
        absent_case{"an_operand_of_another_shape",
                    1,
                    {filter_step(memory, leaves, true, {3, 4, 1}), filter_step(memory, leaves, false, {3, 4, 2})}}),
    ::testing::PrintToStringParamName());

// ---- What loses the tensor in the cells

struct loss {
    const char* name;
    std::function<void(triada_bench&)> happens;
    bool operand_too; // is lost
};
void PrintTo(const loss& l, std::ostream* out) { *out << l.name; }

class lost_tensor : public sim_test_with_param<loss> {};

TEST_P(lost_tensor, is_not_there_for_the_next_command)
{
    const auto program = [](triada_bench& b) {
        const auto begin = [&b] {
            EXPECT_TRUE(run_program(b, {product_step(memory, stays), filter_step(held, stays, true)}).done);
        };
        begin();
        GetParam().happens(b);
        expect_error(run_program(b, {relu_step(held, leaves)}), error_code::not_resident, 0);
        begin();
        GetParam().happens(b);
        const auto kept = run_program(b, {filter_step(memory, leaves, false)});
        EXPECT_EQ(kept.error, GetParam().operand_too ? error_code::not_resident : error_code::none);
    };
    triada_bench fast("fast", small_mesh(), program);
    triada_bench detailed("detailed", small_mesh(triada::fidelity::detailed), program);
    run_to_end(fast, detailed);
}

void abort_in_a_product(triada_bench& b)
{
    auto driver = b.driver();
    b.restart();
    const auto program = program_of({place_step(b, product_step(held, stays))});
    b.cpu().write_block(triada_bench::program_at, program.data(), program.size());
    driver.start(triada_bench::program_at);
    wait(sc_core::sc_time(40, sc_core::SC_NS));
    driver.abort();
    EXPECT_TRUE(driver.finish(triada_bench::timeout_ns).aborted);
}

void fail_on_the_bus(triada_bench& b)
{
    auto c = place_product(b, product_step(held, leaves));
    c.y.base = 0x1000'0000;
    expect_error(b.run(program_of({c})).result, error_code::bus_error, 0);
}

void run_in_tiles(triada_bench& b)
{
    EXPECT_TRUE(run_program(b, {product_step(memory, leaves, {4, 4, 2}, {4, 4, 2})}).done);
}

INSTANTIATE_TEST_SUITE_P(
    by, lost_tensor,
    ::testing::Values(loss{"reset", [](triada_bench& b) { b.driver().reset(); }, true},
                      loss{"abort", abort_in_a_product, true}, loss{"an_error_on_the_bus", fail_on_the_bus, true},
                      loss{"a_product_from_memory",
                           [](triada_bench& b) { EXPECT_TRUE(run_program(b, {product_step(memory, leaves)}).done); },
                           false},
                      loss{"pointwise_work_from_memory",
                           [](triada_bench& b) { EXPECT_TRUE(run_program(b, {relu_step(memory, leaves)}).done); },
                           false},
                      loss{"a_product_of_tiles", run_in_tiles, true}),
    ::testing::PrintToStringParamName());

// ---- In loops and between programs

class chain_loop : public sim_test_with_param<triada::fidelity> {};

TEST_P(chain_loop, commands_of_an_iteration_take_what_the_one_before_left)
{
    const auto round = product_step(held, stays);
    const std::vector<step> unrolled{product_step(memory, stays), round, round, round, relu_step(held, leaves)};
    std::vector<double> expected(24), found(24);
    triada_bench bench("bench", small_mesh(GetParam()), [&](triada_bench& b) {
        std::vector<chain_command> commands;
        for (const auto& s : unrolled) { commands.push_back(place_step(b, s)); }
        EXPECT_TRUE(b.run(program_of(commands)).result.done);
        b.cpu().read_block(commands.back().y, expected.data(), 24 * sizeof(double));
        b.cpu().write_block(commands.back().y, found.data(), 24 * sizeof(double));

        isa::program_builder program;
        const auto add = [&program](const chain_command& c) { program.add(c.code, c.flags, 0, c.payload); };
        add(commands[0]);
        program.add(isa::opcode::loop, 0, 0, isa::loop_command{3}.encode());
        add(commands[1]);
        program.add(isa::opcode::end);
        add(commands[4]);
        EXPECT_TRUE(b.run(program.bytes()).result.done);
        b.cpu().read_block(commands.back().y, found.data(), 24 * sizeof(double));

        isa::program_builder lost; // by the first iteration
        lost.add(commands[0].code, commands[0].flags, 0, commands[0].payload);
        lost.add(isa::opcode::loop, 0, 0, isa::loop_command{3}.encode());
        lost.add(commands[4].code, commands[4].flags, 0, commands[4].payload);
        lost.add(isa::opcode::end);
        expect_error(b.run(lost.bytes()).result, error_code::not_resident, 2);
    });
    run_to_end(bench);
    EXPECT_TRUE(same_bits(found, expected));
}
INSTANTIATE_TEST_SUITE_P(fidelities, chain_loop, ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed));

class chain_saved_state : public sim_test_with_param<int> {};

// A chain with a program per step: the device that is restored after the first goes on with what was in the cells.
TEST_P(chain_saved_state, goes_on_when_restored)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    with_format_of_turn(seed, [seed](auto element) {
        using T = decltype(element);
        case_maker maker(seed + 900);
        triada::config config = random_device(maker, base::element_type_of<T>);
        config.cell_registers = 3;
        chain_maker<T> chains(seed, config.mesh, true);
        chain<T> steps;
        while (steps.size() < 4 || !steps.front().hold) { steps = chains.make(4, case_maker::specials::zeros); }
        std::vector<std::vector<std::uint8_t>> programs(steps.size());
        std::vector<host_step<triada_bench>> runs;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            runs.emplace_back([&, i](triada_bench& b) {
                if (i == 0) {
                    b.restart();
                    for (std::size_t s = 0; s < steps.size(); ++s) {
                        programs[s] = program_of({place_step(b, steps[s])});
                    }
                }
                auto outcome = b.run(programs[i]);
                EXPECT_TRUE(outcome.result.done);
                return outcome;
            });
        }
        expect_that_it_goes_on_when_restored(config, runs, seed % 2 == 0);
    });
}
INSTANTIATE_TEST_SUITE_P(seeds, chain_saved_state, ::testing::Range(0, 12));

class chain_debug_test : public sim_test_with_param<triada::fidelity> {};

TEST_P(chain_debug_test, next_command_takes_what_a_debugger_wrote_into_a_held_tensor)
{
    step first = product_step(memory, stays, {3, 4, 2}, {2, 3, 2});
    step second = product_step(held, leaves, {2, 3, 2}, {3, 4, 2});
    step alone = second;
    alone.product.x.resize(12);
    std::vector<double> y;
    triada_bench bench("bench", small_mesh(GetParam()), [&](triada_bench& b) {
        const auto& registers = b.device().debug_memories().front();
        EXPECT_TRUE(run_program(b, {first}).done);
        for (std::size_t e = 0; e < 12; ++e) {
            const std::size_t cell = (e / 6 * 4 + e / 2 % 3) * 2 + e % 2; // of 3 x 4 x 2
            alone.product.x[e] = e == 5 ? 0 : 0.125 * static_cast<double>(e) - 1;
            registers.write((3 * 24 + cell) * 8, reinterpret_cast<const unsigned char*>(&alone.product.x[e]), 8);
        }
        const auto c = place_product(b, second);
        EXPECT_TRUE(b.run(program_of({c})).result.done);
        b.fetch(c, y, 24);
    });
    run_to_end(bench);
    EXPECT_TRUE(same_bits(y, oracle_result(alone.product)));
}

class chain_debug : public sim_test {};

TEST_F(chain_debug, writes_around_a_held_tensor_are_seen_alike_in_both_fidelities)
{
    std::vector<bench_outcome<triada::counts>> outcomes;
    std::vector<byte_string> registers;
    const auto program = [&](triada_bench& b) {
        const auto& debugged = b.device().debug_memories().front();
        EXPECT_TRUE(run_program(b, {product_step(tensor_place::memory, stays, {3, 4, 2}, {2, 3, 2})}).done);
        const double written = 3;
        for (const std::size_t cell : {23u, 7u}) { // 2 3 1 and 0 3 1
            debugged.write((3 * 24 + cell) * 8, reinterpret_cast<const unsigned char*>(&written), 8);
        }
        b.restart();
        const auto c = place_product(b, product_step(held, stays, {2, 3, 2}, {3, 4, 2}));
        outcomes.push_back(b.run(program_of({c})));
        registers.push_back(debug_bytes(b.device()).front());
    };
    triada_bench fast("fast", small_mesh(), program);
    triada_bench detailed("detailed", small_mesh(triada::fidelity::detailed), program);
    run_to_end(fast, detailed);
    EXPECT_TRUE(outcomes[0].result.done);
    EXPECT_TRUE(outcomes[0].rows == outcomes[1].rows);
    EXPECT_TRUE(registers[0] == registers[1]);
}

INSTANTIATE_TEST_SUITE_P(fidelities, chain_debug_test,
                         ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed));

} // namespace
