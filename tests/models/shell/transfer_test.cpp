// LOAD and STORE: what they move against a copy element by element, their time, their ends.
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "models/shell/mixer_bench.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::error_code;
using isa::opcode;

constexpr std::uint64_t memory_end = mixer_bench::memory_at + mixer_bench::memory_bytes;

isa::transfer_command dense(std::uint64_t address, std::uint32_t elements, std::uint64_t local = 0)
{
    isa::transfer_command t;
    t.tensor = isa::dense_descriptor(address, base::element_type::int32, {elements});
    t.local = local;
    return t;
}
program_step move(opcode code, const isa::transfer_command& t) { return {code, {}, t, 0, 0, {}}; }
program_step load(const isa::transfer_command& t) { return move(opcode::load, t); }
program_step store(const isa::transfer_command& t) { return move(opcode::store, t); }

using transfer_test = either_mixer_test;

TEST_P(transfer_test, load_takes_the_time_of_the_bus_and_counts_what_the_device_says)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        const auto r = run_mixer(b, program_bytes({load(dense(mixer_data_at, 24, 100))}));
        EXPECT_EQ(r.records, (std::vector<kept_record>{{"load", "load", 0, 0, 24, {0, 96, 0, 0}, 0}}));
        EXPECT_EQ(r.cycles, 24u);
        EXPECT_TRUE(
            std::equal(b.device.memory.begin() + 100, b.device.memory.begin() + 196, b.memory.bytes.begin() + 0x8000));
    });
}

TEST_P(transfer_test, store_takes_the_time_of_a_slower_port)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        b.device.port_cycles_per_byte = 2;
        const auto r = run_mixer(b, program_bytes({store(dense(mixer_data_at, 24, 100))}));
        EXPECT_EQ(r.records, (std::vector<kept_record>{{"store", "store", 0, 0, 192, {0, 0, 96, 0}, 0}}));
        EXPECT_TRUE(
            std::equal(b.device.memory.begin() + 100, b.device.memory.begin() + 196, b.memory.bytes.begin() + 0x8000));
    });
}

TEST_P(transfer_test, element_moves_with_its_type)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        isa::transfer_command t;
        t.tensor = isa::dense_descriptor(mixer_data_at, base::element_type::c128, {3});
        t.tensor.stride[0] = -2; // 16 bytes each
        const auto before = b.device.memory;
        run_mixer(b, program_bytes({load(t)}));
        for (std::ptrdiff_t e = 0; e < 3; ++e) {
            EXPECT_TRUE(std::equal(b.device.memory.begin() + 16 * e, b.device.memory.begin() + 16 * e + 16,
                                   b.memory.bytes.begin() + 0x8000 - 32 * e));
        }
        EXPECT_TRUE(std::equal(before.begin() + 48, before.end(), b.device.memory.begin() + 48));
    });
}

TEST_P(transfer_test, addresses_advance_with_the_two_innermost_loops)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        auto t = dense(mixer_data_at, 1, 0);
        t.tensor_step = {8, 64};
        t.local_step = {4, 12};
        run_mixer(b, program_bytes({loop(2, {loop(4, {loop(3, {load(t)})})})}));
        for (std::ptrdiff_t outer = 0; outer < 4; ++outer) {
            for (std::ptrdiff_t inner = 0; inner < 3; ++inner) {
                const auto local = b.device.memory.begin() + 12 * outer + 4 * inner;
                EXPECT_TRUE(std::equal(local, local + 4, b.memory.bytes.begin() + 0x8000 + 64 * outer + 8 * inner));
            }
        }
    });
}

TEST_P(transfer_test, bus_error_ends_the_program_and_keeps_what_was_moved)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        isa::transfer_command t;
        t.tensor = isa::dense_descriptor(memory_end - 16, base::element_type::int32, {2, 4});
        t.tensor.stride[0] = 8; // the second row lies behind the memory
        const auto r = run_mixer(b, program_bytes({load(dense(mixer_data_at, 4, 64)), load(t)}));
        EXPECT_EQ(r.error, error_code::bus_error);
        EXPECT_EQ(r.error_command, 1u);
        EXPECT_EQ(r.commands_done, 1u);
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), memory_end + 16);
        EXPECT_EQ(b.read(reg::error_response), static_cast<std::uint32_t>(isa::bus_response::address_error));
        EXPECT_TRUE(std::equal(b.device.memory.begin(), b.device.memory.begin() + 16, b.memory.bytes.end() - 16));
        EXPECT_EQ(r.records.back().counts[1], 16u);
        EXPECT_EQ(r.cycles_logged(), r.cycles);
    });
}

