#pragma once
#include <complex>
#include <type_traits>
#include <tensorloom/models/arithmetic/pointwise.h>
#include <tensorloom/models/torus/node_array.h>

namespace tensorloom::torus {

// POINTWISE in both fidelities: the step that a command asks for, and what it counts.

/// The value is rounded once to an element.
template <class Element> arithmetic::pointwise_step<Element> step_of(const pointwise_pass& pass)
{
    const auto& c = *pass.command;
    arithmetic::pointwise_step<Element> step;
    step.operation = static_cast<arithmetic::pointwise_operation>(c.operation);
    step.esop = c.esop();
    if constexpr (arithmetic::number_format<Element>::parts == 2) {
        using part = typename Element::value_type;
        step.value = {static_cast<part>(c.value[0]), static_cast<part>(c.value[1])};
        step.threshold = step.value.real();
    } else {
        if constexpr (std::is_same_v<Element, arithmetic::bfloat16>) {
            step.value = Element::from_double(c.value[0]);
        } else {
            step.value = static_cast<Element>(c.value[0]);
        }
        step.threshold = static_cast<double>(arithmetic::widened(step.value));
    }
    step.shift = pass.shift;
    return step;
}

/// Adds the events of a step over these elements, all nodes together. Every element is read from its block and written
/// there as a sum; the value came with the command.
template <class Element>
void count_pointwise(const pointwise_pass& pass, std::uint64_t elements, const arithmetic::pointwise_counts& found,
                     counts& counted)
{
    const auto& c = *pass.command;
    constexpr std::uint64_t sum_words = sizeof(arithmetic::accumulator_of<Element>) / sizeof(Element);
    counted[event::step] += 1;
    counted[event::mac] += found.macs;
    if (c.multiplies()) {
        counted[event::mac_skipped] += elements - found.macs;
    } else {
        counted[event::compare] += elements;
    }
    counted[event::operand_saturated] += found.saturated;
    counted[event::register_read] += elements * (1 + (c.has_operand() ? 1 : 0) + (c.has_value() ? 1 : 0));
    counted[event::register_write] += elements;
    counted[event::block_read] += elements * (sum_words + (c.has_operand() ? 1 : 0));
    counted[event::block_write] += elements * sum_words;
}

} // namespace tensorloom::torus
