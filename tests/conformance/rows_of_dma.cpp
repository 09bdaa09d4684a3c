// The rows that an initiator has, on the DMA of a TriADA device.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <tensorloom/models/isa/program/register_map.h>
#include "conformance/accelerator_row.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using bus::dma_transport;
using sc_core::sc_time;

accelerator_options with(dma_transport transport, unsigned outstanding = 1, unsigned burst_bytes = 4096)
{
    accelerator_options o;
    o.dma.transport = transport;
    o.dma.outstanding = outstanding;
    o.burst_bytes = burst_bytes;
    return o;
}

constexpr dma_transport transports[] = {dma_transport::blocking, dma_transport::non_blocking};
const char* name_of(dma_transport t) { return t == dma_transport::blocking ? "blocking" : "non_blocking"; }

TEST_P(dma_row, row_01_each_error_status_ends_the_job_with_an_interrupt_and_what_failed)
{
    static const std::map<tlm::tlm_response_status, isa::bus_response> errors = {
        {tlm::TLM_ADDRESS_ERROR_RESPONSE, isa::bus_response::address_error},
        {tlm::TLM_COMMAND_ERROR_RESPONSE, isa::bus_response::command_error},
        {tlm::TLM_BURST_ERROR_RESPONSE, isa::bus_response::burst_error},
        {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, isa::bus_response::byte_enable_error},
        {tlm::TLM_GENERIC_ERROR_RESPONSE, isa::bus_response::generic_error}};
    for (auto transport : transports) {
        auto& bench = add(name_of(transport), with(transport));
        bench.program = [](accelerator_bench& b) {
            b.run_job();
            const auto good = b.accesses;
            EXPECT_TRUE(good.back().command == tlm::TLM_WRITE_COMMAND);
            for (const auto& [status, response] : errors) {
                for (std::size_t failing : {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 1}) {
                    b.accesses.clear();
                    b.answer = [&, wrong = status](std::size_t n, tlm::tlm_generic_payload& t) {
                        if (n == failing) { t.set_response_status(wrong); }
                    };
                    b.start();
                    const auto result = b.finish(); // by interrupt
                    EXPECT_FALSE(result.done);
                    EXPECT_EQ(result.error, isa::error_code::bus_error);
                    EXPECT_EQ(result.error_address, good[failing].address);
                    EXPECT_EQ(result.error_response, response);
                    EXPECT_EQ(b.accesses.size(), failing + 1) << "nothing more is sent";
                    b.answer = {};
                }
            }
            b.run_job(); // still alive
        };
    }
    simulate();
}

