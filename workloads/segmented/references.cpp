#include <tensorloom/workloads/segmented/references.h>
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>
#include <tensorloom/workloads/result_check.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {
namespace {

__extension__ typedef __int128 wide_integer;

// A sum far more precise than those of the device: integers exact, real numbers in two long doubles.
template <class T> class precise_sum;

template <> class precise_sum<std::int64_t> {
public:
    void add(std::int64_t a, std::int64_t b = 1) { m_sum += static_cast<wide_integer>(a) * b; }
    wide_integer value() const { return m_sum; }

private:
    wide_integer m_sum = 0;
};

template <> class precise_sum<double> {
public:
    void add(double a, double b = 1)
    {
        const long double term = static_cast<long double>(a) * b, sum = m_sum + term, part = sum - m_sum;
        m_lost += (m_sum - (sum - part)) + (term - part);
        m_sum = sum;
    }
    long double value() const { return std::isfinite(m_sum) ? m_sum + m_lost : m_sum; } // m_lost is NaN then

private:
    long double m_sum = 0, m_lost = 0;
};

// What element i should be, and the sum of all moduli that may have gone through the sums it was made of.
template <class T> struct expected_values {
    std::vector<decltype(precise_sum<T>().value())> values;
    std::vector<long double> moduli; // whose sums may lie beyond double

    void push(const precise_sum<T>& sum, long double through)
    {
        values.push_back(sum.value());
        moduli.push_back(through);
    }
};

long double modulus(long double a, long double b = 1) { return std::abs(a * b); }

template <class T> expected_values<T> scanned(const std::vector<T>& x)
{
    expected_values<T> e;
    precise_sum<T> sum;
    long double through = 0;
    for (const T& v : x) {
        sum.add(v);
        e.push(sum, through += modulus(v));
    }
    return e;
}

template <class T> void push_moved(expected_values<T>& e, T value)
{
    precise_sum<T> only;
    only.add(value);
    e.push(only, 0); // never added
}

template <class T> expected_values<T> compressed(const std::vector<T>& x, const std::vector<std::uint8_t>& flags)
{
    expected_values<T> e;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (flags[i] != 0) { push_moved(e, x[i]); }
    }
    return e;
}

template <class T> expected_values<T> copied(const std::vector<T>& x)
{
    expected_values<T> e;
    for (const T& v : x) { push_moved(e, v); }
    return e;
}

template <class T> expected_values<T> differences(const std::vector<T>& x)
{
    expected_values<T> e;
    for (std::size_t i = 0; i < x.size(); ++i) {
        precise_sum<T> sum;
        long double through = modulus(x[i]);
        sum.add(x[i]);
        if (i > 0) {
            sum.add(x[i - 1], -1);
            through += modulus(x[i - 1]);
        }
        e.push(sum, through);
    }
    return e;
}

// Values of each element of its segment, or of each segment's last one.
template <class T>
expected_values<T> segments(const std::vector<T>& x, const std::vector<std::uint8_t>& flags, bool last_only,
                            bool segments_alone)
{
    expected_values<T> e;
    precise_sum<T> sum;
    long double through = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (flags[i] != 0) {
            sum = {};
            if (segments_alone) { through = 0; }
        }
        sum.add(x[i]);
        through += modulus(x[i]);
        if (!last_only || i + 1 == x.size() || flags[i + 1] != 0) { e.push(sum, through); }
    }
    return e;
}

template <class T> expected_values<T> multiplied(const std::vector<T>& x, const std::vector<T>& y)
{
    expected_values<T> e;
    for (std::size_t i = 0; i < x.size(); ++i) {
        precise_sum<T> sum;
        sum.add(x[i], y[i]);
        e.push(sum, modulus(x[i], y[i]));
    }
    return e;
}

template <class T> expected_values<T> matrix_multiplied(const segmented_problem<T>& p)
{
    expected_values<T> e;
    for (std::uint64_t i = 0; i < p.shape.rows; ++i) {
        for (std::uint64_t j = 0; j < p.shape.columns; ++j) {
            precise_sum<T> sum;
            long double through = 0;
            for (std::uint64_t k = 0; k < p.shape.inner; ++k) {
                const T a = p.x[i * p.shape.inner + k], b = p.y[k * p.shape.columns + j];
                sum.add(a, b);
                through += modulus(a, b);
            }
            e.push(sum, through);
        }
    }
    return e;
}

