#include <tensorloom/models/rtl/fetta/accumulator_registers.h>
#include <tensorloom/models/rtl/pins.h>
#include <verilated_accumulator_bank.h>

namespace tensorloom::rtl {
namespace {

constexpr unsigned sum_bits = 32;

class verilated_accumulators : public accumulator_registers {
public:
    verilated_accumulators() { m_bank.eval(); }

    void set(const float* beat, const float* stored, bool adds, bool passes_on) override
    {
        m_bank.valid_in = 1;
        m_bank.adds = adds;
        m_bank.passes_on = passes_on;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            put_number<sum_bits>(m_bank.beat, lane, beat[lane]);
            put_number<sum_bits>(m_bank.stored, lane, stored[lane]);
        }
    }
    void tick(float* row) override
    {
        m_bank.clock = 0;
        m_bank.eval();
        if (m_bank.write != 0) { read(m_bank.written, row); }
        m_bank.clock = 1;
        m_bank.eval();
        m_bank.valid_in = 0;
    }

    bool valid() const override { return m_bank.valid != 0; }
    void out(float* to) const override { read(m_bank.out, to); }

private:
    template <class Port> static void read(const Port& port, float* to)
    {
        for (unsigned lane = 0; lane < lanes; ++lane) { to[lane] = number<sum_bits>(port, lane); }
    }

    VerilatedContext m_context;
    verilated_accumulator_bank m_bank{&m_context, "accumulator_bank"};
};

} // namespace

std::unique_ptr<accumulator_registers> make_accumulator_registers()
{
    return std::make_unique<verilated_accumulators>();
}

} // namespace tensorloom::rtl
