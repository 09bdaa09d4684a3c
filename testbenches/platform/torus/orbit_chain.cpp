#include "platform/torus/orbit_chain.h"
#include <algorithm>
#include <optional>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/program.h>

namespace tensorloom::testbench {
namespace {

using isa::pointwise_command;
using torus::direction;
using torus::orbit_command;
using workloads::chain_step;

direction other(direction way) { return way == direction::forward ? direction::inverse : direction::forward; }

std::array<unsigned, 3> reversed(const std::array<unsigned, 3>& order) { return {order[2], order[1], order[0]}; }

class chain_writer {
public:
    chain_writer(const orbit_job& job, const torus_fit& fit, const orbit_layout& at)
        : m_job(job), m_fit(fit), m_at(at), m_ways(ways_of(job)),
          m_overlaps(job.double_buffer && job.chain.size() > 1 && !job.inverse && job.summed_modes().size() == 3)
    {}

    std::vector<std::uint8_t> program()
    {
        for (std::uint32_t i = 0; i < m_job.batch; ++i) {
            for (std::size_t s = 0; s < m_job.chain.size(); ++s) {
                if (m_job.chain[s].is_transform()) {
                    add_transform(s, i);
                } else {
                    add_operation(s, i);
                }
            }
        }
        m_program.add(isa::opcode::halt);
        return m_program.bytes();
    }

private:
    // The result of a step is stored; otherwise the next step takes it, or the next tensor's first one stores it.
    bool leaves(std::size_t s, std::uint32_t tensor) const
    {
        return s + 1 == m_job.chain.size() && !(m_overlaps && tensor + 1 < m_job.batch);
    }
    bool is_last_transform(std::size_t s) const
    {
        const auto& steps = m_job.chain;
        return std::none_of(steps.begin() + static_cast<std::ptrdiff_t>(s) + 1, steps.end(),
                            [](const chain_step& later) { return later.is_transform(); });
    }
    isa::tensor_descriptor operand_of(std::uint32_t tensor) const
    {
        return isa::dense_descriptor(m_at.x[m_at.x.size() == 1 ? 0 : tensor], m_job.format,
                                     descriptor_sizes(m_job.chain.front().in_shape));
    }
    isa::tensor_descriptor result_of(std::uint32_t tensor) const
    {
        return isa::dense_descriptor(m_at.y[tensor], m_job.result_type(),
                                     descriptor_sizes(m_job.chain.back().out_shape));
    }

    void add_transform(std::size_t s, std::uint32_t tensor)
    {
        const auto& step = m_job.chain[s];
        const bool back = m_ways[s] == direction::inverse;
        orbit_command c;
        c.flags = m_job.double_buffer ? orbit_command::flag_double_buffer : std::uint16_t{0};
        const auto forward = back ? reversed(step.order) : step.order;
        std::array<std::uint8_t, 3> modes{};
        unsigned stage_mask = 0;
        for (std::size_t stage = 0; stage < 3; ++stage) {
            modes[stage] = static_cast<std::uint8_t>(forward[stage]);
            if (step.sums(forward[stage] - 1)) { stage_mask |= 1u << stage; }
        }
        c.run_stages(modes, stage_mask);
        c.way = m_ways[s];
        c.vector = m_job.vector;
        c.blocks = m_fit.blocks;
        unsigned ordinal = c.first_stage();
        for (std::size_t i = 0; i < 3; ++i) { // in the order of the sums
            if (step.sums(step.order[i] - 1)) { c.shifts[ordinal++] = static_cast<std::uint8_t>(step.shifts[i]); }
        }
        if (m_kept.has_matrices(m_at.steps[s].matrices)) {
            c.flags |= orbit_command::flag_keep_matrices;
        } else {
            const auto n = descriptor_sizes(back ? step.out_shape : step.in_shape);
            const auto k = descriptor_sizes(back ? step.in_shape : step.out_shape);
            for (std::size_t m = 0; m < 3; ++m) {
                if (!step.sums(m)) { continue; }
                c.matrix[m] = isa::dense_descriptor(m_at.steps[s].matrices[m], m_job.format, {n[m], k[m]});
            }
        }
        if (s > 0) {
            c.flags |= orbit_command::flag_keep_tensor;
        } else if (m_overlaps && tensor > 0) {
            c.flags |= orbit_command::flag_take_next | orbit_command::flag_store_previous;
            c.y = result_of(tensor - 1);
        } else {
            c.x = operand_of(tensor);
        }
        if (m_overlaps && is_last_transform(s) && tensor + 1 < m_job.batch) {
            c.flags |= orbit_command::flag_load_next;
            c.workspace = operand_of(tensor + 1);
        }
        if (leaves(s, tensor)) {
            c.y = result_of(tensor);
        } else {
            c.flags |= orbit_command::flag_hold_result;
        }
        m_program.add(torus::opcode::orbit, c.flags, ++m_token, c.encode());
    }

