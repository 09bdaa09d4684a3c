#include "contract/contract.h"
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

using workloads::contraction;

option_table contract_table()
{
    option_table table("contract",
                       "Contracts two tensors on a FETTA, contraction engines between butterfly networks: searches a "
                       "mapping, runs it from memory and reports cycles by cause, traffic and energy.");
    table.begin_group("Problem");
    table.add_value("einsum", "A,B->C", "The contraction, a letter for each mode; a matrix product by default.",
                    "ij,jk->ik");
    table.add_value("sizes", "i=N,j=N,..", "Sizes of all modes (default: those of --input, else 64 each).");
    table.add_value("input", "A.npy,B.npy", "The operands instead of random ones.");
    add_nonfinite_option(table);
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.one_run_alone();
    table.begin_group("Mapping");
    table.add_value("mapping", "auto|" + form_of(names_of(fetta::mapping_values)),
                    "Which operand is stationary, and how the operands enter an engine.", "auto");
    table.add_value("split", "G,K,IA,IB",
                    "Number of parts that the engines cut each index into: batch, contracted, IA's free, IB's free "
                    "(default: searched).");
    table.add_value("layout", form_of(names_of(workloads::tensor_layout_values)), "Layout of the tensors in memory.",
                    "ideal");
    table.add_value("reordering", form_of(names_of(workloads::permutation_way_values)),
                    "How the device permutes tensors with --layout offchip.", "auto");
    table.add_value("flatten", form_of(names_of(workloads::flattening_values)),
                    "Which groups of modes may become one index.", "any");
    table.add_value("objective", form_of(names_of(workloads::mapping_objective_values)),
                    "Cost that the search minimises.", "latency");
    table.add_value("store", "f32|bf16", "Format of the result in memory.", "f32");
    table.begin_group("Program");
    table.add_value("program", "FILE", "Run this program, binary or text, instead of a planned one.");
    table.add_value("max-cycles", "CYCLES", "Reject a program of --program that takes longer.", "100000000");
    table.add_value(
        "save-program", "FILE",
        "Write the planned program here, in binary; --program can run one planned with --layout conflicted.");
    table.one_run_alone();
    table.add_flag("profile", "Print every command with its cycles and energy.");
    table.one_run_alone();
    table.add_flag("serve", "Contract many pairs of tensors on one device: requests on standard input, answers on "
                            "standard output.");
    table.one_run_alone();
    table.begin_group("Device");
    add_fetta_options(table);
    add_common_options(table);
    return table;
}

// "i=64,j=64,k=64"
std::string default_sizes(const std::string& einsum)
{
    std::string sizes, seen;
    for (const char c : einsum) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!letter || seen.find(c) != std::string::npos) { continue; }
        seen += c;
        sizes += (sizes.empty() ? "" : ",") + std::string(1, c) + "=64";
    }
    return sizes;
}

// Errors of a text begin with what it is: "einsum: found ...", which is the option's name; those of a file's shape with
// "the first operand".
template <class Action> auto naming_option(const Action& action)
{
    try {
        return action();
    } catch (const base::input_error& e) {
        const std::string text = e.what();
        throw base::input_error((text.compare(0, 4, "the ") == 0 ? "--input: " : "--") + text);
    }
}

void read_problem(const option_values& values, contract_options& o)
{
    o.einsum = values.get_string("einsum");
    if (!values.has("input")) {
        const auto sizes = values.has("sizes") ? values.get_string("sizes") : default_sizes(o.einsum);
        o.problem = naming_option([&] { return workloads::parse_einsum(o.einsum, sizes); });
        return;
    }
    check_absent(values, {"sizes", "seed"}, "--input", "with random operands");
    o.allow_nonfinite = read_nonfinite_option(values);
    o.inputs = values.get_words("input");
    if (o.inputs.size() != 2) { throw values.error("input", "two files separated by a comma"); }
    const auto a = shape_of_file(o.inputs[0]), b = shape_of_file(o.inputs[1]);
    o.problem = naming_option([&] { return workloads::parse_einsum(o.einsum, a, b); });
    for (const auto& path : o.inputs) { o.files.add_input("--input", path); }
}

