#include <tensorloom/models/memory/dram.h>

namespace tensorloom::memory {

dram_module::dram_module(sc_core::sc_module_name name, const dram_settings& settings, bus::activity_sink* activity)
    : memory_module(name, settings)
{
    if (activity != nullptr) { activity->attach(this->name(), arch::dram_events, m_body.counts().data()); }
}

template class dram<32>;
template class dram<64>;
template class dram<128>;
template class dram<256>;
template class dram<512>;

} // namespace tensorloom::memory
