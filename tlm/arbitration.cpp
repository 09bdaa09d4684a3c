#include <tensorloom/tlm/arbitration.h>

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

constexpr arbitration_kind all_kinds[] = {arbitration_kind::round_robin, arbitration_kind::fixed_priority,
                                          arbitration_kind::first_come};

} // namespace

const char* arbitration_name(arbitration_kind kind)
{
    switch (kind) {
    case arbitration_kind::round_robin: return "round-robin";
    case arbitration_kind::fixed_priority: return "fixed-priority";
    case arbitration_kind::first_come: return "first-come";
    }
    return "?";
}

std::optional<arbitration_kind> arbitration_of(std::string_view name)
{
    for (const auto kind : all_kinds) {
        if (name == arbitration_name(kind)) { return kind; }
    }
    return std::nullopt;
}

std::unique_ptr<arbitration> make_arbitration(arbitration_kind kind)
{
    switch (kind) {
    case arbitration_kind::fixed_priority: return std::make_unique<fixed_priority_arbitration>();
    case arbitration_kind::first_come: return std::make_unique<first_come_arbitration>();
    case arbitration_kind::round_robin: break;
    }
    return std::make_unique<round_robin_arbitration>();
}

} // namespace tensorloom::bus
