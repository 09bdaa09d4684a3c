// Explicit instantiations for the usual bus widths. TLM's sockets take long to compile; users of these modules do not
// compile them again.
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/tap.h>

namespace tensorloom::bus {

template class router<32>;
template class router<64>;
template class router<128>;
template class router<256>;
template class router<512>;

template class tap_module<32>;
template class tap_module<64>;
template class tap_module<128>;
template class tap_module<256>;
template class tap_module<512>;
template class tap_module<32, 64>;
template class tap_module<32, 128>;
template class tap_module<32, 256>;
template class tap_module<32, 512>;
template class tap_module<64, 32>;
template class tap_module<128, 32>;
template class tap_module<256, 32>;
template class tap_module<512, 32>;

} // namespace tensorloom::bus