void read_plan(const option_values& values, contract_options& o)
{
    auto& s = o.settings;
    s.layout = get_named<workloads::tensor_layout>(values, "layout", workloads::tensor_layout_values);
    s.reordering = get_named<workloads::permutation_way>(values, "reordering", workloads::permutation_way_values);
    s.lanes = o.device.config.lanes;
    s.flattening = get_named<workloads::flattening>(values, "flatten", workloads::flattening_values);
    s.request.objective =
        get_named<workloads::mapping_objective>(values, "objective", workloads::mapping_objective_values);
    auto mappings = names_of(fetta::mapping_values);
    mappings.insert(mappings.begin(), "auto");
    if (values.get_choice("mapping", mappings) != "auto") {
        s.request.mapping = get_named<fetta::mapping>(values, "mapping", fetta::mapping_values);
    }
    if (values.has("split")) {
        s.request.split = naming_option(
            [&] { return workloads::parse_engine_split(values.get_string("split"), o.device.config.limits.engines); });
    }
    s.request.store_bf16 = values.get_choice("store", {"f32", "bf16"}) == "bf16";
    s.overlap = o.device.config.overlap;
}

void read_program(const option_values& values, contract_options& o)
{
    o.profile = values.get_flag("profile");
    if (o.profile && o.common.quiet) { throw_conflict("profile", "--quiet", "without"); }
    require_both(values, "max-cycles", "program");
    o.max_cycles = values.get_unsigned("max-cycles", 1, 1'000'000'000'000);
    if (values.has("program")) {
        // What a plan is made from; a user's own program needs none of it.
        check_absent(values, {"mapping", "split", "layout", "reordering", "flatten", "objective", "save-program"},
                     "--program", "with a planned one");
        o.program = values.get_string("program");
        o.files.add_input("--program", *o.program);
    }
    if (values.has("save-program")) {
        o.save_program = values.get_string("save-program");
        o.files.add_output("--save-program", *o.save_program);
    }
}

// A request has the options of its contraction; a simulation of many contractions writes no files of one.
void read_server(const option_values& values, contract_options& o)
{
    check_absent(values,
                 {"einsum", "sizes", "input", "output", "program", "save-program", "profile", "seed", "out", "vcd",
                  "address-trace"},
                 "--serve", "with a single contraction");
    if (o.common.is_stepped()) { throw values.error("fidelity", "fast with --serve"); }
    o.allow_nonfinite = read_nonfinite_option(values);
    o.common.quiet = true; // standard output has the answers
}

} // namespace

std::string sizes_text(const contraction& problem)
{
    std::string letters;
    for (const char letter : problem.a + problem.b) {
        if (letters.find(letter) == std::string::npos) { letters += letter; }
    }
    const auto size_text = [&](char l) { return std::string(1, l) + "=" + std::to_string(problem.size_of(l)); };
    return listed(letters, size_text, ",");
}

std::vector<std::size_t> shape_of_file(const std::string& path)
{
    const auto header = workloads::read_npy_header(path);
    if (header.is_complex()) { throw base::input_error("--input: " + path + " is complex, expected real elements"); }
    if (header.elements == 0) { throw base::input_error("--input: " + path + " has no elements, expected at least 1"); }
    return header.shape;
}

std::optional<contract_options> read_contract_options(int argc, char** argv, std::ostream& out)
{
    const auto values = contract_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    contract_options o;
    o.common = read_common_options(*values);
    o.device = read_fetta_options(*values, o.common);
    o.serve = values->get_flag("serve");
    if (o.serve) {
        read_server(*values, o);
    } else {
        read_problem(*values, o);
    }
    read_plan(*values, o);
    read_program(*values, o);
    o.read_output(*values);
    o.finish(*values, {output_directory::banks});
    return o;
}

} // namespace tensorloom::testbench
