#pragma once
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// State of each transaction that has begun and not ended, by payload. Allocates only when more transactions are live
/// than ever before: State objects are reused with their contents.
template <class State> class outstanding_transactions {
public:
    /// The State of a transaction that begins; it may hold data of an earlier one. A payload that is already live keeps
    /// its State.
    State& begin(const tlm::tlm_generic_payload& t)
    {
        if (m_spare.empty()) { return m_live[&t]; }
        auto node = std::move(m_spare.back());
        m_spare.pop_back();
        node.key() = &t;
        auto placed = m_live.insert(std::move(node));
        if (!placed.inserted) { m_spare.push_back(std::move(placed.node)); }
        return placed.position->second;
    }
    void end(const tlm::tlm_generic_payload& t)
    {
        if (auto node = m_live.extract(&t)) { m_spare.push_back(std::move(node)); }
    }
    State* find(const tlm::tlm_generic_payload& t)
    {
        const auto found = m_live.find(&t);
        return found == m_live.end() ? nullptr : &found->second;
    }
    const State* find(const tlm::tlm_generic_payload& t) const
    {
        const auto found = m_live.find(&t);
        return found == m_live.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return m_live.size(); }

    /// Ends a transaction when the scope is left, normally or by an exception: for blocking calls.
    class until_left {
    public:
        until_left(outstanding_transactions& all, const tlm::tlm_generic_payload& t) : m_all(all), m_transaction(t) {}
        ~until_left() { m_all.end(m_transaction); }
        until_left(const until_left&) = delete;
        until_left& operator=(const until_left&) = delete;

    private:
        outstanding_transactions& m_all;
        const tlm::tlm_generic_payload& m_transaction;
    };

    /// In any order. The payloads may no longer exist.
    template <class Visit> void for_each(Visit visit) const
    {
        for (const auto& entry : m_live) { visit(entry.second); }
    }

private:
    using map = std::unordered_map<const tlm::tlm_generic_payload*, State>;
    map m_live;
    std::vector<typename map::node_type> m_spare;
};

} // namespace tensorloom::bus
