// The adapters between the widths that buses have. They stand apart from the other modules of all widths
// (bus_widths.cpp): each registers an extension of payloads, which every payload of a program that links them has a
// place for, and every protocol checker looks at.
#include <tensorloom/tlm/width_adapter.h>

namespace tensorloom::bus {

template class width_adapter<32, 64>;
template class width_adapter<32, 128>;
template class width_adapter<32, 256>;
template class width_adapter<32, 512>;
template class width_adapter<64, 32>;
template class width_adapter<128, 32>;
template class width_adapter<256, 32>;
template class width_adapter<512, 32>;

} // namespace tensorloom::bus
