#include <tensorloom/workloads/chain_reference.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/gemt_sums.h>
#include <tensorloom/workloads/result_check.h>

namespace tensorloom::workloads {
namespace {

using arithmetic::bfloat16;

template <class T> using wide = typename wide_type<T>::type;

constexpr double unknown = std::numeric_limits<double>::infinity(); // an uncertainty

template <class T> constexpr bool is_integer = std::is_same_v<T, std::int8_t>;

template <class T> wide<T> exactly(const T& value) { return wide<T>(arithmetic::widened<T>(value)); }

template <class W> double modulus_of(const W& value) { return static_cast<double>(std::abs(value)); }

// The steps of a chain in float64 without rounding, shifting by division: what the low-precision formats approximate.
template <class T> std::vector<double> unrounded_steps(const chain_problem<T>& problem)
{
    const auto widen = [](const std::vector<T>& values) {
        std::vector<double> result(values.size());
        std::transform(values.begin(), values.end(), result.begin(),
                       [](const T& value) { return static_cast<double>(arithmetic::widened<T>(value)); });
        return result;
    };
    std::vector<double> x = widen(problem.x->data);
    for (std::size_t s = 0; s < problem.steps->size(); ++s) {
        const auto& step = (*problem.steps)[s];
        if (step.is_transform()) {
            std::array<const std::vector<T>*, 3> matrices{};
            for (std::size_t m = 0; m < 3; ++m) {
                matrices[m] = step.sums(m) ? &problem.data->matrices[s][m] : nullptr;
            }
            const auto stages = gemt_stages(step.in_shape, step.out_shape, step.order, matrices);
            const std::function<void(double)> untold;
            sums_progress progress(untold, stages, 1);
            x = all_stages<double>(std::move(x), stages, converted(matrices, widen), {}, progress, [](auto&) {});
            const auto shift = static_cast<int>(step.shifts[0] + step.shifts[1] + step.shifts[2]);
            for (double& one : x) { one = std::ldexp(one, -shift); }
            continue;
        }
        const auto b = widen(problem.data->operands[s].data);
        const double value = step.value.real();
        for (std::size_t i = 0; i < x.size(); ++i) {
            switch (step.what) {
            case chain_operation::transform: break;
            case chain_operation::multiply: x[i] *= b[i]; break;
            case chain_operation::add: x[i] += b[i] * value; break;
            case chain_operation::scale: x[i] *= value; break;
            case chain_operation::threshold: x[i] = std::abs(x[i]) <= value ? 0 : x[i]; break;
            case chain_operation::relu: x[i] = x[i] <= 0 ? 0 : x[i]; break;
            }
            x[i] = std::ldexp(x[i], -static_cast<int>(step.shift));
        }
    }
    return x;
}

// Roundings of a fused multiply-add in the sums of T.
template <class T> struct sum_rounding {
    using real = typename arithmetic::number_format<T>::real;
    static constexpr bool is_complex = arithmetic::number_format<T>::parts == 2;

    // How far a multiply-add of a device may be from the exact one, whose moduli add up to `size`.
    static double of(double size)
    {
        constexpr double u = std::numeric_limits<real>::epsilon() / 2;
        constexpr double roundings = is_complex ? 2 : 1;
        constexpr double second_order = 1.01; // and our own roundings
        const double gamma = second_order * (is_complex ? std::sqrt(2.0) : 1.0) * roundings * u / (1 - roundings * u);
        return gamma * size + roundings * static_cast<double>(std::numeric_limits<real>::denorm_min());
    }
    static bool may_overflow(double size)
    {
        return !(size <= static_cast<double>(std::numeric_limits<real>::max()) / 2);
    }
};

// The tensor between two steps.
template <class T> class chain_state {
public:
    explicit chain_state(const chain_problem<T>& problem) : m_problem(problem), m_off(problem.x->data.size())
    {
        const auto& x = *problem.x;
        m_values.shape = x.shape;
        m_values.data.resize(x.data.size());
        std::transform(x.data.begin(), x.data.end(), m_values.data.begin(), exactly<T>);
    }

    void run()
    {
        const auto& steps = *m_problem.steps;
        double all = 0, done = 0;
        for (const auto& step : steps) { all += multiply_adds(step); }
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const double part = multiply_adds(steps[s]);
            const auto progress = [this, all, done, part](double of_step) {
                m_problem.progress((done + part * of_step) / all);
            };
            const bool is_last = s + 1 == steps.size();
            if (!steps[s].is_transform()) {
                change_elements(s, is_last);
            } else if (is_last) {
                m_last = transformed(s, m_problem.rounds_result, progress);
            } else {
                take(transformed(s, true, progress));
            }
            done += part;
        }
    }

    gemt_reference<T> reference()
    {
        auto reference = m_last ? std::move(*m_last) : of_values();
        reference.saturated += m_saturated;
        reference.overflowed += m_overflowed;
        return reference;
    }

private:
    // ---- transforms ----

