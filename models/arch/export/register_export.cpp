#include <tensorloom/models/arch/export/register_export.h>

namespace tensorloom::arch {

const char* access_text(register_access access)
{
    switch (access) {
    case register_access::read_only: return "read-only";
    case register_access::read_write: return "read/write";
    case register_access::write_one_clear: return "write 1 to clear";
    case register_access::write_start: return "write 1 to start";
    }
    return "?";
}

std::string capitals(std::string name)
{
    for (char& c : name) { c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
    return name;
}

} // namespace tensorloom::arch
