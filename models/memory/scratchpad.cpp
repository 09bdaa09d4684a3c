#include <tensorloom/models/memory/scratchpad.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace tensorloom::memory {

namespace {

// The same rows in ascending order; overlapping rows are merged.
byte_rows ascending(byte_rows r)
{
    if (r.stride < 0) {
        r.address += (r.rows - 1) * static_cast<std::uint64_t>(r.stride);
        r.stride = -r.stride;
    }
    if (r.stride == 0 || r.rows == 1) {
        r.rows = 1;
        r.stride = 1;
    }
    return r;
}

std::uint64_t end_of(const byte_rows& r)
{
    return r.address + (r.rows - 1) * static_cast<std::uint64_t>(r.stride) + r.row_bytes;
}

// Whether any of the rows has a byte in [first, end).
bool any_in(const byte_rows& r, std::uint64_t first, std::uint64_t end)
{
    const auto stride = static_cast<std::uint64_t>(r.stride);
    const std::uint64_t first_end = r.address + r.row_bytes;
    const std::uint64_t row =
        first < first_end ? 0 : (first - first_end) / stride + 1; // the first row that ends after `first`
    return row < r.rows && r.address + row * stride < end;
}

// Reserves address space only: untouched pages take no memory and are 0.
unsigned char* zero_pages(std::uint64_t bytes)
{
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) { throw std::bad_alloc(); }
    return static_cast<unsigned char*>(pages);
}

} // namespace

void write_watch::watch(const byte_rows& rows)
{
    m_written = false;
    m_rows = rows;
    if (rows.rows == 0) { return; }
    m_rows = ascending(rows);
    m_first = m_rows.address;
    m_end = end_of(m_rows);
}

void write_watch::note(const byte_rows& written)
{
    if (written.rows == 0) { return; }
    const byte_rows w = ascending(written);
    if (!looks_at(w.address, end_of(w))) { return; }
    for (std::uint64_t r = 0; r < w.rows && !m_written; ++r) {
        const std::uint64_t first = w.address + r * static_cast<std::uint64_t>(w.stride);
        m_written = any_in(m_rows, first, first + w.row_bytes);
    }
}

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

// A reset comes over the bus and must not fail. The host releases the pages, except those that it must keep.
void scratchpad::clear()
{
    if (madvise(m_bytes, m_size, MADV_DONTNEED) != 0) { std::memset(m_bytes, 0, m_size); }
    note_written({0, 1, m_size, 0});
}

} // namespace tensorloom::memory
