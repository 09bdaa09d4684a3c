#include <tensorloom/models/rtl/fetta/accumulator_registers.h>
#include <tensorloom/models/rtl/fetta/engine_registers.h>
#include <tensorloom/models/rtl/fetta/network_registers.h>
#include <tensorloom/models/rtl/formats.h>
#include <tensorloom/models/rtl/systolic/systolic_registers.h>
#include <tensorloom/models/rtl/triada/mesh_cells.h>
#include <tensorloom/models/rtl/triada/row_streams.h>

// The library where Verilator is missing.

namespace tensorloom::rtl {

std::optional<std::string> missing()
{
    return "rtl is not built: it needs Verilator (scripts/setup --rtl) and a new configuration (-DTENSORLOOM_RTL=ON)";
}

bool has(base::element_type) { return false; }

std::optional<std::string> missing(base::element_type) { return missing(); }

std::unique_ptr<accumulator_registers> make_accumulator_registers() { return nullptr; }
std::unique_ptr<distribution_multiplexers> make_distribution_multiplexers(base::element_type) { return nullptr; }
std::unique_ptr<engine_registers> make_engine_registers(base::element_type) { return nullptr; }
std::unique_ptr<reduction_registers> make_reduction_registers() { return nullptr; }
std::unique_ptr<systolic_registers> make_systolic_registers(base::element_type, unsigned) { return nullptr; }
std::unique_ptr<mesh_cells> make_mesh_cells(base::element_type, const mesh_place&) { return nullptr; }
std::unique_ptr<row_streams> make_row_streams(base::element_type) { return nullptr; }

} // namespace tensorloom::rtl
