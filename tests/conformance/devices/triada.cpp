#include <random>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include "conformance/accelerator_bench_of_width.h"
#include "models/triada/gemt_case.h"

namespace tensorloom::test {
namespace {

/// Its job is a product of 4 x 5 x 3 doubles, some of them 0.
class conforming_triada final : public conforming_device {
public:
    conforming_triada() : conforming_device(triada::description) {}

    small_job job(std::uint64_t base) const override
    {
        gemt_case<double> g;
        g.shape = {4, 5, 3};
        std::mt19937 engine(1);
        const auto number = [&] { return engine() % 4 == 0 ? 0.0 : static_cast<double>(engine() % 1000) / 64 - 5; };
        g.x.resize(g.volume());
        for (auto& x : g.x) { x = number(); }
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m].resize(std::size_t{g.shape[m]} * g.shape[m]);
            for (auto& c : g.matrices[m]) { c = number(); }
        }

        small_job job(base);
        const std::vector<std::uint32_t> shape(g.shape.begin(), g.shape.end());
        triada::gemt_command c;
        c.flags = triada::gemt_command::flag_esop;
        for (unsigned s = 0; s < 3; ++s) { c.order[s] = static_cast<std::uint8_t>(g.order[s]); }
        c.x = isa::dense_descriptor(job.place(g.x), base::element_type::f64, shape);
        for (unsigned m = 0; m < 3; ++m) {
            c.matrix[m] =
                isa::dense_descriptor(job.place(g.matrices[m]), base::element_type::f64, {shape[m], shape[m]});
        }
        c.y = isa::dense_descriptor(job.output_at, base::element_type::f64, shape);
        job.expected_output = small_job::bytes_of(oracle_result(g));
        job.program = triada::driver::program({c});
        job.phases = {"fetch", "matrices", "load", "stage_1", "stage_2", "stage_3", "unload"};
        return job;
    }
    std::unique_ptr<accelerator_bench> make_bench(const std::string& name, const accelerator_subject& subject,
                                                  const accelerator_options& options) const override
    {
        triada::config config;
        config.mesh = {5, 5, 5};
        return make_bench_of_width<triada::device>(name, subject, config, options);
    }
};

const conforming_triada registered_triada;

} // namespace
} // namespace tensorloom::test
