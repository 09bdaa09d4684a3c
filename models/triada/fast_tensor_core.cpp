#include <tensorloom/models/triada/fast_tensor_core.h>
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::triada {

using arch::triada_event;

namespace {

template <class R> R part(R x, unsigned) { return x; }
template <class R> R part(std::complex<R> x, unsigned p) { return p == 0 ? x.real() : x.imag(); }

// A number whose sum with anything non-zero, or multiple by zero, is not what skipping gives.
template <class R> bool is_troublesome_accumulator(R x, bool esop)
{
    return !std::isfinite(x) || (esop && x == R(0) && std::signbit(x));
}

} // namespace

template <class T>
fast_tensor_core<T>::fast_tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                                      step_observer& observer)
    : tensor_core(name, config, stop, observer)
{}

// ---- memory port ----

template <class T> void fast_tensor_core<T>::activate(const shape3& shape)
{
    set_box(shape);
    for (auto& set : m_registers) {
        set.values.resize(volume() * parts);
        set.zero = true;
    }
}

template <class T> void fast_tensor_core<T>::materialise(plane_set& set) const
{
    if (set.zero) { std::fill(set.values.begin(), set.values.end(), real(0)); }
    set.zero = false;
}

template <class T>
void fast_tensor_core<T>::write(cell_register reg, std::uint64_t first, const unsigned char* bytes,
                                std::uint64_t elements)
{
    auto& set = m_registers[static_cast<unsigned>(reg)];
    if (elements != volume()) { materialise(set); }
    set.zero = false;
    if constexpr (parts == 1) {
        std::memcpy(set.values.data() + first, bytes, elements * sizeof(T));
    } else {
        real* re = set.values.data() + first;
        real* im = re + volume();
        for (std::uint64_t e = 0; e < elements; ++e, bytes += sizeof(T)) {
            std::memcpy(re + e, bytes, sizeof(real));
            std::memcpy(im + e, bytes + sizeof(real), sizeof(real));
        }
    }
}

template <class T>
void fast_tensor_core<T>::read(cell_register reg, std::uint64_t first, unsigned char* bytes,
                               std::uint64_t elements) const
{
    const auto& set = m_registers[static_cast<unsigned>(reg)];
    if (set.zero) {
        std::memset(bytes, 0, elements * sizeof(T));
    } else if constexpr (parts == 1) {
        std::memcpy(bytes, set.values.data() + first, elements * sizeof(T));
    } else {
        const real* re = set.values.data() + first;
        const real* im = re + volume();
        for (std::uint64_t e = 0; e < elements; ++e, bytes += sizeof(T)) {
            std::memcpy(bytes, re + e, sizeof(real));
            std::memcpy(bytes + sizeof(real), im + e, sizeof(real));
        }
    }
}

template <class T> T fast_tensor_core<T>::element(const plane_set& set, std::uint64_t index) const
{
    if (set.zero) { return T{}; }
    if constexpr (parts == 1) {
        return set.values[index];
    } else {
        return T{set.values[index], set.values[volume() + index]};
    }
}

// ---- time-steps ----

template <class T>
void fast_tensor_core<T>::execute(const vector_burst& burst, std::vector<arch::triada_counts>& counts)
{
    auto& operands = m_registers[burst.stage];
    auto& accumulators = m_registers[burst.stage + 1];
    materialise(operands);
    gather_coefficients(burst);

    const bool thresholded = burst.esop && burst.zero_threshold > 0;
    if (thresholded) { clear_small_operands(burst, operands); }
    const real* values = thresholded ? m_operands.data() : operands.values.data();
    const pivot_scan scan = scan_pivots(burst, values);
    count(burst, scan, counts);

    bool exact = needs_exact(burst, scan, accumulators);
    if (!exact) {
        // Skipped zeros can differ from multiplied ones only where a zero meets a -0 that an underflow left behind.
        const bool underflow_matters = burst.esop && has_zeros(burst, scan);
        const bool was_zero = accumulators.zero;
        if (underflow_matters && !was_zero) { m_saved = accumulators.values; }
        std::feclearexcept(FE_UNDERFLOW);
        multiply_fused(burst, values, accumulators);
        exact = underflow_matters && std::fetestexcept(FE_UNDERFLOW) != 0;
        if (exact) {
            if (was_zero) {
                accumulators.zero = true;
            } else {
                accumulators.values.swap(m_saved);
            }
        }
    }
    if (exact) {
        ++m_exact_bursts;
        multiply_exact(burst, values, accumulators);
    }
}

