#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/memory_map.h>
#include <tensorloom/tlm/router.h>

namespace tensorloom::bus {

/// The width-independent part of mapped_targets.
class mapped_target_names {
public:
    /// Elaboration, after the last bind(): entries of the map without a target are an SC_ERROR that names them.
    void expect_all() const;

protected:
    mapped_target_names(router_core& router, const isa::memory_map& map);

    /// The range of the entry with this name, which no target has yet; otherwise an SC_ERROR.
    const isa::memory_map::range& take(const std::string& name);
    void map_next(const isa::memory_map::range& range);

private:
    struct entry {
        isa::memory_map::range range;
        bool has_target = false;
    };

    router_core& m_router;
    std::vector<entry> m_entries;
    unsigned m_targets = 0; // bound so far
};

/// Binds the targets of a router by their names in a memory map, which also gives their addresses.
///
/// All targets of the router are bound through this object, in any order; it may be destroyed after the last bind().
/// Targets get addresses relative to their bases, as router_core::map() does by default.
/// Errors: a name that is not in the map, or that has a target already, is an SC_ERROR of
/// /tensorloom/mapped_targets/name.
/// Not checked: whether a target is a device of the kind in the map, or a memory of that size.
///
/// Example
///
///     bus::router<> router("router", {});
///     bus::mapped_targets targets(router, map); // isa::read_memory_map(): isa/export/memory_map_file.h
///     targets.bind("transform", device.regs);
///     targets.bind("sram", target);
///     targets.expect_all();
template <unsigned BUSWIDTH> class mapped_targets : public mapped_target_names {
public:
    mapped_targets(router<BUSWIDTH>& router, const isa::memory_map& map)
        : mapped_target_names(router, map), m_out(router.out)
    {}

    template <class Target> void bind(const std::string& name, Target& target)
    {
        const auto& range = take(name);
        m_out.bind(target);
        map_next(range);
    }

private:
    decltype(router<BUSWIDTH>::out)& m_out;
};

} // namespace tensorloom::bus
