#include <tensorloom/workloads/contraction/reference.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <tensorloom/workloads/result_check.h>

namespace tensorloom::workloads {
namespace {

// Walks the flat index of a group in order, and begins again behind its end. The offsets are those in the three tensors
// in C order, 0 for modes that a tensor lacks.
class group_walk {
public:
    group_walk(const contraction& p, const std::string& group) : m_extent(p.extent(group))
    {
        const auto stride = [&p](const std::string& tensor, char letter) {
            const auto place = tensor.find(letter);
            return place == std::string::npos ? 0 : p.extent(tensor.substr(place + 1));
        };
        for (auto letter = group.rbegin(); letter != group.rend(); ++letter) {
            m_modes.push_back(
                {p.size_of(*letter), 0, stride(p.a, *letter), stride(p.b, *letter), stride(p.c, *letter)});
        }
    }

    std::size_t extent() const { return m_extent; }
    std::size_t a() const { return m_a; }
    std::size_t b() const { return m_b; }
    std::size_t c() const { return m_c; }

    void next()
    {
        for (auto& m : m_modes) {
            m_a += m.a;
            m_b += m.b;
            m_c += m.c;
            if (++m.digit < m.size) { return; }
            m_a -= m.size * m.a;
            m_b -= m.size * m.b;
            m_c -= m.size * m.c;
            m.digit = 0;
        }
    }

private:
    struct mode {
        std::size_t size;
        std::size_t digit;
        std::size_t a, b, c; // from one digit to the next
    };

    std::size_t m_extent;
    std::vector<mode> m_modes; // the fastest first
    std::size_t m_a = 0, m_b = 0, m_c = 0;
};

// Elements of B's free index whose sums run side by side.
class summed_row {
public:
    summed_row(group_walk& free_b, std::size_t width) : m_b(width), m_c(width), m_sum(width), m_magnitude(width)
    {
        for (std::size_t n = 0; n < width; ++n, free_b.next()) {
            m_b[n] = free_b.b();
            m_c[n] = free_b.c();
            m_neighbours = m_neighbours && m_b[n] == m_b[0] + n;
        }
    }

    void clear()
    {
        m_sum.assign(m_sum.size(), 0);
        m_magnitude.assign(m_magnitude.size(), 0);
    }
    void add(double x, const float* b)
    {
        for (std::size_t n = 0; n < m_b.size(); ++n) {
            const double product = x * b[m_b[n]];
            m_sum[n] += product;
            m_magnitude[n] += std::isfinite(product) ? std::fabs(product) : 0;
        }
    }
    // For finite operands, whose products are finite: loops that are several times as fast.
    void add_finite(double x, const float* b)
    {
        if (!m_neighbours) {
            return add_all(x, [&](std::size_t n) { return b[m_b[n]]; });
        }
        const float* const first = b + m_b[0];
        add_all(x, [first](std::size_t n) { return first[n]; });
    }
    void store(contraction_reference& result, std::size_t first) const
    {
        for (std::size_t n = 0; n < m_c.size(); ++n) {
            result.c[first + m_c[n]] = m_sum[n];
            result.magnitude[first + m_c[n]] = m_magnitude[n];
        }
    }

private:
    template <class Element> void add_all(double x, const Element& element)
    {
        double* const sum = m_sum.data();
        double* const magnitude = m_magnitude.data();
        const std::size_t width = m_b.size();
        for (std::size_t n = 0; n < width; ++n) {
            const double product = x * element(n);
            sum[n] += product;
            magnitude[n] += std::fabs(product);
        }
    }

    std::vector<std::size_t> m_b, m_c; // offsets
    bool m_neighbours = true;          // those of b
    std::vector<double> m_sum, m_magnitude;
};

// How far sums in these formats may lie from the exact one, and what they may be where they leave the formats' range.
class result_bound {
public:
    result_bound(std::uint64_t contracted, base::element_type psum, base::element_type store)
        : m_roundings(static_cast<double>(contracted) + 32), m_of_sums(is_bf16(psum) ? bf16_step : f32_step),
          m_of_store(is_bf16(store) ? bf16_step : 0), m_smallest(is_bf16(psum) || is_bf16(store) ? 0x1p-133 : 0x1p-149),
          m_largest(is_bf16(psum) || is_bf16(store) ? 0x1.fep127 : 0x1.fffffep127)
    {}

