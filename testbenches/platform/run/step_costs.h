#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>
#include "platform/run/program_costs.h"

namespace tensorloom::testbench {

/// Costs of a run by layer, phase and step, for costs.csv: a row for each, in the order of the first command of its
/// kind. The cycles of all rows add up to those of the run, and so does their energy.
///
///     layer,phase,step,cycles,macs,energy_pJ
class step_costs {
public:
    /// File in --out.
    static constexpr const char* file_name = "costs.csv";

    /// Adds a record of a program. `macs`: of this record.
    void add(const std::string& layer, const std::string& phase, const std::string& step,
             const activity::program_log& log, std::size_t record, const activity::energy_report& energy,
             std::uint64_t macs);

    void write(const std::filesystem::path& path) const;

private:
    struct row {
        std::string layer, phase, step;
        program_costs costs;
        std::uint64_t macs = 0;
    };
    row& row_of(const std::string& layer, const std::string& phase, const std::string& step);

    std::vector<row> m_rows;
    std::map<std::array<std::string, 3>, std::size_t> m_places; ///< of layer, phase and step among the rows
};

} // namespace tensorloom::testbench
