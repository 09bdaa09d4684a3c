#include <tensorloom/tlm/burst_carrier.h>
#include <utility>
#include <tensorloom/tlm/blocking_carrier.h>
#include <tensorloom/tlm/non_blocking_carrier.h>

namespace tensorloom::bus {

std::unique_ptr<burst_carrier> make_burst_carrier(dma_transport transport, dma_port& port,
                                                  burst_carrier::answer_handler answered)
{
    if (transport == dma_transport::non_blocking) {
        return std::make_unique<non_blocking_carrier>(port, std::move(answered));
    }
    return std::make_unique<blocking_carrier>(port, std::move(answered));
}

} // namespace tensorloom::bus
