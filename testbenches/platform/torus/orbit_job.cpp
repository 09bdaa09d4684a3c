#include "platform/torus/orbit_job.h"
#include <algorithm>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/gemt_reference.h>
#include "platform/run/program_run.h"
#include "platform/torus/orbit_chain.h"

namespace tensorloom::testbench {
namespace {

using torus::direction;
using torus::orbit_command;

constexpr std::uint64_t stream_alignment = 64; // bytes between the first elements of a batch's tensors

direction first_way(const orbit_job& job) { return job.inverse ? direction::inverse : direction::forward; }

isa::mode_sizes modes_of(const workloads::shape3& shape)
{
    const auto sizes = descriptor_sizes(shape);
    return {sizes[0], sizes[1], sizes[2]};
}

// Elements from one tensor of a batch to the next.
std::uint64_t pitch_of(const workloads::shape3& shape, base::element_type type)
{
    const std::uint64_t unit = stream_alignment / base::element_bytes(type);
    return (workloads::volume_of(shape) + unit - 1) / unit * unit;
}

// The tensors of a batch, or the one at `base`; `pitch` 0: the same one again and again.
isa::tensor_descriptor tensors(std::uint64_t base, base::element_type type, const workloads::shape3& shape,
                               std::uint32_t count, std::uint64_t pitch)
{
    auto sizes = descriptor_sizes(shape);
    if (count == 1) { return isa::dense_descriptor(base, type, sizes); }
    sizes.insert(sizes.begin(), count);
    auto stream = isa::dense_descriptor(base, type, sizes);
    stream.stride[0] = static_cast<std::int64_t>(pitch);
    return stream;
}

// What all commands of a job have, those of the way back or there alike.
orbit_command common_command(const orbit_job& job, const torus_fit& fit, direction way)
{
    orbit_command c;
    c.flags = job.double_buffer ? orbit_command::flag_double_buffer : std::uint16_t{0};
    std::array<std::uint8_t, 3> modes{};
    unsigned stage_mask = 0;
    for (std::size_t s = 0; s < 3; ++s) {
        modes[s] = static_cast<std::uint8_t>(job.order[job.inverse ? 2 - s : s]);
        if (job.sums(modes[s] - 1u)) { stage_mask |= 1u << s; }
    }
    c.run_stages(modes, stage_mask);
    c.way = way;
    unsigned stage = c.first_stage();
    for (std::size_t s = 0; s < 3; ++s) { // in the order of the sums
        if (job.sums(job.order[s] - 1)) { c.shifts[stage++] = static_cast<std::uint8_t>(job.shifts[s]); }
    }
    c.vector = job.vector;
    c.blocks = fit.blocks;
    return c;
}

void add_matrices(orbit_command& c, const orbit_job& job, const std::array<std::uint64_t, 3>& at)
{
    const auto sizes = sizes_of(job);
    for (std::size_t m = 0; m < 3; ++m) {
        if (!job.sums(m)) { continue; }
        c.matrix[m] = isa::dense_descriptor(at[m], job.format, {sizes.in_size[m], sizes.out_size[m]});
    }
}

// The batch, then the further sets of transforms of its only tensor.
std::vector<orbit_command> stream_of(const orbit_job& job, const torus_fit& fit, const orbit_layout& at)
{
    auto c = common_command(job, fit, first_way(job));
    const auto pitch = at.x.size() == 1 ? 0 : pitch_of(job.shape, job.format);
    c.x = tensors(at.x[0], job.format, job.shape, job.batch, pitch);
    c.y = tensors(at.y[0], job.result_type(), job.result_shape(), job.batch,
                  pitch_of(job.result_shape(), job.result_type()));
    if (at.workspace_elements != 0) {
        c.workspace =
            isa::dense_descriptor(at.workspace, job.format, {static_cast<std::uint32_t>(at.workspace_elements)});
    }
    add_matrices(c, job, at.matrices);
    if (job.initial) { c.flags |= orbit_command::flag_accumulate; }
    std::vector<orbit_command> all{c};
    for (std::size_t set = 1; set < job.sets(); ++set) {
        c = common_command(job, fit, first_way(job));
        c.flags |= orbit_command::flag_keep_tensor;
        if (job.initial) { c.flags |= orbit_command::flag_accumulate; }
        c.y = isa::dense_descriptor(at.y[set], job.result_type(), descriptor_sizes(job.result_shape()));
        add_matrices(c, job, at.more_matrices[set - 1]);
        all.push_back(c);
    }
    return all;
}

} // namespace

std::vector<unsigned> orbit_job::summed_modes() const
{
    std::vector<unsigned> modes;
    for (const unsigned mode : order) {
        if (this->sums(mode - 1)) { modes.push_back(mode - 1); }
    }
    return modes;
}

orbit_job orbit_job::of_set(std::size_t set) const
{
    orbit_job one = *this;
    if (set > 0) { one.transforms = more_sets[set - 1]; }
    one.more_sets.clear();
    return one;
}

std::uint64_t orbit_job::transforms_of_tensor() const
{
    if (chain.empty()) { return 1; }
    return static_cast<std::uint64_t>(
        std::count_if(chain.begin(), chain.end(), [](const auto& step) { return step.is_transform(); }));
}

std::uint64_t orbit_job::macs() const
{
    double one = 0;
    for (const auto& step : steps_of(*this)) { one += workloads::multiply_adds(step); }
    return batch * sets() * static_cast<std::uint64_t>(one);
}

transform_job orbit_job::as_read_out() const
{
    transform_job read = *this;
    read.batch *= static_cast<std::uint32_t>(sets());
    return read;
}

torus::orbit_sizes sizes_of(const orbit_job& job)
{
    if (!job.chain.empty()) { return chain_sizes(job); }
    const auto from = modes_of(job.shape), to = modes_of(job.result_shape());
    if (job.inverse) { return {to, from}; }
    return {from, to};
}

isa::tile_plan plan_of(const orbit_job& job, const torus_fit& fit)
{
    return torus::plan_orbit(common_command(job, fit, first_way(job)), sizes_of(job), fit.side);
}

template <class T> orbit_transform<T> orbit_transform<T>::make(const orbit_job& job)
{
    orbit_transform<T> problem;
    if (!job.chain.empty()) {
        problem.make_tensors(job);
        problem.steps = chain_data_of<T>(job);
        return problem;
    }
    problem.make_data(job);
    for (std::size_t set = 1; set < job.sets(); ++set) {
        orbit_transform<T> of_set;
        of_set.make_matrices(job.of_set(set));
        problem.more_matrices.push_back(std::move(of_set.matrices));
    }
    return problem;
}

template <class T>
orbit_layout orbit_transform<T>::lay_out(const orbit_job& job, const torus_fit& fit, memory_layout& memory) const
{
    orbit_layout at;
    at.program = memory.place(job.chain.empty() ? torus::driver::program_bytes(job.sets()) : chain_program_bytes(job));
    const auto place = [&](const std::array<std::vector<T>, 3>& set) {
        std::array<std::uint64_t, 3> placed{};
        for (std::size_t m = 0; m < 3; ++m) { placed[m] = memory.place(set[m].size() * sizeof(T)); }
        return placed;
    };
    at.matrices = place(this->matrices);
    at.steps = memory_of_steps(job).place(memory);
    for (const auto& set : more_matrices) { at.more_matrices.push_back(place(set)); }
    at.workspace_elements = plan_of(job, fit).workspace_elements();
    at.workspace = place_workspace(at.workspace_elements, job.format, memory);
    const auto read = job.as_read_out();
    const std::uint64_t x_bytes = pitch_of(job.shape, job.format) * sizeof(T);
    const std::uint64_t y_bytes =
        pitch_of(read.result_shape(), job.result_type()) * base::element_bytes(job.result_type());
    const std::uint64_t first_x = memory.place(this->x.size() * x_bytes), first_y = memory.place(read.batch * y_bytes);
    for (std::size_t i = 0; i < this->x.size(); ++i) { at.x.push_back(first_x + i * x_bytes); }
    for (std::uint32_t i = 0; i < read.batch; ++i) { at.y.push_back(first_y + i * y_bytes); }
    return at;
}

template <class T> void orbit_transform<T>::preload(bus::host_thread& cpu, const orbit_job& job, const orbit_layout& at)
{
    const auto write = [&](const std::array<std::vector<T>, 3>& set, const std::array<std::uint64_t, 3>& to) {
        for (std::size_t m = 0; m < 3; ++m) {
            if (set[m].empty()) { continue; }
            const auto loaded = job.inverse ? workloads::conjugate_transpose(set[m], job.shape[m]) : set[m];
            cpu.preload(to[m], loaded.data(), loaded.size() * sizeof(T));
        }
    };
    write(this->matrices, at.matrices);
    memory_of_steps(job).preload(cpu, at.steps);
    for (std::size_t set = 0; set < more_matrices.size(); ++set) { write(more_matrices[set], at.more_matrices[set]); }
    for (std::size_t i = 0; this->initial && i < at.y.size(); ++i) {
        cpu.preload(at.y[i], this->initial->data.data(), this->initial->data.size() * sizeof(this->initial->data[0]));
    }
    this->preload_tensors(cpu, at);
}

template <class T>
typename orbit_transform<T>::results orbit_transform<T>::run(isa::host_port& host, std::uint64_t device,
                                                             const orbit_job& job, const torus_fit& fit,
                                                             const orbit_layout& at)
{
    torus::driver driver(host, device);
    const auto program =
        job.chain.empty() ? torus::driver::program(stream_of(job, fit, at)) : chain_program(job, fit, at);
    const auto ended = run_to_its_end(driver, program, at.program);
    require_no_overflow(ended);
    require_done(ended);
    return transform_problem<T>::read_results(host, job.as_read_out(), at);
}

template <class T> chain_memory<T> orbit_transform<T>::memory_of_steps(const orbit_job& job) const
{
    return job.chain.empty() ? chain_memory<T>() : chain_memory<T>(rows_of_torus(job), loaded_chain(job, steps));
}

template <class T>
workloads::check_result orbit_transform<T>::check(const orbit_job& job, const results& found, bool quiet) const
{
    if (job.chain.empty()) { return transform_problem<T>::check(this->sums(job), found, quiet); }
    return check_chain<T>(*this, job, steps, {}, found, quiet);
}

template <class T>
workloads::check_result orbit_transform<T>::check_set(const orbit_job& job, std::size_t set, const results& found,
                                                      bool quiet) const
{
    auto sums = this->sums(job.of_set(set));
    for (std::size_t m = 0; set > 0 && m < 3; ++m) {
        if (job.sums(m)) { sums.matrices[m] = &more_matrices[set - 1][m]; }
    }
    return transform_problem<T>::check(sums, results{found[set]}, quiet);
}

job_memory memory_of(const orbit_job& job, const torus_fit& fit, bool detailed)
{
    auto memory = memory_of(job.as_read_out());
    for (std::size_t m = 0; m < 3; ++m) { // of further sets, on the host and in the memory on the bus
        const std::uint64_t bytes =
            std::uint64_t{job.shape[m]} * job.result_shape()[m] * base::element_bytes(job.format);
        memory.platform += job.more_sets.size() * bytes;
        memory.tensors += job.more_sets.size() * bytes;
    }
    const auto plan = plan_of(job, fit);
    const std::uint64_t element = base::element_bytes(job.format),
                        sum = base::element_bytes(base::accumulator_type(job.format));
    std::uint64_t words = 0; // of tensors on the torus
    for (const auto& stage : plan.stages) {
        words = std::max(words, isa::volume_of(stage.operand_tile) + isa::volume_of(stage.result_tile));
    }
    constexpr std::uint64_t slots = 4; // X, X1, X2, X3
    memory.platform += plan.workspace_elements() * element;
    memory.platform += slots * words / 2 * sum + fit.nodes() * fit.coefficient_elements * element;
    if (detailed) { memory.platform += fit.nodes() * detailed_node_bytes; }
    return memory;
}

template struct orbit_transform<double>;
template struct orbit_transform<float>;
template struct orbit_transform<std::complex<double>>;
template struct orbit_transform<std::complex<float>>;
template struct orbit_transform<arithmetic::bfloat16>;
template struct orbit_transform<std::int8_t>;

} // namespace tensorloom::testbench
