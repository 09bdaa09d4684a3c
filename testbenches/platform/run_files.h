#pragma once
#include <string>
#include <vector>
#include "platform/testbench_options.h"

namespace tensorloom::testbench {

/// The files of a run: no output may be an input or another output, and every output must be writable before anything
/// is computed.
class run_files {
public:
    // In any order; two names of one file, one of them an output, are an arch::input_error.
    void add_input(const std::string& option, const std::string& path);
    void add_output(const std::string& option, const std::string& path);
    /// The files that every testbench reads and writes: --config, a technology file, what lies in --out, --vcd. `more`:
    /// by name, what this testbench writes into --out besides.
    void add_common(const option_values& values, const common_options& common,
                    const std::vector<std::string>& more = {});

    /// Throws arch::input_error when an output cannot be written; files in a directory that --out has yet to make pass.
    void check_outputs(const common_options& common) const;

private:
    struct named_file {
        std::string option;
        std::string path;
        bool in_directory = false; ///< a file of its own name in the directory of --out
    };

    void add_output(const named_file& output);

    static void refuse_clash(const named_file& output, const std::vector<named_file>& others);

    std::vector<named_file> m_inputs;
    std::vector<named_file> m_outputs;
};

} // namespace tensorloom::testbench
