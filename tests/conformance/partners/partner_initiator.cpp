#include "conformance/partners/partner_initiator.h"
#include <at_initiator_annotated.h>
#include <at_initiator_explicit.h>
#include <lt_dmi_initiator.h>
#include <lt_initiator.h>
#include <lt_td_initiator.h>
#include <select_initiator.h>
#include <traffic_generator.h>
#include "conformance/partners/partner_fifo.h"

namespace tensorloom::test {
namespace {

template <class Initiator> class generated : public partner_initiator {
public:
    template <class... Settings>
    generated(const sc_core::sc_module_name& name, unsigned id, const partner_traffic& traffic,
              const Settings&... settings)
        : partner_initiator(name), m_initiator("initiator", id, settings...),
          m_generator("generator", id, traffic.first_base, traffic.second_base, traffic.outstanding)
    {
        m_generator.request_out_port(m_requests);
        m_initiator.request_in_port(m_requests);
        m_initiator.response_out_port(m_responses);
        m_generator.response_in_port(m_responses);
    }

    tlm::tlm_initiator_socket<>& out() override { return m_initiator.initiator_socket; }
    const std::vector<partner_transfer>& responses() const override { return m_responses.passed; }

private:
    Initiator m_initiator;
    traffic_generator m_generator;
    partner_fifo m_requests;
    partner_fifo m_responses;
};

} // namespace

std::unique_ptr<partner_initiator> partner_initiator::make(initiator_kind kind, const char* name, unsigned id,
                                                           const partner_traffic& traffic)
{
    switch (kind) {
    case initiator_kind::lt: return std::make_unique<generated<lt_initiator>>(name, id, traffic);
    case initiator_kind::lt_dmi: return std::make_unique<generated<lt_dmi_initiator>>(name, id, traffic);
    case initiator_kind::lt_td: return std::make_unique<generated<lt_td_initiator>>(name, id, traffic);
    case initiator_kind::at_select:
        return std::make_unique<generated<select_initiator>>(name, id, traffic, end_response_delay());
    case initiator_kind::at_annotated:
        return std::make_unique<generated<at_initiator_annotated>>(name, id, traffic, end_response_delay());
    case initiator_kind::at_every_phase:
        return std::make_unique<generated<at_initiator_explicit>>(name, id, traffic, end_response_delay());
    }
    return nullptr;
}

bool is_blocking(initiator_kind kind)
{
    return kind == initiator_kind::lt || kind == initiator_kind::lt_dmi || kind == initiator_kind::lt_td;
}

std::ostream& operator<<(std::ostream& out, initiator_kind kind)
{
    switch (kind) {
    case initiator_kind::lt: return out << "lt";
    case initiator_kind::lt_dmi: return out << "lt_dmi";
    case initiator_kind::lt_td: return out << "lt_td";
    case initiator_kind::at_select: return out << "at_select";
    case initiator_kind::at_annotated: return out << "at_annotated";
    case initiator_kind::at_every_phase: return out << "at_every_phase";
    }
    return out;
}

} // namespace tensorloom::test
