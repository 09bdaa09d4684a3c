#include <tensorloom/models/memory/scratchpad.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace tensorloom::memory {

namespace {

// Reserved, not taken: pages count once they are touched, and are 0 until then.
unsigned char* zero_pages(std::uint64_t bytes)
{
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) { throw std::bad_alloc(); }
    return static_cast<unsigned char*>(pages);
}

} // namespace

scratchpad::scratchpad(sc_core::sc_module_name name, std::uint64_t bytes, unsigned word_bytes, unsigned banks)
    : sc_core::sc_module(name), port("port"), m_size(bytes), m_banks(word_bytes, banks), m_bytes(zero_pages(bytes))
{
    port.bind(*this);
}

scratchpad::~scratchpad() { munmap(m_bytes, m_size); }

unsigned char* scratchpad::write(std::uint64_t address, std::uint64_t bytes, std::uint64_t& words)
{
    words += m_banks.words(address, bytes);
    note_written({address, bytes == 0 ? 0u : 1u, bytes, 0});
    return m_bytes + address;
}

void scratchpad::note_written(const byte_rows& rows)
{
    for (auto* watch : m_watches) { watch->note(rows); }
}

bool scratchpad::is_watched(std::uint64_t first, std::uint64_t end) const
{
    return std::any_of(m_watches.begin(), m_watches.end(),
                       [=](const write_watch* watch) { return watch->looks_at(first, end); });
}

// A reset comes over the bus: nothing may fail here. The host takes its pages back, but for those that it must not.
void scratchpad::clear()
{
    if (madvise(m_bytes, m_size, MADV_DONTNEED) != 0) { std::memset(m_bytes, 0, m_size); }
    note_written({0, 1, m_size, 0});
}

} // namespace tensorloom::memory
