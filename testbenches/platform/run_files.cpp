#include "platform/run_files.h"
#include <algorithm>
#include <filesystem>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/files/atomic_file.h>
#include <tensorloom/models/arch/costs/technology.h>
#include "platform/output_directory.h"

namespace tensorloom::testbench {
namespace {

// The file goes into the directory that --out is going to make.
bool waits_for_directory(const common_options& common, const std::string& path)
{
    if (!common.out || std::filesystem::exists(*common.out)) { return false; }
    const auto directory = std::filesystem::absolute(*common.out + "/").lexically_normal();
    const auto parent = (std::filesystem::absolute(path).parent_path() / "").lexically_normal();
    return directory == parent;
}

} // namespace

void run_files::refuse_clash(const named_file& output, const std::vector<named_file>& others)
{
    for (const auto& other : others) {
        if (arch::same_file(output.path, other.path)) {
            const named_file& typed = output.in_directory ? other : output;
            const named_file& second = output.in_directory ? output : other;
            throw arch::input_error(typed.option + " is '" + typed.path + "', which is also " +
                                    (second.in_directory ? "a file that " + second.option + " writes" : second.option) +
                                    ", expected another file");
        }
    }
}

void run_files::add_input(const std::string& option, const std::string& path)
{
    m_inputs.push_back({option, path});
    for (const auto& output : m_outputs) { refuse_clash(output, {m_inputs.back()}); }
}

void run_files::add_output(const std::string& option, const std::string& path) { add_output({option, path}); }

void run_files::add_output(const named_file& output)
{
    refuse_clash(output, m_inputs);
    refuse_clash(output, m_outputs);
    m_outputs.push_back(output);
}

void run_files::add_common(const option_values& values, const common_options& common,
                           const std::vector<std::string>& more)
{
    if (values.has("config")) { add_input("--config", values.get_string("config")); }
    const auto shipped = arch::shipped_technology_names();
    if (std::find(shipped.begin(), shipped.end(), common.technology) == shipped.end()) {
        add_input("--technology", common.technology);
    }
    if (common.out) {
        refuse_clash({"--out", *common.out}, m_inputs);
        refuse_clash({"--out", *common.out}, m_outputs);
        const std::filesystem::path directory(*common.out);
        for (const char* name : output_directory::file_names) {
            add_output({"--out", (directory / name).string(), true});
        }
        for (const auto& name : more) { add_output({"--out", (directory / name).string(), true}); }
    }
    if (common.vcd) { add_output("--vcd", *common.vcd); }
}

void run_files::check_outputs(const common_options& common) const
{
    for (const auto& [option, path, in_directory] : m_outputs) {
        if (in_directory) { continue; } // output_directory sees to them
        try {
            if (!waits_for_directory(common, path)) { arch::check_writable(path); }
        } catch (const arch::input_error& e) {
            throw arch::input_error(option + ": " + e.what());
        }
    }
}

} // namespace tensorloom::testbench
