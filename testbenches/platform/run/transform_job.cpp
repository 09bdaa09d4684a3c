#include "platform/run/transform_job.h"
#include <limits>
#include <type_traits>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/finite_data.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/scrambled.h>
#include "platform/process/progress.h"
#include "platform/process/text.h"

namespace tensorloom::testbench {

std::uint64_t place_workspace(std::uint64_t elements, base::element_type format, memory_layout& memory)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (elements > most) {
        throw base::input_error("the intermediate tensors have " + std::to_string(elements) +
                                " elements, expected at most " + std::to_string(most) + ", the largest workspace");
    }
    return elements == 0 ? 0 : memory.place(elements * base::element_bytes(format));
}

std::string transforms_text(const transform_job& job) { return listed(job.transforms, workloads::transform_name, ","); }

workloads::chain_step transform_step(const transform_job& job)
{
    workloads::chain_step step;
    step.in_shape = job.shape;
    step.out_shape = job.out_shape.value_or(job.shape);
    step.transforms = job.transforms;
    step.inverse = job.inverse;
    step.scaling = job.scaling;
    step.order = job.order;
    step.shifts = job.shifts;
    return step;
}

std::string computation_text(const transform_job& job)
{
    return job.chain.empty() ? (job.inverse ? "inverse " : "") + transforms_text(job)
                             : listed(job.chain, workloads::step_text, "; ");
}

std::string problem_text(const transform_job& job)
{
    return computation_text(job) + ", " + shape_text(job.shape) +
           (job.result_shape() != job.shape ? " to " + shape_text(job.result_shape()) : "") +
           (job.batch > 1 ? ", batch of " + std::to_string(job.batch) : "");
}

std::vector<std::uint32_t> descriptor_sizes(const workloads::shape3& shape)
{
    return {static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
            static_cast<std::uint32_t>(shape[2])};
}

namespace {

// ---- results ----

template <class R> void save_tensors(const std::string& path, const std::vector<workloads::tensor<R>>& tensors)
{
    if (tensors.size() == 1) { return workloads::save_npy(path, tensors.front()); }
    const auto& shape = tensors.front().shape;
    workloads::tensor<R> all({tensors.size(), shape[0], shape[1], shape[2]});
    auto at = all.data.begin();
    for (const auto& y : tensors) { at = std::copy(y.data.begin(), y.data.end(), at); }
    workloads::save_npy(path, all);
}

template <class T>
typename transform_problem<T>::result_tensor read_result(isa::host_port& host, std::uint64_t address,
                                                         const transform_job& job)
{
    const auto shape = job.result_shape();
    typename transform_problem<T>::result_tensor y({shape[0], shape[1], shape[2]});
    if (job.result == result_format::accumulator) {
        host.read_block(address, y.data.data(), y.data.size() * sizeof(y.data[0]));
        return y;
    }
    std::vector<T> elements(y.data.size());
    host.read_block(address, elements.data(), elements.size() * sizeof(T));
    std::transform(elements.begin(), elements.end(), y.data.begin(), arithmetic::widened<T>);
    return y;
}

// ---- what it takes ----

// Bytes of a reference (workloads/gemt_reference.h) for each element of a stage's input, of its output, and of the
// result beside the sums that are not rounded, which are in float64.
struct reference_bytes {
    std::uint64_t input;
    std::uint64_t output;
    std::uint64_t result = 0;
};

reference_bytes reference_bytes_of(base::element_type format)
{
    switch (format) {
    case base::element_type::bf16: return {24, 32, 24}; // long double and how far off it is; bounds on the way
    case base::element_type::int8: return {1, 12, 16};  // sums of 64 and of 32 bits; long double in the end
    default: break;
    }
    // Besides the sums, how far operands and results may be off, moduli and what both are made of: in float64.
    const std::uint64_t wide = base::is_complex(format) ? 2 * sizeof(long double) : sizeof(long double);
    return {wide + 3 * sizeof(double), wide + 2 * sizeof(double)};
}

std::uint64_t reference_of(const transform_job& job)
{
    const auto elements = stage_elements(job);
    const auto bytes = reference_bytes_of(job.format);
    const std::uint64_t unrounded = bytes.result == 0 ? 0 : sizeof(double);
    std::uint64_t most = 0;
    for (std::size_t s = 0; s < 3; ++s) {
        most = std::max({most, elements[s] * bytes.input + elements[s + 1] * bytes.output,
                         elements[3] * bytes.result + (elements[s] + elements[s + 1]) * unrounded});
    }
    // A reference stays until that of the next tensor is there.
    return most + (job.batch > 1 && !job.input ? elements[3] * (bytes.result + bytes.input + unrounded) : 0);
}

} // namespace

