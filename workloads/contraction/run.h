#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/program.h>
#include <tensorloom/workloads/fetta/session.h>

namespace tensorloom::workloads {

/// Result and costs of a contraction on a device.
struct contraction_run {
    std::vector<float> c;                                 ///< C order; bf16 values as floats
    std::vector<program_outcome<fetta::counts>> programs; ///< in the order of contraction_programs

    /// Totals of all programs, or of those of one phase.
    program_outcome<fetta::counts> total() const;
    program_outcome<fetta::counts> total(const contraction_programs& of, program_phase phase) const;
};

/// Values rounded once to the operand type, bf16 or f32, as floats.
std::vector<float> rounded_operand(const std::vector<double>& values, base::element_type operand);

/// Writes operands (values of the operand type) to their addresses: as images for the layout ideal, else in C order.
void write_operands(fetta_session& session, const contraction_plan& plan, const contraction_addresses& addresses,
                    const std::vector<float>& a, const std::vector<float>& b);

/// Reads C after the programs of the plan.
std::vector<float> read_result(fetta_session& session, const contraction_plan& plan,
                               const contraction_addresses& addresses);

/// Writes programs and operands, runs, and reads the result. The session can be reused for any contraction. Throws
/// base::input_error if the tensors do not fit its memory, program_error when the device reports an error.
contraction_run run_contraction(fetta_session& session, const contraction_plan& plan, const std::vector<float>& a,
                                const std::vector<float>& b);

/// The same with the programs of write_programs() for the session's data_base() and data_bytes().
contraction_run run_programs(fetta_session& session, const contraction_plan& plan, const contraction_programs& programs,
                             const std::vector<float>& a, const std::vector<float>& b);

/// A custom program (isa/program/program.h) on operands and a result in C order at linear_addresses(). The result's
/// memory is cleared first.
contraction_run run_own_program(fetta_session& session, const contraction& problem, bool store_bf16,
                                const std::vector<std::uint8_t>& program, const std::vector<float>& a,
                                const std::vector<float>& b);

} // namespace tensorloom::workloads
