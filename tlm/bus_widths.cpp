// What is a template of the bus's width, compiled for the widths that buses have. TLM's sockets take long to compile:
// sources that use these modules do not compile them again.
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/recorder.h>
#include <tensorloom/tlm/router.h>

namespace tensorloom::bus {

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

} // namespace tensorloom::bus
