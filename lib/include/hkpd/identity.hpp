// Which instance of one sample is which of another: never by its place in the list, since a process that took the slot
// of one that ended is not that one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hkpd/sample.hpp"

namespace hkpd {

/// The objects of a sample in an order in which parents come before their children. Where parents lead in a circle of
/// objects (an object that is its own parent is one), the circle is cut: there a child comes first, and its parent
/// counts as unresolved. Depends on the sample alone. Reusable: memory is kept.
class ObjectOrder {
  public:
    /// Works out the order of a sample, which may change afterwards.
    void arrange(const Sample& sample);

    /// Positions in `Sample::objects()`.
    std::span<const std::uint32_t> positions() const noexcept { return order_; }
    /// Whether the object at one position comes before that at another.
    bool comes_before(std::size_t parent, std::size_t child) const noexcept { return rank_[parent] < rank_[child]; }

  private:
    struct Visit {
        std::uint32_t object, row;  // the first instance whose parent has not been looked at
    };
    std::uint32_t next_parent(const Sample& sample, Visit& visit) const;

    std::vector<std::uint32_t> order_, rank_;
    std::vector<Visit> visits_;
};

/// What tells an instance from the others of its object: all but `row`.
struct InstanceKey {
    /// Bits of `faults`: with any of them it is nobody that was there before.
    static constexpr std::uint8_t name_damaged = 1, id_damaged = 2, parent_lost = 4;

    std::string_view name;
    std::int64_t unique_id = 0;
    std::uint64_t process = 0, thread = 0;        ///< ID Process, ID Thread
    std::uint32_t parent_object = 0, parent = 0;  ///< as the instance says, where the parent is not known
    std::uint32_t row = 0;
    std::uint8_t ids = 0;  ///< which ids the object has
    std::uint8_t faults = 0;
    bool parent_known = false;  ///< then `parent` is what its user knows it by
};

/// Finds the objects, counters and instances of one sample in the sample before it. An instance is the same where its
/// parent's identity, its name, its UniqueID and its ID Process (784) or ID Thread (804) are; the first among equals is
/// the first, and so on. One whose name or id is damaged is none that was there before. In V2 only name and InstanceId
/// count; samples of V1 and V2 have nothing in common. Reusable: memory is kept.
class Matcher {
  public:
    /// Finds them. What is asked afterwards is of these two samples, as they were.
    void match(const Sample& before, const Sample& now);

    /// How many objects `now` had.
    std::size_t size() const noexcept { return order_.positions().size(); }
    /// Position in `before.objects()` of an object of `now`; `no_index` where it was not there.
    std::uint32_t object(std::size_t position) const noexcept { return objects_[position].before; }
    /// For each instance of an object of `now` its place in that object before; `no_index` where it is new. Empty where
    /// the object is new.
    std::span<const std::uint32_t> rows(std::size_t object) const noexcept { return objects_[object].rows; }
    /// Likewise for its counters, by title index.
    std::span<const std::uint32_t> columns(std::size_t object) const noexcept { return objects_[object].columns; }

  private:
    struct Matched {
        std::uint32_t before = no_index;
        std::uint32_t unmoved = 0;  // so many rows at the front are where they were before
        std::vector<std::uint32_t> rows, columns;
        bool same_columns = false;  // each is where it was before
    };
    struct Place {
        std::uint32_t title_index, position;
    };
    static bool place_order(const Place& a, const Place& b) noexcept;
    template <class Pair>
    void pair_places(const Pair& pair) const;
    void pair_firsts();
    void pair_all();
    void match_object(std::size_t position);
    void match_columns(Matched& matched, const Object& before, const Object& now);
    void match_rows(std::size_t position, const Object& before, const Object& now);
    struct Rows;
    struct RowRange {
        std::uint32_t first, end;
    };
    std::uint32_t unchanged(Rows& old, Rows& current, RowRange rows, std::size_t position) const noexcept;
    std::size_t unmoved(Rows& current, std::uint32_t title_index, std::size_t position) const noexcept;
    InstanceKey key(Rows& from, std::uint32_t row, std::size_t position) const noexcept;