void take_worse(workloads::check_result& worst, const workloads::check_result& other)
{
    worst.passed = worst.passed && other.passed;
    worst.finite = worst.finite && other.finite;
    worst.max_abs_error = std::max(worst.max_abs_error, other.max_abs_error);
    worst.mean_abs_error = std::max(worst.mean_abs_error, other.mean_abs_error);
    worst.max_rel_error = std::max(worst.max_rel_error, other.max_rel_error);
    worst.bound = std::max(worst.bound, other.bound);
    worst.worst_of_bound = std::max(worst.worst_of_bound, other.worst_of_bound);
    worst.worst_case_bound = std::max(worst.worst_case_bound, other.worst_case_bound);
    worst.largest = std::max(worst.largest, other.largest);
    worst.systematic += other.systematic;
    worst.not_finite += other.not_finite;
    worst.compared += other.compared;
    worst.undecided += other.undecided;
    worst.max_abs_error_against_float64 =
        std::max(worst.max_abs_error_against_float64, other.max_abs_error_against_float64);
    worst.max_rel_error_against_float64 =
        std::max(worst.max_rel_error_against_float64, other.max_rel_error_against_float64);
    worst.saturated += other.saturated;
    worst.overflowed += other.overflowed;
}

template <class T>
void require_finite_elements(const std::vector<T>& elements, const std::vector<std::size_t>& shape,
                             const std::string& where)
{
    if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        std::vector<float> wide(elements.size());
        std::transform(elements.begin(), elements.end(), wide.begin(), arithmetic::widened<T>);
        workloads::require_finite(wide, shape, where);
    } else if constexpr (!std::is_integral_v<T>) {
        workloads::require_finite(elements, shape, where);
    }
}

template <class T> void transform_problem<T>::make_tensors(const transform_job& job)
{
    x.clear();
    if (job.input) {
        x.push_back(workloads::load_npy_as<T>(*job.input));
        if (!job.allow_nonfinite) { require_finite_elements(x[0].data, x[0].shape, "--input: " + *job.input + ": "); }
        return;
    }
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        x.push_back(workloads::fill_tensor<T>(job.fill, job.shape, job.zeros, job.seed + i));
    }
}

template <class T> void transform_problem<T>::make_data(const transform_job& job)
{
    make_tensors(job);
    make_matrices(job);
    if (!job.initial) { return; }
    initial = workloads::load_npy_as<arithmetic::accumulator_of<T>>(*job.initial);
    if (!job.allow_nonfinite) {
        require_finite_elements(initial->data, initial->shape, "--initial: " + *job.initial + ": ");
    }
}

template <class T> void transform_problem<T>::make_matrices(const transform_job& job)
{
    const auto out = job.result_shape();
    for (std::size_t m = 0; m < 3; ++m) {
        if (!job.sums(m)) { continue; }
        const auto& transform = job.transforms[m];
        matrices[m] = workloads::transform_matrix<T>(transform, job.shape[m], out[m], job.scaling, job.inverse);
        if (transform.kind == workloads::transform_kind::file && !job.allow_nonfinite) {
            require_finite_elements(matrices[m], {job.shape[m], out[m]}, "--transform: " + transform.path + ": ");
        }
        // Seeds that those of tensors, seed + i, and of their streams do not meet.
        workloads::set_zeros(matrices[m], job.matrix_zeros[m], workloads::scrambled(job.seed) + 1 + m);
    }
}

template <class T>
void transform_problem<T>::place_initial(const transform_job& job, memory_layout& memory, transform_layout& at) const
{
    if (!job.initial) { return; }
    at.initial = memory.place(workloads::volume_of(job.result_shape()) * sizeof(arithmetic::accumulator_of<T>));
}

