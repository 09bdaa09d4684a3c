#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::blocks {

/// A module with a row of child modules or channels. Large arrays are nested in ranks, because SystemC's tear-down is
/// quadratic in the number of children of one parent.
///
/// Example
///
///     const auto make = [](const char* name, std::size_t) { return new sc_core::sc_signal<bool>(name); };
///     blocks::module_rank<sc_core::sc_signal<bool>> row("row_0", "valid", 64, make); // row_0.valid_0 to _63
///     row[3].write(true);
template <class Child> class module_rank : public sc_core::sc_module {
public:
    /// Creates children `prefix`_0, `prefix`_1, ... with make(name, index), which returns a pointer to a new Child.
    template <class Make>
    module_rank(sc_core::sc_module_name name, const char* prefix, std::size_t children, const Make& make)
        : sc_core::sc_module(name)
    {
        m_children.reserve(children);
        for (std::size_t i = 0; i < children; ++i) {
            m_children.push_back(
                std::unique_ptr<Child>(make((std::string(prefix) + "_" + std::to_string(i)).c_str(), i)));
        }
    }

    Child& operator[](std::size_t i) { return *m_children[i]; }
    const Child& operator[](std::size_t i) const { return *m_children[i]; }
    const char* kind() const override { return "module_rank"; }

private:
    std::vector<std::unique_ptr<Child>> m_children;
};

} // namespace tensorloom::blocks