TEST_P(transfer_test, store_without_a_target_is_a_bus_error)
{
    run([](mixer_bench& b) {
        const auto r = run_mixer(b, program_bytes({store(dense(0x1000, 4))}));
        EXPECT_EQ(r.error, error_code::bus_error);
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), 0x1000u);
    });
}

TEST_P(transfer_test, abort_acts_between_bursts)
{
    run([](mixer_bench& b) {
        const auto program = program_bytes({load(dense(mixer_data_at, 60)), store(dense(mixer_data_at, 60))});
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 60 + 9))); // in the third burst of the STORE
        b.post(reg::ctrl, isa::ctrl_abort);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.error, error_code::aborted);
        EXPECT_EQ(r.error_command, 1u);
        EXPECT_EQ(r.cycles, 60u + 12);
        EXPECT_EQ(r.cycles_logged(), r.cycles);
    });
}

TEST_P(transfer_test, abort_acts_while_the_port_is_busy)
{
    run([](mixer_bench& b) {
        b.device.port_cycles_per_byte = 10;
        const auto program = program_bytes({load(dense(mixer_data_at, 4))});
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 50) + 1));
        b.post(reg::ctrl, isa::ctrl_abort);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.error, error_code::aborted);
        EXPECT_EQ(r.cycles, 52u); // the write of the start took a cycle
    });
}

TEST_P(transfer_test, abort_in_the_last_cycle_of_a_transfer_comes_too_late_for_it)
{
    run([](mixer_bench& b) {
        const auto t = dense(mixer_data_at, 4);
        for (const auto code : {opcode::load, opcode::store}) {
            for (const unsigned port_cycles : {160u, 0u}) {
                b.device.port_cycles_per_byte = port_cycles / 16;
                const std::uint64_t end = std::max(port_cycles, 4u); // 4 on the bus, in one burst
                const auto program = program_bytes({move(code, t), move(code, t)});
                const auto aborted_at = [&](double cycle) {
                    b.start(program); // takes a cycle
                    sc_core::wait(ns(2.0 * (static_cast<double>(fetch_cycles(program)) + cycle - 1)));
                    b.post(reg::ctrl, isa::ctrl_abort);
                    return end_of_run(b, program);
                };
                const auto last = aborted_at(static_cast<double>(end) - 0.5);
                EXPECT_EQ(last.error, error_code::aborted);
                EXPECT_EQ(last.error_command, 1u);
                EXPECT_EQ(last.commands_done, 1u);
                EXPECT_EQ(last.cycles, end);
                EXPECT_EQ(last.count(code == opcode::load ? 1 : 2), 16u);

                const auto before = aborted_at(static_cast<double>(end) - 1.5);
                const bool is_port = port_cycles != 0;
                EXPECT_EQ(before.error, error_code::aborted);
                EXPECT_EQ(before.error_command, is_port ? 0u : 1u) << "a burst is not cut";
                EXPECT_EQ(before.cycles, is_port ? end - 1 : end);
            }
        }
    });
}

TEST_P(transfer_test, reset_within_a_transfer_leaves_a_device_that_moves_again)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        const auto program = program_bytes({load(dense(mixer_data_at, 60))});
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 9)));
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_TRUE(b.poll_end());
        b.kept.records.clear();
        const auto r = run_mixer(b, program);
        EXPECT_EQ(r.status, isa::status_done);
        EXPECT_EQ(r.cycles, 60u);
        EXPECT_TRUE(
            std::equal(b.device.memory.begin(), b.device.memory.begin() + 240, b.memory.bytes.begin() + 0x8000));
    });
}

// ---- addresses that only an iteration makes wrong ----

TEST_P(transfer_test, iteration_outside_of_local_memory_is_too_large)
{
    run([](mixer_bench& b) {
        auto t = dense(mixer_data_at, 8, 160);
        t.local_step = {32, 0}; // 160, 192, 224 fit
        const auto r = run_mixer(b, program_bytes({loop(5, {load(t)})}));
        EXPECT_EQ(r.error, error_code::too_large);
        EXPECT_EQ(r.error_command, 1u);
        EXPECT_EQ(r.commands_done, 1u + 3 * 2);
        // With overlap an END passes while its LOAD works, and one more in the cycle of the failure.
        EXPECT_EQ(r.cycles, GetParam() ? 3u * 8 + 1 : 3u * 9);
    });
}

