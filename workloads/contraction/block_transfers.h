#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/workloads/contraction/placement.h>
#include <tensorloom/workloads/contraction/permutation.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/program_writer.h>

namespace tensorloom::workloads {

/// Transfers of blocks of one tensor between the memories. Keeps a reference to the plan.
class block_transfers {
public:
    using block_of = std::array<std::uint32_t, contraction_indices>;

    block_transfers(const contraction_plan& plan, const contraction_addresses& addresses, contraction_tensor tensor);

    /// Tensors in memory whose concatenation in the unified memory is the block.
    std::vector<isa::tensor_descriptor> descriptors(const block_of& block) const;

    /// Calls f(descriptor, byte of the unified memory) for each of them.
    template <class F> void for_each(const block_of& block, unsigned slot, F f) const
    {
        std::uint64_t local = m_plan.place[static_cast<unsigned>(m_tensor)][slot];
        for (const auto& d : descriptors(block)) {
            f(d, local);
            local += d.elements() * base::element_bytes(m_type);
        }
    }

private:
    const contraction_plan& m_plan;
    contraction_tensor m_tensor;
    std::uint64_t m_address;
    base::element_type m_type;
    std::vector<std::uint64_t> m_offsets; // starts of consecutive blocks
    even_view m_view;                     // or a view of the whole tensor
};

/// Accesses of the LOADs or STOREs of the first block of a tensor.
memory_accesses accesses_of_block(const contraction_plan& plan, contraction_tensor tensor);

/// Accesses of a GATHER of so many slices of `bytes` each at random places of a table, whose slices are `pitch` bytes
/// apart.
memory_accesses accesses_of_slices(std::uint64_t slices, std::uint64_t bytes, std::uint64_t pitch,
                                   std::uint64_t table_slices, const memory_estimate& memory);

/// offchip: the modes of A or B and of its ordered copy, a dense tensor.
std::vector<permuted_mode> ordered_modes(const contraction_plan& plan, contraction_tensor tensor);

/// offchip: a block of the result without padding, as a permutation from padded_c, where the block starts, to c.
struct block_order {
    std::vector<permuted_mode> modes;
    std::uint64_t first = 0; ///< element of c
};
block_order order_of_block(const contraction_plan& plan, const std::array<std::uint32_t, contraction_indices>& block);

} // namespace tensorloom::workloads
