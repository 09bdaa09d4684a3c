#include <tensorloom/models/base/values/resources.h>
#include <algorithm>
#include <cstring>
#include <iterator>

namespace tensorloom::base {
namespace {

struct cause_of_resource {
    const char* cause;
    resource spent_on;
};

// A program that is fetched while it runs is waited for because of the memory's latency.
constexpr cause_of_resource causes[] = {
    {"compute", resource::compute}, {"fill", resource::compute},    {"drain", resource::compute},
    {"weights", resource::compute}, {"reload", resource::compute},  {"psum", resource::compute},
    {"vector", resource::vector},   {"scalar", resource::scalar},   {"roll", resource::links},
    {"port", resource::port},       {"load", resource::bus},        {"unload", resource::bus},
    {"store", resource::bus},       {"matrices", resource::bus},    {"fetch", resource::memory},
    {"conflict", resource::banks},  {"control", resource::control}, {"latency", resource::control},
    {"wait", resource::control},
};

} // namespace

const char* resource_name(resource r)
{
    static constexpr const char* names[resource_count] = {"compute", "vector", "scalar",    "links", "port",
                                                          "bus",     "memory", "transfers", "banks", "control"};
    return names[static_cast<std::size_t>(r)];
}

resource resource_of(const char* cause)
{
    // For every phase of every command: most causes differ in their first character.
    const auto is_it = [cause](const auto& c) { return c.cause[0] == cause[0] && std::strcmp(c.cause, cause) == 0; };
    const auto found = std::find_if(std::begin(causes), std::end(causes), is_it);
    return found == std::end(causes) ? resource::count_ : found->spent_on;
}

freed_cycles freed_cycles::of(resource spent_on, std::uint64_t cycles)
{
    freed_cycles found(cycles);
    if (spent_on != resource::count_) { found.set_without(spent_on, 0); }
    if (spent_on == resource::bus || spent_on == resource::memory) { found.set_without(resource::transfers, 0); }
    if (spent_on == resource::compute) { found.m_cycles[only_computing] = cycles; }
    return found;
}

} // namespace tensorloom::base