template <class T> expected_values<T> rows_multiplied(const csr_matrix<T>& m, const std::vector<T>& x, bool rows_alone)
{
    expected_values<T> e;
    long double through = 0;
    for (std::uint64_t r = 0; r < m.rows; ++r) {
        precise_sum<T> sum;
        if (rows_alone) { through = 0; }
        for (std::uint64_t at = m.row_starts[r]; at < m.row_starts[r + 1]; ++at) {
            sum.add(m.value[at], x[m.column[at]]);
            through += modulus(m.value[at], x[m.column[at]]);
        }
        e.push(sum, through);
    }
    return e;
}

template <class T> expected_values<T> expected(const segmented_variant& variant, const segmented_problem<T>& p)
{
    const bool alone = variant.is(keeps_apart);
    switch (variant.operation) {
    case segmented_operation::scan: return scanned(p.x);
    case segmented_operation::compress: return compressed(p.x, p.flags);
    case segmented_operation::difference: return differences(p.x);
    case segmented_operation::segmented_sum: return segments(p.x, p.flags, true, alone);
    case segmented_operation::segmented_scan: return segments(p.x, p.flags, false, alone);
    case segmented_operation::product: return multiplied(p.x, p.y);
    case segmented_operation::matrix_product: return matrix_multiplied(p);
    case segmented_operation::spmv: return rows_multiplied(p.matrix, p.x, alone);
    case segmented_operation::copy: return copied(p.x);
    }
    return {};
}

const char* reference_of(segmented_operation operation)
{
    switch (operation) {
    case segmented_operation::segmented_sum:
    case segmented_operation::segmented_scan: return "loop over segments";
    case segmented_operation::matrix_product:
    case segmented_operation::spmv: return "dot product per element";
    default: return "loop over elements";
    }
}

// Rounding errors on the way to an element, in units of eps times the moduli.
double additions_on_a_path(const segmented_operation operation, std::uint64_t n, std::uint64_t inner,
                           std::uint32_t side)
{
    if (operation == segmented_operation::matrix_product) { return static_cast<double>(inner) + 2; }
    return (2.0 * side + 4) * ceil_log(n, side) + 2.0 * ceil_log(n, 2) + 4;
}

const char* whose_moduli(const segmented_variant& variant)
{
    const bool alone = variant.is(keeps_apart);
    switch (variant.operation) {
    case segmented_operation::scan: return "the whole prefix";
    case segmented_operation::compress:
    case segmented_operation::copy: return "nothing: elements are moved";
    case segmented_operation::difference: return "both elements";
    case segmented_operation::segmented_sum:
    case segmented_operation::segmented_scan: return alone ? "its own segment" : "the whole prefix, all segments";
    case segmented_operation::product: return "its own product";
    case segmented_operation::matrix_product: return "its own dot product";
    case segmented_operation::spmv: return alone ? "its own row" : "all rows up to its own";
    }
    return "";
}

long double segmented_error(std::int64_t found, wide_integer expected)
{
    const wide_integer difference = found - expected;
    return static_cast<long double>(difference < 0 ? -difference : difference);
}
long double segmented_error(double found, long double expected) { return error_of(found, expected); }

// Of the numbers above 0 that a word holds: the smallest of all, and of those with all digits.
double smallest_number(base::element_type word)
{
    return word == base::element_type::f32 ? static_cast<double>(std::numeric_limits<float>::denorm_min())
                                           : std::numeric_limits<double>::denorm_min();
}
double smallest_normal(base::element_type word)
{
    return word == base::element_type::f32 ? static_cast<double>(std::numeric_limits<float>::min())
                                           : std::numeric_limits<double>::min();
}

segmented_bound bound_of(const segmented_variant& variant, double additions, int digits)
{
    const bool matrices = variant.operation == segmented_operation::matrix_product;
    segmented_bound bound;
    bound.additions = additions;
    bound.formula = "c 2^-" + std::to_string(digits) + " times the moduli of " + whose_moduli(variant) +
                    ", c = " + (matrices ? "inner + 2" : "(2s + 4) ceil(log_s n) + 2 ceil(log2 n) + 4");
    return bound;
}

