#include <tensorloom/models/fetta/device.h>
#include <tensorloom/models/fetta/isa/driver.h>
#include "conformance/accelerator_bench_of_width.h"
#include "models/fetta/fetta_program.h"

namespace tensorloom::test {
namespace {

fetta::device_limits job_limits()
{
    fetta::device_limits g;
    g.engines = 4;
    g.bank_bytes = 4096;
    g.operand = base::element_type::f32;
    return g;
}

/// Its job is x r + x on 4 engines and float32 operands, x of 10 rows: a CONTRACT and an addition between LOADs and a
/// STORE.
class conforming_fetta final : public conforming_device {
public:
    conforming_fetta() : conforming_device(fetta::description) {}

    small_job job(std::uint64_t base) const override
    {
        const small_product<float> p;
        small_job job(base);
        const auto x_at = job.place(p.x);
        const auto r_at = job.place(p.r);
        const auto g = job_limits();
        job.expected_output = small_job::bytes_of(p.z);
        job.program = fetta_program(g)
                          .load(x_at, p.local_x, p.words)
                          .load(r_at, p.local_r, p.side * p.side)
                          .contract(fetta_program::product(g, p.local_z, p.local_x, p.local_r, p.rows, p.side, p.side))
                          .vector(isa::vector::opcode::add, p.local_z, p.local_z, p.local_x, p.words)
                          .store(p.local_z, job.output_at, p.words)
                          .bytes();
        job.phases = {"fetch", "load", "contract", "add", "store"};
        return job;
    }
    std::unique_ptr<accelerator_bench> make_bench(const std::string& name, const accelerator_subject& subject,
                                                  const accelerator_options& options) const override
    {
        fetta::config config;
        config.limits = job_limits();
        config.overlap = false;
        return make_bench_of_width<fetta::device>(name, subject, config, options);
    }
};

const conforming_fetta registered_fetta;

} // namespace
} // namespace tensorloom::test