TEST_P(transfer_test, iteration_below_local_memory_is_too_large)
{
    run([](mixer_bench& b) {
        auto t = dense(mixer_data_at, 8, 0);
        t.local_step = {INT64_MIN, 0};
        const auto r = run_mixer(b, program_bytes({loop(5, {store(t)})}));
        EXPECT_EQ(r.error, error_code::too_large);
        EXPECT_EQ(r.commands_done, 3u);
    });
}

TEST_P(transfer_test, iteration_outside_of_64_bits_is_a_bad_descriptor)
{
    run([](mixer_bench& b) {
        for (const std::int64_t step : {-std::int64_t{0x1'0000'8000} - 4, INT64_MIN, INT64_MAX}) {
            auto t = dense(mixer_data_at, 8);
            t.tensor_step = {0, step};
            const auto r = run_mixer(b, program_bytes({loop(4, {loop(2, {load(t)})})}));
            const std::uint64_t turns = step == INT64_MAX ? 2 : 1; // a bus error comes first
            EXPECT_EQ(r.error, turns == 1 ? error_code::bad_descriptor : error_code::bus_error);
            EXPECT_EQ(r.error_command, 2u);
            EXPECT_EQ(r.commands_done, 1u + 1 + 4 + 1 + 1);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(overlap, transfer_test, testing::Bool(), testing::PrintToStringParamName());

/// A memory of 256 bytes in windows, which show the same bytes one place further each time.
class windowed_memory : public shell::local_memory {
public:
    explicit windowed_memory(std::uint64_t windows) : m_windows(windows) {}

    std::uint64_t bytes() const override { return 256; }
    std::uint64_t window_bytes() const override { return bytes() / m_windows; }
    shell::byte_range place(const shell::byte_range& addresses) const override
    {
        return {addresses.first % window_bytes() + addresses.first / window_bytes(), addresses.bytes};
    }
    void read(std::uint64_t, unsigned char*, std::uint64_t) const override {}
    void write(std::uint64_t, const unsigned char*, std::uint64_t) override {}
    void clear() override {}

private:
    std::uint64_t m_windows;
};

// ---- GATHER ----

isa::gather_command slices_of(std::uint32_t slices, std::uint64_t list, std::uint64_t local)
{
    isa::gather_command g;
    g.tensor = isa::dense_descriptor(mixer_data_at, base::element_type::int32, {slices, 2, 2});
    g.tensor.stride = {10, 3, 1}; // two runs a slice
    g.list = list;
    g.local = local;
    return g;
}
void put_list(mixer_bench& b, std::size_t at, const std::vector<std::uint32_t>& numbers)
{
    for (const auto n : numbers) {
        base::store_le(b.device.memory.data() + at, n);
        at += 4;
    }
}
isa::program_builder& with_gather(isa::program_builder& to, const isa::gather_command& g)
{
    return to.add(opcode::gather, 0, 0, g.encode());
}

TEST_P(transfer_test, gather_takes_the_slices_that_its_list_names)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        const std::vector<std::uint32_t> numbers{7, 0, 7, 100};
        put_list(b, 8, numbers);
        isa::program_builder program;
        const auto r = run_mixer(b, with_gather(program, slices_of(4, 8, 64)).bytes());
        EXPECT_EQ(r.error, error_code::none);
        EXPECT_EQ(r.records, (std::vector<kept_record>{{"load", "gather", 0, 0, 16, {0, 64, 16, 0}, 0}}));
        auto to = b.device.memory.begin() + 64;
        for (const auto n : numbers) {
            for (const std::ptrdiff_t row : {0, 3}) {
                const auto from = b.memory.bytes.begin() + 0x8000 + 4 * (10 * std::ptrdiff_t{n} + row);
                EXPECT_TRUE(std::equal(from, from + 8, to)) << n;
                to += 8;
            }
        }
    });
}

TEST_P(transfer_test, lists_of_gathers_advance_with_the_two_innermost_loops)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        put_list(b, 0, {5, 2, 9, 4, 0, 1});
        auto g = slices_of(1, 0, 32);
        g.list_step = {4, 12};
        g.local_step = {16, 48};
        isa::program_builder program;
        program.add(opcode::loop, 0, 0, isa::loop_command{2}.encode())
            .add(opcode::loop, 0, 0, isa::loop_command{3}.encode());
        with_gather(program, g).add(opcode::end).add(opcode::end);
        EXPECT_EQ(run_mixer(b, program.bytes()).error, error_code::none);
        std::ptrdiff_t at = 32;
        for (const std::ptrdiff_t n : {5, 2, 9, 4, 0, 1}) {
            const auto from = b.memory.bytes.begin() + 0x8000 + 40 * n;
            EXPECT_TRUE(std::equal(from, from + 8, b.device.memory.begin() + at)) << n;
            at += 16;
        }
    });
}

