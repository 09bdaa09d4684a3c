#include "tucker/tucker_options.h"
#include <algorithm>
#include "platform/run/transform_options.h"
#include "platform/triada/tile_options.h"

namespace tensorloom::testbench {
namespace {

const std::vector<base::element_type> formats{base::element_type::f64, base::element_type::f32};

option_table tucker_table()
{
    option_table table("tucker", "Tucker decompositions whose tensor-times-matrix chains run on a TriADA device: "
                                 "finds factors and core, checks them and reports their costs.");
    table.begin_group("Problem (--input or --shape)");
    table.add_value("input", "FILE.npy",
                    "The tensor, of three modes, real; integers are converted; C or Fortran order.");
    table.add_value("shape", "N1xN2xN3", "Size of a generated tensor.");
    table.add_value(
        "fill", "random|ramp|sparse|known-rank",
        "Contents of the generated tensor: uniform in [-1, 1), the integer formulas of the docs, or of --fill-ranks.",
        "random");
    table.add_value("fill-ranks", "R1xR2xR3", "Ranks of the fill known-rank.");
    table.add_value("noise", "FRACTION", "Uniform noise added to the fill known-rank, relative to its norm.", "0");
    table.begin_group("Decomposition (--ranks or --tolerance)");
    table.add_value("ranks", "R1xR2xR3", "Sizes of the core.");
    table.add_value("tolerance", "EPS", "Choose ranks for an error of at most EPS times the tensor's norm.");
    table.add_value("method", "hosvd|st-hosvd|hooi", "Method that finds the factors.", "st-hosvd");
    table.add_value("max-iterations", "COUNT", "hooi: maximum number of iterations.", "50");
    table.add_value("fit-change", "X", "hooi: stop when an iteration raises the fit by no more than this.", "1e-6");
    table.add_value("order", "312", "Summation order of the modes in chains.", "312");
    table.add_value("core", "FILE.npy", "Write the core here.");
    table.one_run_alone();
    table.add_value("factors", "FILE,FILE,FILE", "Write the factors of modes 1, 2, 3 into these .npy files.");
    table.one_run_alone();
    table.add_value("output", "FILE.npy", "Write the expanded tensor here.");
    table.one_run_alone();
    table.begin_group("Device");
    add_format_option(table, formats, "f64; f32 when the data is");
    add_gemt_options(table);
    add_triada_options(table);
    add_common_options(table);
    return table;
}

workloads::shape3 input_shape(const std::string& path, needed_format& needed)
{
    const auto header = tensor_header("input", path);
    needed.add(header);
    if (header.is_complex()) { throw base::input_error("--input: " + path + " is complex, expected real elements"); }
    return {header.shape[0], header.shape[1], header.shape[2]};
}

void read_fill(const option_values& values, tensor_source& source)
{
    const auto name = values.get_choice("fill", {"random", "ramp", "sparse", "known-rank"});
    if (name != "known-rank") {
        check_absent(values, {"fill-ranks", "noise"}, "--fill " + name, "with --fill known-rank");
        source.fill = workloads::parse_fill(name);
        return;
    }
    if (!values.has("fill-ranks")) {
        throw base::input_error("--fill known-rank is given without --fill-ranks, expected both");
    }
    source.known_ranks = values.get_shape("fill-ranks");
    source.noise = values.get_number("noise", 0, 1000);
    complaining_of("--fill-ranks", [&] { workloads::check_ranks(*source.known_ranks, source.shape); });
}

void read_source(const option_values& values, tensor_source& source, needed_format& needed)
{
    require_one_of(values, "input", "shape");
    if (values.has("shape")) {
        source.shape = values.get_shape("shape");
        read_fill(values, source);
        return;
    }
    check_absent(values, {"fill", "fill-ranks", "noise"}, "--input", "with --shape");
    source.input = values.get_string("input");
    source.shape = input_shape(*source.input, needed);
}

void read_request(const option_values& values, const workloads::shape3& shape, workloads::tucker_request& request)
{
    require_one_of(values, "ranks", "tolerance");
    request.method = workloads::parse_tucker_method(values.get_choice("method", {"hosvd", "st-hosvd", "hooi"}));
    if (request.method != workloads::tucker_method::hooi) {
        check_absent(values, {"max-iterations", "fit-change"},
                     std::string("--method ") + workloads::tucker_method_name(request.method), "with --method hooi");
    }
    request.max_iterations = static_cast<unsigned>(values.get_unsigned("max-iterations", 1, 1000000));
    request.fit_change = values.get_number("fit-change", 0, 1);
    if (values.has("ranks")) {
        request.ranks = values.get_shape("ranks");
    } else {
        request.tolerance = values.get_number_between("tolerance", 0, 1);
    }
    complaining_of("--ranks", [&] { workloads::check_tucker(request, shape); });
}

// An actuator holds a whole matrix.
void check_matrices(const tucker_options& o)
{
    const auto ranks = o.largest_ranks();
    for (std::size_t m = 0; m < 3; ++m) {
        const std::uint64_t elements = std::uint64_t{o.source.shape[m]} * ranks[m];
        if (elements > o.device.config.matrix_elements) {
            throw base::input_error("--matrix-elements is " + std::to_string(o.device.config.matrix_elements) +
                                    ", expected at least " + std::to_string(elements) + " for a factor of mode " +
                                    std::to_string(m + 1) + " of " + std::to_string(o.source.shape[m]) + "x" +
                                    std::to_string(ranks[m]));
        }
    }
}

void read_files(const option_values& values, tucker_options& o)
{
    if (o.source.input) { o.files.add_input("--input", *o.source.input); }
    if (values.has("core")) {
        o.core = values.get_string("core");
        o.files.add_output("--core", *o.core);
    }
    if (values.has("factors")) {
        const auto paths = values.get_words("factors");
        if (paths.size() != 3) { throw values.error("factors", "three files separated by commas"); }
        o.factors = {paths[0], paths[1], paths[2]};
        for (std::size_t m = 0; m < 3; ++m) {
            o.files.add_output("--factors (mode " + std::to_string(m + 1) + ")", paths[m]);
        }
    }
    o.read_output(values);
    o.finish(values, {singular_values_file});
}

} // namespace

workloads::shape3 tucker_options::largest_ranks() const
{
    if (request.ranks) { return *request.ranks; }
    const auto& n = source.shape;
    workloads::shape3 ranks{};
    for (std::size_t m = 0; m < 3; ++m) { ranks[m] = std::min(n[m], n[(m + 1) % 3] * n[(m + 2) % 3]); }
    return ranks;
}

std::optional<tucker_options> read_tucker_options(int argc, char** argv, std::ostream& out)
{
    const auto values = tucker_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    tucker_options o;
    o.common = read_common_options(*values);
    needed_format needed;
    read_source(*values, o.source, needed);
    read_request(*values, o.source.shape, o.request);
    o.format = read_format(*values, formats, needed);
    o.device = read_triada_options(*values);
    static_cast<gemt_settings&>(o.chains) = read_gemt_settings(*values);
    o.chains.order = read_order(*values);
    o.chains.mesh = mesh_for(o.device, o.source.shape);
    if (values->has("cell-registers")) { o.chains.rates = rates_of(o.device, o.common, o.chains.mesh); }
    check_matrices(o);
    read_files(*values, o);
    return o;
}

} // namespace tensorloom::testbench