TEST_P(dma_row, row_01_burst_without_an_answer_in_time_ends_the_job_and_a_late_one_is_dropped)
{
    for (auto style : {phase_style::updated, phase_style::implied}) { // the second keeps the bus until it answers
        for (unsigned outstanding : {1u, 4u}) {
            auto options = with(dma_transport::non_blocking, outstanding, 64);
            options.dma.timeout_cycles = 1000;
            auto& bench =
                add((style == phase_style::updated ? "updated_" : "implied_") + std::to_string(outstanding), options);
            bench.memory->style = [style] { return style; };
            bench.program = [](accelerator_bench& b) {
                const auto cycles = b.run_job().cycles;
                const auto good = b.accesses;
                for (std::size_t failing : {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 1}) {
                    b.accesses.clear();
                    b.memory->latency = [&b, failing] { return ns(b.accesses.size() == failing + 1 ? 100'000 : 10); };
                    b.start();
                    const auto result = b.finish(); // by interrupt
                    EXPECT_FALSE(result.done);
                    EXPECT_EQ(result.error, isa::error_code::bus_error);
                    EXPECT_EQ(result.error_address, good[failing].address);
                    EXPECT_EQ(result.error_response, isa::bus_response::timed_out);
                    EXPECT_LE(result.cycles, cycles + 1100);
                    wait(ns(200'000));
                    b.memory->latency = [] { return ns(10); };
                    b.run_job();
                }
            };
        }
    }
    simulate(); // looks at the references
}

TEST_P(dma_row, row_16_every_burst_suits_the_strictest_target)
{
    // The bench's memory complains about: commands, null data, lengths that are no powers of two or too long, addresses
    // that are not naturally aligned, streaming widths, byte enables, options, hints, statuses, extensions.
    for (auto transport : transports) {
        for (unsigned outstanding : {1u, 4u}) {
            for (unsigned burst : {4u, 64u, 4096u}) {
                auto& b = add(std::string(name_of(transport)) + "_" + std::to_string(outstanding) + "_" +
                                  std::to_string(burst),
                              with(transport, outstanding, burst));
                b.program = [burst](accelerator_bench& of) {
                    of.run_job();
                    unsigned longest = 0;
                    for (const auto& a : of.accesses) { longest = std::max(longest, a.length); }
                    EXPECT_GT(longest, burst == 4096 ? 64u : burst / 2) << "bursts are used";
                };
            }
        }
    }
    simulate();
}

TEST_P(dma_row, row_16_every_burst_of_several_ports_suits_the_strictest_target)
{
    for (auto transport : transports) {
        for (unsigned ports : {2u, 5u, 16u}) {
            auto options = with(transport, 4, 64);
            options.dma_ports = ports;
            auto& b = add(std::string(name_of(transport)) + "_" + std::to_string(ports), options);
            b.program = [](accelerator_bench& of) {
                of.run_job();
                EXPECT_GT(of.dma_checker->transactions(), 0u);
                if (of.more_dma_checkers.empty()) { return; } // a device with one
                EXPECT_GT(of.more_dma_checkers.front()->transactions(), 0u) << "the second works, too";
            };
        }
    }
    simulate();
}

TEST_P(dma_row, row_06_delays_of_the_target_are_honoured_annotated_or_waited_for)
{
    std::map<std::string, std::uint64_t> cycles;
    std::size_t transactions = 0;
    for (const auto& [name, latency, inside] :
         {std::make_tuple("quick", 0, false), std::make_tuple("annotated", 1000, false),
          std::make_tuple("waited", 1000, true)}) {
        auto& bench = add(name, with(dma_transport::blocking));
        bench.memory->latency = [l = latency] { return ns(l); };
        bench.memory->waits_inside = inside;
        bench.program = [&cycles, &transactions, of = std::string(name)](accelerator_bench& b) {
            const sc_time start = sc_core::sc_time_stamp();
            cycles[of] = b.run_job().cycles;
            EXPECT_GE(sc_core::sc_time_stamp() - start, static_cast<double>(cycles[of]) * ns(1));
            transactions = b.accesses.size();
        };
    }
    simulate();
    EXPECT_GE(cycles["annotated"], transactions * 1000);
    EXPECT_LE(cycles["annotated"], transactions * 1000 + cycles["quick"]);
    EXPECT_EQ(cycles["waited"], cycles["annotated"]);
}

TEST_P(dma_row, row_08_targets_of_every_style_of_phases_in_and_out_of_order)
{
    constexpr phase_style styles[] = {phase_style::four, phase_style::updated, phase_style::implied,
                                      phase_style::early_answer, phase_style::completed};
    for (unsigned outstanding : {1u, 4u, 16u}) {
        for (bool in_order : {true, false}) {
            for (unsigned only = 0; only < 6; ++only) { // one style alone, and all in turn
                auto& b = add("outstanding_" + std::to_string(outstanding) + (in_order ? "_ordered_" : "_any_") +
                                  std::to_string(only),
                              with(dma_transport::non_blocking, outstanding, 16));
                b.memory->answers_in_order = in_order;
                b.memory->style = [&styles, only, n = 0u]() mutable { return styles[only < 5 ? only : n++ % 5]; };
                b.memory->latency = [n = 0u]() mutable { return ns(5 + (n++ * 7) % 23); };
                b.memory->accept_delay = [n = 0u]() mutable { return ns(n++ % 3); };
                b.program = [](accelerator_bench& of) { of.run_job(); };
            }
        }
    }
    simulate();
}

TEST_P(dma_row, row_10_every_payload_is_released_and_used_again)
{
    // the checklist's 100000 at one width
    const std::size_t count = GetParam().width == 32 ? 100'000 : 5'000;
    auto& bench = add("bench", with(dma_transport::non_blocking, 4, 4));
    bench.program = [count](accelerator_bench& b) {
        std::size_t sent = 0;
        while (sent < count) {
            b.accesses.clear();
            b.run_job();
            sent += b.accesses.size();
        }
        EXPECT_EQ(b.dma_checker->transactions(), sent);
        EXPECT_LE(b.payloads.size(), 8u) << "a pool uses its payloads again";
    };
    simulate(); // looks at the references
}

struct sticky : tlm::tlm_extension<sticky> {
    static int alive;
    sticky() { ++alive; }
    sticky(const sticky&) = delete;
    ~sticky() override { --alive; }
    tlm::tlm_extension_base* clone() const override { return new sticky; }
    void copy_from(const tlm::tlm_extension_base&) override {}
};
int sticky::alive = 0;

TEST_P(dma_row, row_11_no_extension_is_sent_and_what_the_bus_adds_is_freed)
{
    auto& bench = add("bench", with(dma_transport::non_blocking, 4, 16));
    bench.answer = [](std::size_t, tlm::tlm_generic_payload& t) { t.set_auto_extension(new sticky); };
    bench.program = [](accelerator_bench& b) {
        b.run_job();
        b.run_job();
        EXPECT_EQ(sticky::alive, 0);
    };
    simulate(); // the memory complains about extensions in requests
}

// Grants direct pointers to a part of the memory.
void grant(accelerator_bench& b, std::uint64_t first, std::uint64_t last)
{
    b.memory->direct = [&b, first, last](tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) {
        const bool inside = t.get_address() >= first && t.get_address() <= last;
        dmi.set_start_address(inside ? first : t.get_address() < first ? 0 : last + 1);
        dmi.set_end_address(inside ? last : t.get_address() < first ? first - 1 : UINT64_MAX);
        if (!inside) { return false; }
        dmi.set_dmi_ptr(b.memory->bytes.data() + (first - accelerator_bench::memory_at));
        dmi.allow_read_write();
        dmi.set_read_latency(sc_time(500, sc_core::SC_PS)); // per byte
        dmi.set_write_latency(sc_time(500, sc_core::SC_PS));
        return true;
    };
}

TEST_P(dma_row, row_12_direct_pointers_are_used_within_their_range)
{
    auto options = with(dma_transport::blocking, 1, 64);
    options.dma.use_dmi = bus::dmi_use::on;
    auto& everything = add("everything", options);
    grant(everything, accelerator_bench::memory_at, accelerator_bench::memory_at + accelerator_bench::memory_bytes - 1);
    everything.program = [](accelerator_bench& b) {
        b.run_job();
        EXPECT_TRUE(b.accesses.empty()) << "all went by pointer";
    };
    // a range that ends in the middle of the data
    auto& part = add("part", options);
    const std::uint64_t last = accelerator_bench::memory_at + 0x1000 + 0x123;
    grant(part, accelerator_bench::memory_at, last);
    part.program = [last](accelerator_bench& b) {
        b.run_job();
        EXPECT_FALSE(b.accesses.empty());
        for (const auto& a : b.accesses) { EXPECT_GT(a.address + a.length - 1, last); }
    };
    auto& refused = add("refused", options);
    refused.program = [](accelerator_bench& b) {
        b.run_job();
        EXPECT_FALSE(b.accesses.empty());
    };
    simulate();
}

TEST_P(dma_row, row_12_pointer_is_asked_for_only_after_a_hint)
{
    for (auto transport : transports) {
        auto options = with(transport, 1, 64);
        options.dma.use_dmi = bus::dmi_use::hinted;
        auto& quiet = add(std::string("quiet_") + name_of(transport), options);
        quiet.memory->direct = [](tlm::tlm_generic_payload&, tlm::tlm_dmi&) {
            ADD_FAILURE() << "asked without a hint";
            return false;
        };
        quiet.program = [](accelerator_bench& b) { b.run_job(); };
        // hints in a part of the data
        auto& hinting = add(std::string("hinting_") + name_of(transport), options);
        const std::uint64_t last = accelerator_bench::memory_at + 0x1000 + 0x123;
        grant(hinting, accelerator_bench::memory_at, last);
        auto hinted = std::make_shared<std::set<std::uint64_t>>();
        hinting.memory->direct = [hinted, given = hinting.memory->direct](auto& t, auto& dmi) {
            EXPECT_EQ(hinted->count(t.get_address()), 1u);
            return given(t, dmi);
        };
        hinting.answer = [hinted, last](std::size_t, tlm::tlm_generic_payload& t) {
            if (t.get_address() > last) { return; }
            t.set_dmi_allowed(true);
            hinted->insert(t.get_address());
        };
        hinting.program = [&quiet](accelerator_bench& b) {
            b.run_job();
            const auto sent = b.accesses.size();
            b.run_job(); // by the pointer, where there is one
            EXPECT_LT(b.accesses.size() - sent, sent);
            EXPECT_FALSE(quiet.accesses.empty());
        };
    }
    simulate();
}

TEST_P(dma_row, row_13_pointer_is_not_used_after_its_invalidation)
{
    // The memory moves in the middle of a job, at every 20 ns of it in turn; what was there is spoilt.
    auto options = with(dma_transport::blocking, 1, 64);
    options.dma.use_dmi = bus::dmi_use::on;
    auto& bench = add("bench", options);
    grant(bench, accelerator_bench::memory_at, accelerator_bench::memory_at + accelerator_bench::memory_bytes - 1);
    std::vector<std::vector<unsigned char>> spoilt;
    bench.program = [&spoilt](accelerator_bench& b) {
        const std::uint64_t cycles = b.run_job().cycles;
        for (std::uint64_t at = 10; at < cycles; at += 20) {
            b.clear_output();
            b.start();
            wait(ns(static_cast<double>(at)));
            spoilt.push_back(b.memory->bytes);
            spoilt.back().swap(b.memory->bytes);
            std::fill(spoilt.back().begin(), spoilt.back().end(), static_cast<unsigned char>(0xdd));
            b.memory->initiator().invalidate_direct_mem_ptr(accelerator_bench::memory_at, UINT64_MAX);
            EXPECT_TRUE(b.finish().done);
            EXPECT_TRUE(b.output() == b.job.expected_output) << "moved after " << at << " ns";
        }
        EXPECT_GT(spoilt.size(), 5u);
    };
    simulate();
}

TEST_P(dma_row, row_15_beats_of_the_width_are_the_time)
{
    auto& bench = add("bench", with(dma_transport::blocking));
    bench.memory->latency = [] { return sc_core::SC_ZERO_TIME; };
    bench.program = [](accelerator_bench& b) {
        b.run_job();
        const unsigned beat = b.subject.width / 8;
        std::uint64_t beats = 0;
        for (const auto& a : b.accesses) {
            if (a.address < b.job.program_at + b.job.program.size()) { beats += (a.length + beat - 1) / beat; }
        }
        ASSERT_FALSE(b.phases.empty());
        EXPECT_EQ(b.phases.front().phase, "fetch");
        EXPECT_EQ(b.phases.front().cycles, beats);
    };
    simulate();
}

TEST_P(dma_row, row_19_reset_in_every_phase_leaves_a_fresh_device)
{
    for (auto transport : transports) {
        auto& bench = add(name_of(transport), with(transport, 4, 16));
        bench.program = [](accelerator_bench& b) {
            const auto fresh = b.run_job();
            const auto phases = b.phases;
            std::vector<std::string> names;
            for (const auto& p : phases) { names.push_back(p.phase); }
            EXPECT_EQ(names, b.job.phases);
            for (const auto& phase : phases) {
                for (bool by_pin : {true, false}) {
                    for (std::uint64_t into : {std::uint64_t{0}, phase.cycles / 2}) {
                        b.start();
                        wait(ns(static_cast<double>(phase.start_cycle + into)));
                        EXPECT_NE(b.debug_read(isa::reg::status) & isa::status_busy, 0u);
                        if (by_pin) {
                            b.rst.write(true);
                            wait(ns(3));
                            b.rst.write(false);
                        } else {
                            b.write_word(isa::reg::ctrl, isa::ctrl_reset);
                        }
                        for (unsigned polls = 0; (b.read_word(isa::reg::status) & isa::status_busy) != 0; ++polls) {
                            ASSERT_LT(polls, 10'000u);
                            EXPECT_FALSE(b.irq.read());
                        }
                        EXPECT_FALSE(b.irq.read()) << phase.phase;
                        EXPECT_EQ(b.debug_read(isa::reg::status), 0u) << phase.phase;
                        EXPECT_EQ(b.debug_read(isa::reg::irq_status), 0u) << phase.phase;
                        EXPECT_EQ(b.dma_checker->live(), 0u) << phase.phase;
                        EXPECT_EQ(b.memory->live(), 0u) << phase.phase;
                        const auto next = b.run_job(); // checks the output
                        EXPECT_EQ(next.cycles, fresh.cycles) << phase.phase;
                    }
                }
            }
        };
    }
    simulate(); // references of payloads
}

// The target hangs at a burst of the fetch, of a LOAD or of a STORE, and answers long after the reset.
void expect_that_a_hung_target_does_not_hold(accelerator_bench& b, dma_transport transport)
{
    constexpr double hangs_ns = 500'000;
    sc_core::sc_event answers; // the target does
    const auto fresh = b.run_job();
    const auto good = b.accesses;
    const auto latency = b.memory->latency;
    for (const std::size_t hung : {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 1}) {
        for (const bool by_pin : {true, false}) {
            b.accesses.clear();
            b.clear_output();
            bool hangs = false;
            b.answer = [&](std::size_t n, tlm::tlm_generic_payload&) {
                hangs = n == hung;
                if (hangs && transport == dma_transport::blocking) { wait(answers); }
            };
            b.memory->latency = [&] { return hangs ? ns(hangs_ns) : latency(); };
            b.start();
            wait(ns(10'000));
            ASSERT_EQ(b.accesses.size(), hung + 1);
            EXPECT_NE(b.debug_read(isa::reg::status) & isa::status_busy, 0u);
            if (by_pin) {
                b.rst.write(true);
                wait(ns(3));
                b.rst.write(false);
                while ((b.read_word(isa::reg::status) & isa::status_busy) != 0) { EXPECT_FALSE(b.irq.read()); }
            } else {
                b.driver().reset();
            }
            b.answer = {};
            b.memory->latency = latency;
            EXPECT_EQ(b.debug_read(isa::reg::status), 0u);
            EXPECT_FALSE(b.irq.read());
            EXPECT_EQ(b.dma_checker->live(), 1u) << b.name() << ": the burst is still in the target";
            EXPECT_EQ(b.run_job().cycles, fresh.cycles) << "burst " << hung; // checks the output
            wait(ns(hangs_ns));
            answers.notify(); // with the bytes of the first program, which are those of the second
            wait(ns(100));
            EXPECT_EQ(b.dma_checker->live(), 0u);
            EXPECT_EQ(b.debug_read(isa::reg::status), isa::status_done) << "the device takes no notice";
            b.payloads.clear(); // that of the burst no longer exists
            EXPECT_EQ(b.run_job().cycles, fresh.cycles);
        }
    }
}

TEST_P(dma_row, row_19_reset_frees_a_device_whose_target_hangs)
{
    for (const auto transport : transports) {
        for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
            auto options = with(transport, 1, 16);
            options.fidelity = fidelity;
            const std::string name = fidelity == blocks::fidelity::fast ? "fast_" : "detailed_";
            auto& bench = add(name + name_of(transport), options);
            bench.memory->answers_in_order = false;
            bench.program = [transport](accelerator_bench& b) {
                expect_that_a_hung_target_does_not_hold(b, transport);
            };
        }
    }
    simulate();
}

TEST_P(dma_row, row_21_devices_of_different_configuration_work_at_once)
{
    std::map<std::string, std::uint64_t> alone;
    std::map<std::string, std::uint64_t> together;
    auto slow = with(dma_transport::non_blocking, 4, 16);
    slow.clock_period = ns(3);
    for (const auto& [name, options] : {std::make_pair(std::string("quick"), with(dma_transport::blocking)),
                                        std::make_pair(std::string("slow"), slow)}) {
        auto& bench = add(name, options);
        bench.program = [&alone, &together, of = name](accelerator_bench& b) {
            wait(ns(of == "quick" ? 0 : 999'999)); // alone
            alone[of] = b.run_job().cycles;
            const sc_time both = ns(3'000'000);
            wait(both - sc_core::sc_time_stamp());
            for (int i = 0; i < 5; ++i) { together[of] = b.run_job().cycles; }
        };
    }
    simulate();
    EXPECT_EQ(together, alone);
    EXPECT_NE(alone["quick"], alone["slow"]);
}

} // namespace
