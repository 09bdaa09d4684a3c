#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/gemt_sums.h>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

constexpr std::size_t most_rows = std::size_t{1} << 23; // N u <= 1/2

template <class W> std::vector<W> widen(const std::vector<bfloat16>& values)
{
    std::vector<W> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [](bfloat16 value) { return static_cast<W>(static_cast<float>(value)); });
    return result;
}

long double rounded(long double value) { return static_cast<float>(nearest_bfloat16(value)); }

template <class W> std::vector<W> moduli(std::vector<W> values)
{
    for (W& value : values) { value = std::fabs(value); }
    return values;
}

// Values and how far the device's may be from them, stage by stage; the names are those of gemt_reference. Why the
// device's sum T lies in R - E to R + E:
// - Its N fused multiply-adds, s <- (s + t c)(1 + theta) + eta with |theta| <= u = 2^-24 and |eta| <= 2^-150, in
//   whatever order, end within N u / (1 - N u) (|Y0| + sum |t c|) + 2 N 2^-150 of the exact Y0 + sum t c (the factor 2
//   is more than (1 + u)^N, N <= 2^23). An operand that is skipped because it is zero changes nothing.
// - Its operands t lie within d of ours, so |Y0| + sum |t c| <= P, and the exact sum is within sum d |c| of R.
// - What is rounded here is within the 0.001 of 1.001: R by long double, N + 2 roundings of 2^-64 of P at most; P and
//   sum d |c| by double, N + 2 of 2^-53 of P; against 0.001 N 2^-24 P.
// And where P <= FLT_MAX / 4 neither a partial sum nor what it is rounded to overflows.
struct bfloat16_sums {
    std::vector<long double> r; // operands, then results
    std::vector<double> d;      // how far they may be off; infinite or NaN: not comparable
    bool skips_zeros = false;   // terms with a zero factor are left out

    void drop_small(double threshold)
    {
        if (threshold == 0) { return; }
        for (std::size_t i = 0; i < r.size(); ++i) {
            const auto modulus = static_cast<double>(std::fabs(r[i])); // exact
            if (modulus + d[i] <= threshold) {
                r[i] = 0;
                d[i] = 0;
            } else if (modulus - d[i] <= threshold) {
                d[i] = std::max(d[i], modulus);
            }
        }
    }

    void sum(const gemt_stage& stage, const std::vector<bfloat16>& matrix, const std::vector<float>* initial,
             sums_progress& progress)
    {
        std::vector<long double> sums(stage.results());
        std::vector<double> p(stage.results()), e(stage.results());
        if (initial) {
            std::copy(initial->begin(), initial->end(), sums.begin());
            std::transform(initial->begin(), initial->end(), p.begin(), [](float y) { return std::fabs(y); });
        }
        add(stage, r, widen<long double>(matrix), sums, progress);

        const std::vector<double> c = moduli(widen<double>(matrix));
        if (std::any_of(d.begin(), d.end(), [](double off) { return off != 0; })) { add(stage, d, c, e, progress); }
        for (std::size_t i = 0; i < r.size(); ++i) { d[i] += static_cast<double>(std::fabs(r[i])); }
        add(stage, d, c, p, progress);

        // What float may not hold is no more than infinite, and stays so (times 0 it is a NaN).
        constexpr double limit = std::numeric_limits<float>::max() / 4;
        const auto rows = static_cast<double>(stage.rows);
        const double gamma = 1.001 * rows * 0x1p-24 / (1 - rows * 0x1p-24);
        for (std::size_t i = 0; i < e.size(); ++i) {
            e[i] = p[i] <= limit ? e[i] + gamma * p[i] + rows * 0x1p-149 : std::numeric_limits<double>::infinity();
        }
        r = std::move(sums);
        d = std::move(e);
    }

    template <class W>
    void add(const gemt_stage& stage, const std::vector<W>& x, const std::vector<W>& c, std::vector<W>& y,
             sums_progress& progress) const
    {
        if (skips_zeros) { return sum_nonzeros_over(stage, x, c, y, progress); }
        sum_over(stage, x, c, y, progress);
    }

    void round()
    {
        for (std::size_t i = 0; i < r.size(); ++i) {
            const long double value = rounded(r[i]);
            if (std::isfinite(d[i])) {
                d[i] = static_cast<double>(std::max(rounded(r[i] + d[i]) - value, value - rounded(r[i] - d[i])));
            }
            r[i] = value;
        }
    }
};

} // namespace

template <> gemt_reference<bfloat16> compute_reference(const gemt_problem<bfloat16>& problem)
{
    const shape3 results = result_shape(problem);
    for (std::size_t rows : problem.x->shape) {
        if (rows > most_rows) {
            throw base::input_error("mode of size " + std::to_string(rows) + " found, expected at most " +
                                    std::to_string(most_rows) + " in bf16");
        }
    }
    const auto stages = gemt_stages({problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]}, results,
                                    problem.order, problem.matrices);
    gemt_reference<bfloat16> reference;
    reference.values.shape.assign(results.begin(), results.end());

    sums_progress progress(problem.progress, stages, 4); // at most: a stage of certain operands is summed three times
    const auto all_finite = [](const std::vector<bfloat16>& values) {
        return std::all_of(values.begin(), values.end(), [](bfloat16 v) { return std::isfinite(float(v)); });
    };
    const bool finite_data =
        all_finite(problem.x->data) &&
        std::all_of(problem.matrices.begin(), problem.matrices.end(),
                    [&](const auto* m) { return m == nullptr || all_finite(*m); }) &&
        (!problem.initial || std::all_of(problem.initial->data.begin(), problem.initial->data.end(),
                                         [](float v) { return std::isfinite(v); }));
    bfloat16_sums sums{widen<long double>(problem.x->data),
                       problem.uncertainty ? *problem.uncertainty : std::vector<double>(problem.x->data.size()),
                       problem.skips_zeros && !finite_data};
    for (const auto& stage : stages) {
        const bool is_last = &stage == &stages.back();
        sums.drop_small(problem.threshold);
        sums.sum(stage, *problem.matrices[stage.mode], is_last && problem.initial ? &problem.initial->data : nullptr,
                 progress);
        if (!is_last || problem.rounds_result) { sums.round(); }
    }
    if (!std::all_of(sums.d.begin(), sums.d.end(), [](double d) { return std::isfinite(d); })) {
        reference.comparable.resize(sums.d.size());
        std::transform(sums.d.begin(), sums.d.end(), reference.comparable.begin(),
                       [](double d) { return std::isfinite(d) ? 1 : 0; });
        if (!finite_data) { reference.not_finite.resize(sums.d.size()); }
        for (std::size_t i = 0; i < sums.r.size(); ++i) {
            if (reference.comparable[i] != 0) { continue; }
            if (!finite_data) { reference.not_finite[i] = std::isfinite(sums.r[i]) ? 0 : 1; }
            const bool overflows = !(std::abs(sums.r[i]) <= std::numeric_limits<float>::max());
            sums.d[i] = finite_data && overflows ? std::numeric_limits<double>::infinity() : 0;
        }
    }
    reference.values.data = std::move(sums.r);
    reference.uncertainty = std::move(sums.d);

    reference.unrounded = all_stages<double>(
        widen<double>(problem.x->data), stages, converted(problem.matrices, widen<double>),
        problem.initial ? std::vector<double>(problem.initial->data.begin(), problem.initial->data.end())
                        : std::vector<double>{},
        progress, [](auto&) {});
    return reference;
}

} // namespace tensorloom::workloads
