#include "platform/transform/transform_job.h"
#include <limits>
#include <tensorloom/models/arch/triada/driver.h>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/options/field_options.h"
#include "platform/process/main.h"
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/report/report_table.h"
#include "platform/system/program_run.h"

namespace tensorloom::testbench {

namespace {

std::vector<std::string> names_of(const std::vector<arch::element_type>& formats)
{
    std::vector<std::string> names;
    for (const auto f : formats) { names.emplace_back(arch::element_type_name(f)); }
    return names;
}

} // namespace

// ---- options ----

void add_format_option(option_table& table, const std::vector<arch::element_type>& formats,
                       const std::string& format_default)
{
    table.add_value("format", form_of(names_of(formats)), "Element format (default: " + format_default + ").");
}

arch::config_fields fields_of(gemt_settings& s)
{
    return {
        arch::choice(s.esop, {{"esop", 1}, {"dense", 0}},
                     {"sparsity", "sparsity", "esop|dense",
                      "Skip zeros (elastic sparse outer products), or send and multiply everything."}),
        arch::fraction(s.zero_threshold, 0, std::numeric_limits<double>::max(),
                       {"zero-threshold", "zero_threshold", "X",
                        "ESOP: a stored operand of at most this modulus counts as zero."}),
        arch::flag(s.double_buffer,
                   {"double-buffer", "double_buffer", "", "Tiles: load the next and unload the last while computing."}),
    };
}

void add_gemt_options(option_table& table)
{
    gemt_settings defaults;
    add_fields(table, fields_of(defaults));
}

gemt_settings read_gemt_settings(const option_values& values)
{
    gemt_settings s;
    read_fields(values, fields_of(s));
    if (!s.esop && s.zero_threshold != 0) { throw values.complaint("zero-threshold", "0, or --sparsity esop"); }
    return s;
}

std::array<unsigned, 3> read_order(const option_values& values)
{
    return workloads::parse_mode_order(values.get_choice("order", {"123", "132", "213", "231", "312", "321"}));
}

arch::element_type read_format(const option_values& values, const std::vector<arch::element_type>& formats,
                               const std::optional<std::string>& complex_because)
{
    if (!values.has("format")) { return complex_because ? arch::element_type::c128 : arch::element_type::f64; }
    const auto format = *arch::parse_element_type(values.get_choice("format", names_of(formats)));
    if (complex_because && !arch::is_complex(format)) {
        throw values.complaint("format", "a complex format (c128, c64) because " + *complex_because);
    }
    return format;
}

workloads::npy_header tensor_header(const std::string& option, const std::string& path)
{
    const auto header = workloads::read_npy_header(path);
    if (header.shape.size() != 3) {
        throw arch::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected 3");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (header.shape[m] == 0) {
            throw arch::input_error("--" + option + ": " + path + ": mode " + std::to_string(m + 1) +
                                    " is empty, expected at least 1 element");
        }
    }
    return header;
}

std::uint64_t place_workspace(std::uint64_t elements, arch::element_type format, memory_layout& memory)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    if (elements > most) {
        throw arch::input_error("the intermediate tensors have " + std::to_string(elements) +
                                " elements, expected at most " + std::to_string(most) +
                                ", which is what a workspace can have");
    }
    return elements == 0 ? 0 : memory.place(elements * arch::element_bytes(format));
}

