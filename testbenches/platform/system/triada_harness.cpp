#include "platform/system/triada_harness.h"

namespace tensorloom::testbench {

template <>
connected_device<triada::device_body> make_device<triada_traits>(const char* name, const triada::config& config,
                                                                 unsigned dma_bits, bus::activity_sink* activity)
{
    return device_of_any_width<triada::device, triada::device_body>(name, config, dma_bits, activity);
}

} // namespace tensorloom::testbench
