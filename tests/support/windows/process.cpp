#include "support/process.hpp"

#include <gtest/gtest.h>
#include <windows.h>
// After windows.h, which it needs.
#include <psapi.h>

#include <algorithm>
#include <cstdint>
#include <thread>

#include "base/path.hpp"

namespace hkpd_test {
namespace {

std::wstring wide(std::string_view text) {
    std::wstring units(text.size(), L'\0');
    const int size = MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), units.data(),
                                         static_cast<int>(units.size()));
    units.resize(static_cast<std::size_t>(size));
    return units;
}

class Handle {
  public:
    explicit Handle(HANDLE handle = nullptr) noexcept : handle_(handle) {}
    ~Handle() { close(); }
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }

    HANDLE get() const noexcept { return handle_; }
    void close() noexcept {
        if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
        handle_ = nullptr;
    }

  private:
    HANDLE handle_;
};

/// Handles for a program have to be inheritable.
SECURITY_ATTRIBUTES inheritable() noexcept { return {sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE}; }

/// Returns false if the reader has gone.
bool write_all(const Handle& to, std::string_view text) {
    while (!text.empty()) {
        DWORD written = 0;
        const auto size = static_cast<DWORD>(std::min<std::size_t>(text.size(), 1U << 20U));
        if (WriteFile(to.get(), text.data(), size, &written, nullptr) == 0) return false;
        text.remove_prefix(written);
    }
    return true;
}

/// Returns a file that is deleted when it is closed.
Handle scratch() {
    wchar_t folder[MAX_PATH + 1] = L"", name[MAX_PATH + 1] = L"";
    GetTempPathW(MAX_PATH, folder);
    GetTempFileNameW(folder, L"hkp", 0, name);
    SECURITY_ATTRIBUTES shared = inheritable();
    Handle file(CreateFileW(name, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                            &shared, CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
    EXPECT_NE(file.get(), INVALID_HANDLE_VALUE) << GetLastError();
    return file;
}

void rewind(const Handle& file) { SetFilePointer(file.get(), 0, nullptr, FILE_BEGIN); }

std::string content(const Handle& file) {
    rewind(file);
    std::string text;
    char buffer[65536];
    for (DWORD got = 0; ReadFile(file.get(), buffer, sizeof buffer, &got, nullptr) != 0 && got != 0;)
        text.append(buffer, got);
    return text;
}

struct Pipe {
    Handle reader, writer;
};

/// Makes a pipe whose writing end stays here. The size is what it holds before a writer has to wait.
Pipe make_pipe(std::size_t size) {
    HANDLE reader = nullptr, writer = nullptr;
    SECURITY_ATTRIBUTES shared = inheritable();
    EXPECT_NE(CreatePipe(&reader, &writer, &shared, static_cast<DWORD>(size)), 0) << GetLastError();
    SetHandleInformation(writer, HANDLE_FLAG_INHERIT, 0);
    return {Handle(reader), Handle(writer)};
}

/// Returns one argument of a command line, quoted. Source: Microsoft Learn, CommandLineToArgvW.
std::wstring as_word(std::string_view argument) {
    std::wstring text = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t unit : wide(argument)) {
        if (unit == L'"') text.append(backslashes + 1, L'\\');
        backslashes = unit == L'\\' ? backslashes + 1 : 0;
        text += unit;
    }
    text.append(backslashes, L'\\');
    return text + L'"';
}

std::wstring child_environment(const std::string& columns) {
    std::wstring block = L"COLUMNS=" + wide(columns) + L'\0';
    wchar_t* const mine = GetEnvironmentStringsW();
    for (const wchar_t* at = mine; *at != L'\0'; at += std::wstring_view(at).size() + 1) {
        const std::wstring_view variable = at;
        if (variable.starts_with(L"COLUMNS=") || variable.starts_with(L"NO_COLOR=")) continue;
        block.append(variable).push_back(L'\0');
    }
    FreeEnvironmentStringsW(mine);
    return block + L'\0';
}

struct Streams {
    HANDLE in, out, err;
};

/// Starts a program; returns nothing if that fails.
Handle start(const Run& what, const Streams& streams) {
    std::wstring line = as_word(what.program);
    for (const std::string& argument : what.arguments) line += L' ' + as_word(argument);
    std::wstring environment = child_environment(what.columns);
    const std::wstring directory = wide(what.directory);
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = streams.in;
    startup.hStdOutput = streams.out;
    startup.hStdError = streams.err;
    PROCESS_INFORMATION process{};
    BOOL started = FALSE;
    // Wine sometimes fails with this before there is a process (its server could not make one in time), and succeeds a
    // little later. A program that has started is not retried, whatever its result.
    constexpr int attempts = 30;
    constexpr DWORD pause_ms = 200;
    for (int attempt = 0; attempt < attempts && started == 0; ++attempt) {
        if (attempt != 0) {
            if (GetLastError() != ERROR_INTERNAL_ERROR) break;
            Sleep(pause_ms);
        }
        started =
            CreateProcessW(wide(what.program).c_str(), line.data(), nullptr, nullptr, TRUE, CREATE_UNICODE_ENVIRONMENT,
                           environment.data(), directory.empty() ? nullptr : directory.c_str(), &startup, &process);
    }
    EXPECT_NE(started, 0) << what.program << " was not started: error " << GetLastError();
    if (started == 0) return Handle();
    CloseHandle(process.hThread);
    return Handle(process.hProcess);
}

long peak_kib(HANDLE process) {
    PROCESS_MEMORY_COUNTERS counters{};
    if (GetProcessMemoryInfo(process, &counters, sizeof counters) == 0) return 0;
    return static_cast<long>(counters.PeakWorkingSetSize / 1024);
}

/// Returns user and kernel time in seconds.
double processor_seconds_of(HANDLE process) {
    FILETIME created{}, ended{}, kernel{}, user{};
    if (GetProcessTimes(process, &created, &ended, &kernel, &user) == 0) return 0;
    const auto seconds = [](const FILETIME& time) {
        return 1e-7 * static_cast<double>(static_cast<std::uint64_t>(time.dwHighDateTime) << 32U | time.dwLowDateTime);
    };
    return seconds(kernel) + seconds(user);
}

}  // namespace

