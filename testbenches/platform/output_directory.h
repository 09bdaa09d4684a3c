#pragma once
#include <array>
#include <filesystem>
#include <string>
#include <vector>

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

private:
    std::filesystem::path m_path;
    std::vector<std::filesystem::path> m_created; // the innermost last
};

} // namespace tensorloom::testbench
