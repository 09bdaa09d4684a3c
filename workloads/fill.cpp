#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/scrambled.h>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

namespace tensorloom::workloads {
namespace {

// The standard fixes every bit of mt19937_64, but not of its distributions: those are written out here.
class uniform_stream {
public:
    explicit uniform_stream(std::uint64_t seed) : m_bits(seed) {}
    double below_one() { return static_cast<double>(m_bits() >> 11) * 0x1p-53; }         // [0, 1)
    double of_both_signs() { return static_cast<double>(m_bits() >> 11) * 0x1p-52 - 1; } // [-1, 1)
    void skip(unsigned long long numbers) { m_bits.discard(numbers); }

private:
    std::mt19937_64 m_bits;
};

template <class T> struct random_element {
    explicit random_element(std::uint64_t seed) : m_values(seed) {}
    T operator()()
    {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(std::floor(17 * m_values.below_one()) - 8);
        } else {
            return rounded_element<T>(m_values.of_both_signs());
        }
    }
    void skip(std::uint64_t elements) { m_values.skip(elements); }

private:
    uniform_stream m_values;
};

template <class R> struct random_element<std::complex<R>> {
    explicit random_element(std::uint64_t seed) : m_real(seed), m_imaginary(scrambled(scrambled(seed))) {}
    std::complex<R> operator()()
    {
        const auto real = static_cast<R>(m_real.of_both_signs());
        return {real, static_cast<R>(m_imaginary.of_both_signs())};
    }
    void skip(std::uint64_t elements)
    {
        m_real.skip(elements);
        m_imaginary.skip(elements);
    }

private:
    uniform_stream m_real, m_imaginary;
};

template <class T> T ramp_element(std::size_t i, std::size_t j, std::size_t k)
{
    return rounded_element<T>(static_cast<float>((7 * i + 11 * j + 13 * k) % 17) - 8);
}

void check_arguments(shape3 shape, double zeros_fraction, std::size_t element_bytes)
{
    std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / element_bytes;
    for (std::size_t size : shape) {
        if (size == 0) { throw base::input_error("tensor size 0 found, expected at least 1 in every mode"); }
        if (size > most) {
            throw base::input_error("tensor of " + shape_text(shape) + " found, expected one that can be addressed");
        }
        most /= size;
    }
    if (!(zeros_fraction >= 0 && zeros_fraction <= 1)) {
        throw base::input_error("fraction of zeros " + std::to_string(zeros_fraction) + " found, expected 0 to 1");
    }
}

} // namespace

fill_kind parse_fill(const std::string& name)
{
    if (name == "random") { return fill_kind::random; }
    if (name == "ramp") { return fill_kind::ramp; }
    if (name == "sparse") { return fill_kind::sparse; }
    throw base::input_error("fill " + base::in_quotes(name) + " found, expected one of random, ramp, sparse");
}

template <class T>
tensor<T> fill_box(fill_kind kind, shape3 shape, const box3& part, double zeros_fraction, std::uint64_t seed)
{
    check_arguments(shape, zeros_fraction, sizeof(T));
    tensor<T> result({part.size[0], part.size[1], part.size[2]});
    random_element<T> random(seed);
    uniform_stream zeros(scrambled(seed));
    std::uint64_t drawn = 0; // elements of the whole tensor that the streams are past
    auto element = result.data.begin();
    for (std::size_t i = part.first[0]; i < part.first[0] + part.size[0]; ++i) {
        for (std::size_t j = part.first[1]; j < part.first[1] + part.size[1]; ++j) {
            const std::uint64_t row = (std::uint64_t{i} * shape[1] + j) * shape[2] + part.first[2];
            if (kind == fill_kind::random) { random.skip(row - drawn); }
            if (zeros_fraction > 0) { zeros.skip(row - drawn); }
            drawn = row + part.size[2];
            for (std::size_t k = part.first[2]; k < part.first[2] + part.size[2]; ++k, ++element) {
                if (kind == fill_kind::random) {
                    *element = random();
                } else if (kind == fill_kind::ramp || (5 * i + 3 * j + 7 * k) % 3 == 0) {
                    *element = ramp_element<T>(i, j, k);
                }
                if (zeros_fraction > 0 && zeros.below_one() < zeros_fraction) { *element = T{}; }
            }
        }
    }
    return result;
}

template <class T> void set_zeros(std::vector<T>& elements, double fraction, std::uint64_t seed)
{
    if (fraction == 0) { return; }
    uniform_stream zeros(scrambled(seed));
    for (auto& element : elements) {
        if (zeros.below_one() < fraction) { element = T{}; }
    }
}

template <class T> tensor<T> fill_tensor(fill_kind kind, shape3 shape, double zeros_fraction, std::uint64_t seed)
{
    return fill_box<T>(kind, shape, {{}, shape}, zeros_fraction, seed);
}

template tensor<double> fill_tensor(fill_kind, shape3, double, std::uint64_t);
template tensor<float> fill_tensor(fill_kind, shape3, double, std::uint64_t);
template tensor<std::complex<double>> fill_tensor(fill_kind, shape3, double, std::uint64_t);
template tensor<std::complex<float>> fill_tensor(fill_kind, shape3, double, std::uint64_t);
template tensor<arithmetic::bfloat16> fill_tensor(fill_kind, shape3, double, std::uint64_t);
template tensor<std::int8_t> fill_tensor(fill_kind, shape3, double, std::uint64_t);
template tensor<double> fill_box(fill_kind, shape3, const box3&, double, std::uint64_t);
template tensor<float> fill_box(fill_kind, shape3, const box3&, double, std::uint64_t);
template tensor<std::complex<double>> fill_box(fill_kind, shape3, const box3&, double, std::uint64_t);
template tensor<std::complex<float>> fill_box(fill_kind, shape3, const box3&, double, std::uint64_t);
template tensor<arithmetic::bfloat16> fill_box(fill_kind, shape3, const box3&, double, std::uint64_t);
template tensor<std::int8_t> fill_box(fill_kind, shape3, const box3&, double, std::uint64_t);

template void set_zeros(std::vector<double>&, double, std::uint64_t);
template void set_zeros(std::vector<float>&, double, std::uint64_t);
template void set_zeros(std::vector<std::complex<double>>&, double, std::uint64_t);
template void set_zeros(std::vector<std::complex<float>>&, double, std::uint64_t);
template void set_zeros(std::vector<arithmetic::bfloat16>&, double, std::uint64_t);
template void set_zeros(std::vector<std::int8_t>&, double, std::uint64_t);

} // namespace tensorloom::workloads
