// The C interface: export of tables through the Arrow C data and stream interfaces. Source of the layouts and of the
// rules of ownership: arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.
#include <array>
#include <cerrno>
#include <span>

#include "abi/arrow_table.hpp"
#include "abi/reader.hpp"

namespace hkpd::abi {
namespace {

/// Kind of the values of a table's column.
enum class Values : std::uint8_t { time, text, unsigned_32, signed_32, unsigned_64, floating };

/// The columns of a table, in order.
struct Described {
    const char* name;
    Values values;
    bool nullable;
    Key key{};  // of a column with 32 bits a row
};
constexpr std::array table_columns{
    Described{"time", Values::time, true},
    Described{"machine", Values::text, true, Key::machine},
    Described{"object", Values::text, false, Key::object},
    Described{"parent", Values::text, true, Key::parent},
    Described{"instance", Values::text, true, Key::instance},
    Described{"pid", Values::unsigned_32, true, Key::pid},
    Described{"instance_id", Values::signed_32, true, Key::instance_id},
    Described{"life", Values::unsigned_32, true, Key::life},
    Described{"pdh_instance", Values::text, true, Key::pdh_instance},
    Described{"counter", Values::text, false, Key::counter},
    Described{"type", Values::text, false, Key::type},
    Described{"raw", Values::unsigned_64, true},
    Described{"value", Values::floating, true},
    Described{"reason", Values::text, true, Key::reason},
};

const char* format_of(Values values) noexcept {
    switch (values) {
        case Values::time:
            return "tsn:UTC";
        case Values::text:  // positions in the dictionary
        case Values::signed_32:
            return "i";
        case Values::unsigned_32:
            return "I";
        case Values::unsigned_64:
            return "L";
        case Values::floating:
            return "g";
    }
    return "n";
}

/// Releases the children and the dictionary of an exported struct, unless the consumer has moved them, and then its
/// own memory. `Struct`: ArrowSchema or ArrowArray. `Owned`: what `private_data` points to.
template <class Struct, class Owned>
void release(Struct* exported) noexcept {
    for (Struct* const child : std::span(exported->children, static_cast<std::size_t>(exported->n_children)))
        if (child->release != nullptr) child->release(child);
    if (exported->dictionary != nullptr && exported->dictionary->release != nullptr)
        exported->dictionary->release(exported->dictionary);
    exported->release = nullptr;
    delete static_cast<Owned*>(exported->private_data);
}

/// Memory that an exported schema owns.
struct OwnedSchema {
    std::array<ArrowSchema, table_columns.size()> children{};
    std::array<ArrowSchema*, table_columns.size()> pointers{};
    ArrowSchema dictionary{};
};

/// Memory that an exported array owns, and the batch that its buffers point into.
struct OwnedArray {
    std::shared_ptr<const Batch> batch;
    std::array<const void*, 3> buffers{};
    std::array<ArrowArray, table_columns.size()> children{};
    std::array<ArrowArray*, table_columns.size()> pointers{};
    ArrowArray dictionary{};
};

// A child can outlive its parent, so each has an owner of its own. A struct is assigned as a whole after everything
// that can fail, so that nothing is released twice.

void export_schema_of(const Described& column, ArrowSchema& to) {
    auto owned = std::make_unique<OwnedSchema>();
    to = {.format = format_of(column.values),
          .name = column.name,
          .metadata = nullptr,
          .flags = column.nullable ? ARROW_FLAG_NULLABLE : 0,
          .n_children = 0,
          .children = nullptr,
          .dictionary = nullptr,
          .release = release<ArrowSchema, OwnedSchema>,
          .private_data = nullptr};
    if (column.values == Values::text) {
        owned->dictionary = to;
        owned->dictionary.format = "u";
        owned->dictionary.flags = 0;
        owned->dictionary.private_data = new OwnedSchema;
        to.dictionary = &owned->dictionary;
    }
    to.private_data = owned.release();
}

void export_schema(ArrowSchema& to) {
    auto owned = std::make_unique<OwnedSchema>();
    OwnedSchema& parts = *owned;
    for (std::size_t i = 0; i < table_columns.size(); ++i) parts.pointers[i] = &parts.children[i];
    ArrowSchema made{.format = "+s",
                     .name = "",
                     .metadata = nullptr,
                     .flags = 0,
                     .n_children = static_cast<std::int64_t>(table_columns.size()),
                     .children = parts.pointers.data(),
                     .dictionary = nullptr,
                     .release = release<ArrowSchema, OwnedSchema>,
                     .private_data = owned.release()};
    try {
        for (std::size_t i = 0; i < table_columns.size(); ++i) export_schema_of(table_columns[i], parts.children[i]);
    } catch (...) {
        release<ArrowSchema, OwnedSchema>(&made);
        throw;
    }
    to = made;
}

/// Returns an array without children that owns `owned`.
ArrowArray array_of(std::unique_ptr<OwnedArray> owned, std::size_t length, std::size_t nulls, std::int64_t buffers) {
    return {.length = static_cast<std::int64_t>(length),
            .null_count = static_cast<std::int64_t>(nulls),
            .offset = 0,
            .n_buffers = buffers,
            .n_children = 0,
            .buffers = owned->buffers.data(),
            .children = nullptr,
            .dictionary = owned->dictionary.release == nullptr ? nullptr : &owned->dictionary,
            .release = release<ArrowArray, OwnedArray>,
            .private_data = owned.release()};
}

/// Returns the buffers of a column of numbers or positions: bits and values.
std::array<const void*, 3> buffers_of(const Words& column, const Batch& batch) noexcept {
    if (column.written()) return {column.validity().data(), column.values(), nullptr};
    const void* const zeros = batch.zeros->data();
    const auto usual = column.usual();
    if (!usual) return {zeros, zeros, nullptr};
    return {nullptr, *usual == 0 ? zeros : batch.ones->data(), nullptr};
}

void export_column(const Described& column, const std::shared_ptr<const Batch>& batch, ArrowArray& to) {
    auto owned = std::make_unique<OwnedArray>();
    owned->batch = batch;
    const auto fill = [&owned](const Validity& validity, const void* values) {
        owned->buffers = {validity.nulls() == 0 ? nullptr : validity.data(), values, nullptr};
        return validity.nulls();
    };
    std::size_t nulls = 0;
    switch (column.values) {
        case Values::time:
            nulls = fill(batch->has_time, batch->time.data());
            break;
        case Values::unsigned_64:
            nulls = fill(batch->has_raw, batch->raw.data());
            break;
        case Values::floating:
            nulls = fill(batch->has_value, batch->value.data());
            break;
        case Values::text:
        case Values::unsigned_32:
        case Values::signed_32:
            nulls = batch->columns[column.key].nulls();
            owned->buffers = buffers_of(batch->columns[column.key], *batch);
            if (nulls == 0) owned->buffers[0] = nullptr;
            break;
    }
    if (column.values == Values::text) {
        const Texts& texts = *batch->texts[static_cast<std::size_t>(column.key)];
        auto dictionary = std::make_unique<OwnedArray>();
        dictionary->batch = batch;
        dictionary->buffers = {nullptr, texts.offsets.data(), texts.bytes.data()};
        owned->dictionary = array_of(std::move(dictionary), texts.offsets.size() - 1, 0, 3);
    }
    to = array_of(std::move(owned), batch->rows(), nulls, 2);
}

void export_batch(const std::shared_ptr<const Batch>& batch, ArrowArray& to) {
    auto owned = std::make_unique<OwnedArray>();
    OwnedArray& parts = *owned;
    for (std::size_t i = 0; i < table_columns.size(); ++i) parts.pointers[i] = &parts.children[i];
    ArrowArray made = array_of(std::move(owned), batch->rows(), 0, 1);  // one buffer: the validity, which is missing
    made.n_children = static_cast<std::int64_t>(table_columns.size());
    made.children = parts.pointers.data();
    try {
        for (std::size_t i = 0; i < table_columns.size(); ++i)
            export_column(table_columns[i], batch, parts.children[i]);
    } catch (...) {
        release<ArrowArray, OwnedArray>(&made);
        throw;
    }
    to = made;
}

/// A stream of the rest of a run.
class Stream {
  public:
    explicit Stream(hkpd_reader& reader)
        : reader_(reader),
          builder_(reader.filter ? &*reader.filter : nullptr),
          batch_rows_(reader.batch_rows == 0 ? std::uint64_t{64} * 1024 : reader.batch_rows) {
        reader_.streaming = true;
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { reader_.streaming = false; }

    /// Exports the next batch, or a released array at the end.
    void next(ArrowArray& to) {
        while (builder_.rows() < batch_rows_ && reader_.next()) builder_.add(*reader_.reader);
        to = {};
        if (builder_.rows() != 0) export_batch(builder_.finish(), to);
    }

    static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) noexcept {
        return own(stream).call([out] { export_schema(*out); });
    }
    static int get_next(ArrowArrayStream* stream, ArrowArray* out) noexcept {
        return own(stream).call([&] { own(stream).next(*out); });
    }
    static const char* get_last_error(ArrowArrayStream* stream) noexcept { return own(stream).error_; }
    static void release(ArrowArrayStream* stream) noexcept {
        delete &own(stream);
        stream->release = nullptr;
    }