    void add_operation(std::size_t s, std::uint32_t tensor)
    {
        const auto& step = m_job.chain[s];
        auto c = pointwise_command_of(step, m_job.format);
        c.flags = pointwise_command::flag_keep_tensor;
        if (leaves(s, tensor)) {
            c.y = result_of(tensor);
        } else {
            c.flags |= pointwise_command::flag_hold_result;
        }
        if (step.has_operand()) { m_kept.take_operand(c, m_at.steps[s].operand, step.resident && m_job.batch > 1); }
        m_program.add(torus::opcode::pointwise, c.flags, ++m_token, c.encode());
    }

    const orbit_job& m_job;
    const torus_fit& m_fit;
    const orbit_layout& m_at;
    std::vector<direction> m_ways;
    // The last result is stored beside the first transform, a forward one of all modes, as the command has no sizes of
    // others; the next tensor is loaded beside the last transform.
    bool m_overlaps;
    kept_data m_kept;
    isa::program_builder m_program;
    std::uint32_t m_token = 0;
};

} // namespace

std::vector<chain_step> chain_of_torus(std::vector<chain_step> chain)
{
    const auto refuse = [&](std::size_t s, const std::string& found, const std::string& expected) {
        throw base::input_error(workloads::place_text(chain, s) + ": " + found + " found, expected " + expected);
    };
    if (!chain.front().is_transform()) {
        refuse(0, workloads::step_text(chain.front()), "a transform, which places the tensor on the torus");
    }
    std::size_t transforms = 0;
    const auto first = chain.front();
    std::optional<std::size_t> keeps_where; // after an odd or even number of transforms
    for (std::size_t s = 0; s < chain.size(); ++s) {
        auto& step = chain[s];
        if (step.has_operand() && step.resident) {
            if (keeps_where.value_or(transforms % 2) != transforms % 2) {
                refuse(s, "an operand that an earlier step keeps before a transform",
                       "one that is used before or after it: its blocks lie as those of the tensor, which a transform "
                       "moves");
            }
            keeps_where = transforms % 2;
        }
        if (!step.is_transform()) { continue; }
        workloads::sum_in_order(step, transforms++ % 2 == 0 ? first.order : reversed(first.order));
        for (std::size_t m = 0; m < 3; ++m) {
            const std::string mode = "mode " + std::to_string(m + 1);
            if (step.sums(m) != first.sums(m)) {
                refuse(s, step.sums(m) ? "a transform of " + mode : "no transform of " + mode,
                       "the modes of the first transform: the blocks lie as it left them");
            }
            if (!step.sums(m) && s > 0 && s + 1 < chain.size()) {
                refuse(s, "no transform of " + mode,
                       "all modes in a transform between two steps: the torus must know where its operand lies");
            }
        }
    }
    return chain;
}

std::vector<direction> ways_of(const orbit_job& job)
{
    std::vector<direction> ways;
    auto way = job.inverse ? direction::inverse : direction::forward;
    for (const auto& step : job.chain) {
        ways.push_back(way);
        if (step.is_transform()) { way = other(way); }
    }
    return ways;
}

template <class T> workloads::chain_data<T> loaded_chain(const orbit_job& job, const workloads::chain_data<T>& of_steps)
{
    auto loaded = of_steps;
    const auto ways = ways_of(job);
    for (std::size_t s = 0; s < job.chain.size(); ++s) {
        for (std::size_t m = 0; ways[s] == direction::inverse && m < 3; ++m) {
            auto& matrix = loaded.matrices[s][m];
            if (!matrix.empty()) { matrix = workloads::conjugate_transpose(matrix, job.chain[s].in_shape[m]); }
        }
    }
    return loaded;
}

std::vector<workloads::shape3> rows_of_torus(const orbit_job& job)
{
    const auto ways = ways_of(job);
    std::vector<workloads::shape3> rows;
    for (std::size_t s = 0; s < job.chain.size(); ++s) {
        rows.push_back(ways[s] == direction::inverse ? job.chain[s].out_shape : job.chain[s].in_shape);
    }
    return rows;
}

torus::orbit_sizes chain_sizes(const orbit_job& job)
{
    torus::orbit_sizes sizes;
    const auto ways = ways_of(job);
    const auto cover = [](isa::mode_sizes& largest, const workloads::shape3& shape) {
        for (std::size_t m = 0; m < 3; ++m) { largest[m] = std::max(largest[m], static_cast<std::uint32_t>(shape[m])); }
    };
    for (std::size_t s = 0; s < job.chain.size(); ++s) {
        if (!job.chain[s].is_transform()) { continue; }
        const bool back = ways[s] == direction::inverse;
        cover(back ? sizes.out_size : sizes.in_size, job.chain[s].in_shape);
        cover(back ? sizes.in_size : sizes.out_size, job.chain[s].out_shape);
    }
    return sizes;
}

bool is_padded(const orbit_job& job, const torus_fit& fit)
{
    const auto full = torus::filled(fit.blocks, fit.side);
    const auto ways = ways_of(job);
    for (std::size_t s = 0; s < job.chain.size(); ++s) {
        if (!job.chain[s].is_transform()) { continue; }
        const bool back = ways[s] == direction::inverse;
        const auto in = descriptor_sizes(job.chain[s].in_shape), out = descriptor_sizes(job.chain[s].out_shape);
        for (std::size_t m = 0; m < 3; ++m) {
            if ((back ? out : in)[m] != full.in_size[m] || (back ? in : out)[m] != full.out_size[m]) { return true; }
        }
    }
    return false;
}

std::vector<std::uint8_t> chain_program(const orbit_job& job, const torus_fit& fit, const orbit_layout& at)
{
    return chain_writer(job, fit, at).program();
}

std::uint64_t chain_program_bytes(const orbit_job& job)
{
    std::uint64_t of_tensor = 0;
    for (const auto& step : job.chain) {
        of_tensor += isa::command_header::encoded_bytes +
                     (step.is_transform() ? orbit_command::payload_bytes : pointwise_command::payload_bytes);
    }
    return isa::program_header::encoded_bytes + job.batch * of_tensor + isa::command_header::encoded_bytes;
}

template workloads::chain_data<double> loaded_chain(const orbit_job&, const workloads::chain_data<double>&);
template workloads::chain_data<float> loaded_chain(const orbit_job&, const workloads::chain_data<float>&);
template workloads::chain_data<std::complex<double>> loaded_chain(const orbit_job&,
                                                                  const workloads::chain_data<std::complex<double>>&);
template workloads::chain_data<std::complex<float>> loaded_chain(const orbit_job&,
                                                                 const workloads::chain_data<std::complex<float>>&);
template workloads::chain_data<arithmetic::bfloat16> loaded_chain(const orbit_job&,
                                                                  const workloads::chain_data<arithmetic::bfloat16>&);
template workloads::chain_data<std::int8_t> loaded_chain(const orbit_job&, const workloads::chain_data<std::int8_t>&);

} // namespace tensorloom::testbench
