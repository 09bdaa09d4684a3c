#pragma once
#include <complex>
#include <cstddef>
#include <vector>
#include <tensorloom/models/arithmetic/ordered_gemm.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// The parts of an element type: the real type of its parts and how many there are.
template <class T> struct element_parts {
    using real = T;
    static constexpr unsigned count = 1;
};
template <class R> struct element_parts<std::complex<R>> {
    using real = R;
    static constexpr unsigned count = 2;
};

/// The tensor core as arrays: it does all time-steps of a burst at once, as one ordered matrix product, and counts their events in
/// closed form. Bits, counts and time are those of the detailed core.
///
/// Registers are kept in C order, the parts of complex elements in planes of their own, so that every format runs on the real kernel.
/// Multiplying by zero differs from skipping in two corners: a -0 accumulator left by an underflow, and infinities or NaN times zero
/// (also, NaN bits depend on the kernel). Operands are scanned and the underflow flag is tested; when either may matter the steps
/// are done over by a masked kernel, one rank-1 update at a time.
template <class T> class fast_tensor_core : public tensor_core {
public:
    fast_tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                     step_observer& observer);

    // cell_memory_if
    void activate(const shape3& shape) override;
    void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override;
    void read(cell_register reg, std::uint64_t first, unsigned char* bytes, std::uint64_t elements) const override;

    /// Bursts that the masked kernel had to do so far.
    std::uint64_t exact_bursts() const { return m_exact_bursts; }

private:
    using real = typename element_parts<T>::real;
    static constexpr unsigned parts = element_parts<T>::count;

    /// One element register of all active cells.
    struct plane_set {
        std::vector<real> values; // part p of element e at p * volume + e
        bool zero = true;         // all +0; the values need not say so
    };

    /// What a look at the pivots of a stage found.
    struct pivot_scan {
        std::vector<std::uint64_t> nonzeros; // by index along the summed mode
        bool finite = true;
    };

    void execute(const vector_burst& burst, std::vector<arch::triada_counts>& counts) override;
    void show(cell_waveform& waveform, const vector_burst& burst, const tagged_vector& vector) const override;

    pivot_scan scan_pivots(const vector_burst& burst, const real* values) const;
    bool has_zeros(const vector_burst& burst, const pivot_scan& scan) const;
    bool needs_exact(const vector_burst& burst, const pivot_scan& scan, const plane_set& accumulators) const;
    void count(const vector_burst& burst, const pivot_scan& scan, std::vector<arch::triada_counts>& counts) const;
    void clear_small_operands(const vector_burst& burst, const plane_set& operands);
    void multiply_fused(const vector_burst& burst, const real* operands, plane_set& accumulators);
    void multiply_exact(const vector_burst& burst, const real* operands, plane_set& accumulators) const;
    void gather_coefficients(const vector_burst& burst);
    void materialise(plane_set& set) const;
    T element(const plane_set& set, std::uint64_t index) const;

    plane_set m_registers[cell_registers];
    arithmetic::ordered_gemm<real> m_gemm;
    std::uint64_t m_exact_bursts = 0;

    // scratch, kept between bursts
    std::vector<real> m_coefficients; // the burst's vectors, by planes
    std::vector<real> m_tiles;        // coefficients packed for the kernel
    std::vector<real> m_operands;     // with small ones cleared
    std::vector<real> m_saved;        // accumulators before a fused burst
    std::vector<std::ptrdiff_t> m_a_offsets;
    std::vector<std::ptrdiff_t> m_b_offsets;
};

} // namespace tensorloom::triada
