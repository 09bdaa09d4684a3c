// Devices share nothing: several live in one simulation, of any width and clock.
#include <complex>
#include <cstdint>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/mmv/word_values.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "models/unbound_device.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class several_mmv_devices : public sim_test {
protected:
    // 2 x 2: (1 2; 3 4) (1 1; 0 1) = (1 3; 3 7), by every device in its own format.
    static std::vector<std::int64_t> product(bus::host_thread& cpu, const mmv::limits& limits, std::uint64_t registers,
                                             std::uint64_t memory)
    {
        const auto operands = workloads::to_bytes(std::vector<std::int64_t>{1, 2, 3, 4, 1, 1, 0, 1}, limits.format);
        const auto element = static_cast<std::uint32_t>(base::element_bytes(limits.format));
        cpu.preload(memory + 0x1000, operands.data(), operands.size());
        isa::transfer_command load;
        load.tensor = isa::dense_descriptor(memory + 0x1000, limits.format, {8});
        isa::program_builder builder;
        builder.add(isa::opcode::load, 0, 0, load.encode());
        builder.add(static_cast<isa::opcode>(mmv::opcode::matmul), 0, 0,
                    mmv_program(limits).matmul_command(256, 0, 4 * element, 4).encode());
        isa::transfer_command store;
        store.tensor = isa::dense_descriptor(memory + 0x2000, limits.word(), {4});
        store.local = 256;
        builder.add(isa::opcode::store, 0, 0, store.encode());
        mmv::driver driver(cpu, registers);
        EXPECT_TRUE(driver.run(builder.bytes(), memory, 1'000'000'000).done);
        std::vector<std::uint8_t> bytes(4 * limits.word_bytes());
        cpu.read_block(memory + 0x2000, bytes.data(), bytes.size());
        return workloads::from_bytes<std::int64_t>(bytes.data(), 4, limits.word());
    }

    static mmv::config small(base::element_type format, blocks::fidelity fidelity, std::uint64_t clock_ps)
    {
        mmv::config c;
        c.side = 2;
        c.format = format;
        c.fidelity = fidelity;
        c.scratchpad_bytes = 4096;
        c.clock_period = sc_core::sc_time(static_cast<double>(clock_ps), sc_core::SC_PS);
        return c;
    }
    static inline const std::vector<std::int64_t> expected{1, 3, 3, 7};
};

TEST_F(several_mmv_devices, of_all_formats_and_several_clocks_work_side_by_side)
{
    std::vector<std::unique_ptr<mmv_bench>> benches;
    unsigned done = 0;
    for (const auto format : base::systolic_formats) {
        for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
            const auto n = benches.size();
            const auto config = small(format, fidelity, 500 + 130 * n);
            benches.push_back(
                std::make_unique<mmv_bench>("bench_" + std::to_string(n), config, [&, config](mmv_bench& b) {
                    EXPECT_EQ(product(b.cpu(), mmv::limits_of(config), testbench::device_base, mmv_bench::data_at),
                              expected);
                    ++done;
                }));
        }
    }
    sc_core::sc_start();
    EXPECT_EQ(done, benches.size());
}

/// A host and a memory at a device of this width, without a router.
template <unsigned BUSWIDTH> struct narrow_platform {
    bus::host_thread cpu;
    bus::router<BUSWIDTH> router;
    memory::sram<BUSWIDTH> memory;
    mmv::device<BUSWIDTH> device;
    bus::width_adapter<32, BUSWIDTH> from_cpu;
    bus::width_adapter<BUSWIDTH, 32> to_registers;
    sc_core::sc_signal<bool> irq;

    narrow_platform(const std::string& name, const mmv::config& config, bus::host_thread::program_type program)
        : cpu((name + "_cpu").c_str(), std::move(program)), router((name + "_router").c_str(), {}),
          memory((name + "_memory").c_str(), {}), device((name + "_device").c_str(), config),
          from_cpu((name + "_from_cpu").c_str()), to_registers((name + "_to_registers").c_str())
    {
        cpu.bus.bind(from_cpu.in);
        from_cpu.out.bind(router.in);
        device.dma.bind(router.in);
        router.out.bind(to_registers.in);
        to_registers.out.bind(device.regs);
        router.out.bind(memory.in);
        router.map(testbench::device_base, testbench::device_base + 0xfff, 0);
        router.map(testbench::memory_base, testbench::memory_base + 0xf'ffff, 1);
        device.irq.bind(irq);
        cpu.irq.bind(irq);
    }
};

TEST_F(several_mmv_devices, of_every_width_and_dma)
{
    unsigned done = 0;
    auto config = small(base::element_type::f64, blocks::fidelity::fast, 1000);
    const auto program = [&](bus::host_thread& cpu) {
        EXPECT_EQ(product(cpu, mmv::limits_of(config), testbench::device_base, testbench::memory_base), expected);
        ++done;
    };
    narrow_platform<32> a("a", config, program);
    narrow_platform<64> b("b", config, program);
    config.dma.transport = bus::dma_transport::non_blocking;
    narrow_platform<128> c("c", config, program);
    config.dma.outstanding = 4;
    narrow_platform<256> d("d", config, program);
    config.dma = {};
    config.dma.use_dmi = bus::dmi_use::on;
    narrow_platform<512> e("e", config, program);
    sc_core::sc_start();
    EXPECT_EQ(done, 5u);
}

TEST_F(several_mmv_devices, irq_and_rst_may_stay_unbound)
{
    expect_that_irq_and_rst_may_stay_unbound<mmv::device<32>>();
}

} // namespace
