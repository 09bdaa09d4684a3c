#include <tensorloom/models/rtl/fetta/engine_registers.h>
#include <utility>
#include <tensorloom/models/rtl/pins.h>
#include <verilated_contraction_engine_bf16.h>
#include <verilated_contraction_engine_f32.h>

namespace tensorloom::rtl {
namespace {

template <class Module, unsigned element_bits> class verilated_engine : public engine_registers {
public:
    verilated_engine() { m_engine.eval(); }

    void configure(bool output_stationary, bool horizontal) override
    {
        set({});
        m_engine.configure = 1;
        m_engine.to_output_stationary = output_stationary;
        m_engine.to_horizontal = horizontal;
        tick();
        m_engine.configure = 0;
    }
    void set(const engine_inputs& in) override
    {
        m_engine.step = in.step;
        m_engine.start = in.start;
        m_engine.load = in.load;
        m_engine.load_start = in.load_start;
        m_engine.finish = in.finish;
        rtl::set(m_engine.valid, in.valid);
        m_engine.ia_present = in.ia != nullptr;
        m_engine.ib_present = in.ib != nullptr;
        if (in.ia != nullptr) { put_row(m_engine.ia, in.ia); }
        if (in.ib != nullptr) { put_row(m_engine.ib, in.ib); }
    }
    engine_events tick() override
    {
        m_engine.clock = 0;
        m_engine.eval();
        const engine_events now{m_engine.steps, m_engine.starts, m_engine.shifts, m_engine.drains};
        for (unsigned r = 0; r < side; ++r) { m_ia[r] = number<element_bits>(m_engine.ia_wires, r); }
        m_engine.clock = 1;
        m_engine.eval();
        return now;
    }

    bool result_is_valid() const override { return m_engine.result_valid != 0; }
    void result(float* row) const override
    {
        for (unsigned n = 0; n < side; ++n) { row[n] = number<sum_bits>(m_engine.result, n); }
    }
    engine_element_registers element(unsigned row, unsigned column) const override
    {
        const unsigned at = row * side + column;
        engine_element_registers now{number<element_bits>(m_engine.ib_first, at),
                                     number<element_bits>(m_engine.ib_second, at), number<sum_bits>(m_engine.psum, at),
                                     number<sum_bits>(m_engine.psum_shadow, at)};
        if (get(m_engine.second, row, 1) != 0) { std::swap(now.ib_active, now.ib_shadow); }
        return now;
    }
    float ia(unsigned row) const override { return m_ia[row]; }

private:
    static constexpr unsigned sum_bits = 32;

    template <class Port> static void put_row(Port& port, const float* row)
    {
        for (unsigned i = 0; i < side; ++i) { put_number<element_bits>(port, i, row[i]); }
    }

    VerilatedContext m_context;
    Module m_engine{&m_context, "contraction_engine"};
    float m_ia[side] = {};
};

} // namespace

std::unique_ptr<engine_registers> make_engine_registers(base::element_type operand)
{
    if (operand == base::element_type::bf16) {
        return std::make_unique<verilated_engine<verilated_contraction_engine_bf16, 16>>();
    }
    return std::make_unique<verilated_engine<verilated_contraction_engine_f32, 32>>();
}

} // namespace tensorloom::rtl
