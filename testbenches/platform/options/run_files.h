#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// The directory that `--out DIR` names, with what a run writes there.
class output_directory {
public:
    /// Creates it with its parents; an input_error when it, or one of the files below, or of `more` by name, cannot be
    /// written.
    explicit output_directory(const std::string& path, const std::vector<std::string>& more = {});

    output_directory(const output_directory&) = delete;
    output_directory& operator=(const output_directory&) = delete;
    /// Removes the directories that it has created when nothing has been written into them.
    ~output_directory();

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path file(const std::string& name) const { return m_path / name; }

    static constexpr std::array file_names{"summary.json", "latency.csv", "energy.csv", "trace.json"};
    std::filesystem::path summary() const { return file(file_names[0]); }
    std::filesystem::path latency() const { return file(file_names[1]); }
    std::filesystem::path energy() const { return file(file_names[2]); }
    std::filesystem::path trace() const { return file(file_names[3]); }
    static constexpr const char* banks = "banks.csv"; ///< of a device with memories in banks

private:
    std::filesystem::path m_path;
    std::vector<std::filesystem::path> m_created; // the innermost last
};

/// The files of a run: no output may be an input or another output, and every output must be writable before anything
/// is computed.
class run_files {
public:
    // In any order; two names of one file, one of them an output, are an base::input_error.
    void add_input(const std::string& option, const std::string& path);
    void add_output(const std::string& option, const std::string& path);
    /// The files that every testbench reads and writes: --config, a technology or DRAM of one's own, what lies in
    /// --out, --vcd, --address-trace. `more`: by name, what this testbench writes into --out besides.
    void add_common(const option_values& values, const common_options& common,
                    const std::vector<std::string>& more = {});

    /// Throws base::input_error when an output cannot be written; files in a directory that --out has yet to make pass.
    void check_outputs(const common_options& common) const;

    /// The inputs with hashes of their contents, and the technology and DRAM of these options; without what cannot be
    /// read, which whoever reads it complains about.
    std::vector<run_input> hashed_inputs(const common_options& common) const;

    const std::vector<std::string>& more() const { return m_more; } ///< what this testbench writes into --out besides

private:
    struct named_file {
        std::string option;
        std::string path;
        bool in_directory = false; ///< a file of its own name in the directory of --out
    };

    void add_output(const named_file& output);

    static void check_clash(const named_file& output, const std::vector<named_file>& others);

    std::vector<named_file> m_inputs;
    std::vector<named_file> m_outputs;
    std::vector<std::string> m_more;
};

/// What every testbench is asked; the options of each hold this. Checked, as far as that goes without loading data;
/// files named have been looked at.
struct run_options {
    common_options common;
    std::optional<std::string> output; ///< where a result of its own goes, of testbenches that have --output
    run_files files;                   ///< inputs and outputs

    std::vector<std::pair<std::string, std::string>> given; ///< every option with its text, for the summary

    std::vector<given_option> options_given; ///< those that the user has given
    std::vector<run_input> inputs;           ///< what it reads; empty where nobody wants to know

    void read_output(const option_values& values); ///< --output
    /// The end of the reading: files that every testbench has, with `more` in --out; every output is looked at. Of a
    /// run that is repeated the inputs are those of before, or an base::input_error.
    void finish(const option_values& values, const std::vector<std::string>& more = {});
    /// Nothing is recorded step by step unless somebody wants to read it.
    activity::log_detail detail() const
    {
        return common.out ? activity::log_detail::every_record : activity::log_detail::totals;
    }
};

} // namespace tensorloom::testbench
