#include "conformance/conforming_device.h"
#include <algorithm>
#include <stdexcept>

namespace tensorloom::test {
namespace {

std::vector<const conforming_device*>& registered()
{
    static std::vector<const conforming_device*> devices;
    return devices;
}

} // namespace

conforming_device::conforming_device(const isa::device_description& description) : m_description(description)
{
    registered().push_back(this);
}

std::vector<const conforming_device*> conforming_devices()
{
    auto devices = registered();
    std::sort(devices.begin(), devices.end(), [](const auto* a, const auto* b) { return a->place() < b->place(); });
    return devices;
}

const conforming_device& conforming_device_named(std::string_view name)
{
    for (const auto* d : registered()) {
        if (d->name() == name) { return *d; }
    }
    throw std::invalid_argument("no conforming device " + std::string(name));
}

} // namespace tensorloom::test
