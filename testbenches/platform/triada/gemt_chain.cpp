#include "platform/triada/gemt_chain.h"
#include <algorithm>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::testbench {
namespace {

using isa::pointwise_command;
using triada::gemt_command;
using workloads::chain_step;

// Where the tensor of a batch lies before and after a command, and what moves beside it.
struct tensor_moves {
    bool is_first = false, is_last = false; // step of the chain
    std::uint64_t x = 0, y = 0;             // of the tensor
    bool takes_next = false;                // X was loaded beside the work on the tensor before
    bool holds_result = false;              // Y is stored beside the work on the next one
    std::uint64_t previous_y = 0;           // of the tensor before, to be stored now; 0: none
    std::uint64_t next_x = 0;               // to be loaded now; 0: none
};

// Of a chain with a transform.
std::size_t last_transform_of(const std::vector<chain_step>& steps)
{
    std::size_t last = steps.size() - 1;
    while (last > 0 && !steps[last].is_transform()) { --last; }
    return last;
}

class chain_writer {
public:
    chain_writer(const gemt_job& job, const gemt_layout& at) : m_job(job), m_at(at), m_steps(steps_of(job)) {}

    std::vector<std::uint8_t> program()
    {
        const auto last_transform = last_transform_of(m_steps);
        for (std::uint32_t i = 0; i < m_job.batch; ++i) {
            for (std::size_t s = 0; s < m_steps.size(); ++s) {
                tensor_moves moves;
                moves.is_first = s == 0;
                moves.is_last = s + 1 == m_steps.size();
                moves.x = x_of(i);
                moves.y = m_at.y[i];
                if (m_at.moves_beside_work) {
                    moves.takes_next = i > 0;
                    moves.holds_result = i + 1 < m_job.batch;
                    if (i > 0 && s == 0) { moves.previous_y = m_at.y[i - 1]; }
                    if (i + 1 < m_job.batch && s == last_transform) { moves.next_x = x_of(i + 1); }
                }
                if (m_steps[s].is_transform()) {
                    add_transform(s, moves);
                } else {
                    add_operation(s, moves);
                }
            }
        }
        m_program.add(isa::opcode::halt);
        return m_program.bytes();
    }

private:
    std::uint64_t x_of(std::uint32_t item) const { return m_at.x[m_at.x.size() == 1 ? 0 : item]; }

    void add_transform(std::size_t s, const tensor_moves& moves)
    {
        const auto& step = m_steps[s];
        gemt_command c;
        c.flags = m_job.esop ? gemt_command::flag_esop : std::uint16_t{0};
        for (std::size_t stage = 0; stage < 3; ++stage) {
            const std::size_t mode = step.order[stage] - 1;
            c.order[stage] = static_cast<std::uint8_t>(mode + 1);
            c.shifts[stage] = static_cast<std::uint8_t>(step.shifts[stage]);
            if (!step.sums(mode)) { c.stage_mask &= static_cast<std::uint8_t>(~(1u << stage)); }
        }
        c.zero_threshold = m_job.zero_threshold;
        const auto n = descriptor_sizes(step.in_shape), k = descriptor_sizes(step.out_shape);
        if (m_kept.has_matrices(m_at.steps[s].matrices)) {
            c.flags |= gemt_command::flag_keep_matrices;
        } else {
            for (std::size_t m = 0; m < 3; ++m) {
                if (!step.sums(m)) { continue; }
                c.matrix[m] = isa::dense_descriptor(m_at.steps[s].matrices[m], m_job.format, {n[m], k[m]});
                c.row_order_address[m] = m_at.row_orders[m];
            }
        }
        c.x = isa::dense_descriptor(0, m_job.format, n);
        c.y = isa::dense_descriptor(0, m_job.format, k);
        if (!moves.is_first) {
            c.flags |= gemt_command::flag_keep_tensor;
        } else if (moves.takes_next) {
            c.flags |= gemt_command::flag_take_next;
        } else {
            c.x.base = moves.x;
        }
        if (!moves.is_last || moves.holds_result) {
            c.flags |= gemt_command::flag_hold_result;
        } else {
            c.y = isa::dense_descriptor(moves.y, m_job.result_type(), k);
        }
        if (moves.previous_y != 0) {
            c.flags |= gemt_command::flag_store_previous;
            c.initial_y = // holds the place of the previous result
                isa::dense_descriptor(moves.previous_y, m_job.result_type(), descriptor_sizes(m_job.result_shape()));
        }
        if (moves.next_x != 0) {
            c.flags |= gemt_command::flag_load_next;
            c.workspace = isa::dense_descriptor(moves.next_x, m_job.format, descriptor_sizes(m_job.shape));
        }
        m_program.add(triada::opcode::gemt, c.flags, ++m_token, c.encode());
    }

