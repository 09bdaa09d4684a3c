#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/tlm/socket_host.h>

namespace tensorloom::bus {

/// A host without a CPU model: runs one C++ program in a thread and drives devices over the bus.
///
/// bus     base-protocol initiator socket, 32 bits, LT
/// irq     the device's interrupt, active-high; may stay unbound (no interrupt then)
///
/// The program runs on a stack of 4 MiB. Its argument is this host, which is an isa::host_port for drivers: accesses,
/// time and errors are those of a socket_host. The host also synchronises at the end of its program.
/// An exception that leaves the program ends the simulation: sc_start() throws a report, rethrow() throws the original.
/// Not modelled: instructions, caches, several interrupts, DMI.
///
/// Example
///
///     bus::host_thread host("host", [](bus::host_thread& self) { self.write_word(0x1000'0010, 1); });
///     host.bus.bind(target);
///     host.irq.bind(interrupt);
///     sc_core::sc_start();
///     host.rethrow();
class host_thread : public sc_core::sc_module, public isa::host_port {
public:
    using program_type = std::function<void(host_thread&)>;

    tlm_utils::simple_initiator_socket<host_thread, 32> bus;
    sc_core::sc_in<bool> irq;

    /// An invalid configuration is an SC_ERROR.
    host_thread(sc_core::sc_module_name name, program_type program, const host_config& config = {});
    ~host_thread() override;

    // isa::host_port
    std::uint32_t read_word(std::uint64_t address) override { return m_port.read_word(address); }
    void write_word(std::uint64_t address, std::uint32_t value) override { m_port.write_word(address, value); }
    void read_block(std::uint64_t address, void* to, std::size_t bytes) override
    {
        m_port.read_block(address, to, bytes);
    }
    void write_block(std::uint64_t address, const void* from, std::size_t bytes) override
    {
        m_port.write_block(address, from, bytes);
    }
    bool wait_interrupt(std::uint64_t timeout_ns) override { return m_port.wait_interrupt(timeout_ns); }
    void fence() override { m_port.fence(); }

    /// As socket_host::preload().
    void preload(std::uint64_t address, const void* from, std::size_t bytes) { m_port.preload(address, from, bytes); }

    /// The program has returned.
    bool finished() const { return m_finished; }
    /// Throws the exception that the program threw.
    void rethrow() const;
    const char* kind() const override { return "host_thread"; }

private:
    void before_end_of_elaboration() override;
    void end_of_elaboration() override;
    void run();

    program_type m_program;
    socket_host m_port;
    std::exception_ptr m_exception;
    bool m_finished = false;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_irq;
};

} // namespace tensorloom::bus
