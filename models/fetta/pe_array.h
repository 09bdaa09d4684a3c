#pragma once
#include <cstdint>
#include <memory>
#include <tensorloom/models/fetta/contraction_engine.h>

namespace tensorloom::fetta {

/// The registers of a contraction engine, of any side; contraction_engine.h says what they do and when.
class pe_array {
public:
    virtual ~pe_array() = default;

    virtual void configure(engine_dataflow path) = 0;
    virtual void evaluate(const engine_control& control, const engine_operands& operands) = 0;
    virtual void commit() = 0;
    virtual void hold() = 0;
    virtual engine_result result() const = 0;
    virtual std::uint64_t multiply_adds() const = 0;
    virtual const engine_waveform& watch() = 0;
    virtual const pe_waveform& watch(unsigned row, unsigned column) = 0;
};

/// nullptr when the side is none of 2, 4, 8, 16.
std::unique_ptr<pe_array> make_pe_array(const contraction_engine_config& config);

} // namespace tensorloom::fetta
