// cooked_values PATH FILE...: prints the values that PerfMon would show for a counter path, such as
// '\Processor(*)\% Processor Time'.
#include <cstdio>
#include <hkpd/hkpd.hpp>
#include <string>

int main(int argc, char** argv) {
    const auto path = hkpd::CounterPath::parse(argc > 1 ? argv[1] : "");
    auto reader = hkpd::Reader::open({argv + (argc > 1 ? 2 : 1), argv + argc});
    if (!path || !reader) return 2;
    hkpd::Filter filter;
    filter.add_path(*path);
    std::vector<hkpd::Selected> selected;
    while (reader->next()) {
        filter.select(reader->sample(), selected);
        for (const hkpd::Selected& part : selected)
            for (const std::uint32_t column : part.columns)
                for (const std::uint32_t row : part.rows) {
                    const hkpd::Object& object = reader->sample().objects()[part.object];
                    const hkpd::CookedValue cooked = reader->cooked(object, object.columns[column])[row];
                    const std::string instance(object.instances[row].name.value_or(""));
                    if (cooked.has_value())
                        std::printf("%s %g\n", instance.c_str(), cooked.value);
                    else
                        std::printf("%s %s\n", instance.c_str(), std::string(hkpd::reason_name(cooked.reason)).c_str());
                }
    }
    return reader->diagnostics().any_fault() ? 1 : 0;
}
