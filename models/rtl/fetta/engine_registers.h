#pragma once
#include <cstdint>
#include <memory>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::rtl {

/// Inputs of a contraction engine in a cycle. A row of IA or IB that is nullptr is absent. Elements of bf16 are the
/// equal floats.
struct engine_inputs {
    bool step = false;
    bool start = false;
    bool load = false;
    bool load_start = false;
    bool finish = false;
    std::uint32_t valid = 0;
    const float* ia = nullptr;
    const float* ib = nullptr;
};

/// Events of a cycle: bit r, row r of the engine.
struct engine_events {
    std::uint32_t steps = 0;  ///< multiply-adds
    std::uint32_t starts = 0; ///< beginnings of tiles
    std::uint32_t shifts = 0; ///< of the shadow IB
    std::uint32_t drains = 0; ///< changes of the shadow sum
};

/// Registers of a processing element.
struct engine_element_registers {
    float ib_active = 0;
    float ib_shadow = 0;
    float psum = 0;
    float psum_shadow = 0;
};

/// A contraction engine of FETTA in Verilog (fetta/contraction_engine.v), with 4 x 4 processing elements, by its pins.
///
/// Example
///
///     auto engine = rtl::make_engine_registers(base::element_type::f32);
///     engine->configure(true, false);
///     engine->set(rtl::engine_inputs{});
///     engine->tick();
class engine_registers {
public:
    static constexpr unsigned side = 4;

    virtual ~engine_registers() = default;

    /// Drops what is in flight and sets the data path, by a clock edge of its own.
    virtual void configure(bool output_stationary, bool horizontal) = 0;
    /// The inputs of the next clock edge.
    virtual void set(const engine_inputs& inputs) = 0;
    /// A clock edge.
    virtual engine_events tick() = 0;

    virtual bool result_is_valid() const = 0;
    virtual void result(float* row) const = 0; ///< the sums at the bottom

    virtual engine_element_registers element(unsigned row, unsigned column) const = 0;
    virtual float ia(unsigned row) const = 0; ///< on the row's wire before the last clock edge
};

/// The engine with operands of bf16 or f32; sums are f32. nullptr without RTL.
std::unique_ptr<engine_registers> make_engine_registers(base::element_type operand);

} // namespace tensorloom::rtl
