#include <tensorloom/workloads/tucker/tucker_tensor.h>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include <tensorloom/workloads/tucker/unfolding_svd.h>

namespace tensorloom::workloads {
namespace {

tensor<double> transposed(const tensor<double>& matrix)
{
    tensor<double> result({matrix.shape[1], matrix.shape[0]});
    for (std::size_t r = 0; r < matrix.shape[0]; ++r) {
        for (std::size_t c = 0; c < matrix.shape[1]; ++c) {
            result.data[c * matrix.shape[0] + r] = matrix.data[r * matrix.shape[1] + c];
        }
    }
    return result;
}

} // namespace

tensor<double> compress(const tensor<double>& x, const std::array<tensor<double>, 3>& factors, ttm_engine& engine)
{
    return engine.multiply(x, {&factors[0], &factors[1], &factors[2]});
}

tensor<double> expand(const tucker_tensor& form, ttm_engine& engine)
{
    const auto first = transposed(form.factors[0]), second = transposed(form.factors[1]),
               third = transposed(form.factors[2]);
    return engine.multiply(form.core, {&first, &second, &third});
}

double compression_ratio(const shape3& shape, const shape3& ranks)
{
    double full = 1, core = 1, factors = 0;
    for (std::size_t m = 0; m < 3; ++m) {
        full *= static_cast<double>(shape[m]);
        core *= static_cast<double>(ranks[m]);
        factors += static_cast<double>(shape[m]) * static_cast<double>(ranks[m]);
    }
    return full / (core + factors);
}

double squared_norm(const tensor<double>& x)
{
    long double sum = 0;
    for (const double value : x.data) { sum += static_cast<long double>(value) * value; }
    return static_cast<double>(sum);
}

double relative_error(const tensor<double>& x, const tensor<double>& approximation)
{
    if (x.shape != approximation.shape) { throw std::invalid_argument("tensors of different shapes found"); }
    long double difference = 0;
    for (std::size_t i = 0; i < x.data.size(); ++i) {
        const long double d = static_cast<long double>(x.data[i]) - approximation.data[i];
        difference += d * d;
    }
    return std::sqrt(static_cast<double>(difference) / squared_norm(x));
}

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
        throw base::input_error("noise " + std::to_string(noise) + " found, expected 0 to 1e6");
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
