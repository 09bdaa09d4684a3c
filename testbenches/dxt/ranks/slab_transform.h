#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/models/blocks/tensor_planes.h>
#include <tensorloom/models/triada/isa/step_counts.h>
#include "dxt/dxt.h"
#include "dxt/ranks/rank_plan.h"
#include "platform/run/transform_job.h"

namespace tensorloom::testbench {

/// A row of a matrix as its actuator streams it.
struct streamed_row {
    std::uint32_t row = 0; ///< and the position of the tag
    std::uint32_t nonzeros = 0;
    std::uint32_t sent = 0; ///< 0: the row is skipped
};

/// The slab of a transform that one rank holds, with all matrices: the registers of the cells of a slab of the mesh, in
/// the fast fidelity (models/triada/fast_tensor_core.cpp). Sums are those of the whole mesh, bit for bit: a rank has
/// all terms of its sums, in the order of the time-steps.
///
/// T: double, float, complex of both, bfloat16, int8.
template <class T> class slab_transform {
public:
    using sum = arithmetic::accumulator_of<T>;

    slab_transform(const dxt_options& options, const rank_plan& plan, unsigned ranks, unsigned rank);

    /// Computes the matrices and their rows. Throws base::input_error.
    void make_matrices();
    /// Fills or reads the slab of X. Throws base::input_error.
    void load();
    /// Reads the slab of Y0, for the last stage. Throws base::input_error.
    void load_initial();

    /// Computes a stage, whose input is the slab. `progress`: called with the part that is done, if there is one.
    void run_stage(std::size_t stage, const std::function<void(double)>& progress);
    /// Replaces the slab, cut for one stage, by that of the next stage. Calls cut(bytes of a number, from, to) for the
    /// real parts, and for the imaginary ones.
    using cut_function = std::function<void(std::size_t bytes, const unsigned char* from, unsigned char* to)>;
    void exchange(std::size_t next_stage, const cut_function& cut);

    /// Calls write(part of the tensor, its elements) with the slab of the result, in pieces: in the format of the
    /// result, bfloat16 as float. Returns the saturated elements.
    template <class Write> std::uint64_t unload(const Write& write) const;

    void write_state(base::state_writer& state);
    void read_state(base::state_reader& state, std::size_t stages_done);

    /// Rows of a stage in the order of their time-steps.
    const std::vector<streamed_row>& rows(std::size_t stage) const { return m_rows[stage]; }
    /// What the pivots of this slab drove in each row that was sent, stage by stage.
    const std::vector<std::vector<arithmetic::product_counts>>& driven() const { return m_driven; }

    /// Memory of a rank in bytes, without that of its process.
    static std::uint64_t bytes(const dxt_options& options, const rank_plan& plan, unsigned ranks);

private:
    using product = arithmetic::mode_product<T>;
    using registers = blocks::tensor_planes<T>;
    using real = typename registers::real;

    mode_range part_of(std::size_t stage) const
    {
        const auto& s = m_plan.stages[stage];
        return range_of(s.input[s.split], m_ranks, m_rank);
    }
    std::vector<arithmetic::product_term> terms_of(std::size_t stage, std::vector<T>& padded) const;
    workloads::box3 clipped(const workloads::shape3& whole, unsigned split, const mode_range& part) const;
    unsigned shift_before(std::size_t stage) const;
    registers& operand() { return m_registers[m_operand]; }
    registers& other() { return m_registers[1 - m_operand]; }

    const dxt_options& m_options;
    const rank_plan& m_plan;
    unsigned m_ranks, m_rank;
    transform_problem<T> m_problem; // matrices alone
    std::vector<std::vector<streamed_row>> m_rows;
    std::vector<std::vector<arithmetic::product_counts>> m_driven;
    blocks::plane_pool<real> m_pool;
    std::array<registers, 2> m_registers{registers(m_pool), registers(m_pool)};
    std::size_t m_operand = 0; // which of both is the slab
    product m_product;
};

/// A part of a tensor in pieces of whole planes of mode 1, about 16 MiB or one plane: calls visit(piece).
template <class Visit> void for_each_piece(const workloads::box3& part, std::size_t element_bytes, const Visit& visit)
{
    constexpr std::size_t piece_bytes = 16u << 20;
    const std::size_t plane = part.size[1] * part.size[2] * element_bytes;
    const std::size_t planes = plane == 0 ? 1 : std::max<std::size_t>(1, piece_bytes / plane);
    for (std::size_t i = 0; i < part.size[0] && plane != 0; i += planes) {
        workloads::box3 piece = part;
        piece.first[0] += i;
        piece.size[0] = std::min(planes, part.size[0] - i);
        visit(piece);
    }
}

template <class T> template <class Write> std::uint64_t slab_transform<T>::unload(const Write& write) const
{
    const auto& last = m_plan.stages.back();
    const auto part = clipped(m_options.result_shape(), last.split, part_of(m_plan.stages.size() - 1));
    const unsigned shift = m_options.shifts[last.position];
    const blocks::shape3 corner{static_cast<std::uint32_t>(part.size[0]), static_cast<std::uint32_t>(part.size[1]),
                                static_cast<std::uint32_t>(part.size[2])};
    const auto& slab = m_registers[m_operand];
    std::uint64_t saturated = 0;
    for_each_piece(part, sizeof(sum), [&](const workloads::box3& piece) {
        const std::uint64_t first = (piece.first[0] - part.first[0]) * part.size[1] * part.size[2];
        const std::vector<std::size_t> sizes(piece.size.begin(), piece.size.end());
        workloads::tensor<sum> sums(sizes);
        if (m_options.result == result_format::accumulator) {
            slab.read_sums(corner, first, reinterpret_cast<unsigned char*>(sums.data.data()), sums.data.size(), shift);
            return write(piece, sums);
        }
        workloads::tensor<T> elements(sizes);
        saturated += slab.read(corner, first, reinterpret_cast<unsigned char*>(elements.data.data()),
                               elements.data.size(), shift);
        if constexpr (std::is_same_v<T, std::int8_t>) {
            write(piece, elements);
        } else {
            std::transform(elements.data.begin(), elements.data.end(), sums.data.begin(), arithmetic::widened<T>);
            write(piece, sums);
        }
    });
    return saturated;
}

} // namespace tensorloom::testbench
