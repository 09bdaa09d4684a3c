#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tensorloom::base {

/// What the cycles of a program are spent on. Each can be freed, one at a time, to find what it costs (freed_cycles).
enum class resource : std::size_t {
    compute,   ///< multiply-add array: its steps, fill and drain, and its weights
    vector,    ///< vector unit
    scalar,    ///< scalar unit
    links,     ///< between the nodes of a torus
    port,      ///< of the cells, nodes or local memory, for words on their way in and out
    bus,       ///< beats of the DMA on the bus
    memory,    ///< on the bus: everything that a transfer takes longer than its beats
    transfers, ///< the three above together: they may be equally slow
    banks,     ///< conflicts in banks of the local memory
    control,   ///< commands themselves: loops, calls, waits
    count_
};
inline constexpr std::size_t resource_count = static_cast<std::size_t>(resource::count_);

const char* resource_name(resource r);

/// The resource that cycles of this cause are spent on (bus::log_record); count_ for an unknown cause.
resource resource_of(const char* cause);

/// Cycles of a program or of a part of it: as they are; as they would be if one resource took no time and everything
/// else was done in the same order; and if all but compute took no time.
///
/// Consecutive parts are added (+=); of parts that are waited for together each number is the maximum (join).
///
/// Example
///
///     auto both = base::freed_cycles::of("compute", 100); // 0 without compute, 100 otherwise
///     both.join(base::freed_cycles::of("load", 70));      // 100; without compute 70
class freed_cycles {
public:
    freed_cycles() = default;
    /// The same without any one resource, and without computing.
    explicit freed_cycles(std::uint64_t cycles)
    {
        m_cycles.fill(cycles);
        m_cycles[only_computing] = 0;
    }
    /// Cycles of one resource, which take no time without it.
    static freed_cycles of(resource spent_on, std::uint64_t cycles);
    static freed_cycles of(const char* cause, std::uint64_t cycles) { return of(resource_of(cause), cycles); }

    std::uint64_t all() const { return m_cycles[with_all]; } ///< as they are: nothing is free
    std::uint64_t only_compute() const { return m_cycles[only_computing]; }
    std::uint64_t without(resource r) const { return m_cycles[static_cast<std::size_t>(r)]; }
    void set_without(resource r, std::uint64_t cycles) { m_cycles[static_cast<std::size_t>(r)] = cycles; }

    freed_cycles& operator+=(const freed_cycles& next)
    {
        for (std::size_t r = 0; r < m_cycles.size(); ++r) { m_cycles[r] += next.m_cycles[r]; }
        return *this;
    }
    void join(const freed_cycles& other)
    {
        for (std::size_t r = 0; r < m_cycles.size(); ++r) {
            if (m_cycles[r] < other.m_cycles[r]) { m_cycles[r] = other.m_cycles[r]; }
        }
    }
    /// Of a run of `cycles` in which so many devices work at the same time, if this is the sum over them: without a
    /// resource the run is shorter by what that saves in the mean; the cycles of computing are their mean.
    freed_cycles in_run(std::uint64_t cycles, std::uint64_t devices) const
    {
        freed_cycles run;
        for (std::size_t r = 0; r < resource_count; ++r) {
            const std::uint64_t saved = (all() - (all() < m_cycles[r] ? all() : m_cycles[r])) / devices;
            run.m_cycles[r] = cycles - (saved < cycles ? saved : cycles);
        }
        run.m_cycles[with_all] = cycles;
        run.m_cycles[only_computing] = only_compute() / devices;
        return run;
    }
    /// Whether joining this one changes nothing.
    bool is_within(const freed_cycles& other) const
    {
        for (std::size_t r = 0; r < m_cycles.size(); ++r) {
            if (m_cycles[r] > other.m_cycles[r]) { return false; }
        }
        return true;
    }

private:
    static constexpr std::size_t with_all = resource_count, only_computing = resource_count + 1;

    std::array<std::uint64_t, resource_count + 2> m_cycles{}; // by the resource that is free, and the two above
};

inline freed_cycles operator+(freed_cycles first, const freed_cycles& next) { return first += next; }

} // namespace tensorloom::base
