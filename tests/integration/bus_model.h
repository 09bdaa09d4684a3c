#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <tlm>
#include "integration/bus_access.h"

namespace tensorloom::test {

/// What a bus with memories should do, in the words of the standard and of docs/router.md; shares no code with the
/// models.
///
/// Bytes of a transaction that was cut off by a reset may have moved or not: such a byte has several possible values
/// until it is seen.
class bus_model {
public:
    struct memory {
        std::string name;
        std::uint64_t first; ///< window on the bus, inclusive
        std::uint64_t last;
        bool read_only;
        bool streams;                                              ///< takes a streaming width below the length
        bool takes_width_0;                                        ///< as the data length
        bool grants_dmi;                                           ///< now
        std::vector<unsigned char> bytes;                          ///< of the window
        std::map<std::uint64_t, std::vector<unsigned char>> maybe; ///< further possible values, by offset

        std::uint64_t size() const { return last - first + 1; }
    };

    unsigned add(std::string name, std::uint64_t first, std::uint64_t size, bool read_only, bool streams,
                 bool takes_width_0, bool grants_dmi);
    memory& at(unsigned number) { return m_memories[number]; }
    const memory& at(unsigned number) const { return m_memories[number]; }
    unsigned memories() const { return static_cast<unsigned>(m_memories.size()); }

    /// These addresses lead elsewhere.
    void avoid(std::uint64_t first, std::uint64_t last) { m_avoided.push_back({first, last}); }
    /// Nothing answers there.
    bool unmapped(std::uint64_t address);

    /// The memory whose window holds the address, or nullptr.
    memory* find(std::uint64_t address);

    /// The response that the access must get when nothing resets its target.
    tlm::tlm_response_status expected_status(const bus_access& a);
    /// The access leaves the router.
    bool forwarded(const bus_access& a);

    /// The access has come back, and so have all that its initiator sent before. Empty, or what is wrong with its data
    /// and status.
    /// `may_fail`: its target was reset meanwhile.
    std::string retire(const bus_access& a, bool may_fail);

    /// Bytes that were read in another way (DMI, debug): empty, or what is wrong. And bytes that were written.
    std::string seen(memory& m, std::uint64_t offset, const unsigned char* data, std::uint64_t length);
    void wrote(memory& m, std::uint64_t offset, const unsigned char* data, std::uint64_t length);

private:
    std::string see_byte(memory& m, std::uint64_t offset, unsigned char value);
    std::string retire_read(memory& m, const bus_access& a);
    void retire_write(memory& m, const bus_access& a, bool certain);

    std::vector<memory> m_memories;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> m_avoided;
};

} // namespace tensorloom::test
