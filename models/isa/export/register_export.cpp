#include <tensorloom/models/isa/export/register_export.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {

const std::vector<const device_description*>& described_devices()
{
    static const auto devices = [] {
        auto all = device_table();
        std::sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->place < b->place; });
        return all;
    }();
    return devices;
}

std::string described_device_names()
{
    std::string names;
    for (const auto* d : described_devices()) { names += (names.empty() ? "" : ", ") + std::string(d->name); }
    return names;
}

const device_description* find_described_device(std::string_view name)
{
    for (const auto* d : described_devices()) {
        if (name == d->name) { return d; }
    }
    return nullptr;
}

const device_description& described_device(std::string_view name)
{
    const auto* device = find_described_device(name);
    if (device != nullptr) { return *device; }
    base::refuse("device", base::in_quotes(name), described_device_names());
}

std::optional<std::uint32_t> known_reset(const register_definition& r, const device_description& device)
{
    if (r.offset == reg::id) { return device.id; }
    if (r.trait == register_trait::identification) { return std::nullopt; }
    return r.reset();
}

const char* access_text(register_access access)
{
    switch (access) {
    case register_access::read_only: return "read-only";
    case register_access::read_write: return "read/write";
    case register_access::write_one_clear: return "write 1 to clear";
    case register_access::write_start: return "write 1 to start";
    }
    return "?";
}

std::string capitals(std::string name)
{
    for (char& c : name) { c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
    return name;
}

} // namespace tensorloom::isa
