#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// The directory of `--out DIR`, with the files of a run.
class output_directory {
public:
    /// Creates the directory with its parents and locks it; input_error if another run writes into it, or if it, or one
    /// of the files below, or one of `more`, cannot be written. Directories that it has created are removed with it, or
    /// on a signal, if nothing was written to them.
    explicit output_directory(const std::string& path, const std::vector<std::string>& more = {});

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path file(const std::string& name) const { return m_path / name; }

    static constexpr std::array file_names{"summary.json", "latency.csv", "energy.csv", "trace.json", "events.csv"};
    std::filesystem::path summary() const { return file(file_names[0]); }
    std::filesystem::path latency() const { return file(file_names[1]); }
    std::filesystem::path energy() const { return file(file_names[2]); }
    std::filesystem::path trace() const { return file(file_names[3]); }
    std::filesystem::path events() const { return file(file_names[4]); }
    static constexpr const char* banks = "banks.csv"; ///< of a device with banked memories

private:
    std::filesystem::path m_path;
    std::optional<base::created_directory> m_created;
    std::optional<base::directory_lock> m_lock; // released before directories are removed
};

/// The files of a run. No output may be an input or another output, and every output must be writable before the
/// computation starts.
class run_files {
public:
    // In any order. base::input_error: two names of the same file, at least one of them an output.
    void add_input(const std::string& option, const std::string& path);
    void add_output(const std::string& option, const std::string& path);
    /// The files of every testbench: --config, a custom technology or DRAM, the files in --out, --vcd, --address-trace.
    /// `more`: names of further files of this testbench in --out.
    void add_common(const option_values& values, const common_options& common,
                    const std::vector<std::string>& more = {});

    /// Throws base::input_error when an output cannot be written; skips files in a directory that --out will create.
    void check_outputs(const common_options& common) const;

    /// The inputs with hashes of their contents, including technology and DRAM of these options. Unreadable files are
    /// skipped; their readers report them.
    std::vector<run_input> hashed_inputs(const common_options& common) const;

    const std::vector<std::string>& more() const { return m_more; } ///< further files of this testbench in --out

private:
    struct named_file {
        std::string option;
        std::string path;
        bool in_directory = false; ///< a file with a fixed name in the directory of --out
    };

    void add_output(const named_file& output);

    static void check_clash(const named_file& output, const std::vector<named_file>& others);

    std::vector<named_file> m_inputs;
    std::vector<named_file> m_outputs;
    std::vector<std::string> m_more;
};

/// Options of every testbench, the base of each testbench's options. Checked as far as possible without loading data;
/// named files have been inspected.
struct run_options {
    common_options common;
    std::optional<std::string> output; ///< file of the result, for testbenches with --output
    run_files files;                   ///< inputs and outputs

    std::vector<std::pair<std::string, std::string>> given; ///< every option with its text, for the summary

    std::vector<given_option> options_given; ///< those that the user has given
    std::vector<run_input> inputs;           ///< input files; empty if not recorded

    void read_output(const option_values& values); ///< --output
    /// Last step of reading the options: the files of every testbench, with `more` in --out; checks every output. The
    /// inputs of a repeated run must be the same as before, else base::input_error.
    void finish(const option_values& values, const std::vector<std::string>& more = {});
    /// Records are kept only if --out is given.
    activity::log_detail detail() const
    {
        return common.out ? activity::log_detail::every_record : activity::log_detail::totals;
    }
};

} // namespace tensorloom::testbench
