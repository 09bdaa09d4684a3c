#include <algorithm>
#include <iterator>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/npy_file.h>
#include "compare_devices/compare_devices.h"
#include "platform/run/simulated_session.h"

namespace tensorloom::testbench {
namespace {

constexpr std::size_t largest_size = 1024; // of a mode: what the mesh of a TriADA may have

struct entry {
    unsigned place;
    comparable_device_entry::maker make;
};

std::vector<entry>& registered()
{
    static std::vector<entry> entries;
    return entries;
}

using device_list = std::vector<std::shared_ptr<comparable_device>>;

std::string names_of(const device_list& devices)
{
    return listed(devices, [](const auto& device) { return device->name(); });
}

// An option that several devices have: once, with the titles of all.
void add_shared_options(option_table& table, const device_list& devices)
{
    std::vector<shared_option> shared;
    for (const auto& device : devices) {
        for (const auto& option : device->shared_options()) {
            const auto same = std::find_if(shared.begin(), shared.end(),
                                           [&](const auto& known) { return known.name == option.name; });
            if (same == shared.end()) {
                shared.push_back(option);
            } else {
                same->titles += ", " + option.titles;
            }
        }
    }
    table.begin_group("Shared by devices");
    table.add_value("mac-latency", "CYCLES",
                    "Cycles of a multiply-add in all devices (default: as many as its gates take in the technology).");
    for (const auto& option : shared) {
        table.add_value(option.name, option.form, option.titles + ": " + option.help + ".", option.by_default);
    }
}

void add_device_options(option_table& table, const device_list& devices)
{
    for (const auto& device : devices) {
        table.begin_group(device->title());
        device->add_options(table);
    }
    add_shared_options(table, devices);
}

option_table compare_devices_table(const device_list& devices)
{
    option_table table(
        "compare_devices",
        "Runs the same work on every device, with data in the same memory: a tensor of three modes times a "
        "matrix in each mode, abc,ai,bj,ck->ijk. Reports the costs in total and per multiplier.");
    table.begin_group("Work");
    table.add_value("shape", "N1xN2xN3", "Sizes of a, b, c (default: 32x32x32, or those of --input).");
    table.add_value("out-shape", "K1xK2xK3", "Sizes of i, j, k (default: as a, b, c, or those of --input).");
    table.add_value("input", "X.npy,A.npy,B.npy,C.npy",
                    "The tensor and the matrices instead of random ones; rounded to bfloat16.");
    add_nonfinite_option(table);
    table.add_value("output", "FILE.npy", "Write the results here; the first axis is the device.");
    table.one_run_alone();
    table.begin_group("Devices");
    table.add_value("devices", "NAME,..",
                    "Devices to compare, in this order: " + names_of(devices) + " (default: all).");
    table.add_value("equal", "multipliers|area|power|onchip|none",
                    "Compare devices that have the same. Multipliers: 256, and at most 655360 bytes of on-chip memory; "
                    "others: at most --budget, each device at its fastest size within it, by simulation; none: each at "
                    "its own size.",
                    "none");
    table.add_value("budget", "AMOUNT",
                    "Of --equal area in mm^2 of die, power in W of the die, onchip in bytes (default: 655360).");
    add_device_options(table, devices);
    table.begin_group("Device");
    add_common_options(table);
    return table;
}

void read_devices(const option_values& values, const device_list& devices, compare_devices_options& o)
{
    if (!values.has("devices")) {
        o.compared.assign(devices.begin(), devices.end());
        return;
    }
    for (const auto& word : values.get_words("devices")) {
        const auto found =
            std::find_if(devices.begin(), devices.end(), [&](const auto& device) { return word == device->name(); });
        if (found == devices.end() || std::find(o.compared.begin(), o.compared.end(), *found) != o.compared.end()) {
            throw values.error("devices", "different names of " + names_of(devices));
        }
        o.compared.push_back(*found);
    }
}

// X decides a, b, c, the matrices decide i, j, k.
void read_files(const option_values& values, compare_devices_options& o)
{
    check_absent(values, {"shape", "out-shape"}, "--input", "without");
    o.allow_nonfinite = read_nonfinite_option(values);
    o.inputs = values.get_words("input");
    if (o.inputs.size() != 4) { throw values.error("input", "four files: X.npy,A.npy,B.npy,C.npy"); }
    for (std::size_t f = 0; f < o.inputs.size(); ++f) {
        o.files.add_input("--input", o.inputs[f]);
        const auto header = workloads::read_npy_header(o.inputs[f]);
        const std::string found = "--input: " + o.inputs[f] + " has the shape " + shape_text(header.shape, "()") +
                                  (header.is_complex() ? ", complex" : "");
        const bool tensor = f == 0;
        const bool sized = header.shape.size() == (tensor ? 3 : 2) &&
                           std::all_of(header.shape.begin(), header.shape.end(),
                                       [](std::size_t n) { return n >= 1 && n <= largest_size; });
        if (!sized || header.is_complex()) {
            throw base::input_error(found + ", expected real numbers, " + (tensor ? "three" : "two") +
                                    " modes of 1 to " + std::to_string(largest_size) + " elements");
        }
        if (tensor) {
            std::copy(header.shape.begin(), header.shape.end(), o.shape.begin());
            continue;
        }
        if (header.shape[0] != o.shape[f - 1]) {
            throw base::input_error(found + ", expected " + std::to_string(o.shape[f - 1]) + " rows, as mode " +
                                    std::to_string(f) + " of " + o.inputs[0]);
        }
        o.out_shape[f - 1] = header.shape[1];
    }
}

void read_work(const option_values& values, compare_devices_options& o)
{
    if (values.has("input")) { return read_files(values, o); }
    o.shape = values.has("shape") ? values.get_shape("shape", largest_size) : workloads::shape3{32, 32, 32};
    o.out_shape = values.has("out-shape") ? values.get_shape("out-shape", largest_size) : o.shape;
}

void read_budget(const option_values& values, device_budget& budget)
{
    const std::vector<std::string> names(std::begin(equal_resource_names), std::end(equal_resource_names));
    const auto name = values.get_choice("equal", names);
    budget.resource = static_cast<equal_resource>(std::find(names.begin(), names.end(), name) - names.begin());
    if (!budget.is_searched()) { return check_absent(values, {"budget"}, "--equal " + name, "without"); }
    budget.most = static_cast<double>(equal_on_chip_bytes);
    if (!values.has("budget") && budget.resource != equal_resource::onchip) {
        throw base::input_error("--equal " + name + ": --budget is missing, expected " +
                                (budget.resource == equal_resource::area ? "mm^2 of die" : "W of the die"));
    }
    if (!values.has("budget")) { return; }
    budget.most = budget.resource == equal_resource::onchip
                      ? static_cast<double>(values.get_integer("budget", 1, 1'000'000'000'000))
                      : values.get_number("budget", 1e-6, 1e12);
}

// Of all devices, compared or not.
void read_sizes(const option_values& values, const device_list& devices, compare_devices_options& o)
{
    read_budget(values, o.budget);
    if (values.has("mac-latency")) {
        o.mac_latency = static_cast<unsigned>(values.get_integer("mac-latency", 1, most_mac_latency));
    }
    for (const auto& device : devices) {
        if (o.budget.resource != equal_resource::none) {
            for (const auto& option : device->size_options()) {
                check_absent(values, {option.c_str()}, "--equal " + values.get_string("equal"), "without");
            }
        }
        device->read_options(values, o.common);
        if (o.budget.resource == equal_resource::multipliers) { device->equalize(); }
    }
}

} // namespace

comparable_device_entry::comparable_device_entry(unsigned place, maker make) { registered().push_back({place, make}); }

std::vector<std::shared_ptr<comparable_device>> comparable_devices()
{
    auto entries = registered();
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.place < b.place; });
    device_list devices;
    for (const auto& e : entries) { devices.push_back(e.make()); }
    return devices;
}

std::optional<compare_devices_options> read_compare_devices_options(int argc, char** argv, std::ostream& out)
{
    const auto devices = comparable_devices();
    const auto values = compare_devices_table(devices).parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    compare_devices_options o;
    o.common = read_common_options(*values);
    read_devices(*values, devices, o);
    read_work(*values, o);
    require_program_room(o.common.platform, session_memory::program_bytes);
    read_sizes(*values, devices, o);
    o.read_output(*values);
    if (auto& trace = o.common.address_trace) {
        for (std::size_t i = 1; i < o.compared.size(); ++i) { trace->further.emplace_back(o.compared[i]->name()); }
    }
    o.finish(*values, {"comparison.csv"});
    return o;
}

} // namespace tensorloom::testbench