    void add_operation(std::size_t s, const tensor_moves& moves)
    {
        const auto& step = m_steps[s];
        auto c = pointwise_command_of(step, m_job.format);
        c.flags = m_job.esop ? pointwise_command::flag_esop : std::uint16_t{0};
        if (moves.is_first) {
            c.x.base = moves.x;
        } else {
            c.flags |= pointwise_command::flag_keep_tensor;
        }
        if (!moves.is_last || moves.holds_result) {
            c.flags |= pointwise_command::flag_hold_result;
        } else {
            c.y = isa::dense_descriptor(moves.y, m_job.result_type(), descriptor_sizes(step.out_shape));
        }
        if (step.has_operand()) { m_kept.take_operand(c, m_at.steps[s].operand, step.resident && m_job.batch > 1); }
        m_program.add(triada::opcode::pointwise, c.flags, ++m_token, c.encode());
    }

    const gemt_job& m_job;
    const gemt_layout& m_at;
    std::vector<chain_step> m_steps;
    kept_data m_kept;
    isa::program_builder m_program;
    std::uint32_t m_token = 0;
};

} // namespace

bool moves_beside_work(const gemt_job& job, const isa::mode_sizes& mesh)
{
    const auto box = job.box();
    const bool fits = box[0] <= mesh[0] && box[1] <= mesh[1] && box[2] <= mesh[2];
    const bool begins_with_transform = job.chain.empty() || job.chain.front().is_transform();
    return job.double_buffer && job.batch > 1 && fits && begins_with_transform && !job.initial;
}

unsigned registers_needed(const gemt_job& job, const isa::mode_sizes& mesh)
{
    const auto steps = steps_of(job);
    const bool beside_work = moves_beside_work(job, mesh);
    unsigned resident = 0, next = 0, most = 0;
    for (unsigned tensor = 0; tensor < 2; ++tensor) { // the second one finds what the first one left
        for (std::size_t s = 0; s < steps.size(); ++s) {
            const auto& step = steps[s];
            if (step.is_transform()) {
                const auto stages = std::count_if(step.order.begin(), step.order.end(),
                                                  [&](unsigned mode) { return step.sums(mode - 1); });
                most = std::max(most, (stages == 3 ? 3 : 2) + resident); // each stage writes where no later one reads
                next = beside_work && s == last_transform_of(steps) ? 1 : 0;
            } else if (step.has_operand()) {
                const bool stays = step.resident && job.batch > 1;
                most = std::max(most, 2 + next);
                resident = stays ? 1 : 0;
            } else {
                most = std::max(most, 1 + next + resident);
            }
        }
        next = 0;
    }
    return most;
}

std::vector<std::uint8_t> chain_program(const gemt_job& job, const gemt_layout& at)
{
    return chain_writer(job, at).program();
}

std::uint64_t chain_program_bytes(const gemt_job& job)
{
    std::uint64_t of_tensor = 0;
    for (const auto& step : steps_of(job)) {
        of_tensor += isa::command_header::encoded_bytes +
                     (step.is_transform() ? gemt_command::payload_bytes : pointwise_command::payload_bytes);
    }
    return isa::program_header::encoded_bytes + job.batch * of_tensor + isa::command_header::encoded_bytes;
}

} // namespace tensorloom::testbench
