// A table on the terminal that is replaced with each sample, in an order that a key selects.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "terminal/keys.hpp"

namespace hkpd::command {

/// A text that a key shows.
struct LiveView {
    char key = 0;
    std::string_view name{};  ///< in the list of keys; must outlive the screen
    std::string text{};
};

/// Shows one of several texts in place of what was on the terminal, until it is destroyed. Standard output must be a
/// terminal. At most one object of this class may exist at a time.
class LiveScreen {
  public:
    /// `end` is called by another thread when the user presses `q`. `first`: the key of the view that is shown first.
    LiveScreen(char first, std::function<void()> end);
    /// Shows the terminal as it was before.
    ~LiveScreen();
    LiveScreen(const LiveScreen&) = delete;
    LiveScreen& operator=(const LiveScreen&) = delete;

    /// Shows the view of the key that was pressed last.
    void show(std::vector<LiveView> views);

  private:
    void draw();
    void read_keys();

    std::mutex mutex_;  // of all members but the thread and the keys
    std::vector<LiveView> views_;
    char shown_;
    bool ends_ = false;
    std::function<void()> end_;
    Keys keys_;
    std::thread reader_;
};

}  // namespace hkpd::command
