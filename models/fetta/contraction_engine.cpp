#include <tensorloom/models/fetta/contraction_engine.h>
#include <tensorloom/models/fetta/pe_array.h>

namespace tensorloom::fetta {

contraction_engine::contraction_engine(sc_core::sc_module_name name, const contraction_engine_config& config)
    : sc_core::sc_module(name)
{
    if (config.psum == arch::element_type::f32 || config.psum == arch::element_type::bf16) {
        m_array = make_pe_array(config);
    }
    if (!m_array) {
        SC_REPORT_ERROR("/tensorloom/contraction_engine/config", "side must be 2, 4, 8 or 16, psum f32 or bf16");
    }
}

contraction_engine::~contraction_engine() = default;

void contraction_engine::configure(engine_dataflow path) { m_array->configure(path); }

void contraction_engine::evaluate(const engine_control& control, const engine_operands& operands)
{
    m_array->evaluate(control, operands);
}

void contraction_engine::commit() { m_array->commit(); }

void contraction_engine::hold() { m_array->hold(); }

engine_result contraction_engine::result() const { return m_array->result(); }

std::uint64_t contraction_engine::multiply_adds() const { return m_array->multiply_adds(); }

const engine_waveform& contraction_engine::watch() { return m_array->watch(); }

const pe_waveform& contraction_engine::watch(unsigned row, unsigned column) { return m_array->watch(row, column); }

} // namespace tensorloom::fetta
