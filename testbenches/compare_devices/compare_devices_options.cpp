#include <algorithm>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/npy_file.h>
#include "compare_devices/compare_devices.h"
#include "platform/options/field_options.h"
#include "platform/run/simulated_session.h"

namespace tensorloom::testbench {
namespace {

constexpr std::size_t largest_size = 1024; // of a mode: what the mesh of a TriADA may have

std::vector<std::string> device_names()
{
    std::vector<std::string> names;
    for (const auto& maker : device_makers) { names.emplace_back(maker.name); }
    return names;
}

// What may be chosen of the arrays, by the names that the devices' own testbenches have. Two devices share a name where
// it means the same of both: load-elements, lanes.
struct array_fields {
    base::config_fields triada, gemt, torus, mmv, fetta;

    explicit array_fields(array_options& o)
        : triada(fields_named(triada::fields_of(o.triada.config), {"mesh", "step-cycles", "load-elements"})),
          gemt(fields_named(fields_of(o.gemt), {"sparsity"})),
          torus(fields_named(torus::fields_of(o.torus.config), {"macs-per-cycle", "load-elements"})),
          mmv(fields_named(mmv::fields_of(o.mmv.config), {"banks", "lanes"})),
          fetta(fields_named(fetta::fields_of(o.fetta.config),
                             {"engines", "side", "bank-bytes", "accumulator-bytes", "lanes"}))
    {}
};

void add_array_options(option_table& table)
{
    array_options defaults;
    const array_fields fields(defaults);
    table.begin_group("TriADA");
    add_field(table, fields.triada[0], "as the problem");
    add_field(table, fields.triada[1]);
    add_field(table, fields.gemt[0]);
    table.begin_group("Orbital torus");
    add_torus_sizes(table);
    add_field(table, fields.torus[0]);
    table.begin_group("MMU/VCU pair");
    table.add_value("s", "SIDE", "Rows and columns of the array.", std::to_string(defaults.mmv_side));
    add_field(table, fields.mmv[0]);
    table.begin_group("FETTA");
    for (std::size_t f = 0; f + 1 < fields.fetta.size(); ++f) { add_field(table, fields.fetta[f]); }
    table.begin_group("Of two devices each");
    table.add_value("load-elements", "PER_CYCLE", "TriADA, torus: elements per cycle through the memory port.", "8");
    table.add_value("lanes", "COUNT", "MMU/VCU pair, FETTA: lanes of the vector unit, words per cycle.", "64");
}

option_table compare_devices_table()
{
    option_table table("compare_devices",
                       "The same work on every device, from and to the same memory: a tensor of three modes times a "
                       "matrix in each, abc,ai,bj,ck->ijk. Tells what each took, and what that is per multiplier.");
    table.begin_group("Work");
    table.add_value("shape", "N1xN2xN3", "Sizes of a, b, c (default: 32x32x32, or those of --input).");
    table.add_value("out-shape", "K1xK2xK3", "Sizes of i, j, k (default: as a, b, c, or those of --input).");
    table.add_value("input", "X.npy,A.npy,B.npy,C.npy",
                    "The tensor and the matrices in place of random ones; rounded to bfloat16.");
    table.add_value("output", "FILE.npy", "Write the results here, those of the devices one behind the other.");
    table.one_run_alone();
    table.begin_group("Devices");
    table.add_value("devices", "NAME,..", "Which of triada, torus, mmv, fetta, and in which order (default: all).");
    add_array_options(table);
    table.begin_group("Device");
    add_common_options(table);
    return table;
}

void read_devices(const option_values& values, compare_devices_options& o)
{
    if (!values.has("devices")) {
        for (const auto& maker : device_makers) { o.compared.push_back(&maker); }
        return;
    }
    for (const auto& word : values.get_words("devices")) {
        const auto* const found = std::find_if(std::begin(device_makers), std::end(device_makers),
                                               [&](const device_maker& maker) { return word == maker.name; });
        const bool again = std::find(o.compared.begin(), o.compared.end(), found) != o.compared.end();
        if (found == std::end(device_makers) || again) {
            throw values.error("devices",
                               "different names of " + listed(device_names(), [](const auto& n) { return n; }));
        }
        o.compared.push_back(found);
    }
}

// X decides a, b, c, the matrices decide i, j, k.
void read_files(const option_values& values, compare_devices_options& o)
{
    check_absent(values, {"shape", "out-shape"}, "--input", "without");
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

array_options read_arrays(const option_values& values, const common_options& common)
{
    array_options o;
    const array_fields fields(o);
    for (const auto* device : {&fields.triada, &fields.gemt, &fields.torus, &fields.mmv, &fields.fetta}) {
        read_fields(values, *device);
    }
    if (values.has("mesh")) { o.triada.mesh = o.triada.config.mesh; }
    read_torus_sizes(values, o.torus);
    o.mmv_side = static_cast<unsigned>(values.get_unsigned("s", 2, 1024));
    require_program_room(common.platform, session_memory::program_bytes);
    device_config(o.fetta, common); // refuses what cannot be built
    return o;
}

} // namespace

std::optional<compare_devices_options> read_compare_devices_options(int argc, char** argv, std::ostream& out)
{
    const auto values = compare_devices_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    compare_devices_options o;
    o.common = read_common_options(*values);
    read_devices(*values, o);
    read_work(*values, o);
    o.arrays = read_arrays(*values, o.common);
    o.read_output(*values);
    if (auto& trace = o.common.address_trace) {
        for (std::size_t i = 1; i < o.compared.size(); ++i) { trace->further.emplace_back(o.compared[i]->name); }
    }
    o.finish(*values, {"comparison.csv"});
    return o;
}

} // namespace tensorloom::testbench
