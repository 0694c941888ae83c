// Prints who uses most in a run, as `hkpd top --format csv` does: the values are data.
#include <cstdio>
#include <hkpd/answers.hpp>
#include <hkpd/reader.hpp>
#include <hkpd/select.hpp>

int main(int argc, char** argv) {
    auto reader = hkpd::Reader::open({argv + 1, argv + argc}, {.one_source = true});
    if (!reader) return 3;
    hkpd::Filter everything;
    std::puts("machine,object,parent,instance,pid,counter,count,mean,p95,max,last");
    for (const hkpd::Series& row : hkpd::top(*reader, everything).series) {
        const std::string pid = row.instance->pid ? std::to_string(*row.instance->pid) : "";
        std::printf("\"%s\",\"%s\",\"%s\",\"%s\",%s,\"%s\",", row.counter->machine.c_str(), row.counter->object.c_str(),
                    row.instance->parent.value_or("").c_str(), row.instance->text.c_str(), pid.c_str(),
                    row.counter->name.c_str());
        const hkpd::Statistics& s = row.statistics;
        std::printf("%llu,%.17g,%.17g,%.17g,%.17g\n", 0ULL + s.count, s.mean, s.p95, s.max, s.last);
    }
}
