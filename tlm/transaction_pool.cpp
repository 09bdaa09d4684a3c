#include <tensorloom/tlm/transaction_pool.h>

namespace tensorloom::bus {

tlm::tlm_generic_payload& transaction_pool::acquire()
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

void transaction_pool::free(tlm::tlm_generic_payload* transaction)
{
    transaction->reset();
    m_unused.push_back(transaction);
}

} // namespace tensorloom::bus
