// What registers do: the map, START, interrupt, reset, byte order, several devices.
#include "conformance/accelerator_row.h"
#include "conformance/register_access.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using sc_core::sc_time;
namespace reg = isa::reg;

TEST_P(bank_row, row_17_reset_values_access_sizes_and_reserved_bits)
{
    run([](accelerator_bench& b) {
        for (const auto& r : isa::register_map) {
            const bool identifies = r.offset < reg::ctrl && r.offset != reg::version;
            if (!identifies) { EXPECT_EQ(b.read_word(r.offset), r.reset()) << r.name; }
        }
        EXPECT_NE(b.read_word(reg::id), 0u);
        std::vector<bool> named(reg::block_bytes / 4, false);
        for (const auto& r : isa::register_map) { named[r.offset / 4] = true; }
        const auto before = state(b);
        for (std::uint32_t at = 0; at < reg::block_bytes; at += 4) {
            if (named[at / 4]) { continue; }
            EXPECT_EQ(b.read_word(at), 0u) << at;
            b.write_word(at, 0xffffffff);
        }
        EXPECT_TRUE(state(b) == before);
        b.write_word(reg::irq_enable, 0xffffffff);
        EXPECT_EQ(b.read_word(reg::irq_enable), isa::irq_done | isa::irq_error | isa::irq_command);
        b.write_word(reg::irq_enable, 0);

        // the same register by 64, 32, 16 and 8 bits
        auto pair = writing(reg::program_addr_lo, {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe});
        b.send(pair);
        EXPECT_EQ(b.read_word(reg::program_addr_lo), 0x76543210u);
        EXPECT_EQ(b.read_word(reg::program_addr_hi), 0xfedcba98u);
        for (unsigned size : {1u, 2u, 4u, 8u}) {
            for (unsigned at = 0; at < 8; at += size) {
                auto read = reading(reg::program_addr_lo + at, size);
                b.send(read);
                EXPECT_EQ(read.data, std::vector<unsigned char>(pair.data.begin() + at, pair.data.begin() + at + size));
                auto write = writing(reg::program_addr_lo + at, read.data);
                for (auto& byte : write.data) { byte = static_cast<unsigned char>(~byte); }
                b.send(write);
                for (unsigned i = 0; i < size; ++i) { pair.data[at + i] = write.data[i]; }
                EXPECT_EQ(b.debug_read(reg::program_addr_lo), base::load_le<std::uint32_t>(pair.data.data()));
                EXPECT_EQ(b.debug_read(reg::program_addr_hi), base::load_le<std::uint32_t>(pair.data.data() + 4));
            }
        }
        for (const auto& [at, size] : {std::make_pair(1u, 2u), std::make_pair(2u, 4u), std::make_pair(4u, 8u)}) {
            auto read = reading(reg::program_addr_lo + at, size);
            expect_check_error(b, read, tlm::TLM_BURST_ERROR_RESPONSE, "unaligned");
        }
    });
}

TEST_P(bank_row, row_17_start_while_busy_is_ignored)
{
    run([](accelerator_bench& b) {
        const auto alone = b.run_job();
        b.clear_output();
        b.start();
        wait(ns(30));
        b.write_word(reg::program_addr_lo, 0xdead0000);
        b.write_word(reg::ctrl, isa::ctrl_start);
        const auto result = b.finish();
        EXPECT_TRUE(result.done);
        EXPECT_EQ(result.cycles, alone.cycles);
        EXPECT_TRUE(b.output() == b.job.expected_output);
        wait(ns(1000));
        EXPECT_EQ(b.debug_read(reg::status), isa::status_done) << "nothing was started later";
    });
}

/// Watches an interrupt by its edges and by its level.
class interrupt_sink : public sc_core::sc_module {
public:
    unsigned edges = 0;
    std::function<void()> on_edge;

    interrupt_sink(sc_core::sc_module_name name, sc_core::sc_signal<bool>& irq) : sc_core::sc_module(name)
    {
        SC_HAS_PROCESS(interrupt_sink);
        SC_METHOD(edge);
        sensitive << irq.posedge_event();
        dont_initialize();
    }

private:
    void edge()
    {
        ++edges;
        if (on_edge) { on_edge(); }
    }
};

TEST_P(bank_row, row_18_interrupt_is_a_level_that_is_masked_and_cleared)
{
    auto& bench = add("bench");
    interrupt_sink sink("sink", bench.irq);
    sink.on_edge = [&bench] { EXPECT_TRUE(bench.output() == bench.job.expected_output) << "data come first"; };
    bench.program = [&sink](accelerator_bench& b) {
        const auto settled = [&b] {
            wait(ns(1));
            return b.irq.read();
        };
        EXPECT_FALSE(settled());
        b.clear_output();
        b.start(); // enables the interrupt
        EXPECT_TRUE(b.wait_interrupt(accelerator_bench::timeout_ns));
        EXPECT_NE(b.debug_read(reg::status) & isa::status_done, 0u) << "the registers show it at that time";
        EXPECT_EQ(sink.edges, 1u);
        wait(ns(100));
        EXPECT_TRUE(b.irq.read()) << "a level";
        b.write_word(reg::irq_enable, 0);
        EXPECT_FALSE(settled()) << "masked";
        EXPECT_EQ(b.read_word(reg::irq_status), isa::irq_done) << "not cleared";
        b.write_word(reg::irq_enable, isa::irq_done);
        EXPECT_TRUE(settled());
        EXPECT_EQ(sink.edges, 2u);
        b.write_word(reg::irq_status, isa::irq_error);
        EXPECT_TRUE(settled()) << "another bit";
        b.write_word(reg::irq_status, 0);
        EXPECT_TRUE(settled()) << "a 0 clears nothing";
        b.write_word(reg::irq_status, isa::irq_done);
        EXPECT_FALSE(settled());
        EXPECT_EQ(b.read_word(reg::irq_status), 0u);
    };
    simulate();
}

