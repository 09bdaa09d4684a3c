#include <tensorloom/models/shell/command_outcome.h>

namespace tensorloom::shell {

using arch::error_code;

namespace {

arch::bus_response response_of(tlm::tlm_response_status status)
{
    switch (status) {
    case tlm::TLM_OK_RESPONSE: return arch::bus_response::none;
    case tlm::TLM_INCOMPLETE_RESPONSE: return arch::bus_response::incomplete;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE: return arch::bus_response::address_error;
    case tlm::TLM_COMMAND_ERROR_RESPONSE: return arch::bus_response::command_error;
    case tlm::TLM_BURST_ERROR_RESPONSE: return arch::bus_response::burst_error;
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE: return arch::bus_response::byte_enable_error;
    case tlm::TLM_GENERIC_ERROR_RESPONSE: break;
    }
    return arch::bus_response::generic_error;
}

} // namespace

command_outcome outcome_of(const bus::dma_result& result)
{
    switch (result.outcome) {
    case bus::dma_result::outcome::ok: return {};
    case bus::dma_result::outcome::stopped: return {error_code::aborted};
    case bus::dma_result::outcome::failed: break;
    }
    return {error_code::bus_error, result.address, response_of(result.status)};
}

} // namespace tensorloom::shell
