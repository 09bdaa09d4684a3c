#pragma once

namespace tensorloom::triada {

/// What a device is doing, as waveforms show it: the first of these that its command waits for.
enum class device_phase : unsigned { none = 0, matrices = 1, load = 2, compute = 3, unload = 4 };

/// The phase of a device, for waveforms. The device and the sequencer of its tiles tell it.
class phase_signal {
public:
    void enter(device_phase phase) { m_value = static_cast<unsigned>(phase); }
    const unsigned& value() const { return m_value; }

private:
    unsigned m_value = static_cast<unsigned>(device_phase::none);
};

} // namespace tensorloom::triada