Result run(Run what) {
    constexpr std::size_t pipe_holds = 32 * 1024;
    Handle in, out = scratch(), err = scratch();
    std::jthread writer;
    const bool fits = what.input.size() <= pipe_holds;
    if (what.piped || fits) {
        Pipe pipe = make_pipe(2 * pipe_holds);
        in = std::move(pipe.reader);
        writer = std::jthread([to = std::move(pipe.writer), &what]() mutable {
            write_all(to, what.input);
            to.close();
        });
        // Input that fits is written before the program runs, which may end without reading.
        if (fits) writer.join();
    } else {
        in = scratch();
        EXPECT_TRUE(write_all(in, what.input));
        rewind(in);
    }
    if (!what.output.empty()) {
        SECURITY_ATTRIBUTES shared = inheritable();
        out = Handle(CreateFileW(hkpd::path_of(what.output).c_str(), GENERIC_WRITE, FILE_SHARE_READ, &shared,
                                 OPEN_EXISTING, 0, nullptr));
    }
    const Handle process = start(what, {in.get(), out.get(), err.get()});
    in.close();
    Result result;
    if (process.get() == nullptr) return result;
    // Wine reports it only for running programs.
    constexpr DWORD look_every_ms = 10;
    do result.peak_kib = std::max(result.peak_kib, peak_kib(process.get()));
    while (WaitForSingleObject(process.get(), look_every_ms) == WAIT_TIMEOUT);
    DWORD exit = 0;
    GetExitCodeProcess(process.get(), &exit);
    result.exit = static_cast<int>(exit);
    result.peak_kib = std::max(result.peak_kib, peak_kib(process.get()));
    result.processor_seconds = processor_seconds_of(process.get());
    if (what.output.empty()) result.out = content(out);
    result.err = content(err);
    return result;
}

struct Running::Child {
    Handle process, input;
};

Running::Running(const std::vector<std::string>& arguments) : child_(std::make_unique<Child>()) {
    Pipe pipe = make_pipe(0);
    child_->process = start({.arguments = arguments},
                            {pipe.reader.get(), GetStdHandle(STD_OUTPUT_HANDLE), GetStdHandle(STD_ERROR_HANDLE)});
    child_->input = std::move(pipe.writer);
}

Running::~Running() { kill_now(); }

void Running::send(std::string_view text) const { ASSERT_TRUE(write_all(child_->input, text)); }

void Running::kill_now() {
    if (child_->process.get() == nullptr) return;
    TerminateProcess(child_->process.get(), 137);
    WaitForSingleObject(child_->process.get(), INFINITE);
    child_->process.close();
    child_->input.close();
}

long peak_memory_kib() { return peak_kib(GetCurrentProcess()); }

double processor_seconds() { return processor_seconds_of(GetCurrentProcess()); }

}  // namespace hkpd_test
