#include <tensorloom/tlm/arbitration.h>
#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tensorloom::bus {
namespace {

class round_robin_arbitration : public arbitration {
public:
    std::size_t choose(const std::vector<candidate>& waiting) override
    {
        std::size_t chosen = 0;
        while (chosen < waiting.size() && waiting[chosen].initiator < m_next) { ++chosen; }
        if (chosen == waiting.size()) { chosen = 0; }
        m_next = waiting[chosen].initiator + 1;
        return chosen;
    }

private:
    unsigned m_next = 0;
};

class fixed_priority_arbitration : public arbitration {
public:
    std::size_t choose(const std::vector<candidate>&) override { return 0; }
};

class first_come_arbitration : public arbitration {
public:
    std::size_t choose(const std::vector<candidate>& waiting) override
    {
        std::size_t chosen = 0;
        for (std::size_t i = 1; i < waiting.size(); ++i) {
            if (waiting[i].since < waiting[chosen].since) { chosen = i; }
        }
        return chosen;
    }
};

class priority_arbitration : public arbitration {
public:
    explicit priority_arbitration(const initiator_ranks& ranks) : m_ranks(ranks) {}

    std::size_t choose(const std::vector<candidate>& waiting) override
    {
        const auto priority = [&](const candidate& c) { return m_ranks.priority(c.initiator); };
        unsigned highest = 0;
        for (const auto& c : waiting) { highest = std::max(highest, priority(c)); }
        m_equals.clear();
        m_places.clear();
        for (std::size_t i = 0; i < waiting.size(); ++i) {
            if (priority(waiting[i]) != highest) { continue; }
            m_equals.push_back(waiting[i]);
            m_places.push_back(i);
        }
        return m_places[m_turns[highest].choose(m_equals)];
    }

private:
    initiator_ranks m_ranks;
    round_robin_arbitration m_turns[most_priority + 1]; // of each priority
    std::vector<candidate> m_equals;                    // scratch of one decision
    std::vector<std::size_t> m_places;
};

class weighted_arbitration : public arbitration {
public:
    explicit weighted_arbitration(const initiator_ranks& ranks) : m_ranks(ranks)
    {
        for (const auto weight : ranks.weights) {
            m_scale = std::lcm(m_scale, std::uint64_t{weight});
            if (m_scale > most_scale) {
                m_scale = most_scale;
                break;
            }
        }
    }

    std::size_t choose(const std::vector<candidate>& waiting) override
    {
        m_ahead.resize(std::max<std::size_t>(m_ahead.size(), waiting.back().initiator + 1), 0);
        std::size_t chosen = 0;
        for (std::size_t i = 1; i < waiting.size(); ++i) {
            if (m_ahead[waiting[i].initiator] < m_ahead[waiting[chosen].initiator]) { chosen = i; }
        }
        const auto& served = waiting[chosen];
        const auto now = m_ahead[served.initiator];
        for (auto& ahead : m_ahead) { ahead -= std::min(ahead, now); }
        m_ahead[served.initiator] = cost(served);
        return chosen;
    }

private:
    // Virtual time: bytes by weight in units of 1 / m_scale, so that the values fit 64 bits.
    std::uint64_t cost(const candidate& c) const
    {
        return std::max(c.bytes, 1u) * m_scale / m_ranks.weight(c.initiator);
    }

    static constexpr std::uint64_t most_scale = std::uint64_t{1} << 32;

    initiator_ranks m_ranks;
    // A multiple of every weight, so that costs are integers; otherwise so large that rounding is below 1/65,536.
    std::uint64_t m_scale = 1;
    // By initiator: the virtual start of its next request, relative to that of the request served last. 0 for an
    // initiator that has arrived since.
    std::vector<std::uint64_t> m_ahead;
};

} // namespace

const char* arbitration_name(arbitration_kind kind)
{
    switch (kind) {
    case arbitration_kind::round_robin: return "round-robin";
    case arbitration_kind::fixed_priority: return "fixed-priority";
    case arbitration_kind::first_come: return "first-come";
    case arbitration_kind::priority: return "priority";
    case arbitration_kind::weighted: return "weighted";
    }
    return "?";
}

std::optional<arbitration_kind> arbitration_of(std::string_view name)
{
    for (const auto kind : arbitration_kinds) {
        if (name == arbitration_name(kind)) { return kind; }
    }
    return std::nullopt;
}

std::optional<std::string> validate(const initiator_ranks& ranks)
{
    for (const auto p : ranks.priorities) {
        if (p > most_priority) {
            return "priority of " + std::to_string(p) + ", expected 0 to " + std::to_string(most_priority);
        }
    }
    for (const auto w : ranks.weights) {
        if (w < 1 || w > most_weight) {
            return "weight of " + std::to_string(w) + ", expected 1 to " + std::to_string(most_weight);
        }
    }
    return std::nullopt;
}

std::unique_ptr<arbitration> make_arbitration(arbitration_kind kind, const initiator_ranks& ranks)
{
    switch (kind) {
    case arbitration_kind::fixed_priority: return std::make_unique<fixed_priority_arbitration>();
    case arbitration_kind::first_come: return std::make_unique<first_come_arbitration>();
    case arbitration_kind::priority: return std::make_unique<priority_arbitration>(ranks);
    case arbitration_kind::weighted: return std::make_unique<weighted_arbitration>(ranks);
    case arbitration_kind::round_robin: break;
    }
    return std::make_unique<round_robin_arbitration>();
}

} // namespace tensorloom::bus
