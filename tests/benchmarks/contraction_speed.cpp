// How fast contractions are simulated, on one thread, in multiply-adds per CPU second and against OpenBLAS doing a
// product of that shape in f32. Ratios are medians over rounds taken in turns; CPU time.
#include <cstddef>
#include <cstdio>
#include <string>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "benchmarks/benchmark_main.h"
#include "benchmarks/blas_cores.h"
#include "benchmarks/product_speed.h"

using namespace tensorloom;
using namespace tensorloom::benchmarks;

namespace {

/// The cases whose name contains a text, one after the other.
class suite {
public:
    explicit suite(std::string filter) : m_filter(std::move(filter)) {}

    template <class Psum>
    void product(const std::string& sums, double epsilon, std::size_t size, const sum_order& order,
                 const std::string& instructions)
    {
        const std::string name = "sums " + sums + " " + std::to_string(size) + "^3, " + std::to_string(order.parts) +
                                 " x " + std::to_string(order.length) + ", " + instructions;
        if (name.find(m_filter) == std::string::npos) { return; }
        m_records.push_back(product_speed<Psum>(name, size, order, instructions).measure(epsilon));
    }
    const nlohmann::ordered_json& records() const { return m_records; }

private:
    std::string m_filter;
    nlohmann::ordered_json m_records = nlohmann::ordered_json::array();
};

/// The sums alone, in the orders of the mappings, by every kernel that this machine runs: engines of side 4, contracted
/// index in 1, 4 or 16 parts. `epsilon`: from 1 to the next number.
template <class Psum> void products(suite& all, const std::string& sums, double epsilon)
{
    constexpr std::size_t side = 4;
    constexpr std::size_t size = 256;
    for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::ordered_kernel<Psum>>()) {
        const auto product = [&](std::size_t edge, const sum_order& order) {
            all.product<Psum>(sums, epsilon, edge, order, kernel->name);
        };
        for (const std::size_t parts : {1u, 4u, 16u}) {
            product(size, {side, parts});         // weight- and input-stationary
            product(size, {size / parts, parts}); // output-stationary
        }
        for (const std::size_t small : {2u, 4u, 8u}) { product(small, {side, 1}); }
    }
}

nlohmann::ordered_json run(const std::string& filter)
{
    const std::string blas = use_fastest_blas();
    suite all(filter);
    std::printf("sums alone: parts x length of a chain, kernel, one thread\n");
    products<arithmetic::psum_f32>(all, "f32", 0x1p-23);
    products<arithmetic::psum_bf16>(all, "bf16", 0x1p-7);
    return compared_with(blas, all.records());
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return benchmark_main(argc, argv, "contraction_speed", "How fast contractions are simulated.", true, run);
}
