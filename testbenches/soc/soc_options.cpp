#include "soc/soc_options.h"
#include <algorithm>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/triada/triada_options.h"
#include "platform/run/transform_options.h"

namespace tensorloom::testbench {
namespace {

const std::vector<base::element_type>& soc_formats()
{
    using base::element_type;
    static const std::vector<element_type> formats{element_type::f64, element_type::f32, element_type::c128,
                                                   element_type::c64};
    return formats;
}

std::vector<std::string> arbitration_names()
{
    std::vector<std::string> names;
    for (const auto kind : bus::arbitration_kinds) { names.emplace_back(bus::arbitration_name(kind)); }
    return names;
}

option_table soc_table()
{
    option_table table(
        "soc",
        "Runs two TriADA devices on one bus: each host runs its own transforms; they share the router and the memory.");
    table.begin_group("Jobs");
    table.add_value("large", "N1xN2xN3", "Size of the large device's job and of its mesh.", "48x48x48");
    table.add_value("small", "N1xN2xN3", "Size of the small device's job and of its mesh.", "12x10x8");
    table.add_value("large-transform", "T[,T,T]",
                    "Transform of the large job: dft dht dct dst dwht dwht-sequency identity.", "dct");
    table.add_value("small-transform", "T[,T,T]", "Transform of the small job.", "dht");
    table.add_value("large-runs", "COUNT", "Consecutive runs of the large job; 0: the device is idle.", "1");
    table.add_value("small-runs", "COUNT", "Consecutive runs of the small job; 0: the device is idle.", "8");
    table.add_value("zeros", "FRACTION", "Probability, 0 to 1, that an element is set to zero.", "0");
    add_format_option(table, soc_formats(), "c128 when a transform is complex, else f64");
    table.add_value("large-output", "FILE.npy", "Write the result of the large job here.");
    table.one_run_alone();
    table.add_value("small-output", "FILE.npy", "Write the result of the small job here.");
    table.one_run_alone();
    table.begin_group("Bus");
    table.add_value("sram-banks", "COUNT",
                    "Banks of the SRAM, a power of two from 1 to 256; 8 of them serve a beat of 64 bytes.", "16");
    table.add_value("quantum", "TIME",
                    "How far an initiator may run ahead of the simulation, 0 to 1s, such as 0, 10ns, 1us, 1ms.", "1us");
    table.add_value("transport", "lt|at", "How the devices' DMA calls the bus: blocking, or in four phases.", "lt");
    table.add_value("arbitration", form_of(arbitration_names()),
                    "Arbitration at each target of the router. With lt and a quantum above 0, calls are served in "
                    "order of arrival.",
                    "round-robin");
    table.add_value(
        "priority", "NAME=N[,NAME=N]",
        "With --arbitration priority: priorities of initiators of the router, 0 to 15; the highest goes first; "
        "the default is 0.");
    table.add_value(
        "share", "NAME=PERCENT[,NAME=PERCENT]",
        "With --arbitration weighted: share of the bytes for initiators of the router, in whole percent; the "
        "others share the rest equally.");
    table.add_value("link", "BYTES", "Bytes per cycle of each link of the router; 0: no limit.", "32");
    table.add_flag("power-gating",
                   "Switch each device off before, between and after its runs, when it does not leak; hosts then "
                   "synchronise with the simulation at each switch.");
    table.add_flag("checkers", "Insert a protocol checker into every connection.");
    add_common_options(table,
                       {"sram|dram|split",
                        "Memory that holds the data; split: the large job's in DRAM, the small one's in SRAM.", true});
    return table;
}

std::array<workloads::transform, 3> transforms_of(const option_values& values, const std::string& option)
{
    const auto names = read_transform_names(values, option);
    const auto transforms = complaining_of("--" + option, [&] { return parse_transforms(names); });
    for (const auto& t : transforms) {
        if (t.kind == workloads::transform_kind::file || t.kind == workloads::transform_kind::none) {
            throw values.error(option, "transforms with a name (files and none: see dxt)");
        }
    }
    return transforms;
}

void read_jobs(const option_values& values, soc_options& o)
{
    needed_format needed;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        auto& job = o.jobs[d];
        job.name = d == large_device ? "large" : "small";
        job.transform.shape = values.get_shape(job.name, largest_mesh);
        job.transform.transforms = transforms_of(values, job.name + "-transform");
        for (const auto& t : job.transform.transforms) {
            needed.complex_transform = needed.complex_transform || workloads::needs_complex(t);
        }
        job.transform.zeros = values.get_number("zeros", 0, 1);
        job.transform.seed = o.common.seed + d;
        job.runs = static_cast<std::uint32_t>(values.get_unsigned(job.name + "-runs", 0, 1000));
        const std::string output = job.name + "-output";
        if (values.has(output)) {
            if (job.runs == 0) { throw values.error(output, "it with --" + job.name + "-runs of at least 1"); }
            job.output = values.get_string(output);
            o.files.add_output("--" + output, *job.output);
        }
    }
    const auto format = read_format(values, soc_formats(), needed);
    for (auto& job : o.jobs) { job.transform.format = format; }
}

using initiator_values = std::array<std::optional<unsigned>, soc_initiators.size()>;

// "large.dma=3,small.dma=1": a number from `least` to `most` for some of the initiators.
initiator_values read_by_initiator(const option_values& values, const std::string& option, unsigned least,
                                   unsigned most)
{
    initiator_values found;
    for (const auto& word : values.get_words(option)) {
        const auto equals = word.find('=');
        const auto name = word.substr(0, equals);
        const auto at = std::find(soc_initiators.begin(), soc_initiators.end(), name) - soc_initiators.begin();
        if (equals == std::string::npos || static_cast<std::size_t>(at) == soc_initiators.size()) {
            std::string known;
            for (const auto* initiator : soc_initiators) {
                known += (known.empty() ? "" : ", ") + std::string(initiator);
            }
            throw values.error(option, "NAME=N in place of '" + word + "', with a NAME of " + known);
        }
        auto& value = found[static_cast<std::size_t>(at)];
        if (value) { throw values.error(option, name + " once"); }
        value = base::parse_number<unsigned>(std::string_view(word).substr(equals + 1));
        if (!value || *value < least || *value > most) {
            throw values.error(option, "of " + name + " an integer" + base::range_text(least, most));
        }
    }
    return found;
}

void read_priorities(const option_values& values, soc_options& o)
{
    for (const auto& given : read_by_initiator(values, "priority", 0, bus::most_priority)) {
        o.ranks.priorities.push_back(given.value_or(0));
    }
}

// The rest of 100 percent goes to the initiators without a share, 1 or more to each.
void read_shares(const option_values& values, soc_options& o)
{
    constexpr unsigned largest = 100 - (soc_initiators.size() - 1);
    initiator_values given;
    if (values.has("share")) { given = read_by_initiator(values, "share", 1, largest); }
    unsigned sum = 0;
    unsigned others = 0;
    for (const auto& share : given) {
        sum += share.value_or(0);
        others += share ? 0 : 1;
    }
    if (others == 0 && sum != 100) { throw values.error("share", "a sum of 100 percent, not " + std::to_string(sum)); }
    if (sum + others > 100) {
        throw values.error("share", "a sum of at most " + std::to_string(100 - others) + " percent, not " +
                                        std::to_string(sum) + ": 1 or more is left to each of the other " +
                                        std::to_string(others));
    }
    const unsigned parts = std::max(others, 1u); // of a percent: makes the rest whole numbers
    for (std::size_t i = 0; i < given.size(); ++i) {
        const unsigned weight = given[i] ? *given[i] * parts : 100 - sum;
        o.ranks.weights.push_back(weight);
        o.share_percent[i] = static_cast<double>(weight) / parts;
    }
}

// Ranks beside another arbitration would have no effect.
void read_arbitration(const option_values& values, soc_options& o)
{
    const auto name = values.get_choice("arbitration", arbitration_names());
    o.arbitration = *bus::arbitration_of(name);
    const std::string with = "--arbitration " + name;
    if (o.arbitration == bus::arbitration_kind::priority) {
        if (!values.has("priority")) { throw values.error("arbitration", "--priority beside it"); }
        read_priorities(values, o);
    } else {
        check_absent(values, {"priority"}, with, "with --arbitration priority");
    }
    if (o.arbitration == bus::arbitration_kind::weighted) {
        read_shares(values, o);
    } else {
        check_absent(values, {"share"}, with, "with --arbitration weighted");
    }
}

void read_platform(const option_values& values, soc_options& o)
{
    o.sram_banks = static_cast<unsigned>(values.get_unsigned("sram-banks", 1, 256));
    if ((o.sram_banks & (o.sram_banks - 1)) != 0) { throw values.error("sram-banks", "a power of two from 1 to 256"); }
    constexpr std::uint64_t one_second_ps = 1'000'000'000'000;
    o.quantum_ps = values.get_time_ps("quantum", one_second_ps);
    o.transport = values.get_choice("transport", {"lt", "at"}) == "lt" ? bus::dma_transport::blocking
                                                                       : bus::dma_transport::non_blocking;
    read_arbitration(values, o);
    o.link_bytes = static_cast<unsigned>(values.get_unsigned("link", 0, 65536));
    o.checkers = values.get_flag("checkers");
    o.power_gating = values.get_flag("power-gating");
}

} // namespace

std::optional<soc_options> read_soc_options(int argc, char** argv, std::ostream& out)
{
    const auto values = soc_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    soc_options o;
    o.common = read_common_options(*values);
    read_jobs(*values, o);
    read_platform(*values, o);
    if (o.common.address_trace && o.common.platform.memory == "split") { o.common.address_trace->further = {"sram"}; }
    o.finish(*values, soc_bus_files);
    return o;
}

} // namespace tensorloom::testbench
