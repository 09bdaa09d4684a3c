#pragma once
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/router.h>
#include "platform/system/connections.h"

namespace tensorloom::testbench {

/// A device, independent of the width of its DMA ports, which only their binding needs.
template <class Body> struct testbed_device {
    std::unique_ptr<Body> device;
    /// Elaboration, within the platform's constructor: binds each DMA port to the router's next `in`, through an
    /// adapter if their widths differ, and through a recorder if there are any. The name is that of the first port's
    /// connection; further ones add _1 and so on.
    std::function<void(connections&, bus::router<512>&, const std::string&)> connect_dma;
};

/// A device whose DMA ports have this width. Traits: of the device (models/<device>/device.h).
template <class Traits, unsigned BUSWIDTH>
testbed_device<typename Traits::body> make_device_of_width(const char* name, const typename Traits::config& config,
                                                           bus::activity_sink* activity)
{
    auto device = std::make_unique<shell::device_of_width<Traits, BUSWIDTH>>(name, config, activity);
    auto& of = *device;
    return {std::move(device), [&of](connections& wires, bus::router<512>& router, const std::string& connection) {
                for (unsigned port = 0; port < of.dma_ports(); ++port) {
                    const std::string socket = port == 0 ? connection : connection + "_" + std::to_string(port);
                    if constexpr (BUSWIDTH == 512) {
                        wires.connect_recorded<512>(of.dma_port(port), router.in, socket);
                    } else {
                        wires.connect_widths<BUSWIDTH, 512>(of.dma_port(port), router.in, socket);
                    }
                }
            }};
}

/// A device whose DMA port has 32, 64, 128, 256 or 512 bits (else std::logic_error). Compiled in the source of the
/// device's testbed.
template <class Traits>
testbed_device<typename Traits::body> make_device(const char* name, const typename Traits::config& config,
                                                  unsigned dma_bits, bus::activity_sink* activity)
{
    switch (dma_bits) {
    case 32: return make_device_of_width<Traits, 32>(name, config, activity);
    case 64: return make_device_of_width<Traits, 64>(name, config, activity);
    case 128: return make_device_of_width<Traits, 128>(name, config, activity);
    case 256: return make_device_of_width<Traits, 256>(name, config, activity);
    case 512: return make_device_of_width<Traits, 512>(name, config, activity);
    default: break;
    }
    throw std::logic_error("a DMA port of " + std::to_string(dma_bits) + " bits");
}

} // namespace tensorloom::testbench
