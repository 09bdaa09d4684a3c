#pragma once
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/arithmetic/ordered_product.h>
#include <tensorloom/models/fetta/prepared_contraction.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>

namespace tensorloom::fetta {

/// The fast tensor contraction unit: one ordered product per batch index, time from the closed form and, with linear
/// operands, from their accesses cycle by cycle. All results are written at the end. What depends on the command alone
/// is worked out once for the iterations of a loop (prepared_contraction.h).
class fast_contraction_unit final : public tensor_contraction_unit {
public:
    fast_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop);
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
    std::vector<float> m_ia, m_ib, m_sums; // what is not in the unified memory itself
};

} // namespace tensorloom::fetta
