#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// Memory for the registers of the fast core: not initialised, on cache lines, and handed on from register to register,
/// so that a product touches no more of it than its registers need at one time.
template <class R> class plane_pool {
    static constexpr std::align_val_t line{arithmetic::cache_line};
    struct release {
        void operator()(R* values) const { ::operator delete[](values, line); }
    };

public:
    struct plane {
        std::unique_ptr<R[], release> values;
        std::size_t size = 0;
    };

    /// The smallest plane that is free and large enough; otherwise a new one, in the place of one that is too small.
    plane take(std::size_t size)
    {
        const auto fits = std::lower_bound(m_free.begin(), m_free.end(), size,
                                           [](const plane& p, std::size_t least) { return p.size < least; });
        if (fits != m_free.end()) {
            plane found = std::move(*fits);
            m_free.erase(fits);
            return found;
        }
        if (!m_free.empty()) { m_free.pop_back(); }
        return {std::unique_ptr<R[], release>(new (line) R[size]), size};
    }
    void give(plane&& p)
    {
        if (p.values == nullptr) { return; }
        const auto place = std::lower_bound(m_free.begin(), m_free.end(), p.size,
                                            [](const plane& f, std::size_t size) { return f.size < size; });
        m_free.insert(place, std::move(p));
    }

private:
    std::vector<plane> m_free; // by size
};

} // namespace tensorloom::triada
