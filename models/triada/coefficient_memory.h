#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// The switches of an actuator, set for each job.
struct actuator_switches {
    unsigned stage = 0;     ///< 0, 1, 2
    unsigned x_mode = 0;    ///< face: the mode (0, 1, 2) along which its X lines run
    unsigned successor = 0; ///< mode of the actuator that gets control after the last vector; 3: the device
    bool esop = true;
    double zero_threshold = 0;
};

/// The port through which an actuator is loaded.
class coefficient_memory_if : public sc_core::sc_interface {
public:
    /// Makes room for an n x n matrix; forgets what was there.
    virtual void resize(std::uint32_t n) = 0;
    /// Bytes `first`.. of the row-major matrix C[n,k], in the device's format. The tag of row n is at k = n.
    virtual void write(std::uint64_t first, const unsigned char* bytes, std::uint64_t count) = 0;
    /// Step t streams row order[t]; a permutation.
    virtual void set_row_order(std::vector<std::uint32_t> order) = 0;
    virtual void set_switches(const actuator_switches& switches) = 0;
    /// Order of the matrix that is loaded, 0 when there is none.
    virtual std::uint32_t rows() const = 0;
};

} // namespace tensorloom::triada
