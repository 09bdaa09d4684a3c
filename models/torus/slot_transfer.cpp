#include <tensorloom/models/torus/slot_transfer.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::torus {

slot_transfer::slot_transfer(const config& config, node_memory_if& nodes, bus::dma_ports& dma,
                             const bus::stop_request& stop, const shell::program_clock& clock)
    : m_config(config), m_nodes(nodes), m_dma(dma), m_tensors(dma), m_stop(stop), m_clock(clock)
{}

slot_transfer::report slot_transfer::load(const isa::tensor_descriptor& from, const taker& take)
{
    const std::uint64_t width = base::element_bytes(static_cast<base::element_type>(from.type));
    const auto move = [&](counts& counted) {
        return m_tensors.load(from, m_stop, [&](std::uint64_t first, const unsigned char* bytes, std::uint64_t count) {
            take(first / width, bytes, count / width);
            counted[event::element_load] += count / width;
            counted[event::block_write] += count / base::element_bytes(m_config.format);
        });
    };
    auto done = blocks::transfer_through_port<torus::counts>(
        m_dma, m_clock, m_stop, base::quotient_up(from.elements(), m_config.load_elements), move);
    done.counts[event::load_cycle] = done.cycles;
    return done;
}

slot_transfer::report slot_transfer::load(const isa::tensor_descriptor& from, const tensor_place& to)
{
    const shape3 sizes{from.size[0], from.size[1], from.size[2]};
    const bool elements = from.type == static_cast<std::uint8_t>(m_config.format);
    m_nodes.clear(to);
    return load(from, [&](std::uint64_t first, const unsigned char* bytes, std::uint64_t numbers) {
        if (elements) {
            m_nodes.write(to, sizes, first, bytes, numbers);
        } else {
            m_nodes.write_sums(to, sizes, first, bytes, numbers);
        }
    });
}

slot_transfer::report slot_transfer::unload(const isa::tensor_descriptor& to, const giver& give)
{
    const std::uint64_t width = base::element_bytes(static_cast<base::element_type>(to.type));
    std::uint64_t given = 0, saturated = 0;
    const auto give_bytes = [&](std::uint64_t first, unsigned char* bytes, std::uint64_t count) {
        given = count;
        saturated = give(first / width, bytes, count / width);
    };
    const auto move = [&](counts& counted) {
        return m_tensors.store(to, m_stop, give_bytes, [&](std::uint64_t first, std::uint64_t written) {
            if (written < given) {
                m_again.resize(written);
                saturated = give(first / width, m_again.data(), written / width);
            }
            counted[event::operand_saturated] += saturated;
            counted[event::element_unload] += written / width;
            counted[event::block_read] += written / base::element_bytes(m_config.format);
        });
    };
    auto done = blocks::transfer_through_port<torus::counts>(
        m_dma, m_clock, m_stop, base::quotient_up(to.elements(), m_config.load_elements), move);
    done.counts[event::unload_cycle] = done.cycles;
    return done;
}

slot_transfer::report slot_transfer::unload(const tensor_place& from, const isa::tensor_descriptor& to, unsigned shift)
{
    const shape3 sizes{to.size[0], to.size[1], to.size[2]};
    const bool elements = to.type == static_cast<std::uint8_t>(m_config.format);
    return unload(to, [&](std::uint64_t first, unsigned char* bytes, std::uint64_t numbers) -> std::uint64_t {
        if (elements) { return m_nodes.read(from, sizes, first, bytes, numbers, shift); }
        m_nodes.read_sums(from, sizes, first, bytes, numbers, shift);
        return 0;
    });
}

shell::command_outcome slot_transfer::load_matrix(const isa::tensor_descriptor& from, slot to, counts& counted)
{
    const std::uint64_t width = base::element_bytes(m_config.format);
    m_nodes.resize_matrix(to, from.size[0], from.size[1]);
    return m_tensors.load(from, m_stop, [&](std::uint64_t first, const unsigned char* bytes, std::uint64_t count) {
        m_nodes.write_matrix(to, first / width, bytes, count / width);
        counted[event::coefficient_load] += count / width;
        counted[event::coefficient_copy] += count / width * m_config.side;
    });
}

shell::command_outcome slot_transfer::write_completion(std::uint64_t address, std::uint32_t token,
                                                       shell::device_log& log, std::uint32_t command)
{
    shell::transfer_watch watch(m_dma, m_clock);
    const auto outcome = m_tensors.store_word(address, token, m_stop);
    m_clock.align();
    const auto freed = watch.freed();
    log.add(bus::log_record("unload", "completion")
                .of_command(command)
                .during(watch.start(), freed.all())
                .with_counts(counts{}.data())
                .with_freed(&freed));
    return outcome;
}

} // namespace tensorloom::torus
