// Programs that nobody meant: random changes to the bytes of good ones. The device never fails itself, ends each in the
// same way in both fidelities, refuses what its checks refuse, and works afterwards.
#include <gtest/gtest.h>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include "models/random_programs.h"
#include "models/torus/orbit_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

constexpr unsigned programs_per_seed = 100;

/// Good programs, and what random numbers make of them.
class hostile_writer {
public:
    hostile_writer(orbit_bench& bench, std::uint64_t seed) : m_bench(bench), m_random(seed) {}

    program_bytes next()
    {
        m_bench.restart();
        isa::program_builder builder;
        const unsigned commands = 1 + below(3);
        for (unsigned i = 0; i < commands; ++i) { add(builder); }
        auto program = builder.bytes();
        const auto good = commands_of(program);
        for (unsigned changes = chance(2) ? 0 : 1 + below(2); changes > 0; --changes) {
            change(program, good[below(static_cast<std::uint32_t>(good.size()))]);
        }
        return program;
    }

private:
    std::uint32_t below(std::uint32_t most) { return static_cast<std::uint32_t>(m_random() % most); }
    bool chance(unsigned of) { return below(of) == 0; }
    shape3 sizes() { return {1 + below(6), 1 + below(6), 1 + below(6)}; }

    void add(isa::program_builder& builder)
    {
        if (chance(6)) {
            torus::multiply_command m;
            m.blocks = {1 + below(2), 1 + below(2), 1 + below(2)};
            m.cls = static_cast<torus::matrix_class>(below(5));
            for (auto& d : m.operand) { d = isa::dense_descriptor(m_bench.reserve(8 * 16), type, {4, 4}); }
            builder.add(torus::opcode::multiply, 0, 1, m.encode());
            return;
        }
        const auto way = chance(2) ? direction::forward : direction::inverse;
        std::mt19937 elements(below(1000));
        orbital_case<float> c(2, sizes(), sizes(), way, elements);
        auto command = m_bench.place(c);
        if (chance(4)) { leave_out(command, static_cast<std::uint8_t>(1 + below(2))); }
        command.flags = static_cast<std::uint16_t>(chance(3) ? orbit_command::flag_double_buffer : 0);
        if (chance(3)) {
            command.x = several(command.x);
            command.y = several(command.y);
        }
        builder.add(torus::opcode::orbit, command.flags, 1, command.encode());
        if (chance(2)) { return; }
        command.flags |= orbit_command::flag_keep_matrices; // once more, with what lies there
        command.matrix = {};
        if (chance(2)) {
            command.flags |= orbit_command::flag_keep_tensor;
            command.x = {};
        }
        builder.add(torus::opcode::orbit, command.flags, 2, command.encode());
    }
    static void leave_out(orbit_command& command, std::uint8_t modes)
    {
        command.left_out = modes;
        for (unsigned m = 0; m < 3; ++m) {
            if (command.sums(m)) { continue; }
            auto &in = command.blocks.in_block[m], &out = command.blocks.out_block[m];
            (command.way == direction::forward ? out : in) = command.way == direction::forward ? in : out;
            auto sizes = command.y.size;
            sizes[m] = command.x.size[m];
            command.y = isa::dense_descriptor(command.y.base, type, {sizes[0], sizes[1], sizes[2]});
            command.matrix[m] = {};
        }
    }
    isa::tensor_descriptor several(const isa::tensor_descriptor& d)
    {
        auto all = isa::dense_descriptor(d.base, type, {3, d.size[0], d.size[1], d.size[2]});
        all.stride[0] = chance(2) ? all.stride[0] : static_cast<std::int64_t>(below(1u << 20)) - (1 << 19);
        return all;
    }

    // A byte of a command.
    void change(program_bytes& program, const placed_command& command)
    {
        const std::uint32_t payload = command.header.length - isa::command_header::encoded_bytes;
        const std::size_t at = chance(8) ? command.at + below(16) : command.payload() + below(payload);
        program[at] = static_cast<std::uint8_t>(chance(2) ? below(4) : m_random());
    }

    static constexpr auto type = base::element_type::f32;
    orbit_bench& m_bench;
    std::mt19937_64 m_random;
};

/// Sizes that the host can simulate in no time.
bool is_small(const program_bytes& program)
{
    std::uint64_t work = 0;
    for (const auto& c : isa::program_commands(program)) {
        if (!c.is_whole() || c.payload_bytes() != orbit_command::payload_bytes) { continue; }
        const auto o = orbit_command::decode(c.header.flags, c.payload);
        for (const auto* d : {&o.x, &o.y, &o.matrix[0], &o.matrix[1], &o.matrix[2]}) {
            if (d->order <= isa::tensor_descriptor::max_order && d->elements() > 20'000) { return false; }
            work += d->order <= isa::tensor_descriptor::max_order ? d->elements() : 0;
        }
    }
    return work < 50'000;
}

class hostile_orbits : public sim_test_with_param<int> {};

TEST_P(hostile_orbits, end_alike_in_both_fidelities)
{
    const auto seed = static_cast<std::uint64_t>(GetParam());
    auto config = torus_config(2, 2, base::element_type::f32);
    config.coefficient_elements = 100;
    if (seed % 2 != 0) { config.overlap = torus::overlap_kind::shared, config.sync_cycles = 3; }
    std::array<std::vector<orbit_bench::outcome_type>, 2> outcomes;
    std::array<std::vector<program_bytes>, 2> memory;
    const auto program = [&](unsigned f) {
        return [&, f](orbit_bench& b) {
            hostile_writer writer(b, seed);
            for (unsigned i = 0; i < programs_per_seed; ++i) {
                const auto bytes = writer.next();
                if (!is_small(bytes)) { continue; }
                outcomes[f].push_back(b.run(bytes));
                memory[f].push_back(b.read(orbit_bench::data_at, 0x4000));
            }
            std::mt19937 random(1);
            const orbital_case<float> fine(2, {4, 3, 4}, {4, 4, 2}, direction::forward, random);
            EXPECT_TRUE(same_bits(b.transformed(fine), ordered_transform(fine.problem).data));
        };
    };
    orbit_bench fast("fast", config, program(0));
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program(1));
    run_to_end(fast, detailed);
    ASSERT_EQ(outcomes[0].size(), outcomes[1].size());
    unsigned done = 0, failed = 0;
    for (std::size_t i = 0; i < outcomes[0].size(); ++i) {
        SCOPED_TRACE(i);
        const auto& one = outcomes[0][i];
        const auto& other = outcomes[1][i];
        EXPECT_EQ(one.result.error, other.result.error);
        EXPECT_EQ(one.result.error_command, other.result.error_command);
        EXPECT_EQ(one.result.error_address, other.result.error_address);
        EXPECT_EQ(one.result.cycles, other.result.cycles);
        EXPECT_EQ(one.logged_cycles(), one.result.cycles);
        EXPECT_TRUE(one.rows == other.rows);
        EXPECT_TRUE(memory[0][i] == memory[1][i]);
        (one.result.done ? done : failed) += 1;
    }
    EXPECT_GE(done, 10u);
    EXPECT_GE(failed, 15u);
}
INSTANTIATE_TEST_SUITE_P(seeds, hostile_orbits, ::testing::Range(0, 12));

} // namespace
} // namespace tensorloom::test
