// The registers of a device as the bus sees them, against the map.
#include <gtest/gtest.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::register_access;
using bytes = std::vector<unsigned char>;

class shell_register_test : public shell_run_test {
protected:
    static std::uint32_t reset_value(const isa::register_definition& d)
    {
        switch (d.offset) {
        case reg::id: return 0x4c494f54;
        case reg::caps: return 0x0201;
        case reg::caps_size_0: return 11;
        case reg::caps_size_1: return 12;
        case reg::caps_size_2: return 13;
        default: return d.reset();
        }
    }
    static void expect_reset_values(shell_bench& b)
    {
        for (const auto& d : isa::register_map) { EXPECT_EQ(b.read(d.offset), reset_value(d)) << d.name; }
    }
};

TEST_F(shell_register_test, hold_their_reset_values_at_first)
{
    run([](shell_bench& b) { expect_reset_values(b); });
}

TEST_F(shell_register_test, offsets_of_the_map_are_fixed)
{
    const std::pair<std::uint32_t, const char*> documented[] = {{0x000, "ID"},
                                                                {0x004, "VERSION"},
                                                                {0x008, "CAPS"},
                                                                {0x010, "CAPS_SIZE_0"},
                                                                {0x014, "CAPS_SIZE_1"},
                                                                {0x018, "CAPS_SIZE_2"},
                                                                {0x020, "CTRL"},
                                                                {0x024, "STATUS"},
                                                                {0x028, "IRQ_STATUS"},
                                                                {0x02c, "IRQ_ENABLE"},
                                                                {0x030, "PROGRAM_ADDR_LO"},
                                                                {0x034, "PROGRAM_ADDR_HI"},
                                                                {0x040, "ERROR_CODE"},
                                                                {0x044, "ERROR_COMMAND"},
                                                                {0x048, "ERROR_ADDR_LO"},
                                                                {0x04c, "ERROR_ADDR_HI"},
                                                                {0x050, "CYCLES_LO"},
                                                                {0x054, "CYCLES_HI"},
                                                                {0x058, "COMMANDS_DONE"},
                                                                {0x05c, "TOKEN"},
                                                                {0x060, "COUNTER_INDEX"},
                                                                {0x068, "COUNTER_VALUE_LO"},
                                                                {0x06c, "COUNTER_VALUE_HI"},
                                                                {0x070, "ERROR_RESPONSE"}};
    ASSERT_EQ(isa::register_count, sizeof documented / sizeof documented[0]);
    for (std::size_t i = 0; i < isa::register_count; ++i) {
        EXPECT_EQ(isa::register_map[i].offset, documented[i].first);
        EXPECT_STREQ(isa::register_map[i].name, documented[i].second);
    }
}

TEST_F(shell_register_test, hold_their_reset_values_after_a_job_and_a_reset)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, 7);
        b.write(reg::counter_index, 1);
        b.run(toil_program(3, 32));
        EXPECT_NE(b.read(reg::counter_value_lo), 0u);
        b.write(reg::ctrl, isa::ctrl_reset);
        expect_reset_values(b);
    });
}

TEST_F(shell_register_test, read_only_ones_refuse_writes_and_keep_their_value)
{
    run([](shell_bench& b) {
        for (const auto& d : isa::register_map) {
            if (d.writable() != 0) { continue; }
            auto p = writing(d.offset, bytes(4, 0xff));
            b.cpu.send(p);
            EXPECT_EQ(p.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE) << d.name;
            EXPECT_EQ(b.read(d.offset), reset_value(d)) << d.name;
        }
    });
}

TEST_F(shell_register_test, writable_ones_keep_their_writable_bits)
{
    run([](shell_bench& b) {
        for (const auto& d : isa::register_map) {
            if (d.mask(register_access::read_write) == 0) { continue; }
            b.write(d.offset, 0xffffffff);
            EXPECT_EQ(b.read(d.offset), d.writable()) << d.name;
            b.write(d.offset, 0);
            EXPECT_EQ(b.read(d.offset), 0u) << d.name;
        }
    });
}

TEST_F(shell_register_test, rest_of_the_block_reads_zero_and_ignores_writes)
{
    run([](shell_bench& b) {
        for (std::uint32_t a : {0x00cu, 0x01cu, 0x038u, 0x03cu, 0x064u, 0x074u, 0x800u, 0xffcu}) {
            b.write(a, 0xffffffff);
            EXPECT_EQ(b.read(a), 0u) << a;
        }
    });
}

