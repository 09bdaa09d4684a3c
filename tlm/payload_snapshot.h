#pragma once
#include <bitset>
#include <cstdint>
#include <vector>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/protocol_rule.h>

namespace tensorloom::bus {

/// Rules that were broken, all at once.
class rule_set {
public:
    void add(protocol_rule rule) { m_broken.set(static_cast<std::size_t>(rule)); }
    void add(const rule_set& other) { m_broken |= other.m_broken; }
    void add_if(bool broken, protocol_rule rule)
    {
        if (broken) { add(rule); }
    }
    bool has(protocol_rule rule) const { return m_broken.test(static_cast<std::size_t>(rule)); }
    bool none() const { return m_broken.none(); }

private:
    std::bitset<protocol_rule_count> m_broken;
};

/// The rules that a generic payload breaks as a request: initiator's side only.
rule_set broken_by_request(const tlm::tlm_generic_payload& transaction);

/// A generic payload as it was, to be compared with what became of it. An object is used again and again; then it
/// allocates nothing.
class payload_snapshot {
public:
    /// `with_ignored_data`: also the data of TLM_IGNORE_COMMAND, which an initiator need not keep valid.
    void take(const tlm::tlm_generic_payload& transaction, bool with_ignored_data);

    /// Attributes and arrays that nobody may change, or that must be restored.
    rule_set changes(const tlm::tlm_generic_payload& transaction) const;
    /// What was added to the transaction or taken from it, once it is back: extensions and memory manager.
    rule_set leftovers(const tlm::tlm_generic_payload& transaction) const;

    tlm::tlm_command command() const { return m_command; }
    std::uint64_t address() const { return m_address; }
    unsigned length() const { return m_length; }

private:
    bool enables_are_the_same(const tlm::tlm_generic_payload& transaction) const;
    bool lane_is_disabled(unsigned byte) const;
    bool disabled_lane_changed() const;

    tlm::tlm_command m_command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t m_address = 0;
    const unsigned char* m_data = nullptr;
    unsigned m_length = 0;
    const unsigned char* m_enables = nullptr;
    unsigned m_enable_length = 0;
    unsigned m_streaming_width = 0;
    tlm::tlm_gp_option m_option = tlm::TLM_MIN_PAYLOAD;
    bool m_has_mm = false;
    std::vector<unsigned char> m_bytes; ///< the data, where some of it must stay
    std::vector<unsigned char> m_enable_bytes;
    std::vector<tlm::tlm_extension_base*> m_extensions; ///< by index
};

} // namespace tensorloom::bus
