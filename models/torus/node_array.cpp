#include <tensorloom/models/torus/node_array.h>

namespace tensorloom::torus {

std::unique_ptr<node_array> make_node_array(sc_core::sc_module_name name, const config& config)
{
    return config.fidelity == fidelity::detailed ? make_detailed_node_array(name, config)
                                                 : make_fast_node_array(name, config);
}

} // namespace tensorloom::torus
