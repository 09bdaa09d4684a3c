#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <tensorloom/tlm/router.h>
#include "conformance/accelerator_bench.h"

namespace tensorloom::test {

template <class Device> auto& dma_of(Device& device) { return device.dma; }

template <class Device, class Config, class = void> struct may_have_dma_ports : std::false_type {};
template <class Device, class Config>
struct may_have_dma_ports<
    Device, Config,
    std::void_t<decltype(std::declval<Config&>().dma_ports), decltype(std::declval<Device&>().dma_port(0u))>>
    : std::true_type {};

template <class Config, class = void> struct has_fidelity : std::false_type {};
template <class Config>
struct has_fidelity<Config, std::void_t<decltype(std::declval<Config&>().fidelity)>> : std::true_type {};

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
        if constexpr (has_fidelity<Config>::value) { config.fidelity = options.fidelity; }
        constexpr bool may_have_several = may_have_dma_ports<Device, Config>::value;
        if constexpr (may_have_several) { config.dma_ports = options.dma_ports; }
        auto& device = add<Device>("device", config, &activity());
        auto& before = add<bus::protocol_checker<32>>("check_regs", bus::on_violation::count);
        this->device = &device;
        cpu.out.bind(before.in);
        before.out.bind(device.regs);
        auto& behind = add<bus::protocol_checker<BUSWIDTH>>("check_dma", bus::on_violation::count);
        dma_of(device).bind(behind.in);
        bool routed = false;
        if constexpr (may_have_several) {
            routed = device.dma_ports() > 1;
            if (routed) { bind_through_router(device, behind, store); }
        }
        if (!routed) { behind.out.bind(store.in); }
        if (options.with_irq) { device.irq.bind(irq); }
        if (options.with_rst) { device.rst.bind(rst); }
        regs_checker = &before;
        dma_checker = &behind;
        place_job(options.burst_bytes);
    }

private:
    void bind_through_router(Device& device, bus::protocol_checker<BUSWIDTH>& first, at_responder<BUSWIDTH>& store)
    {
        auto& router = add<bus::router<BUSWIDTH>>("dma_router", bus::router_config{});
        router.out.bind(store.in);
        router.map(memory_at, memory_at + memory_bytes - 1, 0, false);
        first.out.bind(router.in);
        for (unsigned port = 1; port < device.dma_ports(); ++port) {
            auto& checker =
                add<bus::protocol_checker<BUSWIDTH>>("check_dma_" + std::to_string(port), bus::on_violation::count);
            device.dma_port(port).bind(checker.in);
            checker.out.bind(router.in);
            more_dma_checkers.push_back(&checker);
        }
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
