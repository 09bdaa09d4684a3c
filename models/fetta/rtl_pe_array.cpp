#include <tensorloom/models/fetta/pe_array.h>
#include <array>
#include <tensorloom/models/rtl/fetta/engine_registers.h>
#include <tensorloom/models/rtl/formats.h>

namespace tensorloom::fetta {
namespace {

class rtl_pe_array : public pe_array {
public:
    explicit rtl_pe_array(base::element_type operand) : m_engine(rtl::make_engine_registers(operand)) {}

    void configure(engine_dataflow path) override
    {
        m_engine->configure(path == engine_dataflow::output_stationary, path == engine_dataflow::stationary_horizontal);
        hold();
    }
    void evaluate(const engine_control& c, const engine_operands& operands) override
    {
        m_engine->set({c.step, c.start, c.load, c.load_start, c.finish, operands.valid, operands.ia, operands.ib});
    }
    void commit() override
    {
        const auto events = m_engine->tick();
        count(std::uint64_t{static_cast<unsigned>(__builtin_popcount(events.steps))} * rtl::engine_registers::side);
        m_engine->result(m_result.data());
        show(events.steps, events.starts, events.shifts, events.drains,
             [&](unsigned row, unsigned column, pe_waveform& shown) {
                 if (shown.step) { shown.ia = m_engine->ia(row); }
                 const auto now = m_engine->element(row, column);
                 shown.ib_active = now.ib_active;
                 shown.ib_shadow = now.ib_shadow;
                 shown.psum = now.psum;
                 shown.psum_shadow = now.psum_shadow;
             });
    }
    engine_result result() const override { return {m_result.data(), m_engine->result_is_valid()}; }

private:
    std::unique_ptr<rtl::engine_registers> m_engine;
    std::array<float, rtl::engine_registers::side> m_result{};
};

} // namespace

std::unique_ptr<pe_array> make_rtl_pe_array(const contraction_engine_config& config)
{
    const bool is_there = config.side == rtl::engine_registers::side && config.psum == base::element_type::f32 &&
                          config.enables && config.mac_latency == 1 && !rtl::missing();
    return is_there ? std::make_unique<rtl_pe_array>(config.operand) : nullptr;
}

} // namespace tensorloom::fetta