TEST_P(bank_row, row_18_job_that_ends_in_the_moment_of_a_clear_is_not_lost)
{
    run([](accelerator_bench& b) {
        // when after START the interrupt comes
        b.start();
        const sc_time started = sc_core::sc_time_stamp();
        EXPECT_TRUE(b.wait_interrupt(accelerator_bench::timeout_ns));
        const sc_time length = sc_core::sc_time_stamp() - started;
        b.finish();
        for (int order = 0; order < 2; ++order) {
            b.start();
            // the clear comes in the same moment, before or after the device's end by processes
            wait(length);
            if (order == 1) { wait(sc_core::SC_ZERO_TIME); }
            auto clear = writing(reg::irq_status, word(isa::irq_done));
            b.send(clear);
            wait(ns(5));
            // either it was cleared after the end, or it stands: register and pin agree, and the job is done
            EXPECT_EQ(b.irq.read(), b.debug_read(reg::irq_status) != 0u);
            EXPECT_EQ(b.debug_read(reg::status), isa::status_done);
            b.write_word(reg::irq_status, isa::irq_done);
            wait(ns(5));
            EXPECT_FALSE(b.irq.read());
        }
        EXPECT_TRUE(b.run_job().done);
    });
}

TEST_P(bank_row, row_18_interrupt_and_reset_may_stay_unbound)
{
    accelerator_options options;
    options.with_irq = options.with_rst = false;
    run(
        [](accelerator_bench& b) {
            b.clear_output();
            b.start();
            unsigned polls = 0;
            while ((b.read_word(reg::status) & isa::status_done) == 0) { ASSERT_LT(++polls, 100'000u); }
            EXPECT_TRUE(b.output() == b.job.expected_output);
            EXPECT_FALSE(b.irq.read());
        },
        options);
}

TEST_P(bank_row, row_19_reset_of_idle_registers_at_time_0_and_later)
{
    auto& bench = add("bench");
    bench.before_start = [](accelerator_bench& b) { b.rst.write(true); };
    bench.program = [](accelerator_bench& b) {
        wait(ns(1));
        const auto fresh = state(b);
        // while it is held, nothing is written and nothing starts
        b.write_word(reg::program_addr_lo, 0x100);
        b.write_word(reg::irq_enable, 7);
        b.write_word(reg::ctrl, isa::ctrl_start);
        wait(ns(100));
        EXPECT_TRUE(state(b) == fresh);
        EXPECT_FALSE(b.irq.read());
        b.rst.write(false);
        wait(ns(1));
        const auto first = b.run_job();
        for (bool by_pin : {true, false}) {
            b.start();
            EXPECT_TRUE(b.wait_interrupt(accelerator_bench::timeout_ns));
            b.write_word(reg::counter_index, 1);
            if (by_pin) {
                b.rst.write(true);
                wait(ns(1));
                b.rst.write(false);
            } else {
                b.write_word(reg::ctrl, isa::ctrl_reset);
            }
            wait(ns(1));
            EXPECT_FALSE(b.irq.read());
            EXPECT_TRUE(state(b) == fresh);
            EXPECT_EQ(b.run_job().cycles, first.cycles);
        }
    };
    simulate();
}

TEST_P(bank_row, row_20_registers_are_little_endian_whatever_the_host)
{
    run([](accelerator_bench& b) {
        auto write = writing(reg::program_addr_lo, {0x78, 0x56, 0x34, 0x12}); // lowest byte first
        b.send(write);
        for (unsigned i = 0; i < 4; ++i) {
            auto read = reading(reg::program_addr_lo + i, 1);
            b.send(read);
            EXPECT_EQ(read.data[0], write.data[i]);
        }
        auto half = writing(reg::program_addr_lo + 2, {0xcd, 0xab});
        b.send(half);
        EXPECT_EQ(b.read_word(reg::program_addr_lo), 0xabcd5678u);
        auto high = reading(reg::program_addr_lo + 2, 2);
        b.send(high);
        EXPECT_EQ(high.data, (std::vector<unsigned char>{0xcd, 0xab}));
    });
}

TEST_P(bank_row, row_21_registers_of_two_devices_are_their_own)
{
    auto& first = add("first");
    auto& second = add("second");
    first.program = [&second](accelerator_bench& b) {
        for (std::uint32_t i = 0; i < 20; ++i) {
            b.write_word(reg::program_addr_lo, i * 16);
            wait(ns(1));
            EXPECT_EQ(b.debug_read(reg::program_addr_lo), i * 16);
            EXPECT_NE(second.debug_read(reg::program_addr_lo), b.debug_read(reg::program_addr_lo));
        }
        b.run_job();
        EXPECT_EQ(second.debug_read(reg::status), 0u);
        EXPECT_FALSE(second.irq.read());
    };
    second.program = [](accelerator_bench& b) {
        for (std::uint32_t i = 0; i < 20; ++i) { b.write_word(reg::program_addr_lo, 0x1000 + i * 16); }
    };
    simulate();
}

} // namespace
