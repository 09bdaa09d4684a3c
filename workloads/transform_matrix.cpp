#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/workloads/matrix_inverse.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/transform.h>
#include <tensorloom/workloads/turn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace tensorloom::workloads {

namespace {

using wide = std::complex<long double>;

template <class T> inline constexpr bool is_complex = false;
template <class R> inline constexpr bool is_complex<std::complex<R>> = true;

// The one rounding. (Of a real number the imaginary part is +0.)
template <class T> T round_once(wide value)
{
    if constexpr (is_complex<T>) {
        using part = typename T::value_type;
        return {static_cast<part>(value.real()), static_cast<part>(value.imag())};
    } else {
        return static_cast<T>(value.real());
    }
}

// A family of coefficients with few distinct values: c(n, k) = values[index(n, k)].
struct coefficient_table {
    std::vector<wide> values; // of c for the forward matrix, of conj(c) for the inverse
    std::function<std::uint64_t(std::uint64_t, std::uint64_t)> index; // below values.size()
    bool is_trigonometric_half = false; // dct, dst: columns have the squared norm N / 2, but one has N
    std::uint64_t full_column = 0;      // that one
};

std::vector<wide> tabulate(std::uint64_t period, const std::function<wide(std::uint64_t)>& value)
{
    std::vector<wide> values(period);
    for (std::uint64_t a = 0; a < period; ++a) { values[a] = value(a); }
    return values;
}

std::uint64_t parity(std::uint64_t x)
{
    std::uint64_t odd = 0;
    for (; x != 0; x &= x - 1) { odd ^= 1; }
    return odd;
}

// The column of the natural Walsh-Hadamard matrix of size n that changes its sign k times: the bits of k's Gray code,
// reversed.
std::uint64_t natural_column(std::uint64_t k, std::uint64_t n)
{
    std::uint64_t column = 0;
    for (std::uint64_t gray = k ^ k >> 1, bit = 1; bit < n; bit <<= 1, gray >>= 1) {
        column = column << 1 | (gray & 1);
    }
    return column;
}

// Products of indices stay below 2^64: n is at most 2^31.
coefficient_table tabulate_transform(transform_kind kind, std::uint64_t n, bool inverse)
{
    switch (kind) {
    case transform_kind::dft: // both signs by an index, never by negation: that would make a -0
        return {
            tabulate(n, [=](auto a) { return wide(cosine_of_turn(a, n), sine_of_turn(inverse ? a : (n - a) % n, n)); }),
            [=](auto i, auto k) { return i * k % n; }};
    case transform_kind::dht:
        return {tabulate(n, [=](auto a) { return cas_of_turn(a, n); }), [=](auto i, auto k) { return i * k % n; }};
    case transform_kind::dct:
        return {tabulate(4 * n, [=](auto a) { return cosine_of_turn(a, 4 * n); }),
                [=](auto i, auto k) { return (2 * i + 1) * k % (4 * n); }, true, 0};
    case transform_kind::dst:
        return {tabulate(4 * n, [=](auto a) { return sine_of_turn(a, 4 * n); }),
                [=](auto i, auto k) { return (2 * i + 1) * (k + 1) % (4 * n); }, true, n - 1};
    case transform_kind::dwht: return {{1, -1}, [](auto i, auto k) { return parity(i & k); }};
    case transform_kind::dwht_sequency:
        return {{1, -1}, [=](auto i, auto k) { return parity(i & natural_column(k, n)); }};
    case transform_kind::identity:
    case transform_kind::file: break;
    }
    return {{0, 1}, [](auto i, auto k) { return std::uint64_t{i == k}; }};
}

// What c is divided by. g is the squared norm of the column, f the factor of the unscaled forward transform.
long double divisor(const coefficient_table& table, std::uint64_t n, std::uint64_t k, normalization scaling,
                    bool inverse)
{
    const long double f = table.is_trigonometric_half ? 2 : 1;
    const long double g = table.is_trigonometric_half && k != table.full_column ? n / 2.0L : n;
    if (scaling == normalization::orthonormal) { return std::sqrt(g); }
    return inverse ? f * g : 1 / f;
}

template <class T> std::vector<T> named_matrix(transform_kind kind, std::size_t n, normalization scaling, bool inverse)
{
    const coefficient_table table = tabulate_transform(kind, n, inverse);
    const auto rounded = [&](std::uint64_t k) {
        const long double by = kind == transform_kind::identity ? 1 : divisor(table, n, k, scaling, inverse);
        std::vector<T> values(table.values.size());
        std::transform(table.values.begin(), table.values.end(), values.begin(), [=](wide c) {
            return round_once<T>({c.real() / by, c.imag() / by});
        });
        return values;
    };
    const std::vector<T> full = rounded(table.full_column);
    const std::vector<T> half = rounded(table.full_column == 0 ? n - 1 : 0);

    std::vector<T> matrix(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            matrix[inverse ? k * n + i : i * n + k] = (k == table.full_column ? full : half)[table.index(i, k)];
        }
    }
    return matrix;
}

