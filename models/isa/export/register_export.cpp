#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::isa {

const std::vector<const device_description*>& described_devices()
{
    static const std::vector<const device_description*> devices{&triada::description, &mmv::description,
                                                                &fetta::description, &torus::description};
    return devices;
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
    std::string known;
    for (const auto* d : described_devices()) { known += (known.empty() ? "" : ", ") + std::string(d->name); }
    throw base::input_error("device: found " + base::in_quotes(name) + ", expected " + known);
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