TEST_P(transfer_test, list_that_its_gather_overwrites_is_read_before)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        put_list(b, 0, {3, 6});
        isa::program_builder program;
        EXPECT_EQ(run_mixer(b, with_gather(program, slices_of(2, 0, 0)).bytes()).error, error_code::none);
        const auto second = b.memory.bytes.begin() + 0x8000 + 240;
        EXPECT_TRUE(std::equal(second, second + 8, b.device.memory.begin() + 16));
    });
}

TEST_P(transfer_test, slice_outside_of_64_bits_ends_the_program_before_anything_is_moved)
{
    run([](mixer_bench& b) {
        fill_memories(b);
        put_list(b, 0, {0, 0xffffffff});
        const auto before = b.device.memory;
        auto g = slices_of(2, 0, 16);
        g.tensor.stride[0] = INT64_MIN;
        isa::program_builder program;
        const auto r = run_mixer(b, with_gather(program, g).bytes());
        EXPECT_EQ(r.error, error_code::bad_descriptor);
        EXPECT_EQ(r.cycles, 0u);
        EXPECT_EQ(b.device.memory, before);
    });
}

TEST(transfer_check, refuses_lists_and_slices_that_lie_nowhere)
{
    const auto refused = [](std::uint64_t list, std::uint64_t local, std::int64_t list_step = 0,
                            std::uint32_t iteration = 0) {
        auto g = slices_of(4, list, local);
        g.list_step = {list_step, 0};
        const auto refusal = isa::check_gather(g, {iteration, 0}, 256, 128);
        return refusal ? refusal->code : error_code::none;
    };
    EXPECT_EQ(refused(0, 64), error_code::none);
    EXPECT_EQ(refused(240, 192), error_code::none);
    EXPECT_EQ(refused(2, 64), error_code::bad_field);
    EXPECT_EQ(refused(244, 64), error_code::too_large);
    EXPECT_EQ(refused(120, 0), error_code::too_large) << "of two windows";
    EXPECT_EQ(refused(0, 196), error_code::too_large);
    EXPECT_EQ(refused(0, 96), error_code::too_large) << "of two windows";
    EXPECT_EQ(refused(0, 64, 16, 7), error_code::none);
    EXPECT_EQ(refused(0, 64, 16, 16), error_code::too_large);
    EXPECT_EQ(refused(0, 64, -16, 1), error_code::too_large);
    EXPECT_EQ(refused(0, 64, 2, 1), error_code::bad_field);
    auto g = slices_of(4, 0, 64);
    g.tensor.stride[0] = INT64_MAX; // what it leads to is in the list
    EXPECT_FALSE(isa::check_gather(g, {}, 256, 128));
    g.tensor.order = 0;
    EXPECT_EQ(isa::check_gather(g, {}, 256, 128)->code, error_code::bad_descriptor);
}

TEST(transfer_accesses, of_a_gather_are_its_list_and_its_slices)
{
    isa::program_builder builder;
    const auto program = with_gather(builder, slices_of(4, 32, 64)).bytes();
    const std::uint8_t* const command = program.data() + isa::program_header::encoded_bytes;
    shell::issued_command issued{};
    issued.header = isa::command_header::decode(command);
    issued.payload = command + isa::command_header::encoded_bytes;
    const auto accesses = shell::transfer_unit::accesses(issued, windowed_memory(1));
    ASSERT_EQ(accesses.reads.size(), 1u);
    EXPECT_EQ(accesses.reads[0].first, 32u);
    EXPECT_EQ(accesses.reads[0].bytes, 16u);
    ASSERT_EQ(accesses.writes.size(), 1u);
    EXPECT_EQ(accesses.writes[0].first, 64u);
    EXPECT_EQ(accesses.writes[0].bytes, 64u);
}

