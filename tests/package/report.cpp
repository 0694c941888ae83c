// Writes the page of a report of files, with the findings of hkpd's own rules, and prints the number of samples.
#include <hkpd/reader.hpp>
#include <hkpd/report.hpp>
#include <hkpd/select.hpp>
#include <iostream>

int main(int argc, char** argv) {
    auto reader = hkpd::Reader::open({argv + 1, argv + argc}, {.one_source = true});
    auto rules = hkpd::RuleRun::create(hkpd::Rules::built_in(), {});
    if (!reader || !rules) return 3;
    hkpd::Filter everything;
    const hkpd::Report made = hkpd::report(*reader, everything, *std::move(rules), {.inputs = {argv + 1, argv + argc}});
    std::cout << made.page;
    std::cerr << made.samples << '\n';
}
