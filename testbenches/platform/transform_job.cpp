#include "platform/transform_job.h"
#include <algorithm>
#include <complex>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/core_memory.h"
#include "platform/report_table.h"

namespace tensorloom::testbench {

result_format parse_result_format(const std::string& name)
{
    if (name == "element") { return result_format::element; }
    if (name == "accumulator") { return result_format::accumulator; }
    throw arch::input_error("result format '" + name + "' found, expected element or accumulator");
}

std::array<std::string, 3> read_transform_names(const option_values& values, const std::string& option)
{
    const auto names = values.get_words(option);
    if (names.size() == 1) { return {names[0], names[0], names[0]}; }
    if (names.size() == 3) { return {names[0], names[1], names[2]}; }
    throw values.complaint(option, "one transform, or three separated by commas");
}

std::array<workloads::transform, 3> parse_transforms(const std::array<std::string, 3>& names)
{
    return {workloads::parse_transform(names[0]), workloads::parse_transform(names[1]),
            workloads::parse_transform(names[2])};
}

std::string transforms_text(const transform_job& job) { return listed(job.transforms, workloads::transform_name, ","); }

template <class T> std::vector<workloads::tensor<T>> make_tensors(const transform_job& job)
{
    std::vector<workloads::tensor<T>> x;
    if (job.input) {
        x.push_back(workloads::load_npy_as<T>(*job.input));
        return x;
    }
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        x.push_back(workloads::fill_tensor<T>(job.fill, job.shape, job.zeros, job.seed + i));
    }
    return x;
}

template <class T> transform_problem<T> make_problem(const transform_job& job)
{
    transform_problem<T> problem;
    problem.x = make_tensors<T>(job);
    if (job.initial) { problem.initial = workloads::load_npy_as<arithmetic::accumulator_of<T>>(*job.initial); }
    const auto out = job.result_shape();
    for (std::size_t m = 0; m < 3; ++m) {
        problem.matrices[m] =
            workloads::transform_matrix<T>(job.transforms[m], job.shape[m], out[m], job.scaling, job.inverse);
        if (job.tags != workloads::tag_kind::diagonal) {
            problem.row_orders[m] = workloads::row_order(job.tags, job.shape[m], job.seed + m);
        }
    }
    return problem;
}

namespace {

// Bytes of a reference (workloads/gemt_reference.h) for each element of a stage's input, of its output, and of the
// result beside the sums that are not rounded, which are in float64.
struct reference_bytes {
    std::uint64_t input;
    std::uint64_t output;
    std::uint64_t result = 0;
};

reference_bytes reference_bytes_of(arch::element_type format)
{
    switch (format) {
    case arch::element_type::bf16: return {24, 32, 24}; // long double and how far off it is; bounds on the way
    case arch::element_type::int8: return {1, 12, 16};  // sums of 64 and of 32 bits; long double in the end
    default: break;
    }
    const std::uint64_t wide = arch::is_complex(format) ? 2 * sizeof(long double) : sizeof(long double);
    return {wide, wide};
}

std::uint64_t reference_of(const transform_job& job, const std::array<std::uint64_t, 4>& elements)
{
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

job_memory memory_of(const transform_job& job, const std::array<std::uint32_t, 3>& mesh, bool detailed)
{
    const std::uint64_t element = arch::element_bytes(job.format);
    const std::uint64_t sum = arch::element_bytes(arch::accumulator_type(job.format));
    const workloads::shape3 mesh_box{mesh[0], mesh[1], mesh[2]};
    const bool tiled = job.box()[0] > mesh[0] || job.box()[1] > mesh[1] || job.box()[2] > mesh[2];
    const std::uint64_t results = workloads::volume_of(job.result_shape());
    const std::uint64_t inputs = (job.input ? 1 : job.batch) * workloads::volume_of(job.shape) * element;
    const std::uint64_t initial = job.initial ? results * sum : 0;

    std::array<std::uint64_t, 4> elements{workloads::volume_of(job.shape)}; // of X and of the results of the stages
    workloads::shape3 shape = job.shape;
    std::uint64_t matrices = 0;
    for (std::size_t s = 0; s < 3; ++s) {
        const std::size_t m = job.order[s] - 1;
        shape[m] = job.result_shape()[m];
        elements[s + 1] = workloads::volume_of(shape);
        matrices += job.shape[m] * job.result_shape()[m] * element;
    }

    // A pass has an operand and a result in registers, with double buffering two of each.
    std::uint64_t cells = 2 * workloads::volume_of(job.box());
    if (detailed) {
        cells = workloads::volume_of(mesh_box);
    } else if (tiled) {
        cells = std::min((job.double_buffer ? 4u : 2u) * workloads::volume_of(mesh_box), cells);
    } else if (job.esop) {
        cells = std::max({elements[0] + elements[1], elements[1] + elements[2], elements[2] + elements[3]});
    }
    if (!detailed && job.initial) { cells += std::min<std::uint64_t>(results, cells); }

    job_memory memory;
    memory.platform = 2 * matrices + inputs + job.batch * results * arch::element_bytes(job.result_type()) + initial +
                      (tiled ? (elements[1] + elements[2]) * element : 0) + core_bytes(cells, job.format, detailed);
    memory.tensors =
        matrices + job.batch * results * sum + initial + (job.result == result_format::element ? results * element : 0);
    memory.reference = inputs + reference_of(job, elements);
    return memory;
}

template std::vector<workloads::tensor<double>> make_tensors(const transform_job&);
template transform_problem<double> make_problem(const transform_job&);
template std::vector<workloads::tensor<float>> make_tensors(const transform_job&);
template transform_problem<float> make_problem(const transform_job&);
template std::vector<workloads::tensor<std::complex<double>>> make_tensors(const transform_job&);
template transform_problem<std::complex<double>> make_problem(const transform_job&);
template std::vector<workloads::tensor<std::complex<float>>> make_tensors(const transform_job&);
template transform_problem<std::complex<float>> make_problem(const transform_job&);
template std::vector<workloads::tensor<arithmetic::bfloat16>> make_tensors(const transform_job&);
template transform_problem<arithmetic::bfloat16> make_problem(const transform_job&);
template std::vector<workloads::tensor<std::int8_t>> make_tensors(const transform_job&);
template transform_problem<std::int8_t> make_problem(const transform_job&);

} // namespace tensorloom::testbench
