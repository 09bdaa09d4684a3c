#include "platform/transform_job.h"
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

template <class T> transform_problem<T> make_problem(const transform_job& job)
{
    transform_problem<T> problem;
    if (job.input) {
        problem.x.push_back(load<T>(*job.input));
    } else {
        for (std::uint32_t i = 0; i < job.batch; ++i) {
            problem.x.push_back(workloads::fill_tensor<T>(job.fill, job.shape, job.zeros, job.seed + i));
        }
    }
    if (job.initial) { problem.initial = load<T>(*job.initial); }
    for (std::size_t m = 0; m < 3; ++m) {
        problem.matrices[m] = workloads::transform_matrix<T>(job.transforms[m], job.shape[m], job.scaling, job.inverse);
        if (job.tags != workloads::tag_kind::diagonal) {
            problem.row_orders[m] = workloads::row_order(job.tags, job.shape[m], job.seed + m);
        }
    }
    return problem;
}

std::uint64_t tensor_bytes(const transform_job& job, bool checked)
{
    const std::uint64_t volume = job.shape[0] * job.shape[1] * job.shape[2];
    const std::uint64_t tensors = (job.input ? 1 : job.batch) + std::uint64_t{job.batch} + (job.initial ? 1 : 0);
    const std::uint64_t reference = checked ? 2 * volume * (arch::is_complex(job.format) ? 32 : 16) : 0;
    return 2 * tensors * volume * arch::element_bytes(job.format) + reference;
}

std::uint64_t core_bytes(const transform_job& job, const std::array<std::uint32_t, 3>& mesh, bool detailed)
{
    constexpr std::uint64_t cell_module_bytes = 880;
    const std::uint64_t element = arch::element_bytes(job.format);
    const std::uint64_t cells = std::uint64_t{mesh[0]} * mesh[1] * mesh[2];
    return detailed ? cells * (cell_module_bytes + 5 * element)
                    : 6 * job.shape[0] * job.shape[1] * job.shape[2] * element;
}

template transform_problem<double> make_problem(const transform_job&);
template transform_problem<float> make_problem(const transform_job&);
template transform_problem<std::complex<double>> make_problem(const transform_job&);
template transform_problem<std::complex<float>> make_problem(const transform_job&);

} // namespace tensorloom::testbench