template <class T>
void transform_problem<T>::place_inputs(const transform_job& job, memory_layout& memory, transform_layout& at) const
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        at.x.push_back(memory.place(workloads::volume_of(job.shape) * sizeof(T)));
    }
}

template <class T>
void transform_problem<T>::place_outputs(const transform_job& job, memory_layout& memory, transform_layout& at) const
{
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        at.y.push_back(memory.place(workloads::volume_of(job.result_shape()) * base::element_bytes(job.result_type())));
    }
}

template <class T>
void transform_problem<T>::place_tensors(const transform_job& job, memory_layout& memory, transform_layout& at) const
{
    place_inputs(job, memory, at);
    place_outputs(job, memory, at);
}

template <class T> void transform_problem<T>::preload_matrices(bus::host_thread& cpu, const transform_layout& at) const
{
    for (std::size_t m = 0; m < 3; ++m) {
        if (matrices[m].empty()) { continue; }
        cpu.preload(at.matrices[m], matrices[m].data(), matrices[m].size() * sizeof(T));
    }
}

template <class T> void transform_problem<T>::preload_tensors(bus::host_thread& cpu, const transform_layout& at)
{
    if (initial && at.initial != 0) {
        const auto& values = initial->data;
        cpu.preload(at.initial, values.data(), values.size() * sizeof(values[0]));
    }
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        cpu.preload(at.x[i], x[i].data.data(), x[i].data.size() * sizeof(T));
        x[i] = {};
    }
}

template <class T>
typename transform_problem<T>::results
transform_problem<T>::read_results(isa::host_port& host, const transform_job& job, const transform_layout& at)
{
    results found;
    for (std::uint32_t i = 0; i < job.batch; ++i) { found.push_back(read_result<T>(host, at.y[i], job)); }
    return found;
}

template <class T> workloads::gemt_problem<T> transform_problem<T>::sums(const transform_job& job) const
{
    workloads::gemt_problem<T> gemt;
    for (std::size_t m = 0; m < 3; ++m) { gemt.matrices[m] = job.sums(m) ? &matrices[m] : nullptr; }
    gemt.order = job.order;
    gemt.rounds_result = job.result == result_format::element;
    gemt.shifts = job.shifts;
    gemt.initial = initial ? &*initial : nullptr;
    return gemt;
}

template <class T>
workloads::check_result transform_problem<T>::check(const workloads::gemt_problem<T>& sums, const results& found,
                                                    bool quiet) const
{
    const auto reference_of = [&](const workloads::tensor<T>& tensor, const std::function<void(double)>& progress) {
        auto gemt = sums;
        gemt.x = &tensor;
        gemt.progress = progress;
        return workloads::compute_reference(gemt);
    };
    return check(reference_of, found, quiet);
}

template <class T>
workloads::check_result transform_problem<T>::check(const reference_function& reference_of, const results& found,
                                                    bool quiet) const
{
    progress shown(quiet);
    std::optional<workloads::check_result> worst;
    std::optional<workloads::gemt_reference<T>> reference;
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::function<void(double)> show;
        if (shown.active()) {
            show = [&](double done) {
                shown.show((static_cast<double>(i) + done) / static_cast<double>(found.size()),
                           found.size() > 1 ? "reference of tensor " + std::to_string(i + 1) : "reference");
            };
        }
        if (!reference || x.size() > 1) { reference = reference_of(tensor(i), show); }
        const auto result = workloads::check_gemt(found[i], *reference);
        if (worst) {
            take_worse(*worst, result);
        } else {
            worst = result;
        }
    }
    return *worst;
}

template <class T>
void save_results(const std::string& path, const transform_job& job,
                  const std::vector<workloads::tensor<arithmetic::accumulator_of<T>>>& results)
{
    using sum = arithmetic::accumulator_of<T>;
    if constexpr (std::is_same_v<T, std::int8_t>) {
        if (job.result == result_format::element) {
            std::vector<workloads::tensor<T>> small;
            for (const auto& y : results) {
                small.emplace_back(y.shape);
                std::transform(y.data.begin(), y.data.end(), small.back().data.begin(),
                               [](sum value) { return static_cast<T>(value); });
            }
            return save_tensors(path, small);
        }
    }
    save_tensors(path, results);
}

