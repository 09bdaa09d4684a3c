#pragma once
#include <cstdint>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// One burst of a DMA transfer, from its issue to its answer. Times are absolute.
struct dma_burst {
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t index = 0; ///< in the transfer: the order of issue
    std::uint64_t address = 0;
    unsigned char* data = nullptr;
    unsigned bytes = 0;
    sc_core::sc_time issued;

    bool answered = true;  ///< the rest is known; it may be for a time to come
    sc_core::sc_time done; ///< when the burst has ended
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;

    /// Fills in a request that the strictest target takes.
    void describe(tlm::tlm_generic_payload& transaction) const
    {
        transaction.set_command(command);
        transaction.set_address(address);
        transaction.set_data_ptr(data);
        transaction.set_data_length(bytes);
        transaction.set_streaming_width(bytes);
        transaction.set_byte_enable_ptr(nullptr);
        transaction.set_byte_enable_length(0);
        transaction.set_dmi_allowed(false);
        transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }
};

} // namespace tensorloom::bus