// The burst's vectors as planes: real parts, imaginary parts, negated imaginary parts; row t is vector t.
template <class T> void fast_tensor_core<T>::gather_coefficients(const vector_burst& burst)
{
    const std::size_t n = burst.vectors.size() * burst.length;
    m_coefficients.resize(parts == 1 ? n : 3 * n);
    real* to = m_coefficients.data();
    for (const auto& vector : burst.vectors) {
        for (std::uint32_t k = 0; k < burst.length; ++k, ++to) {
            T c;
            std::memcpy(&c, vector.elements + k * sizeof(T), sizeof c);
            to[0] = part(c, 0);
            if constexpr (parts == 2) {
                to[n] = part(c, 1);
                to[2 * n] = -part(c, 1);
            }
        }
    }
}

template <class T> void fast_tensor_core<T>::clear_small_operands(const vector_burst& burst, const plane_set& operands)
{
    m_operands = operands.values;
    for (std::uint64_t e = 0; e < volume(); ++e) {
        if (!arithmetic::counts_as_zero(element(operands, e), burst.zero_threshold)) { continue; }
        for (unsigned p = 0; p < parts; ++p) { m_operands[p * volume() + e] = 0; }
    }
}

template <class T>
typename fast_tensor_core<T>::pivot_scan fast_tensor_core<T>::scan_pivots(const vector_burst& burst,
                                                                          const real* values) const
{
    const auto& n = box();
    const std::uint64_t v = volume();
    const auto& kernel = m_gemm.kernel();
    const std::size_t imaginary = parts == 1 ? 0 : v; // a real element is looked at twice instead
    pivot_scan scan;
    scan.nonzeros.assign(burst.length, 0);
    std::vector<bool> wanted(burst.length, false);
    for (const auto& vector : burst.vectors) { wanted[vector.tag] = true; }

    if (burst.mode == 2) {
        std::vector<std::uint32_t> columns(burst.length, 0);
        for (std::uint64_t row = 0; row < v; row += n[2]) {
            kernel.scan_columns(values + row, values + row + imaginary, n[2], columns.data(), &scan.finite);
        }
        std::copy(columns.begin(), columns.end(), scan.nonzeros.begin());
        return scan;
    }
    // Pivots of index p: one plane (mode 0), or one row in each slab (mode 1).
    const std::size_t slabs = burst.mode == 0 ? 1 : n[0];
    const std::size_t run = burst.mode == 0 ? std::size_t{n[1]} * n[2] : n[2];
    for (std::size_t slab = 0; slab < slabs; ++slab) {
        for (std::uint32_t p = 0; p < burst.length; ++p) {
            if (!wanted[p]) { continue; }
            const real* at = values + (slab * burst.length + p) * run;
            scan.nonzeros[p] += kernel.scan_row(at, at + imaginary, run, &scan.finite);
        }
    }
    return scan;
}

template <class T> bool fast_tensor_core<T>::has_zeros(const vector_burst& burst, const pivot_scan& scan) const
{
    const std::uint64_t plane = volume() / burst.length;
    return std::any_of(burst.vectors.begin(), burst.vectors.end(), [&](const tagged_vector& vector) {
        return vector.nonzeros != burst.length || scan.nonzeros[vector.tag] != plane;
    });
}

template <class T>
bool fast_tensor_core<T>::needs_exact(const vector_burst& burst, const pivot_scan& scan,
                                      const plane_set& accumulators) const
{
    if (!scan.finite) { return true; }
    const auto not_finite = [](real x) { return !std::isfinite(x); };
    if (std::any_of(m_coefficients.begin(), m_coefficients.end(), not_finite)) { return true; }
    return !accumulators.zero && std::any_of(accumulators.values.begin(), accumulators.values.end(),
                                             [&](real x) { return is_troublesome_accumulator(x, burst.esop); });
}

template <class T>
void fast_tensor_core<T>::count(const vector_burst& burst, const pivot_scan& scan,
                                std::vector<arch::triada_counts>& counts) const
{
    const unsigned slice_mode = 3 - burst.mode - burst.x_mode;
    const std::uint64_t slices = box()[slice_mode];
    const std::uint64_t plane = volume() / burst.length;
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        const auto& vector = burst.vectors[i];
        auto& c = counts[i];
        const std::uint64_t sends = slices * vector.sent;
        const std::uint64_t driven = burst.esop ? scan.nonzeros[vector.tag] : plane;
        const std::uint64_t macs = burst.esop ? vector.nonzeros * driven : volume();
        c[triada_event::coefficient_send] = sends;
        c[triada_event::operand_send] = driven;
        c[arch::coefficient_hop(burst.x_mode)] += sends * line_cells(burst.x_mode);
        c[arch::operand_hop(burst.mode)] += driven * line_cells(burst.mode);
        c[triada_event::register_read] = driven + macs;
        c[triada_event::register_write] = sends * box()[burst.x_mode] + macs;
        c[triada_event::mac] = macs;
    }
}

