#pragma once
#include <functional>
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/blocks/module_rank.h>
#include <tensorloom/models/torus/block_pieces.h>
#include <tensorloom/models/torus/broadcast_line.h>
#include <tensorloom/models/torus/node.h>
#include <tensorloom/models/torus/plane_array.h>

namespace tensorloom::torus {

/// The plane R = 0 of the detailed array: its nodes, their links along Q and S, and its broadcast lines, lines_s.line_Q
/// along a row and lines_q.line_S along a column.
template <class Element> class detailed_plane : public plane_if {
public:
    using node_type = node<Element>;

    /// Call it in the constructor of the array. `nodes`: of the plane, by Q, then S. `counted`: events of the running
    /// step. `shares`: sums that move are written into memory that neighbours share. `show`: called when waveforms of
    /// nodes change.
    detailed_plane(std::vector<node_type*> nodes, node_memory_if& memory, counts& counted, bool shares,
                   std::function<void()> show);

    void lay_out(const plane_layout& layout) override;
    void release() override { m_memory.lay_out({}); }
    void clear(matrix which) override;
    void write(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
               std::uint64_t elements) override;
    void write_sums(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                    std::uint64_t sums) override;
    void read(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
              std::uint64_t elements) const override;
    void read_sums(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums) const override;
    void begin() override;
    void compute(counts& counted) override;
    void roll(counts& counted) override;
    void end() override;

private:
    using line = broadcast_line<Element>;
    using accumulator = arithmetic::accumulator_of<Element>;

    std::unique_ptr<blocks::module_rank<line>> make_lines(const char* name, axis along);
    node_type& home_of(matrix which, const block_label& label) const
    {
        return *m_homes[static_cast<unsigned>(which)][label[0] * m_side + label[1]];
    }
    template <class Visit>
    void for_each_block_piece(matrix which, const shape2& sizes, std::uint64_t first, std::uint64_t elements,
                              const Visit& visit) const;

    const std::vector<node_type*> m_nodes;
    const std::uint32_t m_side;
    node_memory_if& m_memory;
    counts& m_counts;
    const bool m_shares;
    const std::function<void()> m_show;
    std::unique_ptr<blocks::module_rank<line>> m_row_lines, m_column_lines;

    array_layout m_slots;
    plane_program m_program;
    std::uint32_t m_step = 0;
    std::array<std::vector<node_type*>, matrices> m_homes; // by label
};

} // namespace tensorloom::torus
