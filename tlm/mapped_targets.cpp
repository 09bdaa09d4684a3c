#include <tensorloom/tlm/mapped_targets.h>
#include <algorithm>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::bus {
namespace {

constexpr const char* report_id = "/tensorloom/mapped_targets/name";

} // namespace

mapped_target_names::mapped_target_names(router_core& router, const isa::memory_map& map) : m_router(router)
{
    for (auto& range : map.ranges()) { m_entries.push_back({range, false}); }
}

const isa::memory_map::range& mapped_target_names::take(const std::string& name)
{
    const auto found =
        std::find_if(m_entries.begin(), m_entries.end(), [&](const entry& e) { return e.range.name == name; });
    if (found == m_entries.end()) {
        report_error(m_router.name(), report_id, "the memory map has no '" + name + "'");
    } else if (found->has_target) {
        report_error(m_router.name(), report_id, "'" + name + "' has a target already");
    }
    found->has_target = true;
    return found->range;
}

void mapped_target_names::map_next(const isa::memory_map::range& range)
{
    m_router.map(range.first, range.last, m_targets++);
}

void mapped_target_names::expect_all() const
{
    std::string missing;
    for (const auto& e : m_entries) {
        if (!e.has_target) { missing += (missing.empty() ? "'" : ", '") + e.range.name + "'"; }
    }
    if (!missing.empty()) { report_error(m_router.name(), report_id, "no target is bound as " + missing); }
}

} // namespace tensorloom::bus
