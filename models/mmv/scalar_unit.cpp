#include <tensorloom/models/mmv/scalar_unit.h>
#include <tensorloom/models/arch/mmv/scalar_signature.h>
#include <tensorloom/tlm/stop_request.h>
#include <tensorloom/models/mmv/scalar_processor.h>

namespace tensorloom::mmv {

using arch::error_code;
using arch::mmv::event;
using arch::mmv::opcode;

scalar_unit::scalar_unit(sc_core::sc_module_name name, arch::element_type word, unsigned scalar_ops,
                         const sc_core::sc_time& clock_period, const bus::stop_request& stop)
    : sc_core::sc_module(name), pad("pad"), m_word(word), m_scalar_ops(scalar_ops), m_clock_period(clock_period),
      m_stop(stop)
{}

scalar_unit::~scalar_unit() = default;

void scalar_unit::end_of_elaboration() { m_processor = make_scalar_processor(m_word, *pad.operator->()); }

blocks::unit_outcome scalar_unit::execute(opcode code, const arch::vector::strided_command& command)
{
    blocks::unit_outcome outcome;
    const std::uint64_t operations = arch::mmv::scalar_operations(code, command);
    const std::uint64_t cycles = operations / m_scalar_ops + (operations % m_scalar_ops != 0 ? 1 : 0);
    const std::uint64_t passed = bus::wait_cycles(cycles, m_clock_period, m_stop);
    outcome.add("scalar", passed);
    if (passed < cycles) {
        outcome.error = error_code::aborted;
        return outcome;
    }
    const auto done = m_processor->execute(code, command);
    outcome.counts[event::scalar_instruction] = code == opcode::charge ? 0 : 1;
    outcome.counts[event::scalar_op] = operations;
    outcome.counts[event::cpu_op] = command.cpu_ops;
    outcome.counts[event::scratchpad_read] = done.reads;
    outcome.counts[event::scratchpad_write] = done.writes;
    outcome.counts[event::word_overflowed] = done.overflowed;
    if (done.overflowed != 0) { outcome.error = error_code::arithmetic_overflow; }
    return outcome;
}

} // namespace tensorloom::mmv
