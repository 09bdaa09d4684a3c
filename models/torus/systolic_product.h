#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include <tensorloom/models/blocks/systolic_array.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/torus/config.h>
#include <tensorloom/models/torus/plane_array.h>
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::torus {

/// Matrix products of class ASC: C += A B of at most P x P elements each, on a systolic array of P x P elements with
/// stationary B, between memories at its edges. Source: Aizu TR 2012-001, section 2; blocks/systolic_array.h.
///
/// Arithmetic: sums in the array start at +0, k ascending, one multiply-add each; an output is stored, or added to C
/// with one rounding.
/// Timing     P cycles to load B, then I + 2P - 2 for the stream
/// Events     step, a cycle of the stream; mac, register_* of every element and row; enter_word, of A and B, P words of
///            a row; roll_word_{s,q} and link_word_pitch_{s,q}, a pitch each: A to the next element, sums to the one
///            below; block_read, entering words; block_write, sums that leave
/// Not modelled: the movement of B down its columns, which is loading.
class systolic_product : public matrix_memory_if {
public:
    /// Call it in the constructor of the device. Creates no array for a format that arrays do not have.
    systolic_product(const char* name, const config& config, const bus::device_clock& clock,
                     const bus::stop_request& stop);

    // matrix_memory_if
    void clear(matrix which) override;
    void write(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
               std::uint64_t elements) override;
    void write_sums(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                    std::uint64_t sums) override;
    void read(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
              std::uint64_t elements) const override;
    void read_sums(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums) const override;

    struct outcome {
        bool stopped = false;
        std::uint64_t load_cycles = 0, stream_cycles = 0;
        counts loaded, streamed;
    };
    /// Streams `rows` rows of A in the calling thread. Sums are stored, or added to C.
    outcome run(std::uint32_t rows, bool accumulate);

private:
    std::vector<unsigned char>& held(matrix which) { return m_held[static_cast<unsigned>(which)]; }
    /// Bytes of a number in its memory: a sum for C, an element otherwise.
    std::size_t width_of(matrix which) const { return which == matrix::c ? m_sum_bytes : m_element_bytes; }

    const config& m_config;
    const std::size_t m_element_bytes, m_sum_bytes;
    std::unique_ptr<blocks::systolic_array> m_array;
    std::array<std::vector<unsigned char>, matrices> m_held; // P x P
};

} // namespace tensorloom::torus
