#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/blocks/scratchpad_unit.h>
#include <tensorloom/models/blocks/systolic_array.h>
#include <tensorloom/models/memory/scratchpad.h>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::mmv {

/// What an instruction of the matrix or the scalar unit did.
using unit_outcome = blocks::unit_outcome<mmv::counts>;

/// The matrix unit: a weight-stationary systolic array between the ports of the scratchpad. Source: "MMV-RAM" (arXiv
/// 2506.23906), section 2; "(m,l)-TCU" (arXiv 1908.06649), section 2.
///
/// pad      the scratchpad: left operands, weights, results
///
/// MATMUL takes, r = ceil(words / s) rows, one after the other:
///
///     weights   max(s, ceil(s s / in_words))                                        unless R is in the array
///     compute   r
///     port      max(r, ceil(r s / in_words), ceil(r s / out_words)) - r
///     drain     2s - 2
///     latency   call_latency
///     conflict  where a row exceeds the scratchpad's banks: what it takes longer, ceil(w / banks) cycles
///
/// w: words of the scratchpad in a row of s elements, of weights s and of int8 ceil(s / 4), of operands and results s,
/// for results are words in every format. (A row of int8 that does not begin with a word lies in one word more; it
/// takes no longer.)
///
/// R stays in the array. It is loaded when its address, row stride or columns differ from those of the call before, or
/// when something has been written into it since; never because of its values.
///
/// Events    matmul_call, matmul_row, mac, weight_load, weight_write, mac_overflowed; scratchpad_read and
///           scratchpad_write: per row the words of the scratchpad that its existing elements lie in, of int8 up to
///           four in one
/// Errors    accumulator_overflow  a sum left its word's range; it is over, sums wrapped are written
///           aborted               what had left the array is written; no events
/// Not modelled: see systolic_array.h.
class matrix_unit : public sc_core::sc_module, public shell::command_unit {
public:
    sc_core::sc_port<memory::scratchpad_if> pad;

    matrix_unit(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop);
    ~matrix_unit() override;

    /// In the calling thread, from a cycle boundary on: the command of this iteration, which has been checked
    /// (mmv/isa/limits.h).
    unit_outcome execute(const matmul_command& command);

    /// A program starts, or a reset: the array holds no weights.
    void forget();

    // shell::command_unit
    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command& command) const override;
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, name()); }
    void trace(sc_core::sc_trace_file& file) override;
    using sc_core::sc_module::trace;
    void begin_program() override { forget(); }
    void reset() override { forget(); }

    /// Elaboration: shows a processing element in a waveform, SC_ERROR when there is none.
    void trace_element(sc_core::sc_trace_file& file, unsigned row, unsigned column);
    /// For waveforms.
    blocks::systolic_array& array() { return *m_array; }
    const char* kind() const override { return "matrix_unit"; }

private:
    void end_of_elaboration() override;
    bool holds(const matmul_command& command) const;
    bool load(const matmul_command& command, unit_outcome& report);
    bool stream(const matmul_command& command, unit_outcome& report);
    bool pass_latency(unit_outcome& report);
    std::array<memory::byte_rows, 2> existing(const matrix_operand& matrix, std::uint64_t words, std::uint64_t columns,
                                              std::size_t bytes) const;
    std::uint64_t row_cycles(std::size_t bytes) const;
    void count_waits(std::uint64_t cycles);

    config m_config;
    const bus::stop_request& m_stop;
    std::unique_ptr<blocks::systolic_array> m_array;
    matmul_command m_held;       // its weights are in the array
    memory::write_watch m_watch; // of those weights
    shell::unit_activity m_activity;
};

} // namespace tensorloom::mmv
