#pragma once
#include <cstdint>
#include <cstring>
#include <vector>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/blocks/tensor_planes.h>
#include <tensorloom/models/triada/tensor_core.h>

namespace tensorloom::triada {

/// What tensor cores with cells have in common: the memory port, cell by cell, and the face that drives vectors. The
/// cells are those of the fidelity, class Core:
///
///     void write_cell(const shape3& at, cell_register, const accumulator&)
///     accumulator read_cell(const shape3& at, cell_register) const
///
/// Example
///
///     triada::config config;
///     const auto core = triada::make_detailed_tensor_core("core", config, clock, stop, steps);
template <class Element, class Core> class cellwise_tensor_core : public tensor_core {
public:
    using accumulator = arithmetic::accumulator_of<Element>;

    // cell_memory_if
    void clear(cell_register reg, const shape3& shape) override
    {
        for_each_place(settings().mesh, [&](const shape3& at) { core().write_cell(at, reg, accumulator{}); });
        m_shapes[static_cast<unsigned>(reg)] = shape;
        renew(reg);
    }
    void keep_corner(cell_register reg, const shape3& shape) override
    {
        for_each_place(settings().mesh, [&](const shape3& at) {
            const bool stays = at[0] < shape[0] && at[1] < shape[1] && at[2] < shape[2];
            if (!stays) { core().write_cell(at, reg, accumulator{}); }
        });
        m_shapes[static_cast<unsigned>(reg)] = shape;
    }
    void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override
    {
        for_each_element(m_shapes[static_cast<unsigned>(reg)], first, elements, [&](const shape3& at) {
            core().write_cell(at, reg, arithmetic::widened(taken<Element>(bytes)));
        });
    }
    void write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums) override
    {
        for_each_element(m_shapes[static_cast<unsigned>(reg)], first, sums,
                         [&](const shape3& at) { core().write_cell(at, reg, taken<accumulator>(bytes)); });
    }
    std::uint64_t read(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                       std::uint64_t elements, unsigned shift) const override
    {
        std::uint64_t saturated = 0;
        for_each_element(shape, first, elements, [&](const shape3& at) {
            const auto element = arithmetic::narrowed<Element>(core().read_cell(at, reg), shift);
            saturated += element.saturated ? 1 : 0;
            give(bytes, element.value);
        });
        return saturated;
    }
    void read_sums(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums, unsigned shift) const override
    {
        for_each_element(shape, first, sums, [&](const shape3& at) {
            give(bytes, arithmetic::shifted_sum<Element>(core().read_cell(at, reg), shift));
        });
    }
    void widen(cell_register reg) override { m_shapes[static_cast<unsigned>(reg)] = settings().mesh; }

protected:
    cellwise_tensor_core(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                         const bus::stop_request& stop, step_observer& observer)
        : tensor_core(name, config, clock, stop, observer), m_shapes(config.registers())
    {}

    /// Calls visit(place) for all cells of a corner.
    template <class Visit> static void for_each_place(const shape3& shape, const Visit& visit)
    {
        for_each_element(shape, 0, isa::volume_of(shape), visit);
    }

    /// Calls visit(k, element, tag) for the elements of a vector that the face sends.
    template <class Visit>
    static void for_each_sent(const vector_burst& burst, const tagged_vector& vector, const Visit& visit)
    {
        if (vector.sent == 0) { return; }
        for (std::uint32_t k = 0; k < burst.length; ++k) {
            Element element{}; // padding
            if (k < burst.columns) { std::memcpy(&element, vector.elements + k * sizeof(Element), sizeof element); }
            const bool tag = k == vector.tag && !burst.pointwise;
            const bool is_due = burst.pointwise || !burst.esop || tag || !arithmetic::is_zero(element);
            if (!(vector.lines ? (*vector.lines >> k & 1) != 0 : is_due)) { continue; }
            visit(k, element, tag);
        }
    }

    /// Drives the vector onto the face: drive(at, element, tag) for the X lines through these cells. Element k goes to
    /// the line at index k of the summed mode, of every slice.
    template <class Drive>
    void drive_face(const vector_burst& burst, const tagged_vector& vector, const Drive& drive) const
    {
        const unsigned slice_mode = 3 - burst.mode - burst.x_mode;
        for_each_sent(burst, vector, [&](std::uint32_t k, const Element& element, bool tag) {
            shape3 at{0, 0, 0};
            at[burst.mode] = k;
            for (auto& slice = at[slice_mode]; slice < box()[slice_mode]; ++slice) { drive(at, element, tag); }
        });
    }

private:
    Core& core() { return static_cast<Core&>(*this); }
    const Core& core() const { return static_cast<const Core&>(*this); }

    template <class Visit>
    static void for_each_element(const shape3& shape, std::uint64_t first, std::uint64_t elements, const Visit& visit)
    {
        blocks::for_each_row_piece(shape, first, elements, [&](shape3 at, std::uint64_t count, std::uint64_t) {
            for (; count > 0; --count, ++at[2]) { visit(at); }
        });
    }
    template <class Value> static Value taken(const unsigned char*& bytes)
    {
        Value value;
        std::memcpy(static_cast<void*>(&value), bytes, sizeof value);
        bytes += sizeof value;
        return value;
    }
    template <class Value> static void give(unsigned char*& bytes, const Value& value)
    {
        std::memcpy(bytes, &value, sizeof value);
        bytes += sizeof value;
    }

    std::vector<shape3> m_shapes; // in which registers are written
};

} // namespace tensorloom::triada
