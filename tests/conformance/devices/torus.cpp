#include <array>
#include <random>
#include <tensorloom/models/torus/device.h>
#include <tensorloom/models/torus/isa/driver.h>
#include "conformance/accelerator_bench_of_width.h"

namespace tensorloom::test {
namespace {

/// Its job is a forward transform of 4 x 5 x 3 to 4 x 6 x 4 doubles on 2 nodes along a side and blocks of 2 x 3 x 2.
class conforming_torus final : public conforming_device {
public:
    conforming_torus() : conforming_device(torus::description) {}

    small_job job(std::uint64_t base) const override
    {
        constexpr auto f64 = base::element_type::f64;
        constexpr std::uint32_t n[] = {4, 5, 3}, k[] = {4, 6, 4};
        std::mt19937 engine(2);
        const auto numbers = [&](std::size_t count) {
            std::vector<double> all(count); // whole numbers: every order of sums gives the same
            for (auto& x : all) { x = static_cast<double>(engine() % 21) - 10; }
            return all;
        };
        const auto x = numbers(std::size_t{n[0]} * n[1] * n[2]);
        small_job job(base);
        torus::orbit_command c;
        c.blocks = {{2, 3, 2}, {2, 3, 2}};
        c.x = isa::dense_descriptor(job.place(x), f64, {n[0], n[1], n[2]});
        std::array<std::vector<double>, 3> matrices;
        for (unsigned m = 0; m < 3; ++m) {
            matrices[m] = numbers(std::size_t{n[m]} * k[m]);
            c.matrix[m] = isa::dense_descriptor(job.place(matrices[m]), f64, {n[m], k[m]});
        }
        std::vector<double> y;
        for (std::uint32_t i = 0; i < k[0] * k[1] * k[2]; ++i) {
            const std::uint32_t to[] = {i / (k[1] * k[2]), i / k[2] % k[1], i % k[2]};
            double sum = 0;
            for (std::uint32_t j = 0; j < x.size(); ++j) {
                const std::uint32_t from[] = {j / (n[1] * n[2]), j / n[2] % n[1], j % n[2]};
                double product = x[j];
                for (unsigned m = 0; m < 3; ++m) { product *= matrices[m][from[m] * k[m] + to[m]]; }
                sum += product;
            }
            y.push_back(sum);
        }
        c.y = isa::dense_descriptor(job.output_at, f64, {k[0], k[1], k[2]});
        job.expected_output = small_job::bytes_of(y);
        job.program = torus::driver::program({c});
        job.phases = {"fetch", "matrices", "load", "stage_I", "stage_II", "stage_III", "unload"};
        return job;
    }
    std::unique_ptr<accelerator_bench> make_bench(const std::string& name, const accelerator_subject& subject,
                                                  const accelerator_options& options) const override
    {
        torus::config config;
        config.side = 2;
        config.block = {2, 3, 2};
        config.overlap = torus::overlap_kind::shared; // the other tests have the default
        return make_bench_of_width<torus::device>(name, subject, config, options);
    }
};

const conforming_torus registered_torus;

} // namespace
} // namespace tensorloom::test
