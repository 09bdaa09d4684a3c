#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/costs/dram/dram_mapping.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::memory {

using sc_core::sc_time;

namespace {

const dram_settings& checked(const dram_settings& settings, const std::string& instance)
{
    if (const auto wrong = validate(settings)) { bus::report_error(instance, "/tensorloom/dram/config", *wrong); }
    return settings;
}

std::uint64_t period_of(const dram_settings& settings, const std::string& instance)
{
    const unsigned ps = settings.dram.tCK_ps;
    const std::uint64_t period = sc_time(ps, sc_core::SC_PS).value();
    const double resolution_ps = sc_core::sc_get_time_resolution().to_seconds() * 1e12;
    if (static_cast<std::uint64_t>(static_cast<double>(period) * resolution_ps + 0.5) != ps) {
        bus::report_error(instance, "/tensorloom/dram/resolution",
                          "the clock period is not a whole number of time resolutions");
    }
    return period;
}

byte_store_config store_of(const dram_settings& s)
{
    byte_store_config store;
    store.bytes = s.dram.organisation.bytes();
    store.streaming_bursts = s.streaming_bursts;
    store.allow_dmi = s.allow_dmi;
    store.tolerance = s.tolerance;
    return store;
}

} // namespace

base::config_fields fields_of(dram_settings& s)
{
    auto& dram = s.dram;
    auto& controller = dram.controller;
    const auto load = [&dram](const std::string& text) -> std::optional<std::string> {
        try {
            dram = costs::load_dram(text);
        } catch (const base::input_error& error) {
            return std::string("a DRAM (") + error.what() + ")";
        }
        return std::nullopt;
    };
    const std::string order = "an order such as row:bank:column:channel";
    const auto map = [&controller, order](const std::string& text) {
        const auto wrong = costs::validate_mapping(text);
        if (!wrong) { controller.mapping = text; }
        return wrong ? std::optional(order) : std::nullopt;
    };
    base::config_fields own;
    own.push_back(base::text_field(
        [&dram] { return dram.name; }, load, "the name of a DRAM of the library, or a file",
        {"dram", "dram", "NAME|FILE",
         "The DRAM: one that ships with the project, or a YAML file. Sets all fields of `dram.controller`, too."}));
    const base::config_fields in_controller = {
        base::choice(controller.page, {{"open", 0}, {"closed", 1}},
                     {"page", "page", "open|closed", "Whether a row stays open after its last burst."}),
        base::choice(controller.refresh, {{"off", 0}, {"all_bank", 1}, {"per_bank", 2}},
                     {"refresh", "refresh", "off|all_bank|per_bank", "Banks that a refresh covers."}),
        base::choice(
            controller.channel_hash, {{"none", 0}, {"xor_above", 1}},
            {"channel-hash", "channel_hash", "none|xor_above",
             "xor_above: the bits of the channel are combined with all higher ones, which distributes strides."}),
        base::number(controller.queue_bursts, {1, 4096},
                     {"queue-bursts", "queue_bursts", "BURSTS", "Look-ahead of a channel."}),
        base::text_field(
            [&controller] { return controller.mapping; }, map, order,
            {"mapping", "mapping", "A:B:C:D", "Assignment of address bits, from the highest to the lowest."}),
        base::power_of_two(controller.interleave_bytes, 1, 1u << 31,
                           {"interleave-bytes", "interleave_bytes", "BYTES",
                            "Consecutive bytes in one channel and row, a power of two."}),
    };
    for (auto& field : base::members_of("dram.controller", in_controller)) { own.push_back(std::move(field)); }
    return with_port_fields(std::move(own), s);
}

std::optional<std::string> validate(const dram_settings& settings)
{
    if (const auto wrong = costs::validate(settings.dram)) { return "DRAM " + *wrong; }
    if (const auto wrong = validate(static_cast<const bus::at_target_config&>(settings))) { return "DRAM " + *wrong; }
    return std::nullopt;
}

dram_body::dram_body(const dram_settings& settings, std::string instance)
    : memory_body(store_of(checked(settings, instance)),
                  sc_time(1 / settings.dram.peak_bytes_per_ns(), sc_core::SC_NS)),
      m_instance(std::move(instance)), m_tck(period_of(settings, m_instance)), m_controller(settings.dram)
{}

bus::service_times dram_body::serve(tlm::tlm_generic_payload& transaction, const sc_time& arrival)
{
    if (!m_bytes.execute(transaction)) { return {arrival, arrival}; }
    const std::uint64_t tick = (arrival.value() - m_origin + m_tck - 1) / m_tck;
    const std::uint64_t turn = byte_store::turn_bytes(transaction);
    std::uint64_t done = tick;
    for (std::uint64_t left = transaction.get_data_length(); left > 0;) {
        const std::uint64_t bytes = std::min(left, turn);
        done = std::max(done, m_controller.access(transaction.get_address(), bytes, transaction.is_write(), tick));
        left -= bytes;
    }
    return {sc_time::from_value(m_origin + (tick + 1) * m_tck), sc_time::from_value(m_origin + done * m_tck)};
}

void dram_body::restart(const sc_time& now)
{
    if (now.value() % m_tck != 0) {
        bus::report_error(m_instance, "/tensorloom/dram/restart", "the time is not a multiple of the clock period");
    }
    m_origin = now.value();
    m_controller.restart();
}

dram_module::dram_module(sc_core::sc_module_name name, const dram_settings& settings, bus::activity_sink* activity)
    : memory_module(name, settings)
{
    if (activity != nullptr) { activity->attach(this->name(), costs::dram_events, m_body.counts().data()); }
}

void dram_module::restart()
{
    if (m_port.outstanding() != 0) {
        bus::report_error(name(), "/tensorloom/dram/restart", "transactions are in flight");
    }
    settle();
    m_body.restart(sc_core::sc_time_stamp());
}

template class dram<32>;
template class dram<64>;
template class dram<128>;
template class dram<256>;
template class dram<512>;

} // namespace tensorloom::memory
