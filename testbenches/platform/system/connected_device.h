#pragma once
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/router.h>
#include "platform/system/connections.h"

namespace tensorloom::testbench {

/// A device without the width of its DMA port, which is known only to what binds that.
template <class Body> struct connected_device {
    std::unique_ptr<Body> device;
    /// Elaboration, within the platform's constructor: binds the DMA to the router's next `in`, through an adapter
    /// unless both are as wide, behind a recorder where there are any. The name is that of the connection.
    std::function<void(connections&, bus::router<512>&, const std::string&)> connect_dma;
};

/// Makes a device whose DMA port has 32, 64, 128, 256 or 512 bits (else std::logic_error). Traits: of the device
/// (mmv_harness.h, fetta_harness.h, triada_harness.h); their sources are the only ones that know its widths.
template <class Traits>
connected_device<typename Traits::body> make_device(const char* name, const typename Traits::config& config,
                                                    unsigned dma_bits, bus::activity_sink* activity);

/// For those sources: the Device of one width.
template <template <unsigned> class Device, unsigned BUSWIDTH, class Body, class Config>
connected_device<Body> device_of_width(const char* name, const Config& config, bus::activity_sink* activity)
{
    auto device = std::make_unique<Device<BUSWIDTH>>(name, config, activity);
    auto& dma = device->dma;
    return {std::move(device), [&dma](connections& wires, bus::router<512>& router, const std::string& connection) {
                if constexpr (BUSWIDTH == 512) {
                    wires.connect_recorded<512>(dma, router.in, connection);
                } else {
                    wires.connect_widths<BUSWIDTH, 512>(dma, router.in, connection);
                }
            }};
}

/// For those sources: the Device of the width asked for.
template <template <unsigned> class Device, class Body, class Config>
connected_device<Body> device_of_any_width(const char* name, const Config& config, unsigned dma_bits,
                                           bus::activity_sink* activity)
{
    switch (dma_bits) {
    case 32: return device_of_width<Device, 32, Body>(name, config, activity);
    case 64: return device_of_width<Device, 64, Body>(name, config, activity);
    case 128: return device_of_width<Device, 128, Body>(name, config, activity);
    case 256: return device_of_width<Device, 256, Body>(name, config, activity);
    case 512: return device_of_width<Device, 512, Body>(name, config, activity);
    default: break;
    }
    throw std::logic_error("a DMA port of " + std::to_string(dma_bits) + " bits");
}

} // namespace tensorloom::testbench
