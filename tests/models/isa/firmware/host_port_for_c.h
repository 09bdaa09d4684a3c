#pragma once
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/isa/firmware/tensorloom.h>

namespace tensorloom::test {

/// A host of a C++ driver, as the port of the C driver. The host outlives the port.
inline tl_port port_for_c(isa::host_port& host)
{
    // An exception must not pass through the C driver.
    static const auto status_of = [](auto&& work) {
        try {
            work();
            return 0;
        } catch (const isa::bus_failure&) {
            return -1;
        }
    };
    static const auto of = [](void* context) -> isa::host_port& { return *static_cast<isa::host_port*>(context); };

    tl_port port{};
    port.context = &host;
    port.read_word = [](void* c, std::uint64_t address, std::uint32_t* value) {
        return status_of([&] { *value = of(c).read_word(address); });
    };
    port.write_word = [](void* c, std::uint64_t address, std::uint32_t value) {
        return status_of([&] { of(c).write_word(address, value); });
    };
    port.read_block = [](void* c, std::uint64_t address, void* to, std::size_t bytes) {
        return status_of([&] { of(c).read_block(address, to, bytes); });
    };
    port.write_block = [](void* c, std::uint64_t address, const void* from, std::size_t bytes) {
        return status_of([&] { of(c).write_block(address, from, bytes); });
    };
    port.wait_interrupt = [](void* c, std::uint64_t timeout_ns) -> int {
        bool high = false;
        const int status = status_of([&] { high = of(c).wait_interrupt(timeout_ns); });
        return status != 0 ? status : high ? 0 : static_cast<int>(tl_port_timeout);
    };
    port.fence = [](void* c) { return status_of([&] { of(c).fence(); }); };
    return port;
}

} // namespace tensorloom::test
