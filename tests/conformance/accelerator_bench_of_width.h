#pragma once
#include <memory>
#include <string>
#include <tensorloom/models/fetta/device.h>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/models/torus/device.h>
#include <tensorloom/models/triada/device.h>
#include "conformance/accelerator_bench.h"
#include "models/shell/toil_device.h"

namespace tensorloom::test {

/// An accelerator_bench whose DMA has a width.
template <unsigned BUSWIDTH> class accelerator_bench_of final : public accelerator_bench {
public:
    accelerator_bench_of(sc_core::sc_module_name name, const accelerator_subject& subject_,
                         const accelerator_options& options)
        : accelerator_bench(name, subject_)
    {
        auto& cpu = add<rogue_initiator>("prober");
        auto& store = add<at_responder<BUSWIDTH>>("memory", memory_bytes);
        prober = &cpu;
        memory = &store;
        if (subject.kind == accelerator_kind::triada) {
            triada::config config;
            config.mesh = {5, 5, 5};
            make<triada::device<BUSWIDTH>>(config, cpu, store, options);
        } else if (subject.kind == accelerator_kind::torus) {
            torus::config config;
            config.side = 2;
            config.block = {2, 3, 2};
            make<torus::device<BUSWIDTH>>(config, cpu, store, options);
        } else if (subject.kind == accelerator_kind::mmv) {
            mmv::config config;
            config.side = 4;
            config.scratchpad_bytes = 4096;
            make<mmv::device<BUSWIDTH>>(config, cpu, store, options);
        } else if (subject.kind == accelerator_kind::fetta) {
            fetta::config config;
            config.limits = fetta_job_limits();
            config.overlap = false;
            make<fetta::device<BUSWIDTH>>(config, cpu, store, options);
        } else if constexpr (BUSWIDTH == 32) {
            shell::shell_config config;
            config.clock_period = options.clock_period;
            config.dma = options.dma;
            config.burst_bytes = options.burst_bytes;
            auto& device = add<toil_device>("device", config, &activity());
            join(cpu, device, device.dma_out, store, options);
        }
        place_job(options.burst_bytes);
    }

private:
    template <class Device, class Config>
    void make(Config config, rogue_initiator& cpu, at_responder<BUSWIDTH>& store, const accelerator_options& options)
    {
        config.dma = options.dma;
        config.burst_bytes = options.burst_bytes;
        config.clock_period = options.clock_period;
        auto& device = add<Device>("device", config, &activity());
        join(cpu, device, device.dma, store, options);
    }
    template <class Device, class Dma>
    void join(rogue_initiator& cpu, Device& device, Dma& dma, at_responder<BUSWIDTH>& store,
              const accelerator_options& options)
    {
        auto& before = add<bus::protocol_checker<32>>("check_regs", bus::on_violation::count);
        cpu.out.bind(before.in);
        before.out.bind(device.regs);
        auto& behind = add<bus::protocol_checker<BUSWIDTH>>("check_dma", bus::on_violation::count);
        dma.bind(behind.in);
        behind.out.bind(store.in);
        if (options.with_irq) { device.irq.bind(irq); }
        if (options.with_rst) { device.rst.bind(rst); }
        regs_checker = &before;
        dma_checker = &behind;
    }
};

template <unsigned BUSWIDTH>
std::unique_ptr<accelerator_bench> make_accelerator_bench_of(const std::string& name,
                                                             const accelerator_subject& subject,
                                                             const accelerator_options& options)
{
    return std::make_unique<accelerator_bench_of<BUSWIDTH>>(name.c_str(), subject, options);
}

} // namespace tensorloom::test
