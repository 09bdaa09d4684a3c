#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/transform.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <Eigen/LU>

namespace tensorloom::workloads {
namespace {

using wide = std::complex<long double>;

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
    case transform_kind::none:
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

template <class T>
std::vector<T> named_matrix(const transform& which, std::size_t rows, std::size_t columns, normalization scaling,
                            bool inverse)
{
    const std::size_t n = std::max(rows, columns);
    const coefficient_table table = tabulate_transform(which.kind, n, inverse);
    const auto scaled = [&](std::uint64_t k) {
        const long double by = which.kind == transform_kind::identity ? 1 : divisor(table, n, k, scaling, inverse);
        std::vector<wide> values(table.values.size());
        std::transform(table.values.begin(), table.values.end(), values.begin(),
                       [=](wide c) { return wide(c.real() / by, c.imag() / by); });
        return values;
    };
    const std::vector<wide> full = scaled(table.full_column);
    const std::vector<wide> half = scaled(table.full_column == 0 ? n - 1 : 0);

    std::vector<T> matrix(rows * columns);
    for (std::size_t row = 0, at = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column, ++at) {
            const std::size_t i = inverse ? column : row, k = inverse ? row : column;
            const wide c = (k == table.full_column ? full : half)[table.index(i, k)];
            if constexpr (is_complex_element<T>) {
                matrix[at] = rounded_element<T>(c);
            } else {
                if (!holds_element<T>(c.real())) {
                    throw_element_error<T>(
                        (inverse ? "inverse of transform " : "transform ") + transform_name(which), c.real(), at,
                        {rows, columns},
                        inverse ? " (such is that of identity, or of a file whose inverse is whole)"
                                : " (such are those of identity, of dwht with backward scaling, or of a file)");
                }
                matrix[at] = rounded_element<T>(c.real());
            }
        }
    }
    return matrix;
}

template <class V> bool all_finite(const std::vector<V>& values)
{
    return std::all_of(values.begin(), values.end(), [](const V& v) {
        return std::isfinite(std::real(arithmetic::widened(v))) && std::isfinite(std::imag(arithmetic::widened(v)));
    });
}

// The inverse of an n x n row-major matrix by LU with full pivoting. Empty when the matrix is singular to double
// precision: its smallest pivot is not above n x 2.2e-16 times its largest. All elements are finite.
template <class V> std::vector<V> matrix_inverse(const std::vector<V>& matrix, std::size_t n)
{
    using dense = Eigen::Matrix<V, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::FullPivLU<dense> lu(Eigen::Map<const dense>(matrix.data(), size, size));
    lu.setThreshold(static_cast<long double>(n) * std::numeric_limits<double>::epsilon());
    if (!lu.isInvertible()) { return {}; }
    std::vector<V> result(matrix.size());
    Eigen::Map<dense>(result.data(), size, size) = lu.inverse();
    return result;
}

template <class T, class Element> std::vector<T> inverse_matrix(const std::string& path, const tensor<Element>& matrix)
{
    using value = std::conditional_t<is_complex_element<Element>, wide, long double>;
    if (matrix.shape[0] != matrix.shape[1]) {
        throw base::input_error(path + ": matrix of shape " + shape_text(matrix.shape, "() (a single number)") +
                                " found, expected a square one to invert it");
    }
    if (!all_finite(matrix.data)) {
        throw base::input_error(path +
                                ": matrix with infinite or NaN elements found, expected finite ones to invert it");
    }
    auto values = matrix_inverse(std::vector<value>(matrix.data.begin(), matrix.data.end()), matrix.shape[0]);
    if (values.empty()) {
        throw base::input_error(path +
                                ": matrix that is singular to double precision found, expected an invertible one");
    }
    if constexpr (std::is_integral_v<T>) { // the inverse of whole numbers may be whole, but for what LU rounds
        for (auto& v : values) { v = std::fabs(v - std::nearbyint(v)) <= 1e-9L ? std::nearbyint(v) : v; }
    }
    auto result = rounded_elements<T>(values, matrix.shape, path + " inverted");
    if (!all_finite(result)) {
        throw base::input_error(
            path + ": matrix whose inverse overflows the element type found, expected one that can be inverted");
    }
    return result;
}

template <class T, class Element>
std::vector<T> file_matrix(const std::string& path, const tensor<Element>& matrix, std::size_t rows,
                           std::size_t columns, bool inverse)
{
    const std::vector<std::size_t> expected{rows, columns};
    if (matrix.shape != expected) {
        throw base::input_error(path + ": matrix of shape " + shape_text(matrix.shape, "() (a single number)") +
                                " found, expected " + shape_text(expected));
    }
    return inverse ? inverse_matrix<T>(path, matrix) : rounded_elements<T>(matrix.data, matrix.shape, path);
}

} // namespace

template <class T>
std::vector<T> transform_matrix(const transform& which, std::size_t rows, std::size_t columns, normalization scaling,
                                bool inverse)
{
    const std::string name = "transform " + transform_name(which) + ": ";
    const std::size_t n = std::max(rows, columns);
    for (std::size_t size : {rows, columns}) {
        if (size < 1 || size > std::size_t{1} << 31) {
            throw base::input_error(name + "size " + std::to_string(size) + " found, expected 1 to 2147483648");
        }
    }
    const bool walsh = which.kind == transform_kind::dwht || which.kind == transform_kind::dwht_sequency;
    if (walsh && (n & (n - 1)) != 0) {
        throw base::input_error(name + "size " + std::to_string(n) + " found, expected a power of two");
    }
    if (!is_complex_element<T> && needs_complex(which)) {
        throw base::input_error(name + "complex coefficients with a real element type found, expected c128 or c64");
    }
    if (which.kind != transform_kind::file) { return named_matrix<T>(which, rows, columns, scaling, inverse); }
    const real_or_complex loaded = load_npy(which.path);
    if constexpr (is_complex_element<T>) {
        return std::visit(
            [&](const auto& matrix) { return file_matrix<T>(which.path, matrix, rows, columns, inverse); }, loaded);
    } else {
        return file_matrix<T>(which.path, std::get<tensor<double>>(loaded), rows, columns, inverse);
    }
}

template std::vector<double> transform_matrix(const transform&, std::size_t, std::size_t, normalization, bool);
template std::vector<float> transform_matrix(const transform&, std::size_t, std::size_t, normalization, bool);
template std::vector<std::complex<double>> transform_matrix(const transform&, std::size_t, std::size_t, normalization,
                                                            bool);
template std::vector<std::complex<float>> transform_matrix(const transform&, std::size_t, std::size_t, normalization,
                                                           bool);
template std::vector<arithmetic::bfloat16> transform_matrix(const transform&, std::size_t, std::size_t, normalization,
                                                            bool);
template std::vector<std::int8_t> transform_matrix(const transform&, std::size_t, std::size_t, normalization, bool);

} // namespace tensorloom::workloads
