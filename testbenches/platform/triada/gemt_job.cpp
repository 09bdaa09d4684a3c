#include "platform/triada/gemt_job.h"
#include <limits>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/options/field_options.h"
#include "platform/process/process_resources.h"
#include "platform/run/program_run.h"
#include "platform/triada/gemt_chain.h"
#include "platform/triada/tile_order.h"

namespace tensorloom::testbench {

base::config_fields fields_of(gemt_settings& s)
{
    return {
        base::choice(s.esop, {{"esop", 1}, {"dense", 0}},
                     {"sparsity", "sparsity", "esop|dense",
                      "Skip zeros (elastic sparse outer products), or send and multiply everything."}),
        base::fraction(s.zero_threshold, 0, std::numeric_limits<double>::max(),
                       {"zero-threshold", "zero_threshold", "X",
                        "ESOP: a stored operand whose modulus is at most this counts as zero."}),
        base::flag(s.double_buffer, {"double-buffer", "double_buffer", "",
                                     "Tiles: load the next block and unload the last one while computing."}),
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
    if (!s.esop && s.zero_threshold != 0) { throw values.error("zero-threshold", "0, or --sparsity esop"); }
    return s;
}

triada::gemt_command command_of(const gemt_job& job)
{
    triada::gemt_command c;
    c.flags = static_cast<std::uint16_t>(
        (job.esop ? triada::gemt_command::flag_esop : 0) | (job.initial ? triada::gemt_command::flag_accumulate : 0) |
        (job.double_buffer ? triada::gemt_command::flag_double_buffer : 0) | job.layouts);
    c.partials = job.partials;
    for (std::size_t s = 0; s < 3; ++s) {
        c.order[s] = static_cast<std::uint8_t>(job.order[s]);
        c.shifts[s] = static_cast<std::uint8_t>(job.shifts[s]);
        if (!job.sums(job.order[s] - 1)) { c.stage_mask &= static_cast<std::uint8_t>(~(1u << s)); }
    }
    c.zero_threshold = job.zero_threshold;
    c.x = isa::dense_descriptor(0, job.format, descriptor_sizes(job.shape));
    c.y = isa::dense_descriptor(0, job.result_type(), descriptor_sizes(job.result_shape()));
    return c;
}

namespace {

std::vector<triada::gemt_command> commands(const gemt_job& job, const gemt_layout& at)
{
    const auto n = descriptor_sizes(job.shape);
    const auto k = descriptor_sizes(job.result_shape());
    std::vector<triada::gemt_command> all;
    for (std::uint32_t i = 0; i < job.batch; ++i) {
        triada::gemt_command c = command_of(job);
        c.x.base = at.x[at.x.size() == 1 ? 0 : i];
        c.y.base = at.y[i];
        if (job.initial) { c.initial_y = isa::dense_descriptor(at.initial, base::accumulator_type(job.format), k); }
        if (at.workspace_elements != 0) {
            c.workspace =
                isa::dense_descriptor(at.workspace, job.format, {static_cast<std::uint32_t>(at.workspace_elements)});
        }
        if (i > 0) { c.flags |= triada::gemt_command::flag_keep_matrices; }
        for (std::size_t m = 0; i == 0 && m < 3; ++m) {
            if (!job.sums(m)) { continue; }
            c.matrix[m] = isa::dense_descriptor(at.matrices[m], job.format, {n[m], k[m]});
            c.row_order_address[m] = at.row_orders[m];
        }
        all.push_back(c);
    }
    return all;
}

} // namespace

triada::gemt_plan plan_of(const gemt_job& job, const isa::mode_sizes& mesh)
{
    return triada::plan_gemt(command_of(job), mesh);
}

template <class T> gemt_transform<T> gemt_transform<T>::make(const gemt_job& job)
{
    gemt_transform<T> problem;
    if (!job.chain.empty()) {
        problem.make_tensors(job);
        std::vector<workloads::shape3> rows;
        for (const auto& step : job.chain) { rows.push_back(step.in_shape); }
        problem.chain = chain_memory<T>(rows, chain_data_of<T>(job));
        return problem;
    }
    problem.make_data(job);
    for (std::size_t m = 0; m < 3; ++m) {
        if (job.sums(m) && job.tags != workloads::tag_kind::diagonal) {
            problem.row_orders[m] = workloads::row_order(job.tags, job.shape[m], job.seed + m);
        }
    }
    return problem;
}

template <class T>
gemt_layout gemt_transform<T>::lay_out(const gemt_job& job, const isa::mode_sizes& mesh, memory_layout& memory) const
{
    const auto out = job.result_shape();
    gemt_layout at;
    at.mesh = mesh;
    at.moves_beside_work = moves_beside_work(job, mesh);
    if (!job.chain.empty()) {
        at.program = memory.place(chain_program_bytes(job));
        at.steps = chain.place(memory);
        this->place_tensors(job, memory, at);
        return at;
    }
    at.program =
        memory.place(at.moves_beside_work ? chain_program_bytes(job) : triada::driver::program_bytes(job.batch));
    for (std::size_t m = 0; m < 3; ++m) {
        if (job.sums(m)) { at.matrices[m] = memory.place(job.shape[m] * out[m] * sizeof(T)); }
        if (!row_orders[m].empty()) { at.row_orders[m] = memory.place(job.shape[m] * 4); }
    }
    this->place_initial(job, memory, at);
    at.steps = {{at.matrices, 0}};
    const auto plan = plan_of(job, mesh);
    at.workspace_elements = plan.workspace_elements();
    if (job.bank_bytes == 0) {
        at.workspace = place_workspace(at.workspace_elements, job.format, memory);
        this->place_tensors(job, memory, at);
        return at;
    }
    // X, each intermediate tensor and Y begin in one bank and in another in turn; the second intermediate tensor lies
    // at the end of the workspace.
    const std::uint64_t all = job.bank_bytes, apart = all / 8 * 3;
    const bool two = plan.stages.size() == 3;
    memory.skip_to(0, all);
    this->place_inputs(job, memory, at);
    memory.skip_to(apart, all);
    if (two && at.workspace_elements > 0) {
        const std::uint64_t first = (plan.x_copy_elements + plan.stages[0].result_elements()) * sizeof(T);
        at.workspace_elements += (all - (apart + first) % all) % all / sizeof(T);
    }
    at.workspace = place_workspace(at.workspace_elements, job.format, memory);
    memory.skip_to(two ? apart : 0, all);
    this->place_outputs(job, memory, at);
    return at;
}

template <class T> void gemt_transform<T>::preload(bus::host_thread& cpu, const gemt_job& job, const gemt_layout& at)
{
    if (chain.steps() > 0) { chain.preload(cpu, at.steps); }
    this->preload_matrices(cpu, at);
    for (std::size_t m = 0; m < 3; ++m) {
        if (at.row_orders[m] != 0) { cpu.preload(at.row_orders[m], row_orders[m].data(), row_orders[m].size() * 4); }
    }
    const auto c = command_of(job);
    if (c.x_tiles()) {
        for (auto& tensor : this->x) { tensor.data = reordered(tensor.data, job.shape, at.mesh, true); }
    }
    if (!this->initial || !c.y_tiles()) { return this->preload_tensors(cpu, at); }
    auto rows = reordered(this->initial->data, job.result_shape(), at.mesh, true);
    std::swap(rows, this->initial->data); // the check needs the rows
    this->preload_tensors(cpu, at);
    std::swap(rows, this->initial->data);
}

template <class T>
typename gemt_transform<T>::outcome gemt_transform<T>::run(isa::host_port& host, std::uint64_t device,
                                                           const gemt_job& job, const gemt_layout& at)
{
    triada::driver driver(host, device);
    const auto program = job.chain.empty() && !at.moves_beside_work ? triada::driver::program(commands(job, at))
                                                                    : chain_program(job, at);
    const auto ended = run_to_its_end(driver, program, at.program);
    require_no_overflow(ended, "tensor " + std::to_string(ended.error_command / steps_of(job).size() + 1) + ": ");
    require_done(ended);
    outcome found{transform_problem<T>::read_results(host, job, at), ended.cycles};
    if (command_of(job).y_tiles()) {
        for (auto& tensor : found.y) { tensor.data = reordered(tensor.data, job.result_shape(), at.mesh, false); }
    }
    return found;
}

template <class T>
workloads::check_result gemt_transform<T>::check(const gemt_job& job, const results& found, bool quiet) const
{
    if (!job.chain.empty()) {
        const zero_handling zeros{job.esop, job.esop ? job.zero_threshold : 0};
        return check_chain<T>(*this, job, chain.loaded(), zeros, found, quiet);
    }
    auto gemt = this->sums(job);
    gemt.threshold = job.esop ? job.zero_threshold : 0;
    gemt.skips_zeros = job.esop;
    return transform_problem<T>::check(gemt, found, quiet);
}

job_memory memory_of(const gemt_job& job, const std::array<std::uint32_t, 3>& mesh, bool detailed)
{
    const std::uint64_t element = base::element_bytes(job.format);
    const workloads::shape3 mesh_box{mesh[0], mesh[1], mesh[2]};
    const bool tiled = job.box()[0] > mesh[0] || job.box()[1] > mesh[1] || job.box()[2] > mesh[2];
    const auto elements = stage_elements(job);

    // A pass has an operand and the results that share it in registers, with double buffering two of each.
    std::uint64_t cells = 2 * workloads::volume_of(job.box());
    if (detailed) {
        cells = workloads::volume_of(mesh_box);
    } else if (tiled) {
        const unsigned registers = (job.double_buffer ? 2u : 1u) * (1u + std::max<unsigned>(job.partials, 1));
        cells = std::min(registers * workloads::volume_of(mesh_box), registers / 2 * cells);
    } else if (!job.chain.empty()) {
        cells = 4 * workloads::volume_of(job.box()); // operand, two results and another tensor
    } else if (job.esop) {
        cells = std::max({elements[0] + elements[1], elements[1] + elements[2], elements[2] + elements[3]});
    }
    if (!detailed && job.initial) { cells += std::min<std::uint64_t>(elements[3], cells); }

    const auto workspace = triada::gemt_workspace_elements(command_of(job), mesh);
    auto memory = memory_of(job);
    memory.platform += (tiled ? workspace * element : 0) + core_bytes(cells, job.format, detailed);
    return memory;
}

template struct gemt_transform<double>;
template struct gemt_transform<float>;
template struct gemt_transform<std::complex<double>>;
template struct gemt_transform<std::complex<float>>;
template struct gemt_transform<arithmetic::bfloat16>;
template struct gemt_transform<std::int8_t>;

} // namespace tensorloom::testbench
