#pragma once
#include <tensorloom/tlm/tap.h>

namespace tensorloom::bus {

/// Connects an initiator and a target of different bus widths. Payloads pass unchanged and take no time: in the base
/// protocol the width only defines the length of a beat, and modules that model beats do so themselves.
///
/// in      target socket of width IN, LT and AT
/// out     initiator socket of width OUT
///
/// Example
///
///     bus::width_adapter<32, 512> adapter("adapter");
///     initiator.bind(adapter.in);
///     adapter.out.bind(wide_target);
template <unsigned IN, unsigned OUT> class width_adapter : public tap_module<IN, OUT>, private tap {
public:
    explicit width_adapter(sc_core::sc_module_name name) : tap_module<IN, OUT>(name) { this->bind(*this); }
    const char* kind() const override { return "width_adapter"; }
};

} // namespace tensorloom::bus