template <class Element> void check_shape(const std::string& path, const tensor<Element>& matrix, std::size_t n)
{
    if (matrix.shape == std::vector<std::size_t>{n, n}) { return; }
    std::string found;
    for (std::size_t size : matrix.shape) { found += (found.empty() ? "" : " x ") + std::to_string(size); }
    const std::string expected = std::to_string(n) + " x " + std::to_string(n);
    throw arch::input_error(path + ": matrix of shape " + (found.empty() ? "() (a single number)" : found) +
                            " found, expected " + expected);
}

template <class V> bool all_finite(const std::vector<V>& values)
{
    return std::all_of(values.begin(), values.end(),
                       [](const V& v) { return std::isfinite(std::real(v)) && std::isfinite(std::imag(v)); });
}

template <class T, class Element>
std::vector<T> file_matrix(const std::string& path, const tensor<Element>& matrix, std::size_t n, bool inverse)
{
    using value = std::conditional_t<is_complex<Element>, wide, long double>;
    check_shape(path, matrix, n);
    std::vector<value> values(matrix.data.begin(), matrix.data.end());
    if (inverse) {
        if (!all_finite(values)) {
            throw arch::input_error(path +
                                    ": matrix with infinite or NaN elements found, expected finite ones to invert it");
        }
        values = matrix_inverse(values, n);
        if (values.empty()) {
            throw arch::input_error(path +
                                    ": matrix that is singular to double precision found, expected an invertible one");
        }
    }
    std::vector<T> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [](const value& v) { return round_once<T>(v); });
    if (inverse && !all_finite(result)) {
        throw arch::input_error(
            path + ": matrix whose inverse overflows the element type found, expected one that can be inverted");
    }
    return result;
}

} // namespace

template <class T>
std::vector<T> transform_matrix(const transform& which, std::size_t n, normalization scaling, bool inverse)
{
    const std::string name = "transform " + transform_name(which) + ": ";
    if (n < 1 || n > std::size_t{1} << 31) {
        throw arch::input_error(name + "size " + std::to_string(n) + " found, expected 1 to 2147483648");
    }
    const bool walsh = which.kind == transform_kind::dwht || which.kind == transform_kind::dwht_sequency;
    if (walsh && (n & (n - 1)) != 0) {
        throw arch::input_error(name + "size " + std::to_string(n) + " found, expected a power of two");
    }
    if (!is_complex<T> && needs_complex(which)) {
        throw arch::input_error(name + "complex coefficients with a real element type found, expected c128 or c64");
    }
    if (which.kind != transform_kind::file) { return named_matrix<T>(which.kind, n, scaling, inverse); }
    return std::visit([&](const auto& matrix) { return file_matrix<T>(which.path, matrix, n, inverse); },
                      load_npy(which.path));
}

template std::vector<double> transform_matrix(const transform&, std::size_t, normalization, bool);
template std::vector<float> transform_matrix(const transform&, std::size_t, normalization, bool);
template std::vector<std::complex<double>> transform_matrix(const transform&, std::size_t, normalization, bool);
template std::vector<std::complex<float>> transform_matrix(const transform&, std::size_t, normalization, bool);

} // namespace tensorloom::workloads
