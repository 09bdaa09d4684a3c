#pragma once
#include <memory>

namespace tensorloom::rtl {

/// A bank of FETTA's accumulation unit in Verilog (fetta/accumulator_bank.v), with 4 sums in f32 per row, by its pins.
/// Its memory is the caller's.
///
/// Example
///
///     auto bank = rtl::make_accumulator_registers();
///     float row[] = {1, 2, 3, 4};
///     const float beat[] = {1, 1, 1, 1};
///     bank->set(beat, row, true, false);
///     bank->tick(row); // 2, 3, 4, 5
class accumulator_registers {
public:
    static constexpr unsigned lanes = 4;

    virtual ~accumulator_registers() = default;

    /// A beat for the next clock edge, and the row of its cycle; without one nothing happens.
    virtual void set(const float* beat, const float* stored, bool adds, bool passes_on) = 0;
    /// A clock edge, which writes the row of its beat.
    virtual void tick(float* row) = 0;

    virtual bool valid() const = 0; ///< a sum leaves
    virtual void out(float* to) const = 0;
};

/// nullptr without RTL.
std::unique_ptr<accumulator_registers> make_accumulator_registers();

} // namespace tensorloom::rtl
