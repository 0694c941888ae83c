// Which instance of one sample is which of another: never by its place in the list, since a process that took the slot
// of one that ended is not that one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/sample.hpp"

namespace hkpd {

/// Finds the objects, counters and instances of one sample in the sample before it. An instance is the same where its
/// parent's identity, its name, its UniqueID and its ID Process (784) or ID Thread (804) are; the first among equals is
/// the first, and so on. One whose name or id is damaged is none that was there before. Reusable: memory is kept.
class Matcher {
  public:
    void match(const Sample& before, const Sample& now);

    /// Position in `before.objects()` of an object of `now`; `no_index` where it was not there.
    std::uint32_t object(std::size_t position) const noexcept { return objects_[position].before; }
    /// For each instance of an object of `now` its place in that object before; `no_index` where it is new. Empty where
    /// the object is new.
    std::span<const std::uint32_t> rows(std::size_t object) const noexcept { return objects_[object].rows; }
    /// Likewise for its counters, by title index.
    std::span<const std::uint32_t> columns(std::size_t object) const noexcept { return objects_[object].columns; }

  private:
    enum class State : std::uint8_t { open, at_work, done };
    struct Matched {
        std::uint32_t before = no_index;
        State state = State::open;
        std::vector<std::uint32_t> rows, columns;
    };
    struct Key {
        std::string_view name;
        std::int64_t unique_id = 0;
        std::uint64_t process = 0, thread = 0;
        bool parent_known = false;
        std::uint32_t parent_object = 0, parent = 0;  // known: the parent's place before; else as the instance says
        std::uint32_t row = 0;
        bool sound = false;
    };
    bool match_object(std::size_t position, std::uint32_t depth);
    bool is_matched(std::uint32_t title_index, std::uint32_t depth);
    void match_parents(const Object& object, std::uint32_t depth);
    static void match_columns(Matched& matched, const Object& before, const Object& now);
    void match_rows(Matched& matched, const Object& before, const Object& now);
    void find_keys(const Sample& sample, const Object& object, std::vector<Key>& keys) const;
    void find_parent(const Sample& sample, const Instance& instance, Key& key) const;

    const Sample* before_ = nullptr;
    const Sample* now_ = nullptr;
    std::vector<Matched> objects_;
    std::vector<Key> keys_before_, keys_now_;
};

/// Numbers the instances of a whole run: each identity has one number, which it keeps, also when it was away for a
/// while.
class Identities {
  public:
    struct Identity {
        std::uint32_t object = 0;  ///< ObjectNameTitleIndex
        std::string parent;        ///< name of the direct parent; empty where it has none
        std::string name;          ///< with `#n` where others of the object were called the same before: kept for good
        /// `parent/name#n`, as in counter paths; empty for an object that is no list.
        std::string path() const;
    };

    /// At most so many identities; instances beyond have none.
    explicit Identities(std::size_t most) : most_(most) {}

    /// Takes in the next sample. `matches` tells which instance was which in the sample of this machine that was taken
    /// in before; null where there was none.
    void add(const Sample& now, const Matcher* matches);

    /// The number of an instance of the sample that was taken in last; `no_index` where it has none.
    std::uint32_t number(std::size_t object, std::size_t row) const noexcept { return (*current_)[object][row]; }
    const Identity& operator[](std::uint32_t number) const noexcept { return identities_[number]; }
    std::size_t size() const noexcept { return identities_.size(); }
    /// Whether an instance had to go without a number.
    bool overflowed() const noexcept { return overflowed_; }

  private:
    using Numbers = std::vector<std::vector<std::uint32_t>>;  // by object and row
    void number_object(const Sample& now, std::size_t position, const Matcher* matches, const Numbers& before,
                       std::uint32_t depth);
    void number_new(const Sample& now, std::size_t position);
    std::string key_of(const Sample& now, const Object& object, std::uint32_t row) const;
    std::uint32_t find_or_add(const std::string& key, const Sample& now, const Object& object, std::uint32_t row);

    std::size_t most_;
    bool overflowed_ = false;
    std::vector<Identity> identities_;
    std::map<std::string, std::uint32_t> by_key_;     // everything that makes the identity → its number
    std::map<std::string, std::uint32_t> same_name_;  // how many were called so
    std::map<std::string, Numbers> machines_;
    Numbers* current_ = nullptr;
    Numbers next_;
    std::vector<bool> numbered_;  // objects of the sample at hand
};

}  // namespace hkpd
