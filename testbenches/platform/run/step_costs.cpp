#include "platform/run/step_costs.h"
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/output_file.h>

namespace tensorloom::testbench {

step_costs::row& step_costs::row_of(const std::string& layer, const std::string& phase, const std::string& step)
{
    const auto [place, is_new] = m_places.try_emplace({layer, phase, step}, m_rows.size());
    if (is_new) { m_rows.push_back({layer, phase, step, {}, 0}); }
    return m_rows[place->second];
}

void step_costs::add(const std::string& layer, const std::string& phase, const std::string& step,
                     const activity::program_log& log, std::size_t record, const activity::energy_report& energy,
                     std::uint64_t macs)
{
    auto& row = row_of(layer, phase, step);
    add_record(row.costs, log, record, energy);
    row.macs += macs;
}

void step_costs::write(const std::filesystem::path& path) const
{
    activity::output_file file(path.string());
    file << "layer,phase,step,cycles,macs,energy_pJ\n";
    for (const auto& row : m_rows) {
        file << activity::csv_text(row.layer) << "," << row.phase << "," << activity::csv_text(row.step) << ","
             << row.costs.cycles << "," << row.macs << "," << row.costs.pj() << "\n";
    }
    file.commit();
}

} // namespace tensorloom::testbench
