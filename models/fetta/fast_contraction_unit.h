#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/fetta/contract_index.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arithmetic/ordered_product.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>

namespace tensorloom::fetta {

/// The fast tensor contraction unit: operands as dense matrices, one ordered product per batch index, time from the
/// closed form and, with linear operands, from their accesses cycle by cycle. All results are written at the end.
class fast_contraction_unit final : public tensor_contraction_unit {
public:
    fast_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop);
    const char* kind() const override { return "fast_contraction_unit"; }

private:
    using command_type = arch::fetta::contract_command;
    using index_type = arch::fetta::contract_index;
    using operand_role = arch::fetta::operand_role;

    /// A dense matrix for each batch index, row after row.
    struct matrices {
        std::vector<float> values;
        std::ptrdiff_t batch = 0;            // distance from matrix to matrix
        std::ptrdiff_t middle = 0, free = 0; // ... of neighbours along the index in the middle, and the last one
        float* at(const arch::fetta::beat_indices& row)
        {
            return values.data() + static_cast<std::ptrdiff_t>(row.index[0]) * batch +
                   static_cast<std::ptrdiff_t>(row.index[1]) * middle +
                   static_cast<std::ptrdiff_t>(row.index[2]) * free;
        }
    };

    contract_outcome run(const command_type& command) override;
    bool trace_parts(sc_core::sc_trace_file&, const contraction_trace& what) override
    {
        return what.engines.empty() && !what.networks;
    }

    void compute(const command_type& command, const index_type& index);
    void read(const command_type& command, const index_type& index, operand_role role, const bank_read_if& banks,
              matrices& to);
    void clear_columns(const command_type& command, std::ptrdiff_t columns);
    template <class Psum> void multiply(const command_type& command, arithmetic::ordered_product<Psum>& product);
    template <class Action>
    void for_each_sum(const command_type& command, const index_type& index, const Action& action);
    void restore_sums(const command_type& command, const index_type& index);
    void put_sums(const command_type& command, const index_type& index);

    std::vector<std::uint64_t> m_elements; // of one row
    arithmetic::ordered_product<arithmetic::psum_f32> m_product_f32;
    arithmetic::ordered_product<arithmetic::psum_bf16> m_product_bf16;
    matrices m_ia, m_ib, m_sums; // m_sums: batch, IA's free, IB's free
};

} // namespace tensorloom::fetta