    double allowed(double expected, double magnitude) const
    {
        return m_roundings * (m_of_sums * magnitude + m_smallest) + m_of_store * std::fabs(expected);
    }

    // The result is no finite number, and is right.
    bool beyond_range(double found, double expected, double magnitude) const
    {
        if (std::isnan(found)) { return std::isnan(expected) || (std::isinf(expected) && magnitude > m_largest); }
        return std::isinf(found) && std::signbit(found) == std::signbit(expected) &&
               std::fabs(expected) + allowed(expected, magnitude) > m_largest;
    }

private:
    static constexpr double bf16_step = 0x1p-8, f32_step = 0x1p-23;

    static bool is_bf16(base::element_type t) { return t == base::element_type::bf16; }

    double m_roundings; // of a sum, at most
    double m_of_sums, m_of_store;
    double m_smallest, m_largest; // numbers above 0 of the narrower format
};

constexpr double smallest_normal = 0x1p-126; // of f32 and bf16
constexpr std::size_t widest_row = 4096;     // few enough for the cache; what is held does not grow with the tensors

bool all_finite(const std::vector<float>& values)
{
    return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

} // namespace

contraction_reference contract_in_double(const contraction& p, const std::vector<float>& a, const std::vector<float>& b)
{
    if (p.extent(p.a_free) > p.extent(p.b_free)) { // the same sums, more of them in a row
        contraction turned = p;
        std::swap(turned.a, turned.b);
        std::swap(turned.a_free, turned.b_free);
        return contract_in_double(turned, b, a);
    }
    const bool finite = all_finite(a) && all_finite(b);
    contraction_reference result;
    result.c.resize(p.extent(p.c));
    result.magnitude.resize(p.extent(p.c));
    group_walk batch(p, p.batch), summed(p, p.contracted), free_a(p, p.a_free), free_b(p, p.b_free);
    for (std::size_t n = 0; n < free_b.extent(); n += widest_row) {
        summed_row row(free_b, std::min(widest_row, free_b.extent() - n));
        for (std::size_t g = 0; g < batch.extent(); ++g, batch.next()) {
            for (std::size_t m = 0; m < free_a.extent(); ++m, free_a.next()) {
                row.clear();
                for (std::size_t k = 0; k < summed.extent(); ++k, summed.next()) {
                    const double x = a[batch.a() + summed.a() + free_a.a()];
                    const float* const of_b = b.data() + batch.b() + summed.b();
                    finite ? row.add_finite(x, of_b) : row.add(x, of_b);
                }
                row.store(result, batch.c() + free_a.c());
            }
        }
    }
    return result;
}

contraction_check check_contraction(const contraction_reference& reference, const std::vector<float>& c,
                                    std::uint64_t contracted, base::element_type psum, base::element_type store)
{
    const result_bound bound(contracted, psum, store);
    contraction_check result;
    result.passed = c.size() == reference.c.size();
    for (std::size_t i = 0; result.passed && i < c.size(); ++i) {
        const double expected = reference.c[i];
        const double found = c[i];
        if (!std::isfinite(found)) { ++result.not_finite; }
        if (found == expected || bound.beyond_range(found, expected, reference.magnitude[i])) { continue; }
        const auto error = static_cast<double>(error_of(found, expected));
        const double share = share_of_bound(error, bound.allowed(expected, reference.magnitude[i]));
        result.max_abs_error = std::max(result.max_abs_error, error);
        if (expected != 0 || std::isinf(error)) {
            result.max_rel_error =
                std::max(result.max_rel_error, relative_error(error, std::fabs(expected), smallest_normal));
        }
        if (share > result.worst_share) {
            result.worst_share = share;
            result.worst = i;
        }
    }
    result.passed = result.passed && result.worst_share <= 1;
    return result;
}

} // namespace tensorloom::workloads
