#include <tensorloom/models/isa/program/program.h>
#include "conformance/accelerator_bench_of_width.h"
#include "models/shell/toil_device.h"

namespace tensorloom::test {

static bus::dma_socket<32>& dma_of(toil_device& device) { return device.dma_out; }

namespace {

/// The smallest device that the shell can be: 200 bytes to load and 40 cycles of toil; no output.
class conforming_toil final : public conforming_device {
public:
    conforming_toil() : conforming_device(toil_description) {}

    std::vector<unsigned> dma_widths() const override { return {}; }
    small_job job(std::uint64_t base) const override
    {
        small_job job(base);
        const std::uint64_t load = job.place(std::vector<unsigned char>(200, 3));
        isa::program_builder builder;
        builder.add(toil_device::toil, 0, 7, toil_device::payload(40, 200, load));
        job.program = builder.bytes();
        return job;
    }
    std::unique_ptr<accelerator_bench> make_bench(const std::string& name, const accelerator_subject& subject,
                                                  const accelerator_options& options) const override
    {
        return std::make_unique<accelerator_bench_of<32, toil_device>>(name.c_str(), subject, shell::shell_config{},
                                                                       options);
    }
};

const conforming_toil registered_toil;

} // namespace
} // namespace tensorloom::test
