// Decodes what a simulated machine returns: the objects of its V1 block.
#include <hkpd/reader.hpp>
#include <hkpd/simulate.hpp>
#include <iostream>

int main() {
    const hkpd::SimulatedMachine machine({});
    const auto sample = hkpd::decode(machine.v1_block());
    std::cout << (sample ? sample->objects().size() : 0) << '\n';
}
