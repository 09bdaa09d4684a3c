#include <tensorloom/workloads/tensor_unit/theorems.h>
#include <algorithm>
#include <cctype>
#include <cmath>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>

namespace tensorloom::workloads {
namespace {

using problem = tensor_unit_problem;

// Numbers that the bounds are made of.
struct theorem_terms {
    theorem_terms(const problem& p, std::uint64_t side, std::uint64_t latency)
        : n(static_cast<double>(p.size)), q(static_cast<double>(side)), m(q * q), l(static_cast<double>(latency))
    {}
    double n, q, m, l;
};

double product_bound(const theorem_terms& t, double inner) { return t.n * t.n * inner / t.q + t.n * inner / t.m * t.l; }

// p0^k (m + l), N = q n0^k
double recursive_bound(const problem& p, std::uint64_t side, std::uint64_t latency, const product_scheme& scheme)
{
    const theorem_terms t(p, side, latency);
    const double steps = std::log2(t.n / t.q) / std::log2(static_cast<double>(scheme.parts));
    return std::pow(static_cast<double>(scheme.products.size()), steps) * (t.m + t.l);
}

// N x N with q x q blocks and an N x N pass per block column
double blocked_bound(const problem& p, std::uint64_t side, std::uint64_t latency)
{
    const theorem_terms t(p, side, latency);
    return t.n * t.n * t.n / t.q + t.n * t.n / t.m * t.l + t.n * t.n * t.q;
}

double evaluation_bound(const problem& p, std::uint64_t side, std::uint64_t latency)
{
    const theorem_terms t(p, side, latency);
    const auto points = static_cast<double>(p.points);
    return points * t.n / t.q + points * t.q + t.n / t.m * t.l;
}

double karatsuba_bound(double ratio, double leaf) { return std::pow(ratio, std::log2(3.0)) * leaf; }

// Sizes first, first x factor, ..., up to `most`; the first one always.
std::vector<problem> sizes(std::uint64_t first, std::uint64_t factor, std::uint64_t most)
{
    std::vector<problem> problems(1);
    problems[0].size = first;
    for (std::uint64_t n = first * factor; n <= most; n *= factor) {
        problems.push_back(problems.back());
        problems.back().size = n;
    }
    return problems;
}

// Sides of matrices: four of them.
std::vector<problem> matrix_sizes(std::uint64_t side)
{
    const std::uint64_t first = 4 * side <= 16 ? 4 * side : side;
    return sizes(first, 2, 8 * first);
}

std::vector<problem> limb_sizes(std::uint64_t side)
{
    const std::uint64_t m = side * side, first = 4 * m <= 64 ? 4 * m : m;
    return sizes(first, 4, 16 * first);
}

template <class Change> std::vector<problem> changed(std::vector<problem> problems, const Change& change)
{
    for (auto& p : problems) { change(p); }
    return problems;
}

// With a leaf of one call, as in the proofs' recurrence.
std::vector<problem> down_to_tiles(std::uint64_t side)
{
    return changed(matrix_sizes(side), [=](problem& p) { p.cutoff = side; });
}

std::optional<double> tends_to(double limit) { return limit; }

double moves(const problem& p, std::uint64_t all, std::uint64_t charged_by_v1)
{
    return static_cast<double>(charge_of_moves(p.charges, all, charged_by_v1));
}

// The blocks' transforms, per point: what is left of the stencil's time when the grid grows.
std::optional<double> stencil_limit(const problem& p, std::uint64_t side)
{
    const auto square = static_cast<double>(transform_side(3 * p.sweeps) * transform_side(3 * p.sweeps));
    const std::uint64_t count = fourier_levels(transform_side(3 * p.sweeps), side);
    const auto k = static_cast<double>(p.sweeps), m = static_cast<double>(side * side);
    const double levels = static_cast<double>(count);
    const double processor = levels - 1 + moves(p, count > 1 ? count + 1 : 0, 2 * (count - 1)) + moves(p, 1, 1);
    const double per_point = square / (k * k) * (4 * (levels + processor) + 2) + moves(p, 10, 0);
    return per_point / std::max(1.0, std::log2(k) / std::log2(m));
}

std::optional<double> karatsuba_limit(const problem& p, std::uint64_t side)
{
    const auto q = static_cast<double>(side), m = q * q;
    return (2 * q * (m + q - 1) + (22 + moves(p, 6, 0)) * m) / (m * q);
}

constexpr double flat = 1.25;

std::vector<tensor_unit_theorem> make_theorems()
{
    return {
        {"1, p0=7", "strassen", "7^k (m + l), N = q 2^k",
         [](auto& p, auto q, auto l, auto) { return recursive_bound(p, q, l, strassen_scheme()); }, down_to_tiles,
         [](auto&, auto) { return tends_to(7); }, flat},
        {"1, p0=8", "recursive8", "8^k (m + l), N = q 2^k",
         [](auto& p, auto q, auto l, auto) { return recursive_bound(p, q, l, eightfold_scheme()); }, down_to_tiles,
         [](auto&, auto) { return tends_to(2); }, flat},
        {"1, p0=23", "laderman", "23^k (m + l), N = q 3^k",
         [](auto& p, auto q, auto l, auto) { return recursive_bound(p, q, l, laderman_scheme()); },
         [](auto side) { return changed(sizes(side, 3, 27 * side), [=](problem& p) { p.cutoff = side; }); },
         [](auto&, auto) { return tends_to(8); }, 0},
        {"1, p0=7, best leaf", "strassen", "7^k (m + l), N = q 2^k",
         [](auto& p, auto q, auto l, auto) { return recursive_bound(p, q, l, strassen_scheme()); },
         [](auto side) { return sizes(matrix_sizes(side).back().size / 4, 2, side > 4 ? 128 : 256); },
         [](auto&, auto) { return tends_to(1344.0 / 343); }, flat},
        {"2", "dense", "N^3 / q + N^2 / m l",
         [](auto& p, auto q, auto l, auto) {
             const theorem_terms t(p, q, l);
             return product_bound(t, t.n);
         },
         matrix_sizes, [](auto&, auto) { return tends_to(2); }, flat},
        {"corollary 1", "rect", "N^2 r / q + N r / m l",
         [](auto& p, auto q, auto l, auto) {
             return product_bound(theorem_terms(p, q, l), static_cast<double>(p.inner));
         },
         [](auto side) { return changed(matrix_sizes(side), [](problem& p) { p.inner = 16; }); },
         [](auto& p, auto side) { return tends_to(2 - static_cast<double>(side) / static_cast<double>(p.inner)); },
         flat},
        {"3, per round", "sparse", "sqrt(N^2 / Z) (Z / m)^(3/2) (m + l) + non-zeros of A and B, for Z >= m",
         [](auto& p, auto q, auto l, auto rounds) {
             const theorem_terms t(p, q, l);
             const auto z = static_cast<double>(p.nonzeros);
             return static_cast<double>(rounds) * (t.n / std::sqrt(z) * std::pow(z / t.m, 1.5) * (t.m + t.l) + 2 * t.n);
         },
         [](auto side) {
             const std::uint64_t m = side * side;
             return changed(sizes(m, 2, std::min<std::uint64_t>(8 * m, 1024)), [](problem& p) { p.nonzeros = p.size; });
         },
         [](auto&, auto) { return std::optional<double>(); }, 1.30},
        {"4", "ge_forward", "N^3 / q + N^2 / m l + N^2 q",
         [](auto& p, auto q, auto l, auto) { return blocked_bound(p, q, l); }, matrix_sizes,
         [](auto&, auto) { return tends_to(2.0 / 3); }, flat},
        {"4, with back-substitution", "solve", "N^3 / q + N^2 / m l + N^2 q",
         [](auto& p, auto q, auto l, auto) { return blocked_bound(p, q, l); },
         [](auto) { return changed(sizes(32, 2, 256), [](problem& p) { --p.size; }); },
         [](auto&, auto) { return tends_to(2.0 / 3); }, flat},
        {"5", "tclosure", "N^3 / q + N^2 / m l + N^2 q",
         [](auto& p, auto q, auto l, auto) { return blocked_bound(p, q, l); }, matrix_sizes,
         [](auto&, auto) { return tends_to(3); }, flat},
        {"6, products of theorem 2", "apsd", "log2 N (N^3 / q + N^2 / m l)",
         [](auto& p, auto q, auto l, auto) {
             const theorem_terms t(p, q, l);
             return std::log2(t.n) * product_bound(t, t.n);
         },
         matrix_sizes, [](auto&, auto) { return tends_to(4); }, flat},
        {"6, products of theorem 1", "apsd_strassen", "log2 N 7^k (m + l), N = q 2^k",
         [](auto& p, auto q, auto l, auto) {
             return std::log2(static_cast<double>(p.size)) * recursive_bound(p, q, l, strassen_scheme());
         },
         [](auto side) { return sizes(matrix_sizes(side).back().size / 4, 2, 128); },
         [](auto&, auto) { return tends_to(2 * 1344.0 / 343); }, flat},
        {"7", "dft", "(N + l) log_m N",
         [](auto& p, auto q, auto l, auto) {
             const theorem_terms t(p, q, l);
             return (t.n + t.l) * std::log2(t.n) / std::log2(t.m);
         },
         [](auto side) { return sizes(side * side, side, 65536); },
         [](auto& p, auto) { return tends_to(4 + 2 * moves(p, 1, 2)); }, flat},
        {"8", "stencil", "N^2 max(1, log_m k) + l log2 k",
         [](auto& p, auto q, auto l, auto) {
             const theorem_terms t(p, q, l);
             const double log_k = std::log2(static_cast<double>(p.sweeps));
             return t.n * t.n * std::max(1.0, log_k / std::log2(t.m)) + t.l * log_k;
         },
         [](auto) { return changed(sizes(32, 2, 128), [](problem& p) { p.sweeps = 4; }); }, stencil_limit, flat},
        {"9", "intmul", "n^2 / q + n / m l, n limbs",
         [](auto& p, auto q, auto l, auto) {
             const theorem_terms t(p, q, l);
             return t.n * t.n / t.q + t.n / t.m * t.l;
         },
         [](auto side) { return sizes(limb_sizes(side).front().size, 4, 4096); },
         [](auto&, auto) { return tends_to(2); }, flat},
        {"10, corrected", "karatsuba", "(n / m)^(log2 3) (m^(3/2) + l), n limbs",
         [](auto& p, auto q, auto l, auto) {
             const theorem_terms t(p, q, l);
             return karatsuba_bound(t.n / t.m, t.m * t.q + t.l);
         },
         limb_sizes, karatsuba_limit, flat},
        {"11", "polyeval", "p n / q + p q + n / m l",
         [](auto& p, auto q, auto l, auto) { return evaluation_bound(p, q, l); },
         [](auto side) { return changed(limb_sizes(side), [](problem& p) { p.points = 64; }); },
         [](auto& p, auto side) { return tends_to(4 + moves(p, side, 0) / static_cast<double>(p.points)); }, flat},
        {"11, no modulus", "polynomial", "p n / q + p q + n / m l",
         [](auto& p, auto q, auto l, auto) { return evaluation_bound(p, q, l); },
         [](auto side) { return changed(limb_sizes(side), [](problem& p) { p.points = 64; }); },
         [](auto& p, auto side) { return tends_to(3 + moves(p, side, 0) / static_cast<double>(p.points)); }, flat},
    };
}

} // namespace

std::string tensor_unit_theorem::title() const
{
    const bool numbered = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
    return (numbered ? "theorem " : "") + std::string(name);
}

printed_karatsuba_figure printed_karatsuba(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t side,
                                           std::uint64_t latency)
{
    constexpr double limbs_per_word = 4;
    const auto q = static_cast<double>(side), l = static_cast<double>(latency);
    return {cutoff, karatsuba_cost(limbs, cutoff, side, call_shape::tall).tensor_time(side, latency),
            karatsuba_bound(static_cast<double>(limbs) / (limbs_per_word * q), q + l / q)};
}

std::vector<tensor_unit_problem> swept_stencils()
{
    std::vector<tensor_unit_problem> all(4);
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].size = 64;
        all[i].sweeps = std::uint64_t{2} << i;
    }
    return all;
}

const std::vector<tensor_unit_theorem>& tensor_unit_theorems()
{
    static const std::vector<tensor_unit_theorem> all = make_theorems();
    return all;
}

} // namespace tensorloom::workloads
