#pragma once
#include <complex>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// Kind of the elements of a .npy file; together with npy_header::element_bytes it defines their format.
enum class npy_kind { boolean, signed_integer, unsigned_integer, real, complex };

/// The header of a .npy file after all checks: the data can be read without further checks.
struct npy_header {
    npy_kind kind = npy_kind::real;
    std::size_t element_bytes = 8;  ///< 1, 2, 4, 8; real: 2, 4, 8; complex: 8 or 16
    bool fortran_order = false;     ///< the first index runs fastest
    std::vector<std::size_t> shape; ///< empty: a single number; a size may be 0
    std::size_t elements = 1;       ///< product of the shape
    std::size_t data_offset = 0;    ///< bytes from the start of the file to the first element

    bool is_complex() const { return kind == npy_kind::complex; }
};

/// Reads and checks the header of a .npy file, and the file size, before any data is loaded.
///
/// Read     versions 1.0, 2.0 and 3.0; b1, i1 i2 i4 i8, u1 u2 u4 u8, f2 f4 f8, c8 c16, little-endian; up to 32
///          dimensions.
/// Error    (base::input_error) a missing or empty file, a directory or a device; bad magic; another version; a header
///          that is truncated or longer than 64 KiB; a dictionary that is not exactly descr, fortran_order and shape;
///          big-endian elements, extended precision, strings, objects and records; a shape whose bytes overflow; a file
///          that is shorter or longer than header and data.
/// Source: the .npy format, NumPy enhancement proposal 1 and numpy.lib.format.
npy_header read_npy_header(const std::string& path);

/// A file in memory, and its name in error messages.
struct named_bytes {
    std::string name;
    std::string bytes;
};
npy_header read_npy_header(const named_bytes& file); ///< likewise

using real_or_complex = std::variant<tensor<double>, tensor<std::complex<double>>>;

/// Reads a .npy file with the checks of read_npy_header(). Complex elements become complex<double>, all others double
/// (b1: 0 or 1; 64-bit integers beyond 2^53 are rounded to nearest). The result is in C order, also for Fortran-order
/// files. Throws base::input_error.
real_or_complex load_npy(const std::string& path);
real_or_complex load_npy(const named_bytes& file); ///< likewise

/// The same in the element format T, every element rounded once to nearest, ties to even. T: double, float, complex of
/// both, bfloat16, int8, int32, int64 (exact for integer files, also beyond 2^53). Throws base::input_error, also for
/// complex elements when T is real, and for an element that is not whole or out of range when T is an integer.
template <class T> tensor<T> load_npy_as(const std::string& path);

/// A part of a file in C order with three modes, likewise; only the part is read. Errors give the place of an element
/// within the part, and where the part begins.
template <class T> tensor<T> load_npy_box_as(const std::string& path, const box3& part);

/// Writes a .npy file (version 1.0, C order, elements as T: f8, f4, c16, c8, i1, i4 or i8) atomically
/// (base/files/atomic_file.h). Throws base::input_error when the file cannot be written.
template <class T> void save_npy(const std::string& path, const tensor<T>& values);

/// The same file in parts, which several processes may write at once: its name is final from the start (a temporary of
/// base/files/atomic_file.h), its elements are 0 until their part is written. T: as for save_npy(). Throws
/// base::input_error when the file cannot be written.
template <class T> void create_npy(const std::string& path, const shape3& shape);
template <class T> void write_npy_box(const std::string& path, const box3& part, const tensor<T>& values);

} // namespace tensorloom::workloads
