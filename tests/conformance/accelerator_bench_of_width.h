#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include "conformance/accelerator_bench.h"

namespace tensorloom::test {

template <class Device> auto& dma_of(Device& device) { return device.dma; }

/// An accelerator_bench whose DMA has a width.
template <unsigned BUSWIDTH, class Device> class accelerator_bench_of final : public accelerator_bench {
public:
    template <class Config>
    accelerator_bench_of(sc_core::sc_module_name name, const accelerator_subject& subject_, Config config,
                         const accelerator_options& options)
        : accelerator_bench(name, subject_)
    {
        auto& cpu = add<rogue_initiator>("prober");
        auto& store = add<at_responder<BUSWIDTH>>("memory", memory_bytes);
        prober = &cpu;
        memory = &store;
        config.dma = options.dma;
        config.burst_bytes = options.burst_bytes;
        config.clock_period = options.clock_period;
        auto& device = add<Device>("device", config, &activity());
        auto& before = add<bus::protocol_checker<32>>("check_regs", bus::on_violation::count);
        cpu.out.bind(before.in);
        before.out.bind(device.regs);
        auto& behind = add<bus::protocol_checker<BUSWIDTH>>("check_dma", bus::on_violation::count);
        dma_of(device).bind(behind.in);
        behind.out.bind(store.in);
        if (options.with_irq) { device.irq.bind(irq); }
        if (options.with_rst) { device.rst.bind(rst); }
        regs_checker = &before;
        dma_checker = &behind;
        place_job(options.burst_bytes);
    }
};

/// The bench of a device for the width of its subject.
template <template <unsigned> class Device, class Config>
std::unique_ptr<accelerator_bench> make_bench_of_width(const std::string& name, const accelerator_subject& subject,
                                                       const Config& config, const accelerator_options& options)
{
    const auto made = [&](auto width) -> std::unique_ptr<accelerator_bench> {
        using bench = accelerator_bench_of<width.value, Device<width.value>>;
        return std::make_unique<bench>(name.c_str(), subject, config, options);
    };
    switch (subject.width) {
    case 32: return made(std::integral_constant<unsigned, 32>());
    case 64: return made(std::integral_constant<unsigned, 64>());
    case 128: return made(std::integral_constant<unsigned, 128>());
    case 256: return made(std::integral_constant<unsigned, 256>());
    case 512: return made(std::integral_constant<unsigned, 512>());
    }
    throw std::invalid_argument("no bench of this width");
}

} // namespace tensorloom::test
