#pragma once
#include <array>
#include <cstdint>
#include <systemc>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

using shape2 = std::array<std::uint32_t, 2>;

/// What works in steps, of which each is compute(), then roll(): nodes in a stage, or in a product of matrices.
class stepped_if : public virtual sc_core::sc_interface {
public:
    /// Every node does its multiply-adds of this step, with what is driven over lines for it, if anything is. `counts`
    /// grows by what that counts.
    virtual void compute(counts& counts) = 0;
    /// Every node sends what rolls, then takes what has come. `counts` likewise.
    virtual void roll(counts& counts) = 0;
};

/// The memory port of whatever multiplies A, B and C. A matrix comes and goes row by row, from element `first` of it;
/// the rest is +0. Elements in the device's format, sums in the accumulator's.
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

/// How matrices lie on a plane from now on, and what its nodes do with them.
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
    /// A, B and C become +0, and what else lies on the torus; no matrix of a transform stays.
    virtual void lay_out(const plane_layout& layout) = 0;
    /// The same, and the plane belongs to the torus again: between products, or when one was stopped behind a step.
    virtual void release() = 0;

    // A pass: begun, then compute() and roll() follow each other P times; then all blocks are home, and end() says so.
    /// Sums begin with what the accumulator holds.
    virtual void begin() = 0;
    virtual void end() = 0;
};

} // namespace tensorloom::torus
