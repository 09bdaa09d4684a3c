#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

/// Addresses of the tensors of a contraction in memory on the bus, in bytes. Every region starts at a multiple of 4096.
///
///     a, b, c               C order (conflicted, offchip, custom program), of the operand type (c: the result's)
///                           ideal: the banked images of all blocks, one after the other (block_offsets)
///     ordered_a, ordered_b  offchip: permuted to batch, the index across rows, the index along rows; none if a strided
///                           LOAD of the tensor itself suffices
///     padded_c              offchip: the blocks of the result with their padding (block_offsets); none if a strided
///                           STORE to c suffices
struct contraction_addresses {
    std::uint64_t a = 0, b = 0, c = 0;
    std::optional<std::uint64_t> ordered_a, ordered_b, padded_c;
    std::uint64_t end = 0; ///< after the last

    std::uint64_t of(contraction_tensor tensor) const
    {
        return tensor == contraction_tensor::a ? a : tensor == contraction_tensor::b ? b : c;
    }
};

/// A tensor whose flat indices have constant strides, in elements.
struct even_view {
    std::array<std::int64_t, command_indices> stride{};
};

/// Places a plan's tensors from data_base on. Throws base::input_error if they need more than data_bytes: "memory:
/// found 4096 bytes for data, expected at least 12288".
contraction_addresses place_tensors(const contraction_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes);

/// Addresses in C order, for a custom program: a at data_base, then b, then c. Throws as place_tensors().
contraction_addresses linear_addresses(const contraction& problem, const fetta::device_limits& g, bool store_bf16,
                                       std::uint64_t data_base, std::uint64_t data_bytes);

/// Number of a tensor's block: batch, contracted, a_free, b_free, those that it has, the last fastest.
std::uint64_t block_number(const contraction_plan& plan, contraction_tensor tensor,
                           const std::array<std::uint32_t, contraction_indices>& block);
/// Calls f(block) for each block of a tensor in the order of their numbers.
template <class F> void for_each_block(const contraction_plan& plan, contraction_tensor tensor, F f)
{
    std::array<std::uint32_t, contraction_indices> n{};
    for (unsigned x = 0; x < contraction_indices; ++x) {
        const bool used = has_index(tensor, static_cast<contraction_index>(x));
        n[x] = used ? static_cast<std::uint32_t>(plan.index[x].blocks()) : 1;
    }
    std::array<std::uint32_t, contraction_indices> block{};
    for (block[0] = 0; block[0] < n[0]; ++block[0]) {
        for (block[1] = 0; block[1] < n[1]; ++block[1]) {
            for (block[2] = 0; block[2] < n[2]; ++block[2]) {
                for (block[3] = 0; block[3] < n[3]; ++block[3]) { f(block); }
            }
        }
    }
}

/// Offset of each block of a tensor stored by blocks, in elements, by block_number(); the last entry is the end. ideal:
/// images; padded_c: boxes [batch][IA's free][IB's free] of padded sizes.
std::vector<std::uint64_t> block_offsets(const contraction_plan& plan, contraction_tensor tensor);

/// offchip: the tensor's own view for strided LOADs and STOREs, or nothing if its ordered copy is needed.
std::optional<even_view> own_view(const contraction_plan& plan, contraction_tensor tensor);
even_view ordered_view(const contraction_plan& plan, contraction_tensor tensor);
/// The indices of an ordered copy, fastest first: along rows, across rows, batch.
std::array<contraction_index, 3> ordered_indices(const contraction_plan& plan, contraction_tensor tensor);
/// View of a block in padded_c.
even_view padded_view(const banked_image& image);

} // namespace tensorloom::workloads
