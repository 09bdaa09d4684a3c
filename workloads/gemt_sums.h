#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <functional>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// One stage of a GEMT: a tensor outer x rows x inner becomes outer x columns x inner.
struct gemt_stage {
    unsigned mode = 0;     ///< 0, 1, 2: the summed mode
    unsigned position = 0; ///< 0, 1, 2: its place in the order of the modes
    std::size_t outer = 1, rows = 1, columns = 1, inner = 1;

    std::size_t results() const { return outer * columns * inner; }
    double multiply_adds() const { return static_cast<double>(results()) * static_cast<double>(rows); }
};

/// The stages of a problem of size n1 x n2 x n3 with results k1 x k2 x k3; `order`: modes 1, 2, 3. `matrices`: by mode;
/// a mode with nullptr has no stage.
template <class T>
std::vector<gemt_stage> gemt_stages(shape3 n, const shape3& k, const std::array<unsigned, 3>& order,
                                    const std::array<const std::vector<T>*, 3>& matrices)
{
    std::vector<gemt_stage> stages;
    for (unsigned position = 0; position < 3; ++position) {
        const unsigned mode = order[position] - 1;
        if (matrices[mode] == nullptr) { continue; }
        stages.push_back({mode, position,
                          mode == 0   ? 1
                          : mode == 1 ? n[0]
                                      : n[0] * n[1],
                          n[mode], k[mode],
                          mode == 2   ? 1
                          : mode == 1 ? n[2]
                                      : n[1] * n[2]});
        n[mode] = k[mode];
    }
    return stages;
}

/// `convert` of the matrix of each summed mode, by mode.
template <class T, class Convert>
auto converted(const std::array<const std::vector<T>*, 3>& matrices, const Convert& convert)
{
    std::array<decltype(convert(*matrices[0])), 3> all;
    for (std::size_t m = 0; m < 3; ++m) {
        if (matrices[m] != nullptr) { all[m] = convert(*matrices[m]); }
    }
    return all;
}

/// Reports the completed fraction of the multiply-adds of a reference.
class sums_progress {
public:
    /// `times`: how often every stage is summed.
    sums_progress(const std::function<void(double)>& told, const std::vector<gemt_stage>& stages, double times)
        : m_told(told)
    {
        for (const auto& stage : stages) { m_all += times * stage.multiply_adds(); }
    }
    void add(std::size_t multiply_adds)
    {
        if (!m_told) { return; }
        m_done += static_cast<double>(multiply_adds);
        m_told(m_done / m_all);
    }

private:
    const std::function<void(double)>& m_told;
    double m_all = 0;
    double m_done = 0;
};

// y[:] += c[0] x[0][:] + c[1] x[1][:] + ...: one pass over y for several rows, because passes in long double are slow.
inline constexpr std::size_t rows_at_once = 4;

template <class Sum, class W> void add_rows(Sum* y, const W* const* x, const W* c, std::size_t rows, std::size_t size)
{
    if (rows == rows_at_once) {
        const W *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
        const W c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
        for (std::size_t i = 0; i < size; ++i) { y[i] += (c0 * x0[i] + c1 * x1[i]) + (c2 * x2[i] + c3 * x3[i]); }
        return;
    }
    for (std::size_t n = 0; n < rows; ++n) {
        for (std::size_t i = 0; i < size; ++i) { y[i] += c[n] * x[n][i]; }
    }
}

// Written out: the operator of std::complex handles infinities, which is slow and not modelled.
inline void add_rows(std::complex<long double>* y, const std::complex<long double>* const* x,
                     const std::complex<long double>* c, std::size_t rows, std::size_t size)
{
    for (std::size_t n = 0; n < rows; ++n) {
        const long double c_re = c[n].real(), c_im = c[n].imag();
        for (std::size_t i = 0; i < size; ++i) {
            const long double x_re = x[n][i].real(), x_im = x[n][i].imag();
            y[i] = {y[i].real() + (x_re * c_re - x_im * c_im), y[i].imag() + (x_re * c_im + x_im * c_re)};
        }
    }
}

/// The same without the terms that have a zero factor: a zero times NaN or an infinity adds nothing. Slow.
template <class W>
void sum_nonzeros_over(const gemt_stage& stage, const std::vector<W>& x, const std::vector<W>& c, std::vector<W>& y,
                       sums_progress& progress)
{
    const auto add = [](W& sum, const W& a, const W& b) {
        if (a == W(0) || b == W(0)) { return; }
        const W *row = &a, factor = b;
        add_rows(&sum, &row, &factor, 1, 1);
    };
    for (std::size_t o = 0; o < stage.outer; ++o) {
        for (std::size_t n = 0; n < stage.rows; ++n) {
            for (std::size_t k = 0; k < stage.columns; ++k) {
                for (std::size_t i = 0; i < stage.inner; ++i) {
                    add(y[(o * stage.columns + k) * stage.inner + i], x[(o * stage.rows + n) * stage.inner + i],
                        c[n * stage.columns + k]);
                }
            }
        }
    }
    progress.add(stage.results() * stage.rows);
}

/// y[o, k, i] += sum over n of x[o, n, i] c[n, k], every multiply and add in Sum. Loops run along i, or k if inner = 1.
template <class Sum, class W>
void sum_over(const gemt_stage& stage, const std::vector<W>& x, const std::vector<W>& c, std::vector<Sum>& y,
              sums_progress& progress)
{
    const W* rows[rows_at_once];
    W factors[rows_at_once];
    for (std::size_t o = 0; o < stage.outer; ++o) {
        const W* slab = x.data() + o * stage.rows * stage.inner;
        for (std::size_t n = 0; n < stage.rows; n += rows_at_once) {
            const std::size_t count = std::min(rows_at_once, stage.rows - n);
            progress.add(count * stage.columns * stage.inner);
            if (stage.inner == 1) {
                for (std::size_t r = 0; r < count; ++r) {
                    rows[r] = c.data() + (n + r) * stage.columns;
                    factors[r] = slab[n + r];
                }
                add_rows(y.data() + o * stage.columns, rows, factors, count, stage.columns);
                continue;
            }
            for (std::size_t k = 0; k < stage.columns; ++k) {
                for (std::size_t r = 0; r < count; ++r) {
                    rows[r] = slab + (n + r) * stage.inner;
                    factors[r] = c[(n + r) * stage.columns + k];
                }
                add_rows(y.data() + (o * stage.columns + k) * stage.inner, rows, factors, count, stage.inner);
            }
        }
    }
}

/// All stages in W without intermediate rounding; `bounded` is called with the values after each stage.
template <class W, class Bounded>
std::vector<W> all_stages(std::vector<W> values, const std::vector<gemt_stage>& stages,
                          const std::array<std::vector<W>, 3>& matrices, std::vector<W> initial,
                          sums_progress& progress, Bounded bounded, bool skips_zeros = false)
{
    for (const auto& stage : stages) {
        std::vector<W> sums = &stage == &stages.back() ? std::move(initial) : std::vector<W>{};
        sums.resize(stage.results());
        if (skips_zeros) {
            sum_nonzeros_over(stage, values, matrices[stage.mode], sums, progress);
        } else {
            sum_over(stage, values, matrices[stage.mode], sums, progress);
        }
        bounded(sums);
        values = std::move(sums);
    }
    return values;
}

} // namespace tensorloom::workloads
