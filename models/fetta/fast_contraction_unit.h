#pragma once
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/arithmetic/ordered_product.h>
#include <tensorloom/models/fetta/prepared_contraction.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>

namespace tensorloom::fetta {

/// The fast tensor contraction unit: one ordered product per batch index. Its time is the closed form plus, with linear
/// operands, their conflicts cycle by cycle. All results are written at the end. Data that depends only on the command
/// is computed once for the iterations of a loop (prepared_contraction.h).
///
/// Example
///
///     fetta::fast_contraction_unit contractions("contractions", fetta::config(), clock, stop);
///     contractions.ia.bind(unified_memory.ia);
///     contractions.ib.bind(unified_memory.ib);
///     contractions.result.bind(unified_memory.result);
///     contractions.execute(fetta::contract_command()); // in a thread
class fast_contraction_unit final : public tensor_contraction_unit {
public:
    fast_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                          const bus::stop_request& stop);
    const char* kind() const override { return "fast_contraction_unit"; }

private:
    contract_outcome run(const contract_command& command) override;
    bool trace_parts(sc_core::sc_trace_file&, const contraction_trace& what) override
    {
        return what.engines.empty() && !what.networks;
    }

    void compute(const placed_contraction& placed);
    static float* room(std::vector<float>& values, const product_tensor& tensor);
    const float* operand(const product_tensor& tensor, const bank_read_if& banks, std::uint64_t first,
                         std::vector<float>& values) const;
    void clear_columns(const prepared_contraction& c);
    void read(const std::vector<memory_run>& runs, const bank_read_if& banks, std::uint64_t first, float* to) const;
    template <class Psum>
    void multiply(const prepared_contraction& c, const float* a, const float* b, float* y,
                  arithmetic::ordered_product<Psum>& product);
    void restore_sums(const prepared_contraction& c);
    void put_sums(const prepared_contraction& c, std::uint64_t first);
    void write(const std::vector<memory_run>& runs, base::element_type type, bank_write_if& banks,
               std::uint64_t first) const;
    void write_image(const product_tensor& tensor, bank_write_if& banks, std::uint64_t first) const;

    prepared_contractions m_prepared;
    arithmetic::ordered_product<arithmetic::psum_f32> m_product_f32;
    arithmetic::ordered_product<arithmetic::psum_bf16> m_product_bf16;
    std::vector<float> m_ia, m_ib, m_sums; // values that are not read from the unified memory directly
};

} // namespace tensorloom::fetta
