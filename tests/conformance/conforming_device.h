#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include "conformance/small_job.h"

namespace tensorloom::test {

class accelerator_bench;
struct accelerator_options;
struct accelerator_subject;

/// A device of the suite: its benches, and the job that they run.
///
/// Each source file in tests/conformance/devices defines one object, which registers itself. Nothing else lists the
/// devices.
class conforming_device {
public:
    explicit conforming_device(const isa::device_description& description);
    virtual ~conforming_device() = default;
    conforming_device(const conforming_device&) = delete;
    conforming_device& operator=(const conforming_device&) = delete;

    std::string name() const { return m_description.name; }
    unsigned place() const { return m_description.place; }

    /// In bits: the widths for which its DMA takes the rows of DMAs. Its registers take theirs at 32 bits.
    virtual std::vector<unsigned> dma_widths() const { return {32, 64, 128, 256, 512}; }
    virtual small_job job(std::uint64_t base) const = 0;
    virtual std::unique_ptr<accelerator_bench> make_bench(const std::string& name, const accelerator_subject& subject,
                                                          const accelerator_options& options) const = 0;

private:
    const isa::device_description& m_description;
};

/// All of them, in ascending order of their places.
std::vector<const conforming_device*> conforming_devices();
/// Throws std::invalid_argument when there is none.
const conforming_device& conforming_device_named(std::string_view name);

} // namespace tensorloom::test
