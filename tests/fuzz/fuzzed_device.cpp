#include "fuzz/fuzzed_device.h"
#include <algorithm>

namespace tensorloom::test {

namespace {

std::vector<const fuzzed_device*>& registered()
{
    static std::vector<const fuzzed_device*> devices;
    return devices;
}

} // namespace

fuzzed_device::fuzzed_device(const isa::device_description& description) : m_description(description)
{
    registered().push_back(this);
}

std::vector<const fuzzed_device*> fuzzed_devices()
{
    auto devices = registered();
    std::sort(devices.begin(), devices.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
    return devices;
}

const fuzzed_device* find_fuzzed_device(std::string_view name)
{
    for (const auto* d : registered()) {
        if (d->name() == name) { return d; }
    }
    return nullptr;
}

} // namespace tensorloom::test
