// Prints object, instance, counter and raw value of all that blobs hold.
#include <hkpd/source.hpp>
#include <iostream>

int main(int argc, char** argv) {
    hkpd::Titles titles;
    titles.add(hkpd::builtin_titles());
    hkpd::Diagnostics diagnostics;
    const auto source = hkpd::open_files({argv + 1, argv + argc}, {});
    hkpd::SampleReader reader(*source, &titles, {});
    for (hkpd::Sample sample; reader.next(sample, diagnostics);)
        for (const hkpd::Object& object : sample.objects())
            for (const hkpd::Column& column : object.columns)
                for (std::size_t row = 0; row < column.values.size(); ++row)
                    if (object.name && column.name && column.sound(row) && column.storage == hkpd::Storage::number)
                        std::cout << object.name->text << '\t' << object.instances[row].name.value_or("") << '\t'
                                  << column.name->text << '\t' << column.values[row] << '\n';
}
