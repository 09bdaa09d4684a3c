#include <tensorloom/models/memory/byte_store.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tensorloom::memory {

namespace {

/// Finds which host pages are present or swapped; all others are 0. Asks Linux (proc(5), /proc/self/pagemap); where
/// that is unavailable, any page may hold data.
class page_map {
public:
    page_map(const unsigned char* first, std::uint64_t bytes)
        : m_first(reinterpret_cast<std::uintptr_t>(first)), m_end(m_first + bytes),
          m_page(static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE))), m_file(open("/proc/self/pagemap", O_RDONLY))
    {}
    ~page_map()
    {
        if (m_file >= 0) { close(m_file); }
    }
    page_map(const page_map&) = delete;
    page_map& operator=(const page_map&) = delete;

    /// The page that holds the byte at this offset. Offsets ascend.
    bool operator[](std::uint64_t offset) const
    {
        const std::uintptr_t page = (m_first + offset) / m_page;
        if (page < m_known_from || page - m_known_from >= m_entries.size()) { read_from(page); }
        const std::size_t at = page - m_known_from;
        return at >= m_entries.size() || m_entries[at] >> 62 != 0; // present, or swapped out
    }

private:
    void read_from(std::uintptr_t page) const
    {
        const std::uintptr_t end = (m_end + m_page - 1) / m_page;
        m_known_from = page;
        m_entries.resize(std::min<std::uintptr_t>(65536, end - page));
        const auto got = pread(m_file, m_entries.data(), m_entries.size() * sizeof(std::uint64_t),
                               static_cast<off_t>(page * sizeof(std::uint64_t)));
        m_entries.resize(got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof(std::uint64_t));
    }

    std::uintptr_t m_first;
    std::uintptr_t m_end;
    std::uintptr_t m_page;
    int m_file;
    mutable std::uintptr_t m_known_from = 0;
    mutable std::vector<std::uint64_t> m_entries; // of the pages from there on
};

} // namespace

void byte_store::release::operator()(unsigned char* p) const { munmap(p, bytes); }

byte_store::byte_store(const byte_store_config& config) : m_config(config)
{
    // Reserves address space only: a memory may be larger than the host's, as long as few of its pages are touched.
    void* const pages =
        mmap(nullptr, config.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) { throw std::bad_alloc(); }
    m_bytes = {static_cast<unsigned char*>(pages), release{config.bytes}};
    if (config.fill != 0) { std::memset(m_bytes.get(), config.fill, config.bytes); }
}

std::uint64_t byte_store::turn_bytes(const tlm::tlm_generic_payload& transaction)
{
    const unsigned width = transaction.get_streaming_width();
    const unsigned length = transaction.get_data_length();
    return width == 0 ? length : std::min(width, length);
}

tlm::tlm_response_status byte_store::response_to(const tlm::tlm_generic_payload& transaction) const
{
    const std::uint64_t address = transaction.get_address();
    const unsigned length = transaction.get_data_length();
    const unsigned width = transaction.get_streaming_width();
    if (transaction.is_write() && m_config.read_only) { return tlm::TLM_COMMAND_ERROR_RESPONSE; }
    if (transaction.get_data_ptr() == nullptr || length == 0) { return tlm::TLM_GENERIC_ERROR_RESPONSE; }
    if (width == 0 ? !m_config.tolerance.zero_streaming_width : width < length && !m_config.streaming_bursts) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (address >= m_config.bytes || turn_bytes(transaction) > m_config.bytes - address) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (transaction.get_byte_enable_ptr() != nullptr && transaction.get_byte_enable_length() == 0) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

bool byte_store::execute(tlm::tlm_generic_payload& transaction)
{
    transaction.set_dmi_allowed(false);
    if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        return false;
    }
    const auto status = response_to(transaction);
    transaction.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) { return false; }
    const unsigned length = transaction.get_data_length();
    if (transaction.get_byte_enable_ptr() == nullptr && turn_bytes(transaction) == length) {
        unsigned char* memory = m_bytes.get() + transaction.get_address();
        unsigned char* data = transaction.get_data_ptr();
        std::memcpy(transaction.is_read() ? data : memory, transaction.is_read() ? memory : data, length);
    } else {
        move_bytes(transaction);
    }
    transaction.set_dmi_allowed(m_config.allow_dmi);
    return true;
}

// General case: byte enables, streaming.
void byte_store::move_bytes(tlm::tlm_generic_payload& transaction)
{
    unsigned char* memory = m_bytes.get() + transaction.get_address();
    unsigned char* data = transaction.get_data_ptr();
    const std::uint64_t turn = turn_bytes(transaction);
    const unsigned char* enables = transaction.get_byte_enable_ptr();
    const unsigned enable_length = transaction.get_byte_enable_length();
    for (std::uint64_t i = 0; i < transaction.get_data_length(); ++i) {
        if (enables != nullptr && enables[i % enable_length] != TLM_BYTE_ENABLED) { continue; }
        (transaction.is_read() ? data[i] : memory[i % turn]) = transaction.is_read() ? memory[i % turn] : data[i];
    }
}

unsigned byte_store::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t address = transaction.get_address();
    unsigned char* data = transaction.get_data_ptr();
    if (address >= m_config.bytes || data == nullptr || transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
        return 0;
    }
    const auto bytes = std::min<std::uint64_t>(transaction.get_data_length(), m_config.bytes - address);
    unsigned char* memory = m_bytes.get() + address;
    std::memcpy(transaction.is_read() ? data : memory, transaction.is_read() ? memory : data, bytes);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return static_cast<unsigned>(bytes);
}

bool byte_store::get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi,
                                    const sc_core::sc_time& latency_per_byte)
{
    dmi.init();
    if (transaction.get_address() >= m_config.bytes) {
        dmi.set_start_address(m_config.bytes);
        return false;
    }
    dmi.set_start_address(0);
    dmi.set_end_address(m_config.bytes - 1);
    if (!m_config.allow_dmi || (m_config.read_only && transaction.is_write())) { return false; }
    dmi.set_dmi_ptr(m_bytes.get());
    if (m_config.read_only) {
        dmi.allow_read();
    } else {
        dmi.allow_read_write();
    }
    dmi.set_read_latency(latency_per_byte);
    dmi.set_write_latency(latency_per_byte);
    m_granted = true;
    return true;
}

void byte_store::save(base::state_writer& state) const
{
    const page_map touched(m_bytes.get(), m_config.bytes);
    state.put_sparse(m_config.bytes, m_config.fill, [&](std::uint64_t address, std::uint64_t) {
        return touched[address] ? m_bytes.get() + address : nullptr;
    });
}

void byte_store::restore(base::state_reader& state)
{
    const auto pages = state.take_sparse(m_config.bytes);
    state.finish();
    const bool given_back = madvise(m_bytes.get(), m_config.bytes, MADV_DONTNEED) == 0; // reads as 0 afterwards
    if (!given_back || m_config.fill != 0) { std::memset(m_bytes.get(), m_config.fill, m_config.bytes); }
    for (const auto& p : pages) { std::memcpy(m_bytes.get() + p.address, p.bytes, p.count); }
}

bool byte_store::take_back_dmi() { return std::exchange(m_granted, false); }

} // namespace tensorloom::memory
