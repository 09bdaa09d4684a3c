#include "platform/fetta/operand_paths_report.h"
#include <tensorloom/workloads/step_planner/joint_layouts.h>
#include "platform/process/text.h"

namespace tensorloom::testbench {

json paths_json(const workloads::path_counts& paths, const fetta::device_limits& limits)
{
    return {{"network", paths.network},
            {"transposed", paths.transposed},
            {"gathered", paths.gathered},
            {"gathered_elements", paths.gathered_elements},
            {"permutation_cycles", workloads::cycles_to_permute(paths, limits)}};
}

std::string paths_text(const workloads::path_counts& paths, const fetta::device_limits& limits)
{
    return grouped_text(paths.network) + " by the networks alone, " + grouped_text(paths.transposed) +
           " through a transpose layer, " + grouped_text(paths.gathered) + " through gather and scatter buffers (" +
           grouped_text(paths.gathered_elements) + " elements, that the vector unit would permute in " +
           grouped_text(workloads::cycles_to_permute(paths, limits)) + " cycles)";
}

} // namespace tensorloom::testbench
