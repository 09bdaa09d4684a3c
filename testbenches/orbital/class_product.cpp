#include "orbital/class_product.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/result_check.h>
#include "platform/system/testbed_platform.h"
#include "platform/run/program_run.h"

namespace tensorloom::testbench {
namespace {

using torus::matrix_class;
using torus::matrix_form;

// What a reference is computed in.
template <class T> struct exact {
    using type = long double;
};
template <class R> struct exact<std::complex<R>> {
    using type = std::complex<long double>;
};

template <class T> typename exact<T>::type exact_value(const T& x)
{
    if constexpr (arithmetic::number_format<T>::parts == 2) {
        return {x.real(), x.imag()};
    } else {
        return static_cast<long double>(arithmetic::widened(x));
    }
}

} // namespace

template <class T>
class_product<T>::class_product(const orbit_job& job, matrix_form form)
    : m_sizes{static_cast<std::uint32_t>(job.shape[0]), static_cast<std::uint32_t>(job.shape[1]),
              static_cast<std::uint32_t>(job.shape[2])},
      m_form(torus::program_of({matrix_class::cra, form, {}, 1})), m_name(form)
{}

template <class T> void class_product<T>::fill(const orbit_job& job)
{
    std::uint64_t seed = job.seed;
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        if (which == m_form.accumulator) { continue; }
        const auto size = shape_of(which, m_sizes);
        m_data[static_cast<unsigned>(which)] =
            workloads::fill_tensor<T>(job.fill, {1, size[0], size[1]}, job.zeros, seed++).data;
    }
}

template <class T> std::uint64_t class_product<T>::macs() const
{
    return std::uint64_t{m_sizes.i} * m_sizes.j * m_sizes.k;
}

template <class T> void class_product<T>::lay_out(memory_layout& memory)
{
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        const auto size = shape_of(which, m_sizes);
        const auto type = which == m_form.accumulator ? base::element_type_of<sum> : base::element_type_of<T>;
        const std::uint64_t bytes = std::uint64_t{size[0]} * size[1] * base::element_bytes(type);
        m_at[static_cast<unsigned>(which)] = isa::dense_descriptor(memory.place(bytes), type, {size[0], size[1]});
    }
}

template <class T>
torus::multiply_command class_product<T>::command_of(matrix_class cls, const torus::shape3& blocks,
                                                     const torus::scheduling_vector& vector) const
{
    torus::multiply_command command;
    command.cls = cls;
    command.form = m_name;
    command.operand = m_at;
    if (cls == matrix_class::cra) { command.set_vector(vector); }
    if (cls != matrix_class::asc) { command.blocks = blocks; }
    return command;
}

template <class T> void class_product<T>::preload(bus::host_thread& cpu) const
{
    for (const auto which : {m_form.left, m_form.right}) {
        cpu.preload(m_at[static_cast<unsigned>(which)].base, of(which).data(), of(which).size() * sizeof(T));
    }
}

template <class T>
std::vector<typename class_product<T>::sum>
class_product<T>::run(bus::host_thread& cpu, const torus::multiply_command& command, std::uint64_t program) const
{
    torus::driver driver(cpu, device_base);
    require_done(run_to_its_end(driver, torus::driver::program(std::vector{command}), program));
    const auto& result = command.of(m_form.accumulator);
    std::vector<sum> found(result.elements());
    cpu.read_block(result.base, found.data(), found.size() * sizeof(sum));
    return found;
}

template <class T> workloads::check_result class_product<T>::check(const std::vector<sum>& found) const
{
    using number = typename exact<T>::type;
    using real = typename arithmetic::number_format<T>::real;
    constexpr double unit = std::numeric_limits<real>::epsilon() / 2;
    const auto left = shape_of(m_form.left, m_sizes), right = shape_of(m_form.right, m_sizes);
    const std::uint32_t rows = left[m_form.left_transposed ? 1 : 0], terms = left[m_form.left_transposed ? 0 : 1];
    const std::uint32_t columns = right[m_form.right_transposed ? 0 : 1];
    const auto x = [&](std::size_t r, std::size_t n) {
        return exact_value(of(m_form.left)[m_form.left_transposed ? n * rows + r : r * terms + n]);
    };
    const auto y = [&](std::size_t n, std::size_t c) {
        return exact_value(of(m_form.right)[m_form.right_transposed ? c * terms + n : n * columns + c]);
    };
    workloads::result_errors errors(static_cast<double>(std::numeric_limits<real>::min()));
    double largest_bound = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
            number expected{};
            long double moduli = 0;
            for (std::size_t n = 0; n < terms; ++n) {
                expected += x(r, n) * y(n, c);
                moduli += std::abs(x(r, n)) * std::abs(y(n, c));
            }
            // A rounding per real multiply-add; parts of complex numbers by sqrt(2).
            constexpr unsigned parts = arithmetic::number_format<T>::parts;
            const double growth =
                1.01 * std::sqrt(double{parts}) * workloads::rounding_growth(double{parts} * (terms + 1), unit);
            const auto bound = static_cast<double>(growth * moduli);
            errors.add(exact_value(found[r * columns + c]), expected, bound);
            largest_bound = std::max(largest_bound, bound);
        }
    }
    workloads::check_result result;
    result.passed = !errors.first_wrong();
    result.finite = errors.not_finite() == 0;
    result.not_finite = errors.not_finite();
    result.compared = errors.count();
    result.max_abs_error = result.max_abs_error_against_float64 = errors.max_abs_error();
    result.mean_abs_error = errors.mean_abs_error();
    result.max_rel_error = result.max_rel_error_against_float64 = errors.max_rel_error();
    result.bound = result.worst_case_bound = largest_bound;
    result.worst_of_bound = errors.worst_of_bound();
    return result;
}

template class class_product<double>;
template class class_product<float>;
template class class_product<std::complex<double>>;
template class class_product<std::complex<float>>;
template class class_product<arithmetic::bfloat16>;

} // namespace tensorloom::testbench