    // `is_operand`: the result is rounded like an operand.
    gemt_reference<T> transformed(std::size_t s, bool is_operand, const std::function<void(double)>& progress)
    {
        const auto& step = (*m_problem.steps)[s];
        tensor<T> x(m_values.shape);
        bool exact = true, known = true;
        for (std::size_t i = 0; i < x.data.size(); ++i) {
            x.data[i] = rounded_element<T>(m_values.data[i]);
            if (is_finite_number(m_values.data[i])) { m_off[i] += modulus_of(exactly(x.data[i]) - m_values.data[i]); }
            exact = exact && m_off[i] == 0;
            known = known && std::isfinite(m_off[i]);
            if (!std::isfinite(m_off[i])) { m_off[i] = 0; }
        }
        gemt_problem<T> gemt;
        gemt.x = &x;
        for (std::size_t m = 0; m < 3; ++m) {
            gemt.matrices[m] = step.sums(m) ? &m_problem.data->matrices[s][m] : nullptr;
        }
        gemt.order = step.order;
        gemt.shifts = step.shifts;
        gemt.rounds_result = is_operand;
        gemt.threshold = m_problem.threshold;
        gemt.uncertainty = exact ? nullptr : &m_off;
        gemt.skips_zeros = m_problem.skips_zeros;
        if (m_problem.progress) { gemt.progress = progress; }
        auto result = compute_reference(gemt);
        if (m_problem.steps->size() > 1) { // what follows is that of this transform alone
            result.probable.clear();
            result.in_format = nullptr;
            result.unrounded.clear();
        }
        if (!known) {
            result.not_finite.clear();
            result.comparable.assign(result.values.data.size(), 0);
            result.uncertainty.assign(result.values.data.size(), unknown);
        }
        return result;
    }

    void take(gemt_reference<T> result)
    {
        m_values = std::move(result.values);
        m_off = std::move(result.uncertainty);
        m_off.resize(m_values.data.size()); // of int8: exact
        for (std::size_t i = 0; i < result.comparable.size(); ++i) {
            if (result.comparable[i] != 0) { continue; }
            m_off[i] = !result.not_finite.empty() && result.not_finite[i] != 0 ? 0 : unknown;
        }
        m_saturated += result.saturated;
        m_overflowed += result.overflowed;
    }

    // ---- operations on elements ----

    void change_elements(std::size_t s, bool is_last)
    {
        const auto& step = (*m_problem.steps)[s];
        const auto& operand = m_problem.data->operands[s].data;
        T value{};
        if constexpr (is_complex_element<T>) {
            value = rounded_element<T>(std::complex<long double>(step.value));
        } else {
            value = rounded_element<T>(static_cast<long double>(step.value.real()));
        }
        if (is_last) { m_or_zero.assign(m_values.data.size(), 0); }
        for (std::size_t i = 0; i < m_values.data.size(); ++i) {
            if (std::isinf(m_off[i])) { continue; }
            switch (step.what) {
            case chain_operation::transform: break;
            case chain_operation::multiply: multiply_add(i, wide<T>(0), m_values.data[i], operand[i]); break;
            case chain_operation::add: multiply_add(i, m_values.data[i], exactly(operand[i]), value); break;
            case chain_operation::scale: multiply_add(i, wide<T>(0), m_values.data[i], value); break;
            case chain_operation::threshold: drop(i, std::real(exactly(value)), is_last); break;
            case chain_operation::relu: rectify(i); break;
            }
            if constexpr (is_integer<T>) {
                shift(i, step.shift, !is_last || m_problem.rounds_result);
            } else if constexpr (std::is_same_v<T, bfloat16>) {
                if (!is_last || m_problem.rounds_result) { round(i); }
            }
        }
        if (std::all_of(m_or_zero.begin(), m_or_zero.end(), [](auto either) { return either == 0; })) {
            m_or_zero.clear();
        }
    }

    // Element i becomes sum + x c. It is x, or the sum if that is not 0, that is known within m_off only.
    void multiply_add(std::size_t i, const wide<T>& sum, const wide<T>& x, const T& c)
    {
        auto& value = m_values.data[i];
        auto& off = m_off[i];
        const bool is_sum = &sum == &value;
        const wide<T> factor = exactly(c);
        if (m_problem.skips_zeros && (x == wide<T>(0) || factor == wide<T>(0))) {
            if (is_sum) { return; }
            value = wide<T>(0);
            off = off == 0 || factor == wide<T>(0) ? 0 : scaled(off, modulus_of(factor), off * modulus_of(factor));
            return;
        }
        if constexpr (std::is_same_v<T, bfloat16>) { // exact products; the sum of the device
            if (off == 0) {
                value = std::fma(static_cast<float>(x), static_cast<float>(factor), static_cast<float>(sum));
                return;
            }
        }
        const double by = is_sum ? 1 : modulus_of(factor);
        const double size =
            is_sum ? modulus_of(sum) + off + modulus_of(x) * modulus_of(factor) : (modulus_of(x) + off) * by;
        const wide<T> result = sum + product(x, factor);
        const bool is_finite = is_finite_number(sum) && is_finite_number(x) && is_finite_number(factor);
        value = result;
        if (!is_finite) {
            off = is_finite_number(result) ? unknown : 0; // no rounding makes NaN or an infinity another one
        } else {
            off = scaled(off, by, size);
        }
    }

