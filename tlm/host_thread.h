#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
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

/// A host without a CPU model: runs one C++ program in a thread and drives devices over the bus.
///
/// bus     base-protocol initiator socket, 32 bits, LT
/// irq     the device's interrupt, active-high; may stay unbound (no interrupt then)
///
/// The program runs on a stack of 4 MiB. Its argument is this host, which is an isa::host_port for drivers. A word is
/// one transfer; a block is split into transfers at multiples of burst_bytes.
/// An access takes the time that its target annotates. With a global quantum above 0 the host runs ahead of the
/// simulation by up to that quantum. It synchronises before it waits for an interrupt, in fence(), and at the end of
/// its program. A program that waits for anything else must call fence() first.
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

    // isa::host_port; a response other than OK is an isa::bus_failure
    std::uint32_t read_word(std::uint64_t address) override;
    void write_word(std::uint64_t address, std::uint32_t value) override;
    void read_block(std::uint64_t address, void* to, std::size_t bytes) override;
    void write_block(std::uint64_t address, const void* from, std::size_t bytes) override;
    bool wait_interrupt(std::uint64_t timeout_ns) override;
    void fence() override;

    /// Writes memory by debug transport: takes no time, counts no events. Allowed before the simulation starts as soon
    /// as the modules in between are ready; a router is ready from the end of elaboration.
    void preload(std::uint64_t address, const void* from, std::size_t bytes);

    /// The program has returned.
    bool finished() const { return m_finished; }
    /// Throws the exception that the program threw.
    void rethrow() const;
    const char* kind() const override { return "host_thread"; }

private:
    void before_end_of_elaboration() override;
    void run();
    void transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes);

    program_type m_program;
    host_config m_config;
    tlm_utils::tlm_quantumkeeper m_time;
    std::exception_ptr m_exception;
    bool m_finished = false;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_irq;
};

} // namespace tensorloom::bus