// Why an element can lose digits within its bound, and what does not.
const char* why_digits_are_lost(const segmented_variant& variant)
{
    if (!variant.is(keeps_apart)) {
        switch (variant.operation) {
        case segmented_operation::spmv:
            return "rows differ in scale and went through the same sums; spmv_vcu does not mix rows";
        case segmented_operation::segmented_scan:
            return "segments differ in scale and went through the same sums; segscan_vcu does not mix segments";
        case segmented_operation::segmented_sum:
            return "segments differ in scale and went through the same sums; the operation segmented-scan by "
                   "segscan_vcu does not mix segments";
        default: break;
        }
    }
    return "numbers of opposite signs cancel";
}

std::string warning_text(const segmented_variant& variant, double max_rel_error)
{
    std::ostringstream text;
    text << "an element is off by " << std::setprecision(3) << max_rel_error
         << " relative, within its bound: " << why_digits_are_lost(variant);
    return text.str();
}

} // namespace

template <class T>
segmented_check check_segmented(const segmented_variant& variant, const segmented_problem<T>& problem,
                                const std::vector<T>& values, std::uint32_t side, base::element_type word)
{
    const expected_values<T> e = expected(variant, problem);
    const std::uint64_t n =
        variant.operation == segmented_operation::spmv ? problem.matrix.nonzeros() : problem.x.size();
    const int digits =
        word == base::element_type::f32 ? std::numeric_limits<float>::digits : std::numeric_limits<double>::digits;
    const double eps = std::is_integral_v<T> ? 0 : std::ldexp(1.0, -digits);
    const double additions = additions_on_a_path(variant.operation, n, problem.shape.inner, side), c = eps * additions;
    // Products below the normal numbers have an absolute error each, and as many of them enter an element.
    const double products = variant.operation == segmented_operation::spmv ? static_cast<double>(n) : additions;
    const double underflow = std::is_integral_v<T> ? 0 : products * smallest_number(word);

    segmented_check check;
    auto bound_found = bound_of(variant, additions, digits);
    check.reference = reference_of(variant.operation);
    const std::size_t both = std::min(values.size(), e.values.size());
    for (std::size_t i = 0; i < both; ++i) {
        const auto error = static_cast<double>(segmented_error(values[i], e.values[i]));
        const double size = std::abs(static_cast<double>(e.values[i]));
        const auto bound =
            std::isfinite(size) ? static_cast<double>(c * e.moduli[i]) + underflow : 0; // else the same: no error
        const double of_bound = share_of_bound(error, bound);
        if (!(of_bound <= 1) && !check.first_wrong) { check.first_wrong = i; }
        if (i == 0 || error > check.max_abs_error) {
            check.max_abs_error = error;
            check.max_abs_element = i;
            bound_found.at_largest = bound;
        }
        const double relative = relative_error(error, size, smallest_normal(word));
        if ((size > 0 || std::isinf(error)) && relative > check.max_rel_error) {
            check.max_rel_error = relative;
            check.max_rel_element = i;
        }
        if (i == 0 || of_bound > check.worst_of_bound) {
            check.worst_of_bound = of_bound;
            bound_found.at_worst = bound;
            bound_found.error = error;
            bound_found.worst = i;
        }
    }
    if (values.size() != e.values.size() && !check.first_wrong) { check.first_wrong = both; }
    check.passed = !check.first_wrong;
    if (!std::is_integral_v<T>) {
        if (check.passed && check.max_rel_error > lost_digits(word)) {
            check.warning = warning_text(variant, check.max_rel_error);
        }
        check.bound = std::move(bound_found);
    }
    return check;
}

template segmented_check check_segmented(const segmented_variant&, const segmented_problem<std::int64_t>&,
                                         const std::vector<std::int64_t>&, std::uint32_t, base::element_type);
template segmented_check check_segmented(const segmented_variant&, const segmented_problem<double>&,
                                         const std::vector<double>&, std::uint32_t, base::element_type);

std::int64_t weighted_checksum(const std::vector<std::int64_t>& values)
{
    constexpr std::int64_t prime = 2147483647; // 2^31 - 1
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto weight = static_cast<std::int64_t>((i + 1) % prime);
        sum = (sum + weight * (values[i] % prime)) % prime;
    }
    return sum < 0 ? sum + prime : sum;
}

} // namespace tensorloom::workloads
