#include <tensorloom/models/memory/sram.h>

namespace tensorloom::memory {

sram_module::sram_module(sc_core::sc_module_name name, const sram_config& config, bus::activity_sink* activity)
    : memory_module(name, config)
{
    if (activity != nullptr) { activity->attach(this->name(), arch::sram_events, m_body.counts()); }
}

template class sram<32>;
template class sram<64>;
template class sram<128>;
template class sram<256>;
template class sram<512>;

} // namespace tensorloom::memory
