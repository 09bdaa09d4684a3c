#include <tensorloom/models/mmv/device.h>
#include <tensorloom/models/mmv/isa/driver.h>
#include "conformance/accelerator_bench_of_width.h"
#include "models/mmv/mmv_program.h"

namespace tensorloom::test {
namespace {

/// Its job is x r + x on a side of 4, x of 10 rows: a MATMUL and an addition between LOADs and a STORE.
class conforming_mmv final : public conforming_device {
public:
    conforming_mmv() : conforming_device(mmv::description) {}

    small_job job(std::uint64_t base) const override
    {
        const small_product<std::int64_t> p;
        small_job job(base);
        const auto x_at = job.place(p.x);
        const auto r_at = job.place(p.r);
        mmv::limits limits;
        limits.side = p.side;
        job.expected_output = small_job::bytes_of(p.z);
        job.program = mmv_program(limits)
                          .load(x_at, p.local_x, p.words)
                          .load(r_at, p.local_r, p.side * p.side)
                          .matmul(p.local_z, p.local_x, p.local_r, p.words)
                          .vector(isa::vector::opcode::add, p.local_z, p.local_z, p.local_x, p.words)
                          .store(p.local_z, job.output_at, p.words)
                          .bytes();
        job.phases = {"fetch", "load", "matmul", "add", "store"};
        return job;
    }
    std::unique_ptr<accelerator_bench> make_bench(const std::string& name, const accelerator_subject& subject,
                                                  const accelerator_options& options) const override
    {
        mmv::config config;
        config.side = 4;
        config.scratchpad_bytes = 4096;
        return make_bench_of_width<mmv::device>(name, subject, config, options);
    }
};

const conforming_mmv registered_mmv;

} // namespace
} // namespace tensorloom::test
