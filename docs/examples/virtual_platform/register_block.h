#pragma once
#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace tensorloom::virtual_platform {

/// Base of a peripheral: a block of 32-bit registers that takes no time.
///
/// in      base-protocol target socket, 32 bits, LT; aligned words only (BURST_ERROR otherwise)
///
/// A read of a register that does not exist gets ADDRESS_ERROR, a write that has no effect COMMAND_ERROR.
class register_block : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<register_block, 32> in;

protected:
    explicit register_block(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
    {
        in.register_b_transport(this, &register_block::b_transport);
    }

    /// False: there is no such register. `at`: time of the access.
    virtual bool read(std::uint64_t offset, std::uint32_t& value, const sc_core::sc_time& at) = 0;
    /// False: there is no such register, or it is read-only.
    virtual bool write(std::uint64_t offset, std::uint32_t value, const sc_core::sc_time& at) = 0;

private:
    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
};

} // namespace tensorloom::virtual_platform