std::array<std::uint64_t, 4> stage_elements(const transform_job& job)
{
    std::array<std::uint64_t, 4> elements{workloads::volume_of(job.shape)};
    if (!job.chain.empty()) {
        elements.fill(workloads::volume_of(job.box()));
        return elements;
    }
    workloads::shape3 shape = job.shape;
    for (std::size_t s = 0; s < 3; ++s) {
        const std::size_t m = job.order[s] - 1;
        shape[m] = job.result_shape()[m];
        elements[s + 1] = workloads::volume_of(shape);
    }
    return elements;
}

job_memory memory_of(const transform_job& job)
{
    const std::uint64_t element = base::element_bytes(job.format);
    const std::uint64_t sum = base::element_bytes(base::accumulator_type(job.format));
    const std::uint64_t results = workloads::volume_of(job.result_shape());
    const std::uint64_t inputs = (job.input ? 1 : job.batch) * workloads::volume_of(job.shape) * element;
    std::uint64_t matrices = 0; // of a chain also operands
    for (std::size_t m = 0; job.chain.empty() && m < 3; ++m) {
        matrices += job.shape[m] * job.result_shape()[m] * element;
    }
    for (const auto& step : job.chain) {
        if (step.has_operand()) { matrices += workloads::volume_of(step.in_shape) * element; }
        for (std::size_t m = 0; step.is_transform() && m < 3; ++m) {
            matrices += step.in_shape[m] * step.out_shape[m] * element;
        }
    }

    job_memory memory;
    const std::uint64_t initial = job.initial ? results * sum : 0;
    memory.platform = 2 * matrices + inputs + job.batch * results * base::element_bytes(job.result_type()) + initial;
    memory.tensors =
        matrices + job.batch * results * sum + (job.result == result_format::element ? results * element : 0) + initial;
    memory.reference = inputs + reference_of(job);
    return memory;
}

template void require_finite_elements(const std::vector<double>&, const std::vector<std::size_t>&, const std::string&);
template void require_finite_elements(const std::vector<float>&, const std::vector<std::size_t>&, const std::string&);
template void require_finite_elements(const std::vector<std::complex<double>>&, const std::vector<std::size_t>&,
                                      const std::string&);
template void require_finite_elements(const std::vector<std::complex<float>>&, const std::vector<std::size_t>&,
                                      const std::string&);
template void require_finite_elements(const std::vector<arithmetic::bfloat16>&, const std::vector<std::size_t>&,
                                      const std::string&);
template void require_finite_elements(const std::vector<std::int8_t>&, const std::vector<std::size_t>&,
                                      const std::string&);
template void require_finite_elements(const std::vector<std::int32_t>&, const std::vector<std::size_t>&,
                                      const std::string&);

template struct transform_problem<double>;
template struct transform_problem<float>;
template struct transform_problem<std::complex<double>>;
template struct transform_problem<std::complex<float>>;
template struct transform_problem<arithmetic::bfloat16>;
template struct transform_problem<std::int8_t>;

template void save_results<double>(const std::string&, const transform_job&,
                                   const std::vector<workloads::tensor<arithmetic::accumulator_of<double>>>&);
template void save_results<float>(const std::string&, const transform_job&,
                                  const std::vector<workloads::tensor<arithmetic::accumulator_of<float>>>&);
template void save_results<std::complex<double>>(
    const std::string&, const transform_job&,
    const std::vector<workloads::tensor<arithmetic::accumulator_of<std::complex<double>>>>&);
template void save_results<std::complex<float>>(
    const std::string&, const transform_job&,
    const std::vector<workloads::tensor<arithmetic::accumulator_of<std::complex<float>>>>&);
template void save_results<arithmetic::bfloat16>(
    const std::string&, const transform_job&,
    const std::vector<workloads::tensor<arithmetic::accumulator_of<arithmetic::bfloat16>>>&);
template void save_results<std::int8_t>(const std::string&, const transform_job&,
                                        const std::vector<workloads::tensor<arithmetic::accumulator_of<std::int8_t>>>&);

} // namespace tensorloom::testbench