    const Sample* before_ = nullptr;
    const Sample* now_ = nullptr;
    ObjectOrder order_;
    std::vector<Matched> objects_;
    std::vector<InstanceKey> keys_before_, keys_now_;
    std::vector<Place> places_before_, places_now_;
};

/// Numbers the instances of a whole run: each identity has one number, which it keeps, also when it was away for a
/// while.
class Identities {
  public:
    /// What an instance is known by, whenever it was there.
    struct Identity {
        std::uint32_t object = 0;  ///< ObjectNameTitleIndex
        std::string_view parent;   ///< name of the direct parent; empty where it has none. Lives with the Identities
        std::string name;          ///< with `#n` where others of the object were called the same before: kept for good
        std::uint32_t repeat = 0;  ///< that n; 0 where `name` has none
        /// The name without `#n`.
        std::string_view own_name() const noexcept;
        /// `parent/name#n`, as in counter paths; empty for an object that is no list.
        std::string path() const;
    };

    /// At most so many identities; instances beyond have none.
    explicit Identities(std::size_t most) : most_(most) {}
    Identities(Identities&&) = default;
    Identities& operator=(Identities&&) = default;
    Identities(const Identities&) = delete;  // parents' names would lie in the other
    Identities& operator=(const Identities&) = delete;
    ~Identities() = default;

    /// Takes in the next sample. `matches` tells which instance was which in the sample of this machine that was taken
    /// in before; null where there was none.
    void add(const Sample& now, const Matcher* matches);

    /// The number of an instance of the sample that was taken in last; `no_index` where it has none. No two instances
    /// of a sample have the same one.
    std::uint32_t number(std::size_t object, std::size_t row) const noexcept;
    /// The identity of a number below `size`.
    const Identity& operator[](std::uint32_t number) const noexcept { return identities_[number]; }
    std::size_t size() const noexcept { return identities_.size(); }
    /// Whether an instance had to go without a number.
    bool overflowed() const noexcept { return overflowed_; }

  private:
    using Numbers = std::vector<std::vector<std::uint32_t>>;  // by object and row
    void begin(const Sample& now);
    void number_object(const Sample& now, std::size_t position, const Matcher* matches);
    bool number_known(std::size_t position, const Matcher& matches);
    void number_new(const Sample& now, std::size_t position);
    void find_keys(const Sample& now, std::size_t position);
    void find_parent(const Sample& now, const Instance& instance, std::size_t position, InstanceKey& key) const;
    std::uint32_t find_or_add(const Sample& now, std::size_t position, const InstanceKey& key, std::uint32_t ordinal);
    void name_identity(Identity& added, const Sample& now, const Instance& instance);
    std::uint32_t claim(std::uint32_t number);

    std::size_t most_;
    bool overflowed_ = false;
    std::vector<Identity> identities_;
    std::vector<std::uint64_t> seen_;                            // for each the last sample that had it
    std::map<std::string, std::uint32_t> by_key_;                // everything that makes the identity → its number
    std::map<std::string, std::uint32_t> same_name_;             // how many were called so
    std::map<std::string, std::uint32_t, std::less<>> parents_;  // each name is kept once, not for each child
    std::map<std::string, std::uint32_t> folded_parents_;        // one number for names that differ in case only
    std::array<std::map<std::string, std::uint32_t, std::less<>>, sample_sources> machines_;  // by door: their numbers
    std::map<std::uint32_t, Numbers> last_;  // by machine: those of its last sample
    // The sample at hand.
    std::uint64_t samples_ = 0;
    std::uint32_t machine_ = no_index;
    Numbers* current_ = nullptr;
    Numbers next_;
    ObjectOrder order_;
    std::vector<std::uint32_t> repeats_;  // for each object how many of its title index came before
    // The object at hand.
    std::vector<InstanceKey> keys_;
    std::vector<std::uint32_t> sorted_, ordinals_;
    std::string key_;
};

}  // namespace hkpd
