#pragma once
#include <cstddef>
#include <tensorloom/models/arch/values/event_table.h>

namespace tensorloom::bus {

/// What a DMA engine counts, in the order of its table.
enum class dma_event : std::size_t {
    read_transaction,
    write_transaction,
    read_byte,
    write_byte,
    dmi_byte,
    incomplete_response,
    stalled_cycle
};

inline constexpr arch::event_definition dma_event_definitions[] = {
    {"read_transaction", "", "A burst that the DMA read over the bus."},
    {"write_transaction", "", "A burst that the DMA wrote over the bus."},
    {"read_byte", "", "A byte that the DMA read, over the bus or directly."},
    {"write_byte", "", "A byte that the DMA wrote, over the bus or directly."},
    {"dmi_byte", "", "A byte that the DMA read or wrote through a direct memory pointer."},
    {"incomplete_response", "", "A burst whose target set no response: a failure, or taken as OK if so configured."},
    {"stalled_cycle", "",
     "A clock period in which the DMA had a burst to send and the bus was free, but it waited for answers."},
};
inline constexpr arch::event_table dma_events = arch::make_event_table(dma_event_definitions);

} // namespace tensorloom::bus
