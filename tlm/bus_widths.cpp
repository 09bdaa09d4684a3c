// What is a template of the bus's width, compiled for the widths that buses have. TLM's sockets take long to compile:
// sources that use these modules do not compile them again.
#include <tensorloom/tlm/dma_socket.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/recorder.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/width_adapter.h>

namespace tensorloom::bus {

template class dma_socket<32>;
template class dma_socket<64>;
template class dma_socket<128>;
template class dma_socket<256>;
template class dma_socket<512>;

template class protocol_checker<32>;
template class protocol_checker<64>;
template class protocol_checker<128>;
template class protocol_checker<256>;
template class protocol_checker<512>;

template class recorder<32>;
template class recorder<64>;
template class recorder<128>;
template class recorder<256>;
template class recorder<512>;

template class router<32>;
template class router<64>;
template class router<128>;
template class router<256>;
template class router<512>;

template class width_adapter<32, 64>;
template class width_adapter<32, 128>;
template class width_adapter<32, 256>;
template class width_adapter<32, 512>;
template class width_adapter<64, 32>;
template class width_adapter<128, 32>;
template class width_adapter<256, 32>;
template class width_adapter<512, 32>;

} // namespace tensorloom::bus
