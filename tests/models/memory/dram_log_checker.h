#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/memory/dram_channel.h>

namespace tensorloom::test {

/// LPDDR4-3200 x16 in clock periods, from the table of the specification and not from the file that the model reads.
struct lpddr4_rules {
    int tRCD = 29, tRPpb = 29, tRPab = 34, tRAS = 68, tRCpb = 97, tCCD = 8, tRRD = 16, tFAW = 64, tRTP = 12, tWR = 29,
        tWTR = 16, tREFI = 6246, tREFIpb = 780, tRFCab = 448, tRFCpb = 224;
    int RL = 28, WL = 14, tDQSCK = 6, tDQSS = 1, tWPRE = 2, burst = 8;
    int activate_cycles = 4, column_cycles = 4, precharge_cycles = 2, refresh_cycles = 2;
    unsigned banks = 8;
};

/// The distances of a file, for parts other than the first: whether the model keeps what its file has.
inline lpddr4_rules rules_of(const costs::dram_config& config)
{
    const auto& t = config.timing;
    const auto& c = config.command;
    lpddr4_rules r;
    const std::pair<int&, unsigned> rules[] = {{r.tRCD, t.tRCD},
                                               {r.tRPpb, t.tRPpb},
                                               {r.tRPab, t.tRPab},
                                               {r.tRAS, t.tRAS},
                                               {r.tRCpb, t.tRCpb},
                                               {r.tCCD, t.tCCD},
                                               {r.tRRD, t.tRRD},
                                               {r.tFAW, t.tFAW},
                                               {r.tRTP, t.tRTP},
                                               {r.tWR, t.tWR},
                                               {r.tWTR, t.tWTR},
                                               {r.tREFI, t.tREFI},
                                               {r.tREFIpb, t.tREFIpb},
                                               {r.tRFCab, t.tRFCab},
                                               {r.tRFCpb, t.tRFCpb},
                                               {r.RL, t.RL},
                                               {r.WL, t.WL},
                                               {r.tDQSCK, t.tDQSCK},
                                               {r.tDQSS, t.tDQSS},
                                               {r.tWPRE, t.tWPRE},
                                               {r.burst, config.organisation.burst_cycles()},
                                               {r.activate_cycles, c.activate},
                                               {r.column_cycles, c.column},
                                               {r.precharge_cycles, c.precharge},
                                               {r.refresh_cycles, c.refresh}};
    for (const auto& [rule, value] : rules) { rule = static_cast<int>(value); }
    r.banks = config.organisation.banks;
    return r;
}

/// Replays the commands of a DRAM in order of time and finds the first that comes too early, to the wrong row or onto a
/// busy bus. Every command is held against every earlier one that may still matter.
class dram_log_checker {
public:
    using command = memory::dram_command;
    using kind = memory::dram_command_kind;

    explicit dram_log_checker(const lpddr4_rules& rules = {}) : m_r(rules) {}

    void add(const command& c) { m_logs[c.channel].push_back(c); }
    const std::vector<command>& log(unsigned channel) { return m_logs[channel]; }

