#include <tensorloom/models/memory/dram_channel.h>

namespace tensorloom::memory {

using costs::dram_event;
using kind = dram_command_kind;

dram_channel::dram_channel(const costs::dram_config& config, unsigned index, dram_counts& counts)
    : m_config(config), m_t(config.timing), m_counts(counts), m_index(index),
      m_burst(config.organisation.burst_cycles()), m_read_data(m_t.RL + m_t.tDQSCK + m_burst),
      m_write_data(m_t.WL + m_t.tDQSS + m_burst),
      m_read_to_write(std::max<tick>(m_read_data + m_t.tWPRE, m_t.WL) - m_t.WL),
      m_write_to_read(m_write_data + m_t.tWTR), m_read_to_precharge(m_burst + std::max(m_t.tRTP, 8u) - 8),
      m_write_to_precharge(m_write_data + m_t.tWR), m_banks(config.organisation.banks),
      m_columns(config.controller.queue_bursts)
{
    if (config.controller.refresh == costs::dram_refresh::all_bank) { m_refresh_due = m_t.tREFI; }
    if (config.controller.refresh == costs::dram_refresh::per_bank) { m_refresh_due = m_t.tREFIpb; }
}

dram_channel::tick dram_channel::serve(const dram_burst& burst, tick arrival)
{
    if (arrival + m_t.tRCpb < m_latest_arrival) {
        if (const tick done = serve_late(burst, arrival)) { return done; }
    }
    arrival = m_latest_arrival = std::max(arrival, m_latest_arrival);

    const tick ready = std::max(arrival, m_columns[m_oldest_column]);
    const tick past = std::min(ready, m_refresh_due); // no command will be planned before this
    m_bus.forget_before(past);
    count(dram_event::active_cycle, m_active.count_until(past));
    m_needed_bank = burst.bank;
    const auto& bank = m_banks[burst.bank];
    if (bank.open && bank.row == burst.row && first_command(burst, ready) < m_refresh_due) { // most bursts
        count(dram_event::row_hit);
        return column(burst, ready, arrival);
    }
    while (first_command(burst, ready) >= m_refresh_due) { refresh_in_idle_time(ready); }

    open_row(burst, ready);
    return column(burst, ready, arrival);
}

// Consecutive refreshes leave no command on the command bus after them.
void dram_channel::refresh_in_idle_time(tick until)
{
    refresh();
    m_bus.forget_before(std::min(until, m_refresh_due));
}

void dram_channel::settle(tick now)
{
    while (m_refresh_due <= now) { refresh_in_idle_time(now); }
    count(dram_event::active_cycle, m_active.count_until(now));
}

/// Earliest tick of the first command of a burst, without regard to the command bus.
dram_channel::tick dram_channel::first_command(const dram_burst& burst, tick ready) const
{
    const auto& bank = m_banks[burst.bank];
    if (!bank.open) { return std::max({ready, bank.may_activate, activate_allowed()}); }
    if (bank.row != burst.row) { return std::max(ready, bank.may_precharge); }
    return std::max({ready, bank.may_column, turned(burst.write)});
}

// ---- rows -----------------------------------------------------------------------------------------------------------

dram_channel::tick dram_channel::activate_allowed() const
{
    tick t = 0;
    if (m_activate_count >= 1) { t = m_activates[(m_activate_count - 1) % 4] + m_t.tRRD; }
    if (m_activate_count >= 4) { t = std::max(t, m_activates[m_activate_count % 4] + m_t.tFAW); }
    return t;
}

void dram_channel::activate_pushed(tick t) { m_activates[m_activate_count++ % 4] = t; }

void dram_channel::open_row(const dram_burst& burst, tick ready)
{
    auto& bank = m_banks[burst.bank];
    if (bank.open && bank.row == burst.row) {
        count(dram_event::row_hit);
        return;
    }
    if (bank.open) {
        count(dram_event::row_conflict);
        const tick t = m_bus.take(std::max(ready, bank.may_precharge), m_config.command.precharge);
        log(kind::precharge, burst.bank, 0, 0, t);
        bank.may_activate = std::max(bank.may_activate, t + m_t.tRPpb);
        close(bank, t);
    } else {
        count(dram_event::row_miss);
    }
    const tick t = m_bus.take(std::max({ready, bank.may_activate, activate_allowed()}), m_config.command.activate);
    activate_pushed(t);
    log(kind::activate, burst.bank, burst.row, 0, t);
    count(dram_event::activate);
    m_active.opened(t);
    ++m_open_banks;
    bank.open = true;
    bank.row = burst.row;
    bank.may_activate = t + m_t.tRCpb;
    bank.may_column = t + m_t.tRCD;
    bank.may_precharge = t + m_t.tRAS;
}

void dram_channel::close(bank_state& bank, tick t)
{
    bank.open = false;
    count(dram_event::precharge);
    m_active.closed(t);
    m_closed_from = std::max(m_closed_from, t);
    --m_open_banks;
}

// ---- data -----------------------------------------------------------------------------------------------------------

/// The first tick for a read or write that earlier bursts allow.
dram_channel::tick dram_channel::turned(bool write) const
{
    if (!m_any_column) { return 0; }
    if (write == m_last_write) { return m_last_column + m_t.tCCD; }
    return m_last_column + std::max<tick>(m_t.tCCD, write ? m_read_to_write : m_write_to_read);
}

dram_channel::tick dram_channel::column(const dram_burst& burst, tick ready, tick arrival)
{
    auto& bank = m_banks[burst.bank];
    const tick bus_turned = turned(burst.write);
    const tick t = m_bus.take(std::max({ready, bank.may_column, bus_turned}), m_config.command.column);
    log(burst.write ? kind::write : kind::read, burst.bank, burst.row, burst.column, t);

    const tick wanted = std::max(arrival, m_any_column ? m_last_column + m_t.tCCD : 0);
    const tick turned_at = std::max(wanted, bus_turned);
    count(dram_event::turnaround_stall_cycle, turned_at - wanted);
    count(bank.after_refresh ? dram_event::refresh_stall_cycle : dram_event::row_stall_cycle, t - turned_at);
    bank.after_refresh = false;
    if (m_any_column && burst.write != m_last_write) {
        count(burst.write ? dram_event::read_to_write : dram_event::write_to_read);
    }
    count(burst.write ? dram_event::write_burst : dram_event::read_burst);
    count(dram_event::data_cycle, m_burst);
    m_past.occupy(t, m_t.tCCD);

    m_last_column = t;
    m_last_write = burst.write;
    m_any_column = true;
    m_columns[m_oldest_column] = t;
    if (++m_oldest_column == m_columns.size()) { m_oldest_column = 0; }
    bank.may_precharge = std::max(bank.may_precharge, t + (burst.write ? m_write_to_precharge : m_read_to_precharge));
    if (closed_page() && burst.last_of_row) {
        log(kind::precharge, burst.bank, 0, 0, bank.may_precharge, true);
        bank.may_activate = std::max(bank.may_activate, bank.may_precharge + m_t.tRPpb);
        close(bank, bank.may_precharge);
    }
    return t + (burst.write ? m_write_data : m_read_data);
}

// ---- refresh --------------------------------------------------------------------------------------------------------

void dram_channel::refresh()
{
    if (m_config.controller.refresh == costs::dram_refresh::all_bank) {
        refresh_all();
        m_refresh_due += m_t.tREFI;
    } else {
        refresh_one();
        m_refresh_due += m_t.tREFIpb;
    }
}

void dram_channel::refresh_all()
{
    tick t = m_refresh_due;
    if (m_open_banks > 0) {
        for (const auto& bank : m_banks) {
            if (bank.open) { t = std::max(t, bank.may_precharge); }
        }
        // Banks that are closed may still have an automatic precharge ahead.
        t = m_bus.take(std::max(t, m_closed_from), m_config.command.precharge);
        log(kind::precharge_all, 0, 0, 0, t);
        for (auto& bank : m_banks) {
            if (bank.open) { close(bank, t); }
        }
        t += m_t.tRPab;
    }
    for (const auto& bank : m_banks) { t = std::max(t, bank.may_activate); }
    t = m_bus.take(std::max(t, m_refresh_done), m_config.command.refresh);
    log(kind::refresh, 0, 0, 0, t);
    count(dram_event::refresh);
    m_refresh_done = t + m_t.tRFCab;
    for (auto& bank : m_banks) {
        bank.may_activate = m_refresh_done;
        bank.after_refresh = true;
    }
    m_past.occupy(t, m_t.tRFCab);
}

void dram_channel::refresh_one()
{
    const unsigned index = bank_to_refresh();
    auto& bank = m_banks[index];
    if (bank.open) {
        const tick t = m_bus.take(std::max(m_refresh_due, bank.may_precharge), m_config.command.precharge);
        log(kind::precharge, index, 0, 0, t);
        bank.may_activate = std::max(bank.may_activate, t + m_t.tRPpb);
        close(bank, t);
    }
    const tick t = m_bus.take(std::max({m_refresh_due, bank.may_activate, activate_allowed(), m_refresh_done}),
                              m_config.command.refresh);
    activate_pushed(t);
    log(kind::bank_refresh, index, 0, 0, t);
    count(dram_event::bank_refresh);
    m_refresh_done = t + m_t.tRFCpb;
    bank.may_activate = m_refresh_done;
    bank.after_refresh = true;
    m_refreshed_banks |= std::uint64_t{1} << index;
    if (m_refreshed_banks == ~std::uint64_t{0} >> (64 - m_banks.size())) { m_refreshed_banks = 0; }
}

unsigned dram_channel::bank_to_refresh() const
{
    const auto banks = static_cast<unsigned>(m_banks.size());
    unsigned bank = m_needed_bank;
    do {
        bank = (bank + banks - 1) % banks;
    } while ((m_refreshed_banks >> bank & 1) != 0);
    return bank;
}

// ---- late bursts
// -----------------------------------------------------------------------------------------------------

/// 0 when the past has no room: then the burst is queued like any other.
dram_channel::tick dram_channel::serve_late(const dram_burst& burst, tick arrival)
{
    // the bursts of one access are consecutive
    const tick from = arrival == m_late_arrival ? m_late_column + m_t.tCCD : arrival;
    const auto room = m_past.place(from, m_t.tCCD, m_last_column);
    if (!room) { return 0; }
    auto& bank = m_banks[burst.bank];
    tick t = *room;
    if (bank.past_open && bank.past_row == burst.row) {
        count(dram_event::row_hit);
    } else {
        count(bank.past_open ? dram_event::row_conflict : dram_event::row_miss);
        count(dram_event::activate);
        count(dram_event::precharge); // of this row, now or later: there is no later point at which to count it
        t += (bank.past_open ? m_t.tRPpb : 0) + m_t.tRCD;
    }
    bank.past_open = !(closed_page() && burst.last_of_row);
    bank.past_row = burst.row;
    m_late_arrival = arrival;
    m_late_column = t;
    count(burst.write ? dram_event::write_burst : dram_event::read_burst);
    count(dram_event::data_cycle, m_burst);
    count(dram_event::late_burst);
    return t + (burst.write ? m_write_data : m_read_data);
}

void dram_channel::log(kind k, unsigned bank, unsigned row, unsigned column, tick t, bool automatic) const
{
    if (m_log != nullptr) { (*m_log)({m_index, k, bank, row, column, t, automatic}); }
}

} // namespace tensorloom::memory