namespace {

// ---- running ----

std::vector<std::uint32_t> sizes(const workloads::shape3& shape)
{
    return {static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
            static_cast<std::uint32_t>(shape[2])};
}

// What all commands of a job have; X and Y without their addresses.
arch::triada::gemt_command common_command(const transform_job& job)
{
    arch::triada::gemt_command c;
    c.flags = static_cast<std::uint16_t>((job.esop ? arch::triada::gemt_command::flag_esop : 0) |
                                         (job.initial ? arch::triada::gemt_command::flag_accumulate : 0) |
                                         (job.double_buffer ? arch::triada::gemt_command::flag_double_buffer : 0));
    for (std::size_t s = 0; s < 3; ++s) {
        c.order[s] = static_cast<std::uint8_t>(job.order[s]);
        c.shifts[s] = static_cast<std::uint8_t>(job.shifts[s]);
    }
    c.zero_threshold = job.zero_threshold;
    c.x = arch::dense_descriptor(0, job.format, sizes(job.shape));
    c.y = arch::dense_descriptor(0, job.result_type(), sizes(job.result_shape()));
    return c;
}

std::vector<arch::triada::gemt_command> commands(const transform_job& job, const transform_layout& at)
{
    const auto n = sizes(job.shape);
    const auto k = sizes(job.result_shape());
    std::vector<arch::triada::gemt_command> all;
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        arch::triada::gemt_command c = common_command(job);
        c.x.base = at.x[at.x.size() == 1 ? 0 : i];
        c.y.base = at.y[i];
        if (job.initial) { c.initial_y = arch::dense_descriptor(at.initial, arch::accumulator_type(job.format), k); }
        if (at.workspace_elements != 0) {
            c.workspace =
                arch::dense_descriptor(at.workspace, job.format, {static_cast<std::uint32_t>(at.workspace_elements)});
        }
        if (i > 0) { c.flags |= arch::triada::gemt_command::flag_keep_matrices; }
        for (std::size_t m = 0; i == 0 && m < 3; ++m) {
            c.matrix[m] = arch::dense_descriptor(at.matrices[m], job.format, {n[m], k[m]});
            c.row_order_address[m] = at.row_orders[m];
        }
        all.push_back(c);
    }
    return all;
}

template <class T>
typename transform_problem<T>::result_tensor read_result(arch::host_port& host, std::uint64_t address,
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

// ---- checking ----

void take_worse(workloads::check_result& worst, const workloads::check_result& other)
{
    worst.passed = worst.passed && other.passed;
    worst.finite = worst.finite && other.finite;
    worst.max_abs_error = std::max(worst.max_abs_error, other.max_abs_error);
    worst.max_rel_error = std::max(worst.max_rel_error, other.max_rel_error);
    worst.bound = std::max(worst.bound, other.bound);
    if (other.probable_bound) { worst.probable_bound = std::max(*worst.probable_bound, *other.probable_bound); }
    worst.improbable += other.improbable;
    worst.compared += other.compared;
    worst.max_abs_error_against_float64 =
        std::max(worst.max_abs_error_against_float64, other.max_abs_error_against_float64);
    worst.max_rel_error_against_float64 =
        std::max(worst.max_rel_error_against_float64, other.max_rel_error_against_float64);
    worst.saturated += other.saturated;
    worst.overflowed += other.overflowed;
}

// ---- what it takes ----

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
    // Besides the sums, how far operands and results may be off, moduli and what both are made of: in float64.
    const std::uint64_t wide = arch::is_complex(format) ? 2 * sizeof(long double) : sizeof(long double);
    return {wide + 3 * sizeof(double), wide + 2 * sizeof(double)};
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

result_format parse_result_format(const std::string& name)
{
    if (name == "element") { return result_format::element; }
    if (name == "accumulator") { return result_format::accumulator; }
    throw arch::input_error("result format " + arch::in_quotes(name) + " found, expected element or accumulator");
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

template <class T> void transform_problem<T>::make_tensors(const transform_job& job)
{
    x.clear();
    if (job.input) {
        x.push_back(workloads::load_npy_as<T>(*job.input));
        return;
    }
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        x.push_back(workloads::fill_tensor<T>(job.fill, job.shape, job.zeros, job.seed + i));
    }
}

template <class T> transform_problem<T> transform_problem<T>::make(const transform_job& job)
{
    transform_problem<T> problem;
    problem.make_tensors(job);
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

arch::triada::gemt_plan plan_of(const transform_job& job, const arch::triada::gemt_shape& mesh)
{
    return arch::triada::plan_gemt(common_command(job), mesh);
}

template <class T>
transform_layout transform_problem<T>::lay_out(const transform_job& job, const arch::triada::gemt_shape& mesh,
                                               memory_layout& memory) const
{
    const auto out = job.result_shape();
    transform_layout at;
    at.program = memory.place(arch::triada::driver::program_bytes(job.batch));
    for (std::size_t m = 0; m < 3; ++m) {
        at.matrices[m] = memory.place(job.shape[m] * out[m] * sizeof(T));
        if (!row_orders[m].empty()) { at.row_orders[m] = memory.place(job.shape[m] * 4); }
    }
    if (job.initial) { at.initial = memory.place(workloads::volume_of(out) * sizeof(arithmetic::accumulator_of<T>)); }
    at.workspace_elements = arch::triada::gemt_workspace_elements(common_command(job), mesh);
    at.workspace = place_workspace(at.workspace_elements, job.format, memory);
    for (std::size_t i = 0; i < x.size(); ++i) {
        at.x.push_back(memory.place(workloads::volume_of(job.shape) * sizeof(T)));
    }
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        at.y.push_back(memory.place(workloads::volume_of(out) * arch::element_bytes(job.result_type())));
    }
    return at;
}

template <class T> void transform_problem<T>::preload(bus::host_thread& cpu, const transform_layout& at)
{
    for (std::size_t m = 0; m < 3; ++m) {
        cpu.preload(at.matrices[m], matrices[m].data(), matrices[m].size() * sizeof(T));
        if (at.row_orders[m] != 0) { cpu.preload(at.row_orders[m], row_orders[m].data(), row_orders[m].size() * 4); }
    }
    if (initial) {
        const auto& values = initial->data;
        cpu.preload(at.initial, values.data(), values.size() * sizeof(values[0]));
    }
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        cpu.preload(at.x[i], x[i].data.data(), x[i].data.size() * sizeof(T));
        x[i] = {};
    }
}

