#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace tensorloom::workloads {

/// What the elements of a .npy file are; with npy_header::element_bytes it names their format.
enum class npy_kind { boolean, signed_integer, unsigned_integer, real, complex };

/// The header of a .npy file that has passed every check: its data can be read blindly.
struct npy_header {
    npy_kind kind = npy_kind::real;
    std::size_t element_bytes = 8;  ///< 1, 2, 4, 8; of a complex element 8 or 16
    bool fortran_order = false;     ///< the first index runs fastest
    std::vector<std::size_t> shape; ///< none: a single number; a size may be 0
    std::size_t elements = 1;       ///< product of the shape
    std::size_t data_offset = 0;    ///< bytes from the start of the file to the first element

    bool is_complex() const { return kind == npy_kind::complex; }
};

/// Reads and checks the header of a .npy file, and the file's size against it, before anything is loaded.
///
/// Read     versions 1.0, 2.0 and 3.0; b1, i1 i2 i4 i8, u1 u2 u4 u8, f4 f8, c8 c16, little-endian; up to 32 dimensions.
/// Refused  (arch::input_error) a file that is missing, a directory or a device, or empty; bad magic; another version;
///          a header longer than 64 KiB or cut off; a dictionary that is not exactly descr, fortran_order and shape;
///          big-endian elements, half and extended precision, strings, objects and records; a shape whose bytes
///          overflow; a file that is shorter or longer than header and data.
/// Source: the .npy format, NumPy enhancement proposal 1 and numpy.lib.format.
npy_header read_npy_header(const std::string& path);

} // namespace tensorloom::workloads
