// What the register port does for initiators that bend the standard.
#include <tlm_utils/simple_initiator_socket.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

class shell_tolerance_test : public shell_run_test {
protected:
    static shell::shell_config waiting()
    {
        auto c = shell_bench::settings();
        c.tolerance.wait_out_delay = true;
        return c;
    }
    static shell::shell_config strict()
    {
        auto c = shell_bench::settings();
        c.tolerance.zero_streaming_width = false;
        return c;
    }
};

TEST_F(shell_tolerance_test, access_waits_its_annotated_and_its_own_time_and_leaves_no_delay)
{
    run(waiting(), [](shell_bench& b) {
        for (double annotated : {0.0, 100.0}) {
            const auto begin = sc_core::sc_time_stamp();
            auto p = reading(reg::id, 4);
            sc_core::sc_time delay = ns(annotated);
            b.cpu.out->b_transport(p, delay);
            EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
            EXPECT_EQ(sc_core::sc_time_stamp() - begin, ns(annotated + 2));
        }
    });
}

TEST_F(shell_tolerance_test, access_takes_no_time_of_its_own_without_the_option)
{
    run([](shell_bench& b) {
        auto p = reading(reg::id, 4);
        sc_core::sc_time delay = ns(100);
        b.cpu.out->b_transport(p, delay);
        EXPECT_EQ(delay, ns(102));
        EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
    });
}

TEST_F(shell_tolerance_test, host_that_discards_delays_sees_the_end_of_a_job)
{
    run(waiting(), [](shell_bench& b) {
        const auto program = toil_program(1000);
        b.place(program);
        b.post(reg::program_addr_lo, static_cast<std::uint32_t>(shell_bench::memory_at));
        b.post(reg::program_addr_hi, static_cast<std::uint32_t>(shell_bench::memory_at >> 32));
        b.post(reg::ctrl, isa::ctrl_start);
        const auto started = sc_core::sc_time_stamp() - ns(2); // the write takes effect, then takes its time
        unsigned polls = 0;
        for (bool busy = true; busy && polls < 10000; ++polls) {
            auto p = reading(reg::status, 4);
            sc_core::sc_time discarded = sc_core::SC_ZERO_TIME;
            b.cpu.out->b_transport(p, discarded);
            busy = p.data[0] == isa::status_busy;
        }
        EXPECT_LT(polls, 10000u);
        const double cycles = static_cast<double>(fetch_cycles(program) + 1000);
        EXPECT_GE(sc_core::sc_time_stamp() - started, ns(2 * cycles));
        EXPECT_LE(sc_core::sc_time_stamp() - started, ns(2 * cycles + 4));
    });
}

/// Reads ID from a method process.
class method_initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<method_initiator, 32> out;
    sc_core::sc_time delay = ns(100);
    bool ok = false;

    explicit method_initiator(sc_core::sc_module_name name) : sc_core::sc_module(name), out("out")
    {
        SC_HAS_PROCESS(method_initiator);
        SC_METHOD(run);
    }

private:
    void run()
    {
        auto p = reading(reg::id, 4);
        out->b_transport(p, delay);
        ok = p.is_response_ok();
    }
};

TEST_F(shell_tolerance_test, method_process_gets_the_delay_annotated)
{
    toil_device device("device", waiting(), nullptr);
    byte_target<32> memory("memory", 16);
    method_initiator cpu("cpu");
    cpu.out.bind(device.regs);
    device.dma_out.bind(memory.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.ok);
    EXPECT_EQ(cpu.delay, ns(102));
}

TEST_F(shell_tolerance_test, streaming_width_of_zero_is_taken_unless_the_port_is_strict)
{
    toil_device tolerant("tolerant", shell_bench::settings(), nullptr);
    toil_device picky("picky", strict(), nullptr);
    byte_target<32> memory("memory", 16);
    byte_target<32> other_memory("other_memory", 16);
    tolerant.dma_out.bind(memory.in);
    picky.dma_out.bind(other_memory.in);
    const auto answer = [](shell_bench::cpu_type& cpu) {
        auto p = reading(reg::id, 4);
        p.set_streaming_width(0);
        cpu.send(p);
        return p.get_response_status();
    };
    shell_bench::cpu_type of_tolerant("of_tolerant", [&](auto& cpu) { EXPECT_EQ(answer(cpu), tlm::TLM_OK_RESPONSE); });
    shell_bench::cpu_type of_picky("of_picky",
                                   [&](auto& cpu) { EXPECT_EQ(answer(cpu), tlm::TLM_BURST_ERROR_RESPONSE); });
    of_tolerant.out.bind(tolerant.regs);
    of_picky.out.bind(picky.regs);
    sc_core::sc_start();
    EXPECT_TRUE(of_tolerant.finished());
    EXPECT_TRUE(of_picky.finished());
}

} // namespace
} // namespace tensorloom::test
