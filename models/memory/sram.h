#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/models/memory/memory_module.h>
#include <tensorloom/models/memory/sram_body.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/at_target.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::memory {

/// A static memory on the bus, apart from the width of its socket: see sram.
class sram_module : public memory_module<sram_body> {
public:
    const std::uint64_t* counts() const { return m_body.counts(); } ///< by arch::sram_events

protected:
    sram_module(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity);
};

/// A static memory on the bus: ports, banks, a queue of requests.
///
/// in      base-protocol target socket: blocking and non-blocking (see bus::at_target), debug, DMI
/// rst     active-high; its rising edge resets the memory; may stay unbound
///
/// Configuration and events: sram_body. Timing: sram_timing. Answers to transactions: byte_store.
/// Not modelled: refresh or wear (none in an SRAM), sleep modes, what a held reset does (its edge alone acts).
template <unsigned BUSWIDTH = 32> class sram : public sram_module {
public:
    bus::at_target_socket<BUSWIDTH> in;

    /// A configuration with a complaint is an SC_ERROR.
    sram(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity = nullptr);
    ~sram() override;
};

template <unsigned BUSWIDTH>
sram<BUSWIDTH>::sram(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity)
    : sram_module(name, config, activity), in("in", m_port)
{}

template <unsigned BUSWIDTH> sram<BUSWIDTH>::~sram() = default;

// Compiled once, for the widths that buses have: see sram.cpp.
extern template class sram<32>;
extern template class sram<64>;
extern template class sram<128>;
extern template class sram<256>;
extern template class sram<512>;

} // namespace tensorloom::memory
