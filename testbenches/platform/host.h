#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/models/arch/host_port.h>

namespace tensorloom::testbench {

/// A processor that runs one C++ program in a thread and drives devices over the bus.
///
/// bus     base-protocol initiator socket, 32 bits, LT, without temporal decoupling
/// irq     the device's interrupt
///
/// An exception of the program ends it; rethrow() passes it on after the simulation.
class host : public sc_core::sc_module, public arch::host_port {
public:
    tlm_utils::simple_initiator_socket<host, 32> bus;
    sc_core::sc_in<bool> irq;

    host(sc_core::sc_module_name name, std::function<void(host&)> program);

    // arch::host_port; a response other than OK is an arch::bus_failure
    std::uint32_t read_word(std::uint64_t address) override;
    void write_word(std::uint64_t address, std::uint32_t value) override;
    void read_block(std::uint64_t address, void* to, std::size_t bytes) override;
    void write_block(std::uint64_t address, const void* from, std::size_t bytes) override;
    bool wait_interrupt(std::uint64_t timeout_ns) override;
    void fence() override {} // every access is complete, in time too, when it returns

    /// Writes memory by debug transport: no time, no events. Also before the simulation starts.
    void preload(std::uint64_t address, const void* from, std::size_t bytes);

    bool finished() const { return m_finished; }
    /// Throws what the program threw.
    void rethrow() const;

private:
    void run();
    void transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);

    std::function<void(host&)> m_program;
    std::exception_ptr m_exception;
    bool m_finished = false;
};

} // namespace tensorloom::testbench
