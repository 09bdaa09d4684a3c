#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

enum class arbitration_kind {
    round_robin,    ///< the next initiator, by number, after the one that was served last
    fixed_priority, ///< the initiator of the lowest number; others may starve
    first_come      ///< who has waited longest; at the same time the lowest number
};

const char* arbitration_name(arbitration_kind kind);
/// The kind of that name, or nothing.
std::optional<arbitration_kind> arbitration_of(std::string_view name);

/// Who goes next when several initiators wait for one target.
class arbitration {
public:
    struct candidate {
        unsigned initiator;
        sc_core::sc_time since; ///< when its request came to wait
    };

    virtual ~arbitration() = default;

    /// The index of the one that is served now. `waiting`: at least one, at most one per initiator, by ascending
    /// number.
    virtual std::size_t choose(const std::vector<candidate>& waiting) = 0;
};

std::unique_ptr<arbitration> make_arbitration(arbitration_kind kind);

} // namespace tensorloom::bus
