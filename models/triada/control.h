#pragma once
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// The control that passes from actuator to actuator: whoever has it streams.
class control_if : public sc_core::sc_interface {
public:
    virtual void take_control() = 0;
};

} // namespace tensorloom::triada
