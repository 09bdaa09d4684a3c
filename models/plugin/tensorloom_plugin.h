#pragma once
#include <cstddef>

/// The plug-in of TensorLoom: a shared library that a simulation loads with dlopen(). It makes modules by kind, name
/// and properties. This header alone is needed to build the host; it includes nothing of TensorLoom.
///
///     void* library = dlopen(".../tensorloom_plugin.so", RTLD_NOW);
///     auto* entry = reinterpret_cast<tensorloom_plugin_entry_function>(dlsym(library, "tensorloom_plugin_entry"));
///     const tensorloom_plugin* plugin = entry();
///
/// The host is a SystemC simulation that links the same shared SystemC library: compare `systemc` with SC_VERSION of
/// the host. A module is an sc_core::sc_module; the host finds its sockets and ports by name,
/// sc_core::sc_find_object("board.transform.regs"), and casts them with dynamic_cast to the classes of TLM-2.0. The
/// library is never unloaded: it has the code of modules and processes.
/// Not modelled: routers, whose addresses are mapped by calls.
extern "C" {

/// Changes with the struct below: a host refuses a plug-in with another number.
constexpr unsigned tensorloom_plugin_interface = 1;

struct tensorloom_plugin {
    unsigned interface_version; ///< tensorloom_plugin_interface of the plug-in
    const char* version;        ///< of TensorLoom: "0.2.0"
    const char* systemc;        ///< SC_VERSION of the SystemC that it was built with
    const char* const* kinds;   ///< "triada" to "dram"; the last one is a null pointer

    /// Makes a module in the hierarchy where it is called, before the simulation starts. `properties`: values of
    /// fields, "mesh=8x8x8 burst-bytes=1024", with blanks or line breaks between them, or a null pointer. Returns an
    /// sc_core::sc_module*, or a null pointer with the reason in `error`, one line, cut to `error_bytes` with its final
    /// 0: an unknown kind or property, a value out of range, a name in use, a simulation that runs.
    void* (*create)(const char* kind, const char* name, const char* properties, char* error, std::size_t error_bytes);

    /// Destroys a module of create(), between two calls of sc_start() or after the last one. Before the first one it
    /// has no effect: SystemC would still start the module's processes.
    void (*destroy)(void* module);

    /// The fields of a kind, a line for each: name, default, values and description, with tabs between them. Valid
    /// until the next call; a null pointer for an unknown kind.
    const char* (*fields)(const char* kind);
};

using tensorloom_plugin_entry_function = const tensorloom_plugin* (*)();

/// The symbol that a host looks for.
const tensorloom_plugin* tensorloom_plugin_entry();

} // extern "C"
