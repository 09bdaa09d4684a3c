#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::plugin {

/// The configuration of a module whose kind is chosen at run time.
class module_settings {
public:
    virtual ~module_settings() = default;

    /// All fields of its configuration, and `bus-width`: bits of its bus socket, 32 to 512. Valid while this lives.
    virtual base::config_fields fields() = 0;
    /// The first error of the configuration.
    virtual std::optional<std::string> validate() const = 0;
    /// The module in the hierarchy where this is called, during elaboration. An invalid configuration is an SC_ERROR.
    virtual std::unique_ptr<sc_core::sc_module> make(const char* name) const = 0;
};

/// A kind of module that can be made by name.
struct module_kind {
    std::string name;   ///< "triada"
    std::string header; ///< of its configuration: "models/triada/config.h"
    std::string about;  ///< "TriADA"
    std::unique_ptr<module_settings> (*defaults)();
    bool needs_calls = false; ///< its construction is not complete without calls: a router, to map addresses
};

/// All kinds: the devices in the order of their places, the memories, the router.
const std::vector<module_kind>& module_kinds();

/// The kind of this name. Throws base::input_error when there is none.
const module_kind& module_kind_of(const std::string& name);

} // namespace tensorloom::plugin
