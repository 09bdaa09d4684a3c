#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tlm>
#include <tensorloom/models/arithmetic/pointwise.h>
#include <tensorloom/models/triada/cell_memory.h>

namespace tensorloom::triada {

/// One row of a coefficient matrix on its way to the tensor core, with its tag bits: tag = 1 at one position, 0
/// elsewhere.
struct tagged_vector {
    const unsigned char* elements = nullptr; ///< the row, in the device's format: `columns` of the burst
    std::uint32_t step = 0;                  ///< time-step within the stage
    std::uint32_t tag = 0;                   ///< position of tag = 1: the pivots
    std::uint32_t nonzeros = 0;              ///< elements that are not exactly zero
    std::uint32_t sent = 0;                  ///< elements driven onto the lines of one slice; 0: none, and no tag
    std::optional<std::uint32_t> lines = {}; ///< fidelity rtl: which those are, by bit; else those that ESOP asks for
};

/// A transfer from an actuator to the core: consecutive tagged vectors of one stage, one per time-step. Or a single
/// vector without a tag, whose elements are the value of a pointwise step. Of a row of zeros that takes a time-step
/// (actuator::set_look_ahead()) nothing is sent.
///
/// A vector has an element for each cell of the active box along the summed mode. Elements after the matrix's last
/// column are padding: zeros that are sent only with their tag, or in a dense stream.
/// Modes are numbered 0, 1, 2 here.
struct vector_burst {
    unsigned stage = 0;  ///< 0, 1, 2: position in the order, for the log
    unsigned mode = 0;   ///< the mode that is summed: Y lines run along it
    unsigned x_mode = 0; ///< X lines run along this mode: which face of the mesh the actuator drives
    /// Register of the pivots' operands. Its content is undefined after a burst with another source, until it is
    /// cleared.
    cell_register source = cell_register::input;
    cell_register target = cell_register::first; ///< the accumulator; not the source
    unsigned shift = 0;                          ///< integers: right shift of a sum that becomes an operand, 0 to 31
    std::uint32_t length = 0;                    ///< elements of each vector: the active box along the summed mode
    std::uint32_t columns = 0;                   ///< elements of the matrix among them, at most `length`
    bool esop = true;          ///< a zero element without tag is not sent, a zero operand is not driven
    double zero_threshold = 0; ///< stored operands of at most this modulus count as zero
    std::vector<tagged_vector> vectors;

    /// A pointwise step: every active cell changes its element of `source`, in place; nothing is summed.
    std::optional<arithmetic::pointwise_operation> pointwise;
    std::optional<cell_register> operand; ///< multiply and add: register of the other tensor

    // the core's response
    std::size_t executed = 0; ///< vectors whose time-step is complete
};

/// Protocol traits of the stream from actuator to core. No other socket binds to it. Blocking: returns after the
/// time-steps.
struct stream_protocol {
    using tlm_payload_type = vector_burst;
    using tlm_phase_type = tlm::tlm_phase;
};

} // namespace tensorloom::triada
