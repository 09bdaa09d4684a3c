#include "platform/options/run_files.h"
#include <algorithm>
#include <system_error>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/files/sha256.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/costs/dram/dram_config.h>

namespace tensorloom::testbench {
namespace {

// The file goes into the directory that --out is going to make.
bool waits_for_directory(const common_options& common, const std::string& path)
{
    std::error_code error; // a folder on the way may be one that nobody may look into
    if (!common.out || std::filesystem::exists(*common.out, error) || error) { return false; }
    const auto directory = std::filesystem::absolute(*common.out + "/", error).lexically_normal();
    const auto parent = (std::filesystem::absolute(path, error).parent_path() / "").lexically_normal();
    return !error && directory == parent;
}

} // namespace

output_directory::output_directory(const std::string& path, const std::vector<std::string>& more) : m_path(path)
{
    try {
        m_created.emplace(path);
    } catch (const std::filesystem::filesystem_error& e) {
        throw base::input_error("--out is '" + path +
                                "', expected a directory that can be written: " + e.code().message());
    }
    try {
        m_lock.emplace(path);
        for (const char* name : file_names) { base::check_writable(file(name).string()); }
        for (const auto& name : more) { base::check_writable(file(name).string()); }
    } catch (const base::input_error& e) {
        throw base::input_error(std::string("--out: ") + e.what());
    }
}

void run_files::check_clash(const named_file& output, const std::vector<named_file>& others)
{
    for (const auto& other : others) {
        if (base::same_file(output.path, other.path)) {
            const named_file& typed = output.in_directory ? other : output;
            const named_file& second = output.in_directory ? output : other;
            throw base::input_error(typed.option + " is '" + typed.path + "', which is also " +
                                    (second.in_directory ? "a file that " + second.option + " writes" : second.option) +
                                    ", expected another file");
        }
    }
}

void run_files::add_input(const std::string& option, const std::string& path)
{
    m_inputs.push_back({option, path});
    for (const auto& output : m_outputs) { check_clash(output, {m_inputs.back()}); }
}

void run_files::add_output(const std::string& option, const std::string& path) { add_output({option, path}); }

void run_files::add_output(const named_file& output)
{
    check_clash(output, m_inputs);
    check_clash(output, m_outputs);
    m_outputs.push_back(output);
}

namespace {

// With those that it is based on, unless the run will refuse it.
std::vector<std::string> files_of_technology(const std::string& path)
{
    try {
        return costs::load_technology(path).files();
    } catch (const base::input_error&) {
        return {path};
    }
}

} // namespace

void run_files::add_common(const option_values& values, const common_options& common,
                           const std::vector<std::string>& more)
{
    m_more = more;
    if (values.has("config")) { add_input("--config", values.get_string("config")); }
    const auto shipped = costs::shipped_technology_names();
    if (std::find(shipped.begin(), shipped.end(), common.technology) == shipped.end()) {
        for (const auto& file : files_of_technology(common.technology)) { add_input("--technology", file); }
    }
    const auto drams = costs::shipped_dram_names();
    if (std::find(drams.begin(), drams.end(), common.platform.dram) == drams.end()) {
        add_input("--dram", common.platform.dram);
    }
    if (common.out) {
        check_clash({"--out", *common.out}, m_inputs);
        check_clash({"--out", *common.out}, m_outputs);
        const std::filesystem::path directory(*common.out);
        for (const char* name : output_directory::file_names) {
            add_output({"--out", (directory / name).string(), true});
        }
        for (const auto& name : more) { add_output({"--out", (directory / name).string(), true}); }
    }
    if (common.vcd) { add_output("--vcd", *common.vcd); }
    if (common.address_trace) {
        for (const auto& file : common.address_trace->files()) { add_output("--address-trace", file); }
    }
}

void run_files::check_outputs(const common_options& common) const
{
    for (const auto& [option, path, in_directory] : m_outputs) {
        if (in_directory) { continue; } // output_directory sees to them
        try {
            if (!waits_for_directory(common, path)) { base::check_writable(path); }
        } catch (const base::input_error& e) {
            throw base::input_error(option + ": " + e.what());
        }
    }
}

void run_options::read_output(const option_values& values)
{
    if (!values.has("output")) { return; }
    output = values.get_string("output");
    files.add_output("--output", *output);
}

std::vector<run_input> run_files::hashed_inputs(const common_options& common) const
{
    std::vector<run_input> hashed;
    const auto add = [&](const std::string& option, const std::string& name, std::string_view shipped) {
        const auto hash = shipped.empty() ? base::sha256_of_file(name) : base::sha256_of(shipped);
        if (hash) { hashed.push_back({option, name, *hash}); }
    };
    for (const auto& input : m_inputs) {
        const bool told_below = input.option == "--technology" || input.option == "--dram";
        if (input.option != "--config" && !told_below) { add(input.option, input.path, {}); }
    }
    const auto shipped = costs::shipped_technology_text(common.technology);
    if (!shipped.empty()) { add("--technology", common.technology, shipped); }
    for (const auto& input : m_inputs) {
        if (input.option == "--technology") { add(input.option, input.path, {}); }
    }
    const auto& around = common.platform;
    if (around.has_dram()) { add("--dram", around.dram, costs::shipped_dram_text(around.dram)); }
    return hashed;
}

namespace {

void require_same(const std::vector<run_input>& inputs, const std::vector<run_input>& recorded)
{
    constexpr std::size_t shown = 12; // digits
    for (const auto& now : inputs) {
        for (const auto& then : recorded) {
            if (now.option != then.option || now.name != then.name || now.sha256 == then.sha256) { continue; }
            throw base::input_error(now.option + ": " + now.name + " has the SHA-256 " + now.sha256.substr(0, shown) +
                                    "..., expected " + then.sha256.substr(0, shown) + "... as in the run of --config");
        }
    }
}

} // namespace

void run_options::finish(const option_values& values, const std::vector<std::string>& more)
{
    files.add_common(values, common, more);
    files.check_outputs(common);
    given = values.all();
    options_given = values.all_given();
    const auto& recorded = values.recorded_inputs();
    if (common.out || !recorded.empty()) { inputs = files.hashed_inputs(common); }
    require_same(inputs, recorded);
}

} // namespace tensorloom::testbench