    // How far a multiply-add is off whose operand is `off` and multiplied by something of modulus `by`; `size`: the sum
    // of its moduli.
    static double scaled(double off, double by, double size)
    {
        if constexpr (is_integer<T>) {
            return 0;
        } else {
            return sum_rounding<T>::may_overflow(size) ? unknown : off * by + sum_rounding<T>::of(size);
        }
    }

    static long double product(long double x, long double c) { return x * c; }
    // Written out: the operator of std::complex handles infinities, which the device does not.
    static std::complex<long double> product(const std::complex<long double>& x, const std::complex<long double>& c)
    {
        return {x.real() * c.real() - x.imag() * c.imag(), x.real() * c.imag() + x.imag() * c.real()};
    }

    void drop(std::size_t i, long double threshold, bool is_last)
    {
        constexpr double of_modulus = 0x1p-50; // the device's modulus of complex numbers, in float64
        auto& value = m_values.data[i];
        const auto modulus = static_cast<long double>(std::abs(value));
        const long double off = m_off[i] + (is_complex_element<T> ? of_modulus * modulus : 0);
        if (modulus + off <= threshold) {
            value = wide<T>(0);
            m_off[i] = 0;
        } else if (modulus - off <= threshold) {
            if (is_last) {
                m_or_zero[i] = 1;
            } else {
                m_off[i] = std::max(m_off[i], static_cast<double>(modulus));
            }
        }
    }

    void rectify(std::size_t i)
    {
        if constexpr (!is_complex_element<T>) {
            auto& value = m_values.data[i];
            if (!(value <= 0)) { return; }
            m_off[i] = std::max(0.0, static_cast<double>(value + m_off[i])); // the device has 0 to this
            value = 0;
        }
    }

    // ---- low precision: what a sum becomes ----

    void round(std::size_t i)
    {
        const auto rounded = [](long double sum) { return static_cast<long double>(float(nearest_bfloat16(sum))); };
        if constexpr (std::is_same_v<T, bfloat16>) {
            auto& value = m_values.data[i];
            const long double nearest = rounded(value);
            if (std::isfinite(nearest) && std::isfinite(m_off[i])) {
                m_off[i] = static_cast<double>(
                    std::max(rounded(value + m_off[i]) - nearest, nearest - rounded(value - m_off[i])));
            }
            value = nearest;
        }
    }

    void shift(std::size_t i, unsigned bits, bool is_operand)
    {
        if constexpr (is_integer<T>) {
            auto& value = m_values.data[i];
            value = std::nearbyint(std::ldexp(value, -static_cast<int>(bits))); // to nearest even
            if (!is_operand) { return; }
            const long double limited = std::clamp(value, -128.0L, 127.0L);
            m_saturated += limited != value ? 1 : 0;
            value = limited;
        }
    }

    // ---- the result, after an operation on elements ----

    gemt_reference<T> of_values()
    {
        gemt_reference<T> reference;
        for (std::size_t i = 0; i < m_off.size(); ++i) {
            const bool is_finite = is_finite_number(m_values.data[i]);
            if (is_finite && std::isfinite(m_off[i])) { continue; }
            if (reference.comparable.empty()) {
                reference.comparable.assign(m_off.size(), 1);
                reference.not_finite.assign(m_off.size(), 0);
            }
            reference.comparable[i] = 0;
            reference.not_finite[i] = !is_finite && m_off[i] == 0 ? 1 : 0;
        }
        reference.values = std::move(m_values);
        if constexpr (!is_integer<T>) { reference.uncertainty = std::move(m_off); }
        reference.or_zero = std::move(m_or_zero);
        return reference;
    }

    const chain_problem<T>& m_problem;
    tensor<wide<T>> m_values;
    std::vector<double> m_off; // how far the device's may be; infinite: may have overflowed
    std::vector<std::uint8_t> m_or_zero;
    std::uint64_t m_saturated = 0, m_overflowed = 0;
    std::optional<gemt_reference<T>> m_last; // of a transform
};

} // namespace

template <class T> gemt_reference<T> compute_reference(const chain_problem<T>& problem)
{
    chain_state<T> state(problem);
    state.run();
    auto reference = state.reference();
    if constexpr (!std::is_same_v<T, arithmetic::accumulator_of<T>>) {
        if (problem.steps->size() > 1 || !problem.steps->front().is_transform()) {
            reference.unrounded = unrounded_steps(problem);
        }
    }
    return reference;
}

template gemt_reference<double> compute_reference(const chain_problem<double>&);
template gemt_reference<float> compute_reference(const chain_problem<float>&);
template gemt_reference<std::complex<double>> compute_reference(const chain_problem<std::complex<double>>&);
template gemt_reference<std::complex<float>> compute_reference(const chain_problem<std::complex<float>>&);
template gemt_reference<bfloat16> compute_reference(const chain_problem<bfloat16>&);
template gemt_reference<std::int8_t> compute_reference(const chain_problem<std::int8_t>&);

} // namespace tensorloom::workloads
