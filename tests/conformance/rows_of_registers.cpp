// The rows that a block of registers has, on the devices' regs sockets.
#include <cstring>
#include <limits>
#include <random>
#include <tensorloom/models/arch/bytes.h>
#include <tensorloom/models/arch/register_map.h>
#include "conformance/accelerator_row.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using bus::protocol_rule;
using sc_core::sc_time;
namespace reg = arch::reg;

std::vector<unsigned char> word(std::uint32_t value)
{
    std::vector<unsigned char> bytes(4);
    arch::store_le(bytes.data(), value);
    return bytes;
}

// The whole block as debug transport shows it.
std::vector<unsigned char> state(accelerator_bench& b)
{
    auto t = reading(0, reg::block_bytes);
    EXPECT_EQ(b.regs().transport_dbg(t), reg::block_bytes);
    return t.data;
}

void expect_refused(accelerator_bench& b, payload& t, tlm::tlm_response_status status, const char* what)
{
    const auto registers = state(b);
    const auto data = t.data;
    b.send(t);
    EXPECT_EQ(t.get_response_status(), status) << what << " at " << t.get_address();
    EXPECT_EQ(t.data, data) << what;
    EXPECT_TRUE(state(b) == registers) << what;
    EXPECT_FALSE(t.is_dmi_allowed());
    EXPECT_NE(b.read_word(reg::id), 0u) << "still alive";
}

TEST_P(bank_row, row_01_every_register_answers_and_errors_change_nothing)
{
    run([](accelerator_bench& b) {
        for (const auto& r : arch::register_map) {
            auto read = reading(r.offset, 4);
            b.send(read);
            EXPECT_EQ(read.get_response_status(), tlm::TLM_OK_RESPONSE) << r.name;
            if (r.writable() == 0) {
                auto write = writing(r.offset, word(0xffffffff));
                expect_refused(b, write, tlm::TLM_COMMAND_ERROR_RESPONSE, r.name);
            }
        }
        for (std::uint64_t at : {std::uint64_t{reg::block_bytes}, std::uint64_t{0x1'0000'0000},
                                 std::numeric_limits<std::uint64_t>::max() - 3}) {
            auto read = reading(at, 4);
            expect_refused(b, read, tlm::TLM_ADDRESS_ERROR_RESPONSE, "outside");
            auto write = writing(at, word(1));
            expect_refused(b, write, tlm::TLM_ADDRESS_ERROR_RESPONSE, "outside");
        }
        auto wrap = reading(std::numeric_limits<std::uint64_t>::max() - 3, 8);
        expect_refused(b, wrap, tlm::TLM_ADDRESS_ERROR_RESPONSE, "round the end");
    });
}

TEST_P(bank_row, row_02_lengths_and_ignore)
{
    auto& bench = add("bench");
    bench.regs_checker->tolerate(protocol_rule::null_data);
    bench.regs_checker->tolerate(protocol_rule::zero_length);
    bench.regs_checker->tolerate(protocol_rule::zero_streaming_width);
    bench.program = [](accelerator_bench& b) {
        for (std::size_t size : {1u, 2u, 4u, 8u}) {
            auto read = reading(reg::program_addr_lo, size);
            b.send(read);
            EXPECT_TRUE(read.is_response_ok()) << size;
        }
        for (std::size_t size : {3u, 5u, 16u, 64u, 4096u}) {
            auto read = reading(0, size);
            expect_refused(b, read, tlm::TLM_BURST_ERROR_RESPONSE, "length");
            auto write = writing(0, std::vector<unsigned char>(size, 1));
            expect_refused(b, write, tlm::TLM_BURST_ERROR_RESPONSE, "length");
        }
        auto over = reading(reg::block_bytes - 4, 8);
        expect_refused(b, over, tlm::TLM_ADDRESS_ERROR_RESPONSE, "over the end");

        b.write_word(reg::program_addr_lo, 0x1230);
        const auto before = state(b);
        for (std::uint32_t at : {reg::ctrl, reg::irq_status, reg::program_addr_lo, reg::id}) {
            payload ignore(tlm::TLM_IGNORE_COMMAND, at, word(0xffffffff));
            b.send(ignore);
            EXPECT_TRUE(ignore.is_response_ok());
            EXPECT_EQ(ignore.data, word(0xffffffff));
        }
        EXPECT_TRUE(state(b) == before);

        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            payload no_pointer(command, reg::program_addr_lo, word(1));
            no_pointer.set_data_ptr(nullptr);
            expect_refused(b, no_pointer, tlm::TLM_GENERIC_ERROR_RESPONSE, "null pointer");
            payload no_length(command, reg::program_addr_lo, word(1));
            no_length.set_data_length(0);
            expect_refused(b, no_length, tlm::TLM_BURST_ERROR_RESPONSE, "length 0");
        }
    };
    simulate();
}