  private:
    static Stream& own(ArrowArrayStream* stream) noexcept { return *static_cast<Stream*>(stream->private_data); }

    /// Calls `function` and returns an error number.
    template <class Function>
    int call(Function function) noexcept {
        const hkpd_status status = guarded(reader_, [&]() -> hkpd_status {
            function();
            return HKPD_OK;
        });
        error_ = status == HKPD_OK ? nullptr : hkpd_status_text(status);
        return status == HKPD_OK ? 0 : status == HKPD_ERROR_MEMORY ? ENOMEM : EIO;
    }

    hkpd_reader& reader_;
    TableBuilder builder_;
    std::uint64_t batch_rows_;
    const char* error_ = nullptr;
};

}  // namespace
}  // namespace hkpd::abi

hkpd_status hkpd_arrow_sample(hkpd_reader* reader, struct ArrowSchema* schema, struct ArrowArray* array) {
    if (reader == nullptr || schema == nullptr || array == nullptr) return HKPD_ERROR_ARGUMENT;
    if (reader->streaming) return HKPD_ERROR_STATE;
    if (!reader->has_sample) return reader->without_sample();
    return hkpd::abi::guarded(*reader, [&]() -> hkpd_status {
        hkpd::abi::TableBuilder builder(reader->filter ? &*reader->filter : nullptr);
        builder.add(*reader->reader);
        ArrowArray made{};
        hkpd::abi::export_batch(builder.finish(), made);
        try {
            hkpd::abi::export_schema(*schema);
        } catch (...) {
            made.release(&made);
            throw;
        }
        *array = made;
        return HKPD_OK;
    });
}

hkpd_status hkpd_arrow_stream(hkpd_reader* reader, struct ArrowArrayStream* stream) {
    using hkpd::abi::Stream;
    if (reader == nullptr || stream == nullptr) return HKPD_ERROR_ARGUMENT;
    if (reader->streaming) return HKPD_ERROR_STATE;
    return hkpd::abi::guarded(*reader, [&]() -> hkpd_status {
        *stream = {.get_schema = Stream::get_schema,
                   .get_next = Stream::get_next,
                   .get_last_error = Stream::get_last_error,
                   .release = Stream::release,
                   .private_data = new Stream(*reader)};
        return HKPD_OK;
    });
}
