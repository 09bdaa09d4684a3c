#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <systemc>
#include <tlm>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

struct host_config {
    unsigned burst_bytes = 4096; ///< largest transfer of a block: a power of two, 4 to 1 MiB
    bool quantum_keeper = true;  ///< runs ahead of the simulation by up to the global quantum
};

/// The first error of a configuration.
std::optional<std::string> validate(const host_config& config);

/// The port of drivers over an initiator socket that a platform already has: that of its processor, or of a testbench.
///
/// A word is one transfer by b_transport; a block is split into transfers at multiples of burst_bytes. Calls come from
/// a thread. An access takes the time that its target annotates: with a global quantum above 0 it runs ahead of the
/// simulation by up to that quantum, and catches up in fence() and before it waits for an interrupt. Call fence()
/// before any other wait.
/// Interrupt  a line (watch()), or calls (set_interrupt()), or both: high while one of them is. With neither it never
///            comes
/// Errors     a response other than OK is an isa::bus_failure with the host's name
/// Not modelled: several interrupts, DMI. Local time of the processor itself: call its synchronisation first.
///
/// Example
///
///     bus::socket_host port("cpu", initiator);
///     port.watch(interrupt);
///     triada::driver driver(port, 0x4000'0000);
class socket_host : public isa::host_port {
public:
    /// `socket`: any initiator socket, bound at the end of elaboration. `name`: for messages. An invalid configuration
    /// is an SC_ERROR.
    template <class Socket>
    socket_host(std::string name, Socket& socket, const host_config& config = {})
        : socket_host(std::move(name),
                      target_of([&socket]() -> tlm::tlm_fw_transport_if<>& { return *socket.operator->(); }), config)
    {}

    /// The device's interrupt line, active-high.
    void watch(const sc_core::sc_signal_in_if<bool>& line) { m_line = &line; }
    /// The device's interrupt, told by a call: from an interrupt handler, or a callback of the platform.
    void set_interrupt(bool high);

    // isa::host_port
    std::uint32_t read_word(std::uint64_t address) override;
    void write_word(std::uint64_t address, std::uint32_t value) override;
    void read_block(std::uint64_t address, void* to, std::size_t bytes) override;
    void write_block(std::uint64_t address, const void* from, std::size_t bytes) override;
    bool wait_interrupt(std::uint64_t timeout_ns) override;
    void fence() override;

    /// Writes memory by debug transport: takes no time, counts no events. Allowed before the simulation starts as soon
    /// as the modules in between are ready; a router is ready from the end of elaboration.
    void preload(std::uint64_t address, const void* from, std::size_t bytes);

private:
    using target_of = std::function<tlm::tlm_fw_transport_if<>&()>;

    socket_host(std::string name, target_of target, const host_config& config);
    void transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);
    bool interrupted() const { return m_raised || (m_line != nullptr && m_line->read()); }
    isa::bus_failure failure(const std::string& what, std::uint64_t address) const;

    std::string m_name;
    target_of m_target;
    host_config m_config;
    tlm_utils::tlm_quantumkeeper m_time;
    const sc_core::sc_signal_in_if<bool>* m_line = nullptr;
    bool m_raised = false; // by calls
    sc_core::sc_event m_raises;
};

} // namespace tensorloom::bus