TEST_P(bank_row, row_03_byte_enables)
{
    auto& bench = add("bench");
    bench.regs_checker->tolerate(protocol_rule::enables_of_length_zero);
    bench.program = [](accelerator_bench& b) {
        const std::vector<std::vector<unsigned char>> patterns = {{0xff},
                                                                  {0x00},
                                                                  {0xff, 0x00},
                                                                  {0x00, 0xff, 0xff},
                                                                  {0x00, 0x00, 0x00, 0xff},
                                                                  {0xff, 0, 0xff, 0, 0, 0xff, 0xff, 0, 0xff, 0}};
        for (const auto& enables : patterns) {
            for (std::size_t size : {1u, 2u, 4u, 8u}) {
                b.write_word(reg::program_addr_lo, 0x44332210);
                b.write_word(reg::program_addr_hi, 0x88776655);
                std::vector<unsigned char> expected = {0x10, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88};
                std::vector<unsigned char> seen(size, untouched);
                auto read = reading(reg::program_addr_lo, size);
                read.enable(enables);
                b.send(read);
                auto write = writing(reg::program_addr_lo, pattern(size, 7));
                write.enable(enables);
                b.send(write);
                for (std::size_t i = 0; i < size; ++i) {
                    if (enables[i % enables.size()] == 0) { continue; }
                    seen[i] = expected[i];
                    expected[i] = write.data[i];
                }
                EXPECT_TRUE(read.is_response_ok());
                EXPECT_EQ(read.data, seen);
                EXPECT_TRUE(write.is_response_ok());
                const auto now = state(b);
                EXPECT_TRUE(std::equal(expected.begin(), expected.end(), now.begin() + reg::program_addr_lo));
            }
        }
        // a write that enables no byte of a read-only register touches none
        auto none = writing(reg::id, word(0));
        none.enable({0x00});
        b.send(none);
        EXPECT_TRUE(none.is_response_ok());
        // nor does one that enables no byte of START
        auto start = writing(reg::ctrl, word(arch::ctrl_start));
        start.enable({0x00, 0xff, 0xff, 0xff});
        b.send(start);
        EXPECT_EQ(b.debug_read(reg::status), 0u);

        auto empty = writing(reg::program_addr_lo, word(9));
        empty.enable({0xff});
        empty.set_byte_enable_length(0);
        expect_refused(b, empty, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "enables of length 0");
    };
    simulate();
}

TEST_P(bank_row, row_04_streaming_widths)
{
    run([](accelerator_bench& b) {
        for (unsigned width : {1u, 2u, 3u}) {
            auto write = writing(reg::program_addr_lo, word(77));
            write.set_streaming_width(width);
            expect_refused(b, write, tlm::TLM_BURST_ERROR_RESPONSE, "below the length");
            auto read = reading(reg::program_addr_lo, 4);
            read.set_streaming_width(width);
            expect_refused(b, read, tlm::TLM_BURST_ERROR_RESPONSE, "below the length");
        }
        for (unsigned width : {4u, 20u, std::numeric_limits<unsigned>::max()}) {
            auto write = writing(reg::program_addr_lo, word(width & 0xf0));
            write.set_streaming_width(width);
            b.send(write);
            EXPECT_TRUE(write.is_response_ok());
            EXPECT_EQ(b.debug_read(reg::program_addr_lo), width & 0xf0);
        }
    });
}