TEST_F(shell_register_test, outside_of_the_block_is_an_address_error)
{
    run([](shell_bench& b) {
        auto p = reading(0x1000, 4);
        b.cpu.send(p);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
}

TEST_F(shell_register_test, access_takes_one_clock_period_on_top_of_the_delay)
{
    run([](shell_bench& b) {
        auto p = reading(reg::id, 4);
        sc_core::sc_time delay = ns(100);
        b.cpu.out->b_transport(p, delay);
        EXPECT_EQ(delay, ns(102));
    });
}

TEST_F(shell_register_test, a_job_runs_by_8_bit_accesses)
{
    run([](shell_bench& b) {
        b.place(toil_program(10));
        const auto store = [&](std::uint32_t offset, std::uint64_t value, unsigned count) {
            for (unsigned i = 0; i < count; ++i) {
                auto p = writing(offset + i, {static_cast<unsigned char>(value >> (8 * i))});
                sc_core::wait(b.cpu.send(p));
                EXPECT_TRUE(p.is_response_ok());
            }
        };
        store(reg::program_addr_lo, shell_bench::memory_at, 8);
        store(reg::ctrl, isa::ctrl_start, 1);
        unsigned char status = isa::status_busy;
        while (status == isa::status_busy) {
            auto p = reading(reg::status, 1);
            sc_core::wait(b.cpu.send(p));
            status = p.data[0];
        }
        EXPECT_EQ(status, isa::status_done);
    });
}

TEST_F(shell_register_test, a_job_runs_by_16_bit_accesses)
{
    run([](shell_bench& b) {
        b.place(toil_program(10));
        for (unsigned i = 0; i < 8; i += 2) {
            const std::uint64_t part = shell_bench::memory_at >> (8 * i);
            auto p = writing(reg::program_addr_lo + i,
                             {static_cast<unsigned char>(part), static_cast<unsigned char>(part >> 8)});
            b.cpu.send(p);
        }
        auto start = writing(reg::ctrl, {1, 0});
        b.cpu.send(start);
        EXPECT_TRUE(b.poll_end());
        auto token = reading(reg::token, 2);
        b.cpu.send(token);
        EXPECT_EQ(token.data, (bytes{77, 0}));
    });
}

TEST_F(shell_register_test, a_job_runs_by_64_bit_accesses)
{
    run([](shell_bench& b) {
        const auto program = toil_program(10);
        b.place(program);
        bytes address(8);
        base::store_le(address.data(), shell_bench::memory_at);
        auto p = writing(reg::program_addr_lo, address);
        b.cpu.send(p);
        // CTRL and STATUS share 8 bytes, STATUS is read-only: only CTRL's lanes are enabled.
        auto start = writing(reg::ctrl, {1, 0, 0, 0, 0, 0, 0, 0});
        start.enable({0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00});
        b.cpu.send(start);
        EXPECT_TRUE(start.is_response_ok());
        EXPECT_TRUE(b.poll_end());
        auto cycles = reading(reg::cycles_lo, 8);
        b.cpu.send(cycles);
        EXPECT_EQ(base::load_le<std::uint64_t>(cycles.data.data()), fetch_cycles(program) + 10);
    });
}

TEST_F(shell_register_test, debug_reads_do_not_take_counters_up_to_date)
{
    run([](shell_bench& b) {
        auto p = reading(reg::id, 4);
        EXPECT_EQ(b.cpu.out->transport_dbg(p), 4u);
        EXPECT_EQ(base::load_le<std::uint32_t>(p.data.data()), 0x4c494f54u);
        auto all = reading(0, 0x1000);
        EXPECT_EQ(b.cpu.out->transport_dbg(all), 0x1000u);
        EXPECT_EQ(b.device.syncs, 0u);
    });
}

TEST_F(shell_register_test, high_half_of_the_cycles_is_that_of_the_last_read_of_the_low_half)
{
    run([](shell_bench& b) {
        constexpr std::uint64_t carry = std::uint64_t{1} << 32;
        b.start(toil_program(0xfffffffe));
        auto low = reading(reg::cycles_lo, 4);
        sc_core::sc_time shortly_before = sc_core::sc_time::from_value(ns(2).value() * (carry - 1000));
        b.cpu.out->b_transport(low, shortly_before);
        sc_core::wait(sc_core::sc_time::from_value(ns(2).value() * (carry + 1000)));
        EXPECT_GT(base::load_le<std::uint32_t>(low.data.data()), 0xffff0000u);
        EXPECT_EQ(b.read(reg::cycles_hi), 0u); // although the program has passed 2^32 cycles, and has ended
        EXPECT_TRUE(b.poll_end());
        EXPECT_LT(b.read(reg::cycles_lo), 1000u);
        EXPECT_EQ(b.read(reg::cycles_hi), 1u);
    });
}

TEST_F(shell_register_test, debug_reads_show_present_cycles_and_latch_nothing)
{
    run([](shell_bench& b) {
        const auto shown = [&b] {
            auto p = reading(reg::cycles_lo, 8);
            EXPECT_EQ(b.cpu.out->transport_dbg(p), 8u);
            return base::load_le<std::uint64_t>(p.data.data());
        };
        const auto program = toil_program(1000);
        b.start(program);
        const auto before = shown();
        sc_core::wait(ns(400));
        EXPECT_EQ(shown(), before + 200);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(shown(), fetch_cycles(program) + 1000);
        EXPECT_EQ(b.read(reg::cycles_hi), 0u);
    });
}

TEST_F(shell_register_test, debug_works_while_busy_and_writes_do_not_start)
{
    run([](shell_bench& b) {
        auto start = writing(reg::ctrl, {1, 0, 0, 0});
        b.cpu.out->transport_dbg(start);
        EXPECT_FALSE(b.device.busy());
        b.start(toil_program(100));
        auto p = reading(reg::status, 4);
        EXPECT_EQ(b.cpu.out->transport_dbg(p), 4u);
        EXPECT_EQ(p.data[0], isa::status_busy);
        auto abort = writing(reg::ctrl, {2, 0, 0, 0});
        b.cpu.out->transport_dbg(abort);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

} // namespace
} // namespace tensorloom::test
