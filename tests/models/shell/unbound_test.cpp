// A device whose interrupt and reset pins go nowhere.
#include <gtest/gtest.h>
#include "models/shell/shell_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

class unbound_pins_test : public sim_test {
protected:
    struct bench_type {
        explicit bench_type(thread_initiator<>::program_type program, const char* name = "device")
            : device(name, shell_bench::settings(), nullptr),
              cpu((std::string(name) + "_cpu").c_str(), std::move(program)),
              memory((std::string(name) + "_memory").c_str(), 4096)
        {
            cpu.out.bind(device.regs);
            device.dma_out.bind(memory.in);
            const auto program_bytes = toil_program(10);
            std::copy(program_bytes.begin(), program_bytes.end(), memory.bytes.begin());
        }
        toil_device device;
        thread_initiator<> cpu;
        byte_target<> memory;
    };

    static void run_a_job(thread_initiator<>& cpu)
    {
        auto start = writing(reg::ctrl, {1, 0, 0, 0});
        sc_core::wait(cpu.send(start));
        sc_core::wait(ns(1000));
        auto status = reading(reg::status, 4);
        cpu.send(status);
        EXPECT_EQ(status.data[0], isa::status_done);
    }
};

TEST_F(unbound_pins_test, device_works_by_polling)
{
    bench_type bench(run_a_job);
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    EXPECT_FALSE(bench.device.irq.read());
}

TEST_F(unbound_pins_test, two_such_devices_do_not_meet)
{
    bench_type first(run_a_job, "first");
    bench_type second(run_a_job, "second");
    sc_core::sc_start();
    EXPECT_TRUE(first.cpu.finished() && second.cpu.finished());
}

TEST_F(unbound_pins_test, bad_configuration_is_an_elaboration_error)
{
    expected_report report("/tensorloom/shell/config");
    auto config = shell_bench::settings();
    config.burst_bytes = 3;
    EXPECT_THROW(toil_device("device", config, nullptr), sc_core::sc_report);
}

} // namespace
} // namespace tensorloom::test
