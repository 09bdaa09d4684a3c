// The session of a device on a bus, and the width of the device's DMA port: the same for every device.
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "platform/fetta/fetta_testbed.h"
#include "platform/mmv/mmv_testbed.h"
#include "platform/run/program_run.h"
#include "platform/triada/triada_testbed.h"
#include "support/sim_test.h"
#include "testbenches/input_error_of.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using namespace tensorloom::testbench;

template <class Traits> typename Traits::config small_device() { return {}; }
template <> mmv::config small_device<mmv::traits>()
{
    mmv::config c;
    c.side = 4;
    c.scratchpad_bytes = 1u << 16;
    return c;
}
template <> triada::config small_device<triada::traits>()
{
    triada::config c;
    c.mesh = {2, 2, 2};
    return c;
}

constexpr std::uint64_t memory_bytes = session_memory::program_bytes + (1u << 20);

template <class Traits> class session_test : public sim_test {
protected:
    using session_type = simulated_session<Traits>;

    static platform_config with_dma(unsigned bits)
    {
        platform_config config;
        config.memory.bytes = memory_bytes;
        config.protocol_checkers = true;
        config.dma_bits = bits;
        return config;
    }
    static void on_platform(const bus::host_thread::program_type& program)
    {
        testbed_platform<Traits> platform("platform", small_device<Traits>(), with_dma(512), program);
        sc_core::sc_start();
        EXPECT_TRUE(platform.cpu.finished());
    }
    static session_type session_of(bus::host_thread& cpu)
    {
        return {cpu, device_base, small_device<Traits>(), memory_base, memory_bytes};
    }
};

// Of the longest run that the simulated time has room for.
void wait_until_left(const sc_core::sc_time& left)
{
    const auto end = sc_core::sc_time::from_value(sc_core::sc_max_time().value() / 2);
    sc_core::wait(end - left - sc_core::sc_time_stamp());
}

// Takes a program, and does nothing.
class silent_device : public isa::host_port {
public:
    std::uint32_t read_word(std::uint64_t) override { return 0; }
    void write_word(std::uint64_t, std::uint32_t) override {}
    void read_block(std::uint64_t, void*, std::size_t) override {}
    void write_block(std::uint64_t, const void*, std::size_t) override {}
    void fence() override {}
    bool wait_interrupt(std::uint64_t timeout_ns) override
    {
        sc_core::wait(static_cast<double>(timeout_ns), sc_core::SC_NS);
        return false;
    }
};

using devices = testing::Types<fetta::traits, mmv::traits, triada::traits>;
TYPED_TEST_SUITE(session_test, devices);

TYPED_TEST(session_test, memory_used_is_the_largest_program_and_the_data_up_to_its_end)
{
    TestFixture::on_platform([](bus::host_thread& cpu) {
        auto session = TestFixture::session_of(cpu);
        EXPECT_EQ(session.used_bytes(), 0u);
        const std::vector<std::uint8_t> data(40);
        session.write(session.data_base() + 100, data.data(), data.size());
        session.write(session.data_base(), data.data(), data.size());
        EXPECT_EQ(session.used_bytes(), 140u);
        const std::size_t empty = isa::program_builder().bytes().size();
        isa::program_builder longer;
        longer.add(isa::opcode::loop, 0, 0, isa::loop_command{1}.encode());
        longer.add(isa::opcode::end, 0, 0, {});
        const auto program = longer.bytes();
        ASSERT_GT(program.size(), empty);
        session.run(program);
        session.run(isa::program_builder().bytes());
        EXPECT_EQ(session.used_bytes(), 140u + program.size());
        std::vector<std::uint8_t> back(200);
        session.read(session.data_base(), back.data(), back.size());
        EXPECT_EQ(session.used_bytes(), 200u + program.size());
    });
}

TYPED_TEST(session_test, long_simulated_time_is_no_failure)
{
    TestFixture::on_platform([](bus::host_thread& cpu) {
        auto session = TestFixture::session_of(cpu);
        wait_until_left(sc_core::sc_time(3'600, sc_core::SC_SEC)); // of 106 days
        session.run(isa::program_builder().bytes());
    });
}

TYPED_TEST(session_test, run_beyond_the_longest_simulated_time_is_refused)
{
    TestFixture::on_platform([](bus::host_thread& cpu) {
        auto session = TestFixture::session_of(cpu);
        wait_until_left(sc_core::sc_time(2, sc_core::SC_US));
        isa::program_builder program;
        program.add(isa::opcode::loop, 0, 0, isa::loop_command{1'000'000}.encode());
        for (unsigned i = 0; i < 100; ++i) { program.add(isa::opcode::nop); }
        program.add(isa::opcode::end);
        const auto text = input_error_of([&] { session.run(program.bytes()); });
        EXPECT_EQ(text, "the device is not done after 106 days of simulated time, the longest run, expected a faster "
                        "--clock, a smaller --memory-latency or less to do");
        sc_core::sc_stop();
    });
}

TYPED_TEST(session_test, device_at_which_nothing_happens_is_a_failure)
{
    TestFixture::on_platform([](bus::host_thread&) {
        silent_device silent;
        isa::device_driver driver(silent, device_base);
        EXPECT_THROW(run_to_its_end(driver, isa::program_builder().bytes(), memory_base), isa::device_failure);
    });
}

TYPED_TEST(session_test, a_device_of_another_kind_is_a_failure)
{
    TestFixture::on_platform([](bus::host_thread& cpu) {
        EXPECT_THROW(
            simulated_session<TypeParam>(cpu, memory_base, small_device<TypeParam>(), memory_base, memory_bytes),
            isa::device_failure);
    });
}

// A long program of nothing is fetched the faster, the wider the port.
TYPED_TEST(session_test, dma_port_has_the_width_asked_for)
{
    isa::program_builder program;
    for (unsigned i = 0; i < 200; ++i) { program.add(isa::opcode::nop); }
    const auto bytes = program.bytes();
    std::vector<std::uint64_t> cycles;
    std::vector<std::unique_ptr<testbed_platform<TypeParam>>> platforms;
    constexpr unsigned widths[] = {32, 64, 128, 256, 512};
    cycles.resize(std::size(widths));
    for (std::size_t i = 0; i < std::size(widths); ++i) {
        platforms.push_back(std::make_unique<testbed_platform<TypeParam>>(
            ("dma_" + std::to_string(widths[i])).c_str(), small_device<TypeParam>(), TestFixture::with_dma(widths[i]),
            [&, i](bus::host_thread& cpu) { cycles[i] = TestFixture::session_of(cpu).run(bytes).cycles; }));
    }
    sc_core::sc_start();
    for (std::size_t i = 0; i < std::size(widths); ++i) {
        ASSERT_TRUE(platforms[i]->cpu.finished()) << widths[i];
        EXPECT_GE(cycles[i], bytes.size() * 8 / widths[i]) << widths[i]; // a beat is a cycle
        if (i > 0) { EXPECT_LT(cycles[i], cycles[i - 1]) << widths[i]; }
    }
}

TYPED_TEST(session_test, dma_port_of_another_width_is_a_mistake_of_the_program)
{
    EXPECT_THROW(make_device<TypeParam>("device", small_device<TypeParam>(), 48, nullptr), std::logic_error);
}

} // namespace
