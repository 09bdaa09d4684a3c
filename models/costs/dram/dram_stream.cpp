#include <tensorloom/models/costs/dram/dram_stream.h>
#include <algorithm>

namespace tensorloom::costs {
namespace {

struct bank_state {
    bool open = false;
    unsigned row = 0;
    double may_activate = 0, may_column = 0, may_precharge = 0;
};

// One channel; times in clock periods of the DRAM.
class channel_state {
public:
    explicit channel_state(const dram_config& config)
        : m_t(config.timing), m_burst(config.organisation.burst_cycles()),
          m_closes(config.controller.page == dram_page::closed), m_banks(config.organisation.banks),
          m_columns(config.controller.queue_bursts, -1e9)
    {
        m_activates.fill(-1e9);
    }

    // The end of the data of a burst.
    double serve(const dram_location& at, bool write, double arrival)
    {
        bank_state& bank = m_banks[at.bank];
        const double ready = std::max(arrival, m_columns[m_oldest]);
        if (!bank.open || bank.row != at.row) { open(bank, at.row, ready); }
        const double t = std::max({ready, bank.may_column, m_last_column + m_t.tCCD});
        m_last_column = m_columns[m_oldest] = t;
        m_oldest = (m_oldest + 1) % m_columns.size();
        const double data = write ? m_t.WL + m_t.tDQSS + m_burst : m_t.RL + m_t.tDQSCK + m_burst;
        const double precharge = write ? data + m_t.tWR : m_burst + std::max(m_t.tRTP, 8u) - 8.0;
        bank.may_precharge = std::max(bank.may_precharge, t + precharge);
        if (m_closes) {
            bank.may_activate = std::max(bank.may_activate, bank.may_precharge + m_t.tRPpb);
            bank.open = false;
        }
        return t + data;
    }

private:
    void open(bank_state& bank, unsigned row, double ready)
    {
        if (bank.open) {
            bank.may_activate = std::max(bank.may_activate, std::max(ready, bank.may_precharge) + m_t.tRPpb);
        }
        const double last = m_activates[(m_activated + 3) % 4], fourth = m_activates[m_activated % 4];
        const double t = std::max({ready, bank.may_activate, last + m_t.tRRD, fourth + m_t.tFAW});
        m_activates[m_activated++ % 4] = t;
        bank = {true, row, t + m_t.tRCpb, t + m_t.tRCD, t + m_t.tRAS};
    }

    const dram_timing& m_t;
    double m_burst;
    bool m_closes;
    std::vector<bank_state> m_banks;
    std::vector<double> m_columns; // of the bursts in the queue
    std::size_t m_oldest = 0;
    double m_last_column = -1e9;
    std::array<double, 4> m_activates{};
    std::size_t m_activated = 0;
};

} // namespace

dram_stream::dram_stream(const dram_config& config, double clock_ns, double request_cycles)
    : m_config(config), m_mapping(config), m_ticks_per_cycle(clock_ns / (config.tCK_ps * 1e-3)),
      m_request_cycles(request_cycles)
{}

double dram_stream::cycles(const std::vector<access>& accesses, bool write, unsigned outstanding) const
{
    const auto& o = m_config.organisation;
    const std::uint64_t burst = o.burst_bytes();
    std::vector<channel_state> channels(o.channels, channel_state(m_config));
    std::vector<double> done;
    double request = -1;
    for (const access& a : accesses) {
        request = std::max(request + 1, done.size() < outstanding ? 0.0 : done[done.size() - outstanding]);
        const double arrival = (request + m_request_cycles / 2) * m_ticks_per_cycle;
        double end = 0;
        for (std::uint64_t at = a.address / burst * burst; at < a.address + a.bytes; at += burst) {
            const auto location = m_mapping.locate(at % o.bytes());
            end = std::max(end, channels[location.channel].serve(location, write, arrival));
        }
        done.push_back(end / m_ticks_per_cycle + m_request_cycles / 2);
    }
    return done.empty() ? 0 : *std::max_element(done.begin(), done.end()) - done.front();
}

} // namespace tensorloom::costs