template <class T>
typename transform_problem<T>::outcome transform_problem<T>::run(arch::host_port& host, std::uint64_t device,
                                                                 const transform_job& job, const transform_layout& at)
{
    arch::triada::driver driver(host, device);
    const auto program = arch::triada::driver::program(commands(job, at));
    const auto ended = run_to_its_end(driver, program, at.program);
    if (ended.error == arch::error_code::accumulator_overflow) {
        throw wrong_result(
            "tensor " + std::to_string(ended.error_command + 1) +
            ": a sum overflows its accumulator, expected numbers or shifts with sums from -2^31 to 2^31 - 1");
    }
    if (!ended.done) {
        throw arch::device_failure(std::string("the device reports: ") + error_text(ended.error) + ", command " +
                                   std::to_string(ended.error_command));
    }
    outcome found;
    found.cycles = ended.cycles;
    for (std::uint32_t i = 0; i < job.batch; ++i) { found.y.push_back(read_result<T>(host, at.y[i], job)); }
    return found;
}

template <class T>
workloads::check_result transform_problem<T>::check(const transform_job& job, const results& found, bool quiet) const
{
    progress shown(quiet);
    std::optional<workloads::check_result> worst;
    workloads::gemt_problem<T> gemt;
    for (std::size_t m = 0; m < 3; ++m) { gemt.matrices[m] = &matrices[m]; }
    gemt.order = job.order;
    gemt.shifts = job.shifts;
    gemt.rounds_result = job.result == result_format::element;
    gemt.threshold = job.esop ? job.zero_threshold : 0;
    gemt.initial = initial ? &*initial : nullptr;
    std::optional<workloads::gemt_reference<T>> reference;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto show = [&](double done) {
            shown.show((static_cast<double>(i) + done) / static_cast<double>(found.size()),
                       found.size() > 1 ? "reference of tensor " + std::to_string(i + 1) : "reference");
        };
        if (shown.active()) { gemt.progress = show; }
        gemt.x = &tensor(i);
        if (!reference || x.size() > 1) { reference = workloads::compute_reference(gemt); }
        const auto result = workloads::check_gemt(found[i], *reference);
        if (worst) {
            take_worse(*worst, result);
        } else {
            worst = result;
        }
    }
    return *worst;
}

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

template struct transform_problem<double>;
template struct transform_problem<float>;
template struct transform_problem<std::complex<double>>;
template struct transform_problem<std::complex<float>>;
template struct transform_problem<arithmetic::bfloat16>;
template struct transform_problem<std::int8_t>;

} // namespace tensorloom::testbench
