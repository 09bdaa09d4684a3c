#include <tensorloom/models/memory/write_watch.h>

namespace tensorloom::memory {

namespace {

// The same rows from the lowest address up; rows that lie on each other are one.
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
        first < first_end ? 0 : (first - first_end) / stride + 1; // the first that ends behind `first`
    return row < r.rows && r.address + row * stride < end;
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

} // namespace tensorloom::memory
