#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/program.h>
#include <tensorloom/workloads/fetta/session.h>

namespace tensorloom::workloads {

/// What a contraction made on a device, and what that took.
struct contraction_run {
    std::vector<float> c;                                 ///< C order; bf16 as the float that it is
    std::vector<program_outcome<fetta::counts>> programs; ///< each of them, in the order of contraction_programs

    /// Of all programs, or of those of one phase.
    program_outcome<fetta::counts> total() const;
    program_outcome<fetta::counts> total(const contraction_programs& of, program_phase phase) const;
};

/// Values rounded once to the operand type, bf16 or f32, as floats.
std::vector<float> rounded_operand(const std::vector<double>& values, base::element_type operand);

/// Puts operands (values of the operand type) to their addresses: as images of a plan whose layout is ideal, else in C
/// order.
void write_operands(fetta_session& session, const contraction_plan& plan, const contraction_addresses& addresses,
                    const std::vector<float>& a, const std::vector<float>& b);

/// C as the programs of the plan left it.
std::vector<float> read_result(fetta_session& session, const contraction_plan& plan,
                               const contraction_addresses& addresses);

/// Programs, operands, runs, result. The session may be used again, for any contraction. Throws base::input_error when
/// the tensors do not fit its memory, program_error when the device reports an error.
contraction_run run_contraction(fetta_session& session, const contraction_plan& plan, const std::vector<float>& a,
                                const std::vector<float>& b);

/// The same with programs that are written already: write_programs() with the session's data_base() and data_bytes().
contraction_run run_programs(fetta_session& session, const contraction_plan& plan, const contraction_programs& programs,
                             const std::vector<float>& a, const std::vector<float>& b);

/// A user's own program (isa/program/program.h) on operands and a result in C order at linear_addresses(). The
/// result's memory holds zeros before.
contraction_run run_own_program(fetta_session& session, const contraction& problem, bool store_bf16,
                                const std::vector<std::uint8_t>& program, const std::vector<float>& a,
                                const std::vector<float>& b);

} // namespace tensorloom::workloads