TEST_P(bank_row, row_05_payload_is_left_as_it_was)
{
    run([](accelerator_bench& b) {
        std::mt19937 engine(5);
        for (int i = 0; i < 2000; ++i) {
            const std::size_t size = std::size_t{1} << engine() % 4;
            payload t(static_cast<tlm::tlm_command>(engine() % 3), engine() % 0x90, pattern(size, engine() % 100));
            if (t.is_write() && t.get_address() / 8 == reg::ctrl / 8) { continue; } // no START of a random program
            if (engine() % 2 == 0) { t.enable({0xff, static_cast<unsigned char>(engine() % 2 == 0 ? 0xff : 0)}); }
            if (engine() % 4 == 0) { t.set_streaming_width(1 + engine() % 20); }
            const auto fields = fixed_fields(t);
            const auto data = t.data;
            const auto enables = t.enables;
            b.send(t);
            EXPECT_EQ(fixed_fields(t), fields);
            EXPECT_EQ(t.enables, enables);
            if (!t.is_read() || t.is_response_error()) { EXPECT_EQ(t.data, data); }
            EXPECT_NE(t.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
        }
    });
}

TEST_P(bank_row, row_06_access_adds_one_clock_period_to_the_annotated_delay)
{
    accelerator_options options;
    options.clock_period = ns(3);
    run(
        [](accelerator_bench& b) {
            for (const sc_time& before : {ns(0), ns(3), ns(0.5), ns(100'000)}) {
                const sc_time now = sc_core::sc_time_stamp();
                auto read = reading(reg::id, 4);
                EXPECT_EQ(b.send(read, before), before + ns(3));
                auto write = writing(reg::irq_enable, word(0));
                EXPECT_EQ(b.send(write, before), before + ns(3));
                auto wrong = reading(reg::block_bytes, 4);
                EXPECT_GE(b.send(wrong, before), before);
                EXPECT_EQ(sc_core::sc_time_stamp(), now) << "the call waited";
            }
        },
        options);
}

TEST_P(bank_row, row_08_and_09_non_blocking_accesses_beside_blocking_ones)
{
    std::vector<std::unique_ptr<managed_payload>> payloads;
    run([&](accelerator_bench& b) {
        phase_walker walker(*b.prober);
        for (unsigned i = 0; i < 50; ++i) {
            payloads.push_back(std::make_unique<managed_payload>(
                i % 2 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, reg::program_addr_lo));
            managed_payload& t = *payloads.back();
            t.data = word(i * 16);
            t.set_data_ptr(t.data.data());
            walker.begin(t);
            EXPECT_EQ(b.read_word(reg::version), arch::register_map_version); // at the same time
            walker.await(t);
            EXPECT_TRUE(t.is_response_ok());
            EXPECT_EQ(t.data, word(i / 2 * 32));
            EXPECT_EQ(t.get_ref_count(), 1);
        }
    });
}

TEST_P(bank_row, row_10_and_11_payload_with_manager_and_foreign_extensions)
{
    struct note : tlm::tlm_extension<note> {
        tlm::tlm_extension_base* clone() const override { return new note(*this); }
        void copy_from(const tlm::tlm_extension_base&) override {}
    };
    run([](accelerator_bench& b) {
        note n;
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            managed_payload t(command, reg::irq_enable);
            t.data = word(0);
            t.set_data_ptr(t.data.data());
            t.set_extension(&n);
            b.send(t);
            EXPECT_TRUE(t.is_response_ok());
            EXPECT_EQ(t.get_ref_count(), 1);
            EXPECT_EQ(t.get_extension<note>(), &n);
            t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            EXPECT_EQ(b.regs().transport_dbg(t), command == tlm::TLM_READ_COMMAND ? 4u : 0u);
            EXPECT_EQ(t.get_extension<note>(), &n);
            t.clear_extension(&n);
        }
    });
}

TEST_P(bank_row, row_12_and_13_registers_are_never_granted)
{
    run([](accelerator_bench& b) {
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            for (std::uint32_t at : {reg::id, reg::ctrl, reg::irq_status, reg::program_addr_lo, reg::block_bytes - 4}) {
                payload t(command, at, word(0));
                tlm::tlm_dmi dmi;
                EXPECT_FALSE(b.regs().get_direct_mem_ptr(t, dmi));
                EXPECT_LE(dmi.get_start_address(), at);
                EXPECT_GE(dmi.get_end_address(), at);
                auto read = reading(at, 4);
                b.send(read);
                EXPECT_FALSE(read.is_dmi_allowed());
            }
        }
        EXPECT_TRUE(b.prober->invalidations.empty()) << "so nothing is taken back";
    });
}

TEST_P(bank_row, row_14_debug_has_no_side_effects_also_while_busy)
{
    auto& bench = add("bench");
    bench.before_start = [](accelerator_bench& b) { EXPECT_NE(b.debug_read(reg::id), 0u); };
    bench.program = [](accelerator_bench& b) {
        const auto look = [&b] {
            const auto now = sc_core::sc_time_stamp();
            const auto delta = sc_core::sc_delta_count();
            const bool pending = sc_core::sc_pending_activity();
            const auto next = sc_core::sc_time_to_pending_activity();
            const auto all = state(b);
            for (const auto& r : arch::register_map) { // writes by debug transport do nothing
                auto write = writing(r.offset, word(0xffffffff));
                EXPECT_EQ(b.regs().transport_dbg(write), 0u) << r.name;
            }
            EXPECT_TRUE(state(b) == all);
            EXPECT_EQ(sc_core::sc_time_stamp(), now);
            EXPECT_EQ(sc_core::sc_delta_count(), delta);
            EXPECT_EQ(sc_core::sc_pending_activity(), pending);
            EXPECT_EQ(sc_core::sc_time_to_pending_activity(), next);
        };
        look();
        b.start();
        wait(ns(20));
        EXPECT_NE(b.debug_read(reg::status) & arch::status_busy, 0u);
        look();
        EXPECT_TRUE(b.finish().done);
        b.start();
        EXPECT_TRUE(b.wait_interrupt(accelerator_bench::timeout_ns));
        look();
        EXPECT_EQ(b.debug_read(reg::irq_status), arch::irq_done) << "debug cleared it";
        EXPECT_EQ(b.read_word(reg::irq_status), arch::irq_done) << "the bus sees the same";

        auto over = reading(reg::block_bytes - 4, 64);
        EXPECT_EQ(b.regs().transport_dbg(over), 4u);
        auto outside = reading(reg::block_bytes, 4);
        EXPECT_EQ(b.regs().transport_dbg(outside), 0u);
    };
    simulate();
}

TEST_P(bank_row, row_17_reset_values_access_sizes_and_reserved_bits)
{
    run([](accelerator_bench& b) {
        for (const auto& r : arch::register_map) {
            const bool identifies = r.offset < reg::ctrl && r.offset != reg::version;
            if (!identifies) { EXPECT_EQ(b.read_word(r.offset), r.reset()) << r.name; }
        }
        EXPECT_NE(b.read_word(reg::id), 0u);
        std::vector<bool> named(reg::block_bytes / 4, false);
        for (const auto& r : arch::register_map) { named[r.offset / 4] = true; }
        const auto before = state(b);
        for (std::uint32_t at = 0; at < reg::block_bytes; at += 4) {
            if (named[at / 4]) { continue; }
            EXPECT_EQ(b.read_word(at), 0u) << at;
            b.write_word(at, 0xffffffff);
        }
        EXPECT_TRUE(state(b) == before);
        b.write_word(reg::irq_enable, 0xffffffff);
        EXPECT_EQ(b.read_word(reg::irq_enable), arch::irq_done | arch::irq_error | arch::irq_command);
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
                EXPECT_EQ(b.debug_read(reg::program_addr_lo), arch::load_le<std::uint32_t>(pair.data.data()));
                EXPECT_EQ(b.debug_read(reg::program_addr_hi), arch::load_le<std::uint32_t>(pair.data.data() + 4));
            }
        }
        for (const auto& [at, size] : {std::make_pair(1u, 2u), std::make_pair(2u, 4u), std::make_pair(4u, 8u)}) {
            auto read = reading(reg::program_addr_lo + at, size);
            expect_refused(b, read, tlm::TLM_BURST_ERROR_RESPONSE, "unaligned");
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
        b.write_word(reg::ctrl, arch::ctrl_start);
        const auto result = b.finish();
        EXPECT_TRUE(result.done);
        EXPECT_EQ(result.cycles, alone.cycles);
        EXPECT_TRUE(b.output() == b.job.expected_output);
        wait(ns(1000));
        EXPECT_EQ(b.debug_read(reg::status), arch::status_done) << "nothing was started later";
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
        EXPECT_NE(b.debug_read(reg::status) & arch::status_done, 0u) << "the registers show it at that time";
        EXPECT_EQ(sink.edges, 1u);
        wait(ns(100));
        EXPECT_TRUE(b.irq.read()) << "a level";
        b.write_word(reg::irq_enable, 0);
        EXPECT_FALSE(settled()) << "masked";
        EXPECT_EQ(b.read_word(reg::irq_status), arch::irq_done) << "not cleared";
        b.write_word(reg::irq_enable, arch::irq_done);
        EXPECT_TRUE(settled());
        EXPECT_EQ(sink.edges, 2u);
        b.write_word(reg::irq_status, arch::irq_error);
        EXPECT_TRUE(settled()) << "another bit";
        b.write_word(reg::irq_status, 0);
        EXPECT_TRUE(settled()) << "a 0 clears nothing";
        b.write_word(reg::irq_status, arch::irq_done);
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
            auto clear = writing(reg::irq_status, word(arch::irq_done));
            b.send(clear);
            wait(ns(5));
            // either it was cleared after the end, or it stands: register and pin agree, and the job is done
            EXPECT_EQ(b.irq.read(), b.debug_read(reg::irq_status) != 0u);
            EXPECT_EQ(b.debug_read(reg::status), arch::status_done);
            b.write_word(reg::irq_status, arch::irq_done);
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
            while ((b.read_word(reg::status) & arch::status_done) == 0) { ASSERT_LT(++polls, 100'000u); }
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
        b.write_word(reg::ctrl, arch::ctrl_start);
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
                b.write_word(reg::ctrl, arch::ctrl_reset);
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
