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
    round_robin,    ///< the next initiator, by number, after the one served last
    fixed_priority, ///< the initiator with the lowest number; others may starve
    first_come,     ///< the initiator that has waited longest; among equals the lowest number
    priority,       ///< the initiator with the highest priority; others may starve; round robin among equals
    weighted        ///< shares of the bytes in proportion to the weights
};

inline constexpr arbitration_kind arbitration_kinds[] = {arbitration_kind::round_robin,
                                                         arbitration_kind::fixed_priority, arbitration_kind::first_come,
                                                         arbitration_kind::priority, arbitration_kind::weighted};

const char* arbitration_name(arbitration_kind kind);
/// The kind with this name, or nothing.
std::optional<arbitration_kind> arbitration_of(std::string_view name);

inline constexpr unsigned most_priority = 15;  ///< the range of the AXI4 QoS signals; the highest is served first
inline constexpr unsigned most_weight = 65535; ///< weights are 1 or more

/// Priorities and weights of the initiators, by number. An initiator beyond the end of a list has priority 0 and weight
/// 1.
struct initiator_ranks {
    std::vector<unsigned> priorities; ///< for `priority`
    std::vector<unsigned> weights;    ///< for `weighted`

    unsigned priority(unsigned initiator) const { return initiator < priorities.size() ? priorities[initiator] : 0; }
    unsigned weight(unsigned initiator) const { return initiator < weights.size() ? weights[initiator] : 1; }
};

/// The first rank outside its range.
std::optional<std::string> validate(const initiator_ranks& ranks);

/// Chooses the next initiator when several wait for one target.
class arbitration {
public:
    struct candidate {
        unsigned initiator;
        sc_core::sc_time since; ///< when its request began to wait
        unsigned bytes = 0;     ///< length of its request
    };

    virtual ~arbitration() = default;

    /// The index of the candidate to serve now. `waiting` has at least one candidate, at most one per initiator, in
    /// ascending order of initiators.
    virtual std::size_t choose(const std::vector<candidate>& waiting) = 0;
};

/// Makes the arbitration of this kind. Weighted shares follow start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM
/// 1996): for two initiators i, j that both wait throughout an interval, |bytes_i / weight_i - bytes_j / weight_j| <=
/// l_i / weight_i + l_j / weight_j, where l is the largest request. An initiator that does not wait leaves its share to
/// the others and accumulates no credit. A request of 0 bytes counts as one byte.
///
/// Example
///
///     const auto policy = bus::make_arbitration(bus::arbitration_kind::weighted, {{}, {3, 1}});
///     const sc_core::sc_time since = sc_core::sc_time_stamp();
///     const std::size_t next = policy->choose({{0, since, 64}, {1, since, 64}});
std::unique_ptr<arbitration> make_arbitration(arbitration_kind kind, const initiator_ranks& ranks = {});

} // namespace tensorloom::bus