    /// The first thing wrong; nothing when all is right.
    std::optional<std::string> violation()
    {
        for (auto& [channel, log] : m_logs) {
            std::stable_sort(log.begin(), log.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
            for (auto found : {rows(log), distances(log), four_activates(log), command_bus(log), data_bus(log)}) {
                if (found) { return "channel " + std::to_string(channel) + ": " + *found; }
            }
        }
        return std::nullopt;
    }

private:
    using log_type = std::vector<command>;

    static bool is_column(const command& c) { return c.kind == kind::read || c.kind == kind::write; }
    static bool is_precharge(const command& c) { return c.kind == kind::precharge || c.kind == kind::precharge_all; }
    static bool opens(const command& c) { return c.kind == kind::activate || c.kind == kind::bank_refresh; }

    static std::string name(const command& c)
    {
        static const char* const names[] = {"ACT", "PRE", "PREA", "RD", "WR", "REF", "REFpb"};
        return std::string(names[static_cast<int>(c.kind)]) + " bank " + std::to_string(c.bank) + " at " +
               std::to_string(c.tick);
    }

    /// Ticks from a to a later b.
    int required(const command& a, const command& b) const
    {
        const bool same = a.bank == b.bank;
        const bool same_or_all = same || a.kind == kind::precharge_all || b.kind == kind::precharge_all;
        if (a.kind == kind::refresh) { return m_r.tRFCab; }
        if (a.kind == kind::bank_refresh) {
            if (b.kind == kind::bank_refresh || b.kind == kind::refresh) { return m_r.tRFCpb; }
            return b.kind == kind::activate ? (same ? m_r.tRFCpb : m_r.tRRD) : 0;
        }
        if (a.kind == kind::activate) {
            if (opens(b)) { return same ? m_r.tRCpb : m_r.tRRD; }
            if (is_column(b)) { return same ? m_r.tRCD : 0; }
            if (is_precharge(b)) { return same_or_all ? m_r.tRAS : 0; }
            return m_r.tRCpb; // refresh of all banks
        }
        if (is_precharge(a)) {
            const int needed = a.kind == kind::precharge_all ? m_r.tRPab : m_r.tRPpb;
            if (b.kind == kind::refresh) { return needed; }
            return opens(b) && same_or_all ? needed : 0;
        }
        const int written = m_r.WL + m_r.tDQSS + m_r.burst;
        if (is_precharge(b) && same_or_all) {
            return a.kind == kind::read ? m_r.burst + m_r.tRTP - 8 : written + m_r.tWR;
        }
        if (is_column(b)) {
            if (a.kind == b.kind) { return m_r.tCCD; }
            return a.kind == kind::read ? m_r.RL + m_r.tDQSCK + m_r.burst + m_r.tWPRE - m_r.WL : written + m_r.tWTR;
        }
        return 0;
    }

    std::optional<std::string> distances(const log_type& log) const
    {
        constexpr std::uint64_t farthest = 800; // more than any distance of a shipped part
        for (std::size_t b = 0; b < log.size(); ++b) {
            for (std::size_t a = b; a-- > 0 && log[b].tick - log[a].tick < farthest;) {
                const int needed = required(log[a], log[b]);
                if (static_cast<int>(log[b].tick - log[a].tick) < needed) {
                    return name(log[b]) + " after " + name(log[a]) + ", needs " + std::to_string(needed);
                }
            }
        }
        return std::nullopt;
    }

    std::optional<std::string> four_activates(const log_type& log) const
    {
        std::vector<command> activates;
        std::copy_if(log.begin(), log.end(), std::back_inserter(activates), opens);
        for (std::size_t i = 4; i < activates.size(); ++i) {
            if (static_cast<int>(activates[i].tick - activates[i - 4].tick) < m_r.tFAW) {
                return name(activates[i]) + " is the fifth within tFAW of " + name(activates[i - 4]);
            }
        }
        return std::nullopt;
    }

    std::optional<std::string> rows(const log_type& log) const
    {
        std::vector<std::optional<unsigned>> open(m_r.banks);
        for (const auto& c : log) {
            const bool any = std::any_of(open.begin(), open.end(), [](const auto& row) { return row.has_value(); });
            auto& row = open.at(c.bank);
            if (opens(c) && row) { return name(c) + " to an open bank"; }
            if (is_column(c) && (!row || *row != c.row)) { return name(c) + " to a row that is not open"; }
            if (c.kind == kind::precharge && !row) { return name(c) + " of a closed bank"; }
            if (c.kind == kind::refresh && any) { return name(c) + " with a row open"; }
            if (c.kind == kind::activate) { row = c.row; }
            if (c.kind == kind::precharge) { row.reset(); }
            if (c.kind == kind::precharge_all) { open.assign(m_r.banks, std::nullopt); }
        }
        return std::nullopt;
    }

    std::optional<std::string> command_bus(const log_type& log) const
    {
        std::uint64_t free = 0;
        for (const auto& c : log) {
            if (c.automatic) { continue; }
            if (c.tick < free) { return name(c) + " on a busy command bus"; }
            const int cycles = c.kind == kind::activate ? m_r.activate_cycles
                               : is_column(c)           ? m_r.column_cycles
                               : is_precharge(c)        ? m_r.precharge_cycles
                                                        : m_r.refresh_cycles;
            free = c.tick + static_cast<unsigned>(cycles);
        }
        return std::nullopt;
    }

    std::optional<std::string> data_bus(const log_type& log) const
    {
        std::uint64_t free = 0;
        for (const auto& c : log) {
            if (!is_column(c)) { continue; }
            const auto from =
                c.tick + static_cast<unsigned>(c.kind == kind::read ? m_r.RL + m_r.tDQSCK : m_r.WL + m_r.tDQSS);
            if (from < free) { return name(c) + " on a busy data bus"; }
            free = from + static_cast<unsigned>(m_r.burst);
        }
        return std::nullopt;
    }

    lpddr4_rules m_r;
    std::map<unsigned, log_type> m_logs;
};

} // namespace tensorloom::test
