#include <tensorloom/workloads/contraction/flat_index.h>
#include <tensorloom/models/base/values/integers.h>
#include <algorithm>
#include <numeric>

namespace tensorloom::workloads {
namespace {

const std::string& letters_of(const contraction& p, contraction_index index)
{
    switch (index) {
    case contraction_index::batch: return p.batch;
    case contraction_index::contracted: return p.contracted;
    case contraction_index::a_free: return p.a_free;
    default: return p.b_free;
    }
}

// Modes of one index change nothing: they are left out.
std::string longer_modes(const contraction& p, std::string_view modes)
{
    std::string result;
    std::copy_if(modes.begin(), modes.end(), std::back_inserter(result), [&](char m) { return p.size_of(m) > 1; });
    return result;
}

bool are_neighbours(const std::string& modes, char first, char second)
{
    const auto at = modes.find(first);
    return at + 1 < modes.size() && modes[at + 1] == second;
}

// The run of modes with most indices whose neighbours are neighbours in every tensor.
std::string largest_run(const contraction& p, contraction_index index, const std::string& modes)
{
    std::vector<std::string> tensors;
    for (const auto t : {contraction_tensor::a, contraction_tensor::b, contraction_tensor::c}) {
        if (has_index(t, index)) { tensors.push_back(longer_modes(p, modes_of(p, t))); }
    }
    std::string best, run;
    for (const char m : modes) {
        const bool goes_on = !run.empty() && std::all_of(tensors.begin(), tensors.end(), [&](const std::string& t) {
            return are_neighbours(t, run.back(), m);
        });
        run = goes_on ? run + m : std::string(1, m);
        if (p.extent(run) > p.extent(best)) { best = run; }
    }
    return best;
}

} // namespace

const std::string& modes_of(const contraction& p, contraction_tensor tensor)
{
    switch (tensor) {
    case contraction_tensor::a: return p.a;
    case contraction_tensor::b: return p.b;
    default: return p.c;
    }
}

bool has_index(contraction_tensor tensor, contraction_index index)
{
    switch (index) {
    case contraction_index::contracted: return tensor != contraction_tensor::c;
    case contraction_index::a_free: return tensor != contraction_tensor::b;
    case contraction_index::b_free: return tensor != contraction_tensor::a;
    default: return true;
    }
}

std::uint64_t flat_index::inner() const
{
    return std::accumulate(sizes.begin() + cut + 1, sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

std::uint64_t flat_index::pieces() const { return base::quotient_up(sizes[cut], cut_size); }

std::uint64_t flat_index::extent() const
{
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

std::uint64_t flat_index::blocks() const
{
    return std::accumulate(sizes.begin(), sizes.begin() + cut, pieces(), std::multiplies<>());
}

flat_index::range flat_index::block(std::uint64_t which) const
{
    const std::uint64_t outer = which / pieces(), first = which % pieces() * cut_size;
    const std::uint64_t size = std::min<std::uint64_t>(cut_size, sizes[cut] - first);
    return {(outer * sizes[cut] + first) * inner(), size * inner()};
}

std::vector<flat_index::kind> flat_index::kinds() const
{
    const std::uint64_t outer = blocks() / pieces();
    const std::uint64_t rest = sizes[cut] % cut_size;
    std::vector<kind> result{{cut_size * inner(), sizes[cut] / cut_size * outer}};
    if (rest != 0) { result.push_back({rest * inner(), outer}); }
    return result;
}

flat_index whole_index(const contraction& p, contraction_index index, flattening rule, bool merged)
{
    flat_index result;
    const std::string modes = longer_modes(p, letters_of(p, index));
    std::string inside = modes;
    if (rule == flattening::contiguous) {
        inside = largest_run(p, index, modes);
        for (const char m : modes) {
            if (inside.find(m) == std::string::npos) { result.modes += m; }
        }
    }
    for (const char m : result.modes) { result.sizes.push_back(p.size_of(m)); }
    result.looped = static_cast<unsigned>(result.sizes.size());
    result.modes += inside;
    if (merged || inside.empty()) {
        result.sizes.push_back(static_cast<std::uint32_t>(p.extent(inside)));
    } else {
        for (const char m : inside) { result.sizes.push_back(p.size_of(m)); }
    }
    result.cut = result.looped;
    result.cut_size = result.sizes[result.cut];
    return result;
}

std::vector<flat_index> cuts_of(const flat_index& index, std::uint64_t granule)
{
    std::vector<flat_index> result;
    flat_index next = index;
    for (next.cut = index.looped; next.cut < index.sizes.size(); ++next.cut) {
        const std::uint64_t size = index.sizes[next.cut];
        std::uint64_t behind = 1;
        for (std::size_t m = next.cut + 1; m < index.sizes.size(); ++m) { behind *= index.sizes[m]; }
        const std::uint64_t step = granule / std::gcd(granule, behind);
        const bool innermost = next.cut + 1 == index.sizes.size();
        for (std::uint64_t parts = 1;; parts *= 2) {
            const std::uint64_t wanted = base::quotient_up(size, parts);
            if (wanted == 1 && !innermost && size > 1) { break; } // the next mode, whole
            const std::uint64_t rounded =
                wanted >= step ? std::min(size, base::quotient_up(wanted, step) * step) : wanted;
            next.cut_size = rounded;
            const bool smaller = result.empty() || result.back().cut != next.cut || result.back().cut_size > rounded;
            if (smaller) { result.push_back(next); }
            if (wanted == 1) { break; }
        }
    }
    return result;
}

tensor_box box_of(const contraction& p, contraction_tensor tensor,
                  const std::array<flat_index, contraction_indices>& index,
                  const std::array<std::uint32_t, contraction_indices>& block)
{
    const std::string& modes = modes_of(p, tensor);
    std::array<std::uint32_t, 128> size{};
    tensor_box box;
    for (unsigned x = 0; x < contraction_indices; ++x) {
        const flat_index& i = index[x];
        if (!has_index(tensor, static_cast<contraction_index>(x))) { continue; }
        const auto range = i.block(block[x]);
        std::uint64_t first = range.first, left = range.size;
        for (std::size_t m = i.modes.size(); m-- > 0;) {
            const std::uint32_t whole = p.size_of(i.modes[m]);
            size[static_cast<unsigned char>(i.modes[m])] =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, left));
            left = left > whole ? left / whole : 1;
            box.first += first % whole * static_cast<std::uint64_t>(stride_of(p, tensor, i.modes[m]));
            first /= whole;
        }
    }
    for (std::size_t m = modes.size(); m-- > 0;) {
        const std::uint32_t here = size[static_cast<unsigned char>(modes[m])];
        if (here <= 1) { continue; }
        box.modes.push_back({modes[m], here, stride_of(p, tensor, modes[m]), static_cast<std::int64_t>(box.elements)});
        box.elements *= here;
    }
    std::reverse(box.modes.begin(), box.modes.end());
    return box;
}

std::int64_t stride_of(const contraction& p, contraction_tensor tensor, char mode)
{
    const std::string_view modes = modes_of(p, tensor);
    return static_cast<std::int64_t>(p.extent(modes.substr(modes.find(mode) + 1)));
}

std::vector<std::uint64_t> offsets_of(const contraction& p, contraction_tensor tensor, const flat_index& index,
                                      const flat_index::range& range)
{
    std::vector<std::uint64_t> offsets(range.size);
    // One mode after the other, the fastest first: each adds its digit's share.
    std::uint64_t period = 1;
    for (std::size_t m = index.modes.size(); m-- > 0;) {
        const std::uint64_t size = p.size_of(index.modes[m]);
        const auto stride = static_cast<std::uint64_t>(stride_of(p, tensor, index.modes[m]));
        std::uint64_t digit = range.first / period % size, within = range.first % period;
        for (std::uint64_t& o : offsets) {
            o += digit * stride;
            if (++within == period) {
                within = 0;
                if (++digit == size) { digit = 0; }
            }
        }
        period *= size;
    }
    return offsets;
}

std::optional<std::int64_t> even_stride(const contraction& p, contraction_tensor tensor, const flat_index& index)
{
    if (index.modes.empty()) { return 0; }
    const std::string modes = longer_modes(p, modes_of(p, tensor));
    for (std::size_t m = 1; m < index.modes.size(); ++m) {
        if (!are_neighbours(modes, index.modes[m - 1], index.modes[m])) { return std::nullopt; }
    }
    return stride_of(p, tensor, index.modes.back());
}

} // namespace tensorloom::workloads