// Each register as a matrix: see arithmetic/ordered_gemm.h for the kernel's view. Term t of a complex product is two real terms,
// x.re and x.im, in the order of arithmetic/mac.h.
template <class T>
void fast_tensor_core<T>::multiply_fused(const vector_burst& burst, const real* operands, plane_set& accumulators)
{
    const auto& n = box();
    const std::uint64_t v = volume();
    const std::size_t steps = burst.vectors.size();
    const std::size_t terms = steps * parts;
    const std::size_t coefficients = steps * burst.length; // in a plane
    const auto signed_length = static_cast<std::ptrdiff_t>(burst.length);
    const bool accumulate = !accumulators.zero;
    accumulators.zero = false;
    real* const result = accumulators.values.data();

    // Plane of the coefficient that multiplies part `term_part` of x into part `result_part` of the sum.
    const auto coefficient_plane = [&](unsigned result_part, unsigned term_part) {
        if (result_part == 0) { return term_part == 0 ? std::size_t{0} : 2 * coefficients; }
        return term_part == 0 ? coefficients : std::size_t{0};
    };
    const std::size_t stride = burst.mode == 0 ? std::size_t{n[1]} * n[2] : burst.mode == 1 ? n[2] : 1;
    m_a_offsets.resize(terms);
    m_b_offsets.resize(terms);

    if (burst.mode == 2) {
        // Rows of the registers times the coefficient matrix.
        const auto tile_rows = static_cast<std::ptrdiff_t>(m_gemm.kernel().tile_rows);
        for (std::size_t t = 0; t < steps; ++t) {
            for (unsigned p = 0; p < parts; ++p) {
                m_a_offsets[t * parts + p] = static_cast<std::ptrdiff_t>(p * v + burst.vectors[t].tag);
            }
        }
        const arithmetic::tiled_rows<real> a{operands, tile_rows * signed_length, signed_length, m_a_offsets.data()};
        for (unsigned out = 0; out < parts; ++out) {
            for (std::size_t t = 0; t < steps; ++t) {
                for (unsigned p = 0; p < parts; ++p) {
                    m_b_offsets[t * parts + p] =
                        static_cast<std::ptrdiff_t>(coefficient_plane(out, p) + t * burst.length);
                }
            }
            const arithmetic::result_rows<real> c{result + out * v, signed_length};
            m_gemm.multiply({v / burst.length, burst.length, terms}, &a, {m_coefficients.data(), m_b_offsets.data()},
                            &c, 1, accumulate);
        }
        return;
    }

    // The transposed coefficient matrix, packed by tiles, times the rows of the registers (mode 1: slab by slab).
    const std::size_t height = m_gemm.kernel().tile_rows;
    const std::size_t tiles = (burst.length + height - 1) / height;
    const std::size_t packed = tiles * terms * height;
    m_tiles.assign(parts * packed, real(0));
    for (unsigned out = 0; out < parts; ++out) {
        for (std::size_t t = 0; t < steps; ++t) {
            for (unsigned p = 0; p < parts; ++p) {
                const real* row = m_coefficients.data() + coefficient_plane(out, p) + t * burst.length;
                for (std::uint32_t k = 0; k < burst.length; ++k) {
                    m_tiles[out * packed + (k / height * terms + t * parts + p) * height + k % height] = row[k];
                }
            }
        }
    }
    for (std::size_t t = 0; t < terms; ++t) { m_a_offsets[t] = static_cast<std::ptrdiff_t>(t * height); }
    for (std::size_t t = 0; t < steps; ++t) {
        for (unsigned p = 0; p < parts; ++p) {
            m_b_offsets[t * parts + p] = static_cast<std::ptrdiff_t>(p * v + burst.vectors[t].tag * stride);
        }
    }
    arithmetic::tiled_rows<real> a[parts];
    arithmetic::result_rows<real> c[parts];
    const std::size_t slabs = burst.mode == 0 ? 1 : n[0];
    for (std::size_t slab = 0; slab < slabs; ++slab) {
        const std::size_t at = slab * burst.length * stride;
        for (unsigned out = 0; out < parts; ++out) {
            a[out] = {m_tiles.data() + out * packed, static_cast<std::ptrdiff_t>(terms * height), 1,
                      m_a_offsets.data()};
            c[out] = {result + out * v + at, static_cast<std::ptrdiff_t>(stride)};
        }
        m_gemm.multiply({burst.length, stride, terms}, a, {operands + at, m_b_offsets.data()}, c, parts, accumulate);
    }
}

