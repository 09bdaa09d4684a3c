#include "register_block.h"
#include <cstring>

namespace tensorloom::virtual_platform {

void register_block::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    const std::uint64_t offset = transaction.get_address();
    std::uint32_t value = 0;
    if (transaction.get_data_length() != sizeof value || offset % sizeof value != 0 ||
        transaction.get_byte_enable_ptr() != nullptr) {
        transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    bool done = true;
    if (transaction.is_read()) {
        done = read(offset, value, at);
        if (done) { std::memcpy(transaction.get_data_ptr(), &value, sizeof value); }
    } else if (transaction.is_write()) {
        std::memcpy(&value, transaction.get_data_ptr(), sizeof value);
        done = write(offset, value, at);
    }
    const auto error = transaction.is_read() ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE;
    transaction.set_response_status(done ? tlm::TLM_OK_RESPONSE : error);
}

} // namespace tensorloom::virtual_platform
