#pragma once
#include <cstring>
#include <string>
#include <vector>

namespace tensorloom::test {

/// A .npy header with this dictionary, byte by byte, whatever it says.
inline std::string npy_header_bytes(const std::string& dictionary, int major = 1)
{
    std::string bytes = "\x93NUMPY";
    bytes += static_cast<char>(major);
    bytes += '\0';
    const std::size_t length = dictionary.size() + 1;
    for (int byte = 0; byte < (major == 1 ? 2 : 4); ++byte) { bytes += static_cast<char>(length >> 8 * byte & 0xff); }
    return bytes + dictionary + '\n';
}

inline std::string npy_dictionary(const std::string& descr, const std::string& shape,
                                  const std::string& fortran = "False")
{
    return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

template <class Element> std::string bytes_of(const std::vector<Element>& elements)
{
    std::string bytes(elements.size() * sizeof(Element), '\0');
    if (!bytes.empty()) { std::memcpy(bytes.data(), elements.data(), bytes.size()); }
    return bytes;
}

/// A whole .npy file.
template <class Element>
std::string npy_bytes(const std::string& descr, const std::string& shape, const std::vector<Element>& elements,
                      const std::string& fortran = "False", int major = 1)
{
    return npy_header_bytes(npy_dictionary(descr, shape, fortran), major) + bytes_of(elements);
}

} // namespace tensorloom::test