// A rank-1 update per step, row by row, that skips what the cells would skip. Small operands have been cleared.
template <class T>
void fast_tensor_core<T>::multiply_exact(const vector_burst& burst, const real* operands, plane_set& accumulators) const
{
    const auto& n = box();
    const std::uint64_t v = volume();
    const std::size_t plane = burst.vectors.size() * burst.length; // of coefficients
    materialise(accumulators);
    real* const sums = accumulators.values.data();
    const auto part_of = [](const real* values, std::size_t stride) { return parts == 1 ? real(0) : values[stride]; };
    // One row of sums, with a vector of the tensor and a scalar coefficient, or the other way round.
    const auto update = [&](const real* scalar, std::size_t scalar_plane, const real* vector, std::size_t vector_plane,
                            bool vector_is_operand, std::uint64_t at, std::size_t length) {
        const real im = part_of(scalar, scalar_plane);
        if (burst.esop && scalar[0] == real(0) && im == real(0)) { return; }
        if constexpr (parts == 1) {
            m_gemm.kernel().mac_row(scalar[0], vector, sums + at, length, burst.esop);
        } else {
            m_gemm.kernel().mac_row_complex({scalar[0], im, vector, vector + vector_plane, vector_is_operand},
                                            sums + at, sums + v + at, length, burst.esop);
        }
    };
    const std::size_t stride = burst.mode == 0 ? std::size_t{n[1]} * n[2] : n[2];
    for (std::size_t t = 0; t < burst.vectors.size(); ++t) {
        const real* row = m_coefficients.data() + t * burst.length;
        const std::uint32_t tag = burst.vectors[t].tag;
        if (burst.mode == 2) {
            for (std::uint64_t at = 0; at < v; at += burst.length) {
                update(operands + at + tag, v, row, plane, false, at, burst.length);
            }
            continue;
        }
        const std::size_t slab = burst.length * stride;
        for (std::uint64_t from = 0; from < v; from += slab) {
            for (std::uint32_t k = 0; k < burst.length; ++k) {
                update(row + k, plane, operands + from + tag * stride, v, true, from + k * stride, stride);
            }
        }
    }
}

// ---- waveforms ----

template <class T>
void fast_tensor_core<T>::show(cell_waveform& waveform, const vector_burst& burst, const tagged_vector& vector) const
{
    const auto& n = box();
    const auto& at = waveform.at;
    const unsigned slice_mode = 3 - burst.mode - burst.x_mode;
    const std::uint64_t stride[3] = {std::uint64_t{n[1]} * n[2], n[2], 1};

    T c{};
    const bool on_face = at[burst.mode] < burst.length && at[slice_mode] < n[slice_mode];
    if (on_face) { std::memcpy(&c, vector.elements + at[burst.mode] * sizeof(T), sizeof c); }
    waveform.x_valid = on_face && (!burst.esop || !arithmetic::is_zero(c) || at[burst.mode] == vector.tag);
    waveform.tag = waveform.x_valid && at[burst.mode] == vector.tag;
    waveform.coefficient = waveform.x_valid ? shown(c) : waveform_element{};

    T x{};
    const bool on_line = at[burst.x_mode] < n[burst.x_mode] && at[slice_mode] < n[slice_mode];
    if (on_line) {
        shape3 pivot = at;
        pivot[burst.mode] = vector.tag;
        x = element(m_registers[burst.stage], pivot[0] * stride[0] + pivot[1] * stride[1] + pivot[2]);
    }
    waveform.y_valid = on_line && (!burst.esop || !arithmetic::counts_as_zero(x, burst.zero_threshold));
    waveform.operand = waveform.y_valid ? shown(x) : waveform_element{};

    const bool active = at[0] < n[0] && at[1] < n[1] && at[2] < n[2];
    for (unsigned r = 0; r < cell_registers; ++r) {
        waveform.element[r] =
            active ? shown(element(m_registers[r], at[0] * stride[0] + at[1] * stride[1] + at[2])) : waveform_element{};
    }
}

template class fast_tensor_core<double>;
template class fast_tensor_core<float>;
template class fast_tensor_core<std::complex<double>>;
template class fast_tensor_core<std::complex<float>>;

} // namespace tensorloom::triada
