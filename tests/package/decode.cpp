// Prints object, instance, counter and raw value of all that files hold.
#include <hkpd/reader.hpp>
#include <iostream>

int main(int argc, char** argv) {
    auto reader = hkpd::Reader::open({argv + 1, argv + argc});
    while (reader && reader->next())
        for (const hkpd::Object& object : reader->sample().objects())
            for (const hkpd::Column& column : object.columns)
                for (std::size_t row = 0; row < column.values.size(); ++row)
                    if (object.name && column.name && column.is_valid(row) && column.storage == hkpd::Storage::number)
                        std::cout << object.name->text << '\t' << object.instances[row].name.value_or("") << '\t'
                                  << column.name->text << '\t' << column.values[row] << '\n';
}
