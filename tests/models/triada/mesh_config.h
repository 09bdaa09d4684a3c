#pragma once
#include <tensorloom/models/triada/config.h>

namespace tensorloom::test {

/// A fast device with this mesh and format, all else by default.
inline triada::config mesh_config(const triada::shape3& mesh, base::element_type format)
{
    triada::config config;
    config.mesh = mesh;
    config.format = format;
    return config;
}

} // namespace tensorloom::test