TEST(transfer_accesses, is_where_the_window_has_its_bytes_and_nothing_across_its_end)
{
    const windowed_memory memory(4); // of 64 bytes
    const auto accesses = [&](std::uint64_t local, std::uint32_t elements) {
        const auto program = program_bytes({store(dense(mixer_data_at, elements, local))});
        const std::uint8_t* const command = program.data() + isa::program_header::encoded_bytes;
        shell::issued_command issued{};
        issued.header = isa::command_header::decode(command);
        issued.payload = command + isa::command_header::encoded_bytes;
        return shell::transfer_unit::accesses(issued, memory).reads;
    };
    ASSERT_EQ(accesses(136, 4).size(), 1u);
    EXPECT_EQ(accesses(136, 4)[0].first, 10u);
    EXPECT_EQ(accesses(136, 4)[0].bytes, 16u);
    EXPECT_EQ(accesses(64, 16).size(), 1u) << "a whole window";
    EXPECT_TRUE(accesses(64, 17).empty());
    EXPECT_TRUE(accesses(124, 2).empty());
    EXPECT_EQ(accesses(192, 16).size(), 1u) << "the last one";
}

TEST(transfer_check, refuses_bytes_of_two_windows)
{
    const auto refused = [](std::uint64_t local, std::uint32_t elements, std::int64_t step, std::uint32_t iteration) {
        auto t = dense(mixer_data_at, elements, local);
        t.local_step = {step, 0};
        const auto refusal = isa::check_transfer(t, {iteration, 0}, 256, 128);
        return refusal ? refusal->code : error_code::none;
    };
    EXPECT_EQ(refused(0, 32, 0, 0), error_code::none);
    EXPECT_EQ(refused(128, 32, 0, 0), error_code::none);
    EXPECT_EQ(refused(0, 33, 0, 0), error_code::too_large);
    EXPECT_EQ(refused(96, 8, 32, 1), error_code::none);
    EXPECT_EQ(refused(96, 9, 32, 1), error_code::none);
    EXPECT_EQ(refused(64, 9, 32, 1), error_code::too_large);
    EXPECT_EQ(refused(128, 33, 0, 0), error_code::too_large) << "behind the end";
}

TEST(transfer_accesses, is_what_is_moved_and_nothing_where_the_transfer_is_refused)
{
    auto t = dense(mixer_data_at, 8, 160);
    t.local_step = {32, 0};
    const auto program = program_bytes({load(t)});
    const std::uint8_t* const command = program.data() + isa::program_header::encoded_bytes;
    const auto accesses = [&](std::uint32_t iteration) {
        shell::issued_command issued{};
        issued.header = isa::command_header::decode(command);
        issued.payload = command + isa::command_header::encoded_bytes;
        issued.iteration = {iteration, 0};
        return shell::transfer_unit::accesses(issued, windowed_memory(1));
    };
    ASSERT_EQ(accesses(2).writes.size(), 1u);
    EXPECT_EQ(accesses(2).writes[0].first, 224u);
    EXPECT_EQ(accesses(2).writes[0].bytes, 32u);
    EXPECT_TRUE(accesses(2).reads.empty());
    EXPECT_TRUE(accesses(3).writes.empty()); // 256 is the end
    EXPECT_TRUE(accesses(3).reads.empty());
}

using random_transfers = mixer_run_test_with_param<false, unsigned>;

TEST_P(random_transfers, move_what_a_copy_of_each_element_moves)
{
    run([&](mixer_bench& b) {
        std::mt19937 random(GetParam());
        const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
        for (int i = 0; i < 40; ++i) {
            isa::transfer_command t;
            std::vector<std::uint32_t> size;
            std::uint64_t elements = 1;
            while (size.size() < 8 && (size.empty() || below(3) != 0)) {
                size.push_back(1 + below(elements > 10 ? 1 : 4));
                elements *= size.back();
            }
            t.tensor = isa::dense_descriptor(mixer_data_at + 0x1000 + 4 * below(100), base::element_type::int32, size);
            for (unsigned m = 0; m < size.size(); ++m) {
                if (below(3) == 0) { t.tensor.stride[m] = static_cast<int>(below(21)) - 10; }
            }
            t.local = below(static_cast<unsigned>(256 - 4 * elements));
            const program_steps steps{below(2) == 0 ? load(t) : store(t)};
            fill_memories(b);
            b.place(program_bytes(steps));
            auto expected = memories_of(b);
            execute_plainly(unrolled(steps).front(), expected);
            const auto r = run_mixer(b, program_bytes(steps));
            EXPECT_EQ(r.status, isa::status_done);
            EXPECT_EQ(r.cycles, elements);
            EXPECT_EQ(r.count(1) + r.count(2), 4 * elements);
            EXPECT_EQ(r.memories.local, expected.local);
            EXPECT_EQ(r.memories.bus, expected.bus);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(seed, random_transfers, testing::Range(0u, 4u));

} // namespace
} // namespace tensorloom::test
