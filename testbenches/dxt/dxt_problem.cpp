#include "dxt/dxt_problem.h"
#include <complex>
#include <type_traits>
#include <variant>
#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::testbench {
namespace {

template <class T> struct is_complex_type : std::false_type {};
template <class R> struct is_complex_type<std::complex<R>> : std::true_type {};

template <class T, class S> T converted(const S& value)
{
    if constexpr (is_complex_type<T>::value && is_complex_type<S>::value) {
        using real = typename T::value_type;
        return T(static_cast<real>(value.real()), static_cast<real>(value.imag()));
    } else if constexpr (is_complex_type<T>::value) {
        return T(static_cast<typename T::value_type>(value));
    } else {
        return static_cast<T>(value);
    }
}

// Options refused complex data with a real format before.
template <class T> workloads::tensor<T> load(const std::string& path)
{
    return std::visit(
        [&](const auto& from) {
            using source = typename std::decay_t<decltype(from.data)>::value_type;
            workloads::tensor<T> to(from.shape);
            if constexpr (is_complex_type<source>::value && !is_complex_type<T>::value) {
                throw arch::input_error(path + " is complex, expected real elements");
            } else {
                for (std::size_t i = 0; i < to.data.size(); ++i) { to.data[i] = converted<T>(from.data[i]); }
            }
            return to;
        },
        workloads::load_npy(path));
}

} // namespace

template <class T> dxt_problem<T> make_problem(const dxt_options& o)
{
    dxt_problem<T> problem;
    if (o.input) {
        problem.x.push_back(load<T>(*o.input));
    } else {
        for (std::uint32_t i = 0; i < o.batch; ++i) {
            problem.x.push_back(workloads::fill_tensor<T>(o.fill, o.shape, o.zeros, o.common.seed + i));
        }
    }
    if (o.initial) { problem.initial = load<T>(*o.initial); }
    for (std::size_t m = 0; m < 3; ++m) {
        problem.matrices[m] = workloads::transform_matrix<T>(o.transforms[m], o.shape[m], o.scaling, o.inverse);
        if (o.tags != workloads::tag_kind::diagonal) {
            problem.row_orders[m] = workloads::row_order(o.tags, o.shape[m], o.common.seed + m);
        }
    }
    return problem;
}

template dxt_problem<double> make_problem(const dxt_options&);
template dxt_problem<float> make_problem(const dxt_options&);
template dxt_problem<std::complex<double>> make_problem(const dxt_options&);
template dxt_problem<std::complex<float>> make_problem(const dxt_options&);

} // namespace tensorloom::testbench
