#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

using shape2 = std::array<std::uint32_t, 2>;

/// An array that works in steps, each of which is compute(), then roll(): nodes in a stage, or in a matrix product.
class stepped_if : public virtual sc_core::sc_interface {
public:
    /// Every node does its multiply-adds of this step, with the blocks driven over lines for it, if any. Adds its
    /// events to `counted`.
    virtual void compute(counts& counted) = 0;
    /// Every node sends its rolling blocks, then takes the incoming ones. Adds its events to `counted`.
    virtual void roll(counts& counted) = 0;
};

/// The memory port of an array that multiplies A, B and C. A matrix is transferred row by row, from element `first` on;
/// the rest is +0. Elements have the device's format, sums the accumulator's.
class matrix_memory_if : public virtual sc_core::sc_interface {
public:
    virtual void clear(matrix which) = 0; ///< +0
    virtual void write(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                       std::uint64_t elements) = 0;
    virtual void write_sums(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                            std::uint64_t sums) = 0;
    virtual void read(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                      std::uint64_t elements) const = 0;
    virtual void read_sums(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                           std::uint64_t sums) const = 0;
};

/// Layout of matrices on a plane, and the schedule of its nodes.
struct plane_layout {
    matrix_schedule schedule; ///< not ASC
    matrix_blocks blocks;
};

/// The plane R = 0 of a torus as P x P nodes that multiply matrices: an interface of both fidelities. Node (Q, S) is
/// (i, j) of the schedule; its blocks of A, B and C are in X, C_I and X1, matrices of sizes up to P blocks.
///
/// Source: Aizu TR 2012-001, section 2; the classes are those of torus/isa/matrix_classes.h.
///
/// Arithmetic: in step t every node does C += A B, A += C B^T or B += A^T C of the blocks that it sees, terms within
/// the block ascending, one multiply-add each, mac(sum, x, c) of arithmetic/mac.h with x of A, C, C and c of B, B, A;
/// steps ascend.
/// Events: step, mac, register_*, block_*, roll_*, wrap_word, link_word_pitch_*, drive_word, deliver_word,
/// line_word_pitch_*; per step, equal in both fidelities.
class plane_if : public stepped_if, public matrix_memory_if {
public:
    /// Sets A, B, C and all other data on the torus to +0; matrices of transforms are removed.
    virtual void lay_out(const plane_layout& layout) = 0;
    /// As lay_out(), and returns the plane to the torus: between products, or after a stopped step.
    virtual void release() = 0;

    // A pass: begin(), then compute() and roll() alternately, P times; then all blocks are at home, and end() ends it.
    /// Sums start from the accumulator's content.
    virtual void begin() = 0;
    virtual void end() = 0;
};

} // namespace tensorloom::torus
