// The rows about accesses that a block of registers has, on the devices' regs sockets.
#include <limits>
#include <random>
#include "conformance/accelerator_row.h"
#include "conformance/register_access.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using bus::protocol_rule;
using sc_core::sc_time;
namespace reg = isa::reg;

TEST_P(bank_row, row_01_every_register_answers_and_errors_change_nothing)
{
    run([](accelerator_bench& b) {
        for (const auto& r : isa::register_map) {
            auto read = reading(r.offset, 4);
            b.send(read);
            EXPECT_EQ(read.get_response_status(), tlm::TLM_OK_RESPONSE) << r.name;
            if (r.writable() == 0) {
                auto write = writing(r.offset, word(0xffffffff));
                expect_check_error(b, write, tlm::TLM_COMMAND_ERROR_RESPONSE, r.name);
            }
        }
        for (std::uint64_t at : {std::uint64_t{reg::block_bytes}, std::uint64_t{0x1'0000'0000},
                                 std::numeric_limits<std::uint64_t>::max() - 3}) {
            auto read = reading(at, 4);
            expect_check_error(b, read, tlm::TLM_ADDRESS_ERROR_RESPONSE, "outside");
            auto write = writing(at, word(1));
            expect_check_error(b, write, tlm::TLM_ADDRESS_ERROR_RESPONSE, "outside");
        }
        auto wrap = reading(std::numeric_limits<std::uint64_t>::max() - 3, 8);
        expect_check_error(b, wrap, tlm::TLM_ADDRESS_ERROR_RESPONSE, "round the end");
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
            expect_check_error(b, read, tlm::TLM_BURST_ERROR_RESPONSE, "length");
            auto write = writing(0, std::vector<unsigned char>(size, 1));
            expect_check_error(b, write, tlm::TLM_BURST_ERROR_RESPONSE, "length");
        }
        auto over = reading(reg::block_bytes - 4, 8);
        expect_check_error(b, over, tlm::TLM_ADDRESS_ERROR_RESPONSE, "over the end");

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
            expect_check_error(b, no_pointer, tlm::TLM_GENERIC_ERROR_RESPONSE, "null pointer");
            payload no_length(command, reg::program_addr_lo, word(1));
            no_length.set_data_length(0);
            expect_check_error(b, no_length, tlm::TLM_BURST_ERROR_RESPONSE, "length 0");
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
        auto start = writing(reg::ctrl, word(isa::ctrl_start));
        start.enable({0x00, 0xff, 0xff, 0xff});
        b.send(start);
        EXPECT_EQ(b.debug_read(reg::status), 0u);

        auto empty = writing(reg::program_addr_lo, word(9));
        empty.enable({0xff});
        empty.set_byte_enable_length(0);
        expect_check_error(b, empty, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "enables of length 0");
    };
    simulate();
}

TEST_P(bank_row, row_04_streaming_widths)
{
    run([](accelerator_bench& b) {
        for (unsigned width : {1u, 2u, 3u}) {
            auto write = writing(reg::program_addr_lo, word(77));
            write.set_streaming_width(width);
            expect_check_error(b, write, tlm::TLM_BURST_ERROR_RESPONSE, "below the length");
            auto read = reading(reg::program_addr_lo, 4);
            read.set_streaming_width(width);
            expect_check_error(b, read, tlm::TLM_BURST_ERROR_RESPONSE, "below the length");
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
            EXPECT_EQ(b.read_word(reg::version), isa::register_map_version); // at the same time
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
            for (const auto& r : isa::register_map) { // writes by debug transport do nothing
                auto write = writing(r.offset, word(0xffffffff));
                EXPECT_EQ(b.regs().transport_dbg(write), 0u) << r.name;
                EXPECT_EQ(write.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE) << r.name;
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
        EXPECT_NE(b.debug_read(reg::status) & isa::status_busy, 0u);
        look();
        EXPECT_TRUE(b.finish().done);
        b.start();
        EXPECT_TRUE(b.wait_interrupt(accelerator_bench::timeout_ns));
        look();
        EXPECT_EQ(b.debug_read(reg::irq_status), isa::irq_done) << "debug cleared it";
        EXPECT_EQ(b.read_word(reg::irq_status), isa::irq_done) << "the bus sees the same";

        auto over = reading(reg::block_bytes - 4, 64);
        EXPECT_EQ(b.regs().transport_dbg(over), 4u);
        auto outside = reading(reg::block_bytes, 4);
        EXPECT_EQ(b.regs().transport_dbg(outside), 0u);
    };
    simulate();
}

} // namespace
