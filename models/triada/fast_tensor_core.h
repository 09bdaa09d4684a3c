#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <vector>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/triada/register_planes.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// The tensor core as arrays: it does all time-steps of a burst at once, as one product along a mode
/// (arithmetic/mode_product.h), and counts their events in closed form. Bits, counts and time are those of the detailed
/// core.
///
/// Under ESOP a register is kept as far as it can be non-zero; a dense stream multiplies the zeros of the whole active
/// box too, so that infinities and NaN spread as they do in the cells. A source gives its memory to the next pass that
/// has another. Watched cells are replayed: each one's accumulator is a sum of its own, done again step by step while
/// the time passes.
template <class Element> class fast_tensor_core : public tensor_core {
public:
    fast_tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                     step_observer& observer);

    // cell_memory_if
    void activate(const shape3& box) override { set_box(box); }
    void clear(cell_register reg, const shape3& shape) override;
    void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override;
    void write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums) override;
    std::uint64_t read(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                       std::uint64_t elements, unsigned shift) const override;
    void read_sums(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums, unsigned shift) const override;

private:
    using product = arithmetic::mode_product<Element>;
    using registers = register_planes<Element>;
    using accumulator = typename registers::accumulator;
    using real = typename registers::real;

    /// A watched cell while a burst is replayed.
    struct replayed_cell {
        accumulator sum{};                                  // its accumulator, up to the step that shows
        std::array<accumulator, cell_registers> released{}; // what registers held that have given up their memory
    };

    /// The corners of source and target that a burst works on; they differ along the summed mode only.
    struct pass_shapes {
        shape3 source;
        shape3 target;
    };

    void execute(const vector_burst& burst, arch::triada::counts* counts) override;
    void pass_deltas() override;
    void show(std::size_t watched, cell_waveform& waveform, const vector_burst& burst,
              const tagged_vector& vector) override;

    registers& at(cell_register reg) { return m_registers[static_cast<unsigned>(reg)]; }
    const registers& at(cell_register reg) const { return m_registers[static_cast<unsigned>(reg)]; }
    pass_shapes shapes_of(const vector_burst& burst) const;
    void multiply(const vector_burst& burst, const pass_shapes& shapes, registers& target);
    void gather_terms(const vector_burst& burst, std::uint32_t columns);
    void count(const vector_burst& burst, arch::triada::counts* counts) const;
    void release_unless(cell_register source);
    void begin_replay(const vector_burst& burst);

    plane_pool<real> m_pool;
    std::array<registers, cell_registers> m_registers;
    std::array<bool, cell_registers> m_released{};
    std::optional<cell_register> m_last_source; // of the burst before; none when it has been cleared since
    product m_product;
    std::vector<replayed_cell> m_replayed;

    // scratch, kept between bursts
    std::vector<arithmetic::product_term> m_terms;
    std::vector<arithmetic::product_counts> m_pivots; // of each term
    std::vector<unsigned char> m_padded;              // coefficients with their padding
};

} // namespace tensorloom::triada
