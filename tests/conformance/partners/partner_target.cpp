#include "conformance/partners/partner_target.h"
#include <at_target_1_phase.h>
#include <at_target_2_phase.h>
#include <at_target_4_phase.h>
#include <at_target_ooo_2_phase.h>
#include <lt_dmi_target.h>
#include <lt_synch_target.h>
#include <lt_target.h>

namespace tensorloom::test {
namespace {

template <class Target> class wrapped : public partner_target {
public:
    template <class... Settings>
    wrapped(const sc_core::sc_module_name& name, unsigned id, const Settings&... settings)
        : partner_target(name),
          m_target("target", id, "memory_socket", bytes, 4, accept_delay(), read_delay(), write_delay(), settings...)
    {}
    tlm::tlm_target_socket<>& in() override { return m_target.m_memory_socket; }

private:
    Target m_target;
};

} // namespace

std::unique_ptr<partner_target> partner_target::make(target_kind kind, const char* name, unsigned id)
{
    switch (kind) {
    case target_kind::lt: return std::make_unique<wrapped<lt_target>>(name, id);
    case target_kind::lt_synch: return std::make_unique<wrapped<lt_synch_target>>(name, id);
    case target_kind::lt_dmi:
        return std::make_unique<wrapped<lt_dmi_target>>(name, id, sc_core::sc_time(250, sc_core::SC_NS),
                                                        sc_core::sc_time(1000, sc_core::SC_NS));
    case target_kind::at_one: return std::make_unique<wrapped<at_target_1_phase>>(name, id);
    case target_kind::at_two: return std::make_unique<wrapped<at_target_2_phase>>(name, id);
    case target_kind::at_four: return std::make_unique<wrapped<at_target_4_phase>>(name, id);
    case target_kind::at_unordered: return std::make_unique<wrapped<at_target_ooo_2_phase>>(name, id);
    }
    return nullptr;
}

std::ostream& operator<<(std::ostream& out, target_kind kind)
{
    switch (kind) {
    case target_kind::lt: return out << "lt";
    case target_kind::lt_synch: return out << "lt_synch";
    case target_kind::lt_dmi: return out << "lt_dmi";
    case target_kind::at_one: return out << "at_one";
    case target_kind::at_two: return out << "at_two";
    case target_kind::at_four: return out << "at_four";
    case target_kind::at_unordered: return out << "at_unordered";
    }
    return out;
}

} // namespace tensorloom::test
