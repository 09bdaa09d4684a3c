#pragma once
#include <memory>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// The memory manager of an initiator's payloads: a payload whose last reference is released is reset (which frees its
/// automatic extensions) and reused.
///
/// Example
///
///     bus::transaction_pool pool;
///     tlm::tlm_generic_payload& transaction = pool.acquire();
///     initiator->b_transport(transaction, delay);
///     transaction.release();
class transaction_pool : private tlm::tlm_mm_interface {
public:
    /// A payload with one reference, owned by the caller.
    tlm::tlm_generic_payload& acquire()
    {
        if (m_unused.empty()) {
            m_all.push_back(std::make_unique<tlm::tlm_generic_payload>(static_cast<tlm::tlm_mm_interface*>(this)));
            m_unused.push_back(m_all.back().get());
        }
        tlm::tlm_generic_payload& transaction = *m_unused.back();
        m_unused.pop_back();
        transaction.acquire();
        return transaction;
    }

private:
    void free(tlm::tlm_generic_payload* transaction) override
    {
        transaction->reset();
        m_unused.push_back(transaction);
    }

    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> m_all;
    std::vector<tlm::tlm_generic_payload*> m_unused;
};

} // namespace tensorloom::bus
