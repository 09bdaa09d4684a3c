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
    first_come,     ///< who has waited longest; at the same time the lowest number
    priority,       ///< the initiator of the highest priority, others may starve; round robin among equals
    weighted        ///< shares of the bytes in proportion to weights
};

inline constexpr arbitration_kind arbitration_kinds[] = {arbitration_kind::round_robin,
                                                         arbitration_kind::fixed_priority, arbitration_kind::first_come,
                                                         arbitration_kind::priority, arbitration_kind::weighted};

const char* arbitration_name(arbitration_kind kind);
/// The kind of that name, or nothing.
std::optional<arbitration_kind> arbitration_of(std::string_view name);

inline constexpr unsigned most_priority = 15;  ///< as of the QoS signals of AXI4; the highest goes first
inline constexpr unsigned most_weight = 65535; ///< weights are 1 or more

/// What the initiators have been given, by number. An initiator beyond the end of a list has priority 0, weight 1.
struct initiator_ranks {
    std::vector<unsigned> priorities; ///< for `priority`
    std::vector<unsigned> weights;    ///< for `weighted`

    unsigned priority(unsigned initiator) const { return initiator < priorities.size() ? priorities[initiator] : 0; }
    unsigned weight(unsigned initiator) const { return initiator < weights.size() ? weights[initiator] : 1; }
};

/// The first rank that is out of its range.
std::optional<std::string> validate(const initiator_ranks& ranks);

/// Who goes next when several initiators wait for one target.
class arbitration {
public:
    struct candidate {
        unsigned initiator;
        sc_core::sc_time since; ///< when its request came to wait
        unsigned bytes = 0;     ///< of its request
    };

    virtual ~arbitration() = default;

    /// The index of the one that is served now. `waiting`: at least one, at most one per initiator, by ascending
    /// number.
    virtual std::size_t choose(const std::vector<candidate>& waiting) = 0;
};

/// Weighted shares are those of start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): of two initiators i, j
/// that both wait all the time, the bytes differ by |bytes_i / weight_i - bytes_j / weight_j| <= l_i / weight_i + l_j /
/// weight_j in any interval, where l is the largest request. Who does not wait leaves its share to those who do, and
/// saves nothing up. A request without bytes counts as one byte.
///
/// Example
///
///     const auto policy = bus::make_arbitration(bus::arbitration_kind::weighted, {{}, {3, 1}});
///     const sc_core::sc_time since = sc_core::sc_time_stamp();
///     const std::size_t next = policy->choose({{0, since, 64}, {1, since, 64}});
std::unique_ptr<arbitration> make_arbitration(arbitration_kind kind, const initiator_ranks& ranks = {});

} // namespace tensorloom::bus
