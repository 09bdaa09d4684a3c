#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <tensorloom/workloads/tucker/known_rank.h>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include <tensorloom/workloads/tucker/unfolding_svd.h>

#include <cmath>
#include <string>

namespace tensorloom::workloads {

namespace {

tensor<double> random_tensor(const shape3& shape, std::uint64_t seed)
{
    return fill_tensor<double>(fill_kind::random, shape, 0, seed);
}

} // namespace

tensor<double> known_rank_tensor(const shape3& shape, const shape3& ranks, double noise, std::uint64_t seed)
{
    check_ranks(ranks, shape);
    if (!(noise >= 0 && noise <= 1e6)) {
        throw arch::input_error("noise " + std::to_string(noise) + " found, expected 0 to 1e6");
    }
    host_ttm engine;
    tucker_tensor form;
    form.core = random_tensor(ranks, seed);
    for (std::size_t m = 0; m < 3; ++m) { // singular vectors of a random matrix: orthonormal, in random directions
        form.factors[m] =
            decompose_unfolding(random_tensor({shape[m], ranks[m], 1}, seed + m + 1), 0).leading(ranks[m]);
    }
    tensor<double> x = expand(form, engine);
    if (noise == 0) { return x; }
    const tensor<double> error = random_tensor(shape, seed + 4);
    const double scale = noise * std::sqrt(squared_norm(x) / squared_norm(error));
    for (std::size_t i = 0; i < x.data.size(); ++i) { x.data[i] += scale * error.data[i]; }
    return x;
}

} // namespace tensorloom::workloads
