// Files read as streams: what std::ifstream promises, read errors that are not the end, and no seeking in pipes.
#include "base/file_stream.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <istream>
#include <iterator>
#include <string>

#include "base/path.hpp"
#include "support/temp_folder.hpp"
#ifndef _WIN32
#include <unistd.h>

#include <array>
#endif

namespace hkpd_test {
namespace {

using hkpd::FileBuffer;
using hkpd::FileStream;

/// A text in which each position differs from those around it, larger than several buffers.
std::string long_text() {
    std::string text;
    for (int i = 0; text.size() < 100'000; ++i) text += std::to_string(i) + (i % 7 == 0 ? "\n" : "\r\n");
    return text;
}

TEST(FileStream, GivesTheBytesOfTheFile) {
    const TempFolder folder;
    const std::string text = long_text() + '\0' + "\x1A end";
    FileStream file(folder.write("\u00e4\u00df.bin", text));
    ASSERT_TRUE(file.is_open());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
    EXPECT_FALSE(file.bad());
    FileStream empty(folder.write("empty", ""));
    EXPECT_EQ(empty.peek(), FileStream::traits_type::eof());
    EXPECT_TRUE(empty.eof() && !empty.bad());
}

TEST(FileStream, ReadsOfAnySizeContinueEachOther) {
    const TempFolder folder;
    const std::string text = long_text(), path = folder.write("text", text);
    for (const std::size_t step : {1U, 100U, 8191U, 8192U, 8193U, 50'000U, 200'000U}) {
        FileStream file(path);
        std::string read, part(step, ' ');
        while (file.read(part.data(), static_cast<std::streamsize>(step)) || file.gcount() != 0) {
            read.append(part, 0, static_cast<std::size_t>(file.gcount()));
            if (file) read += static_cast<char>(file.get());
        }
        if (!read.empty() && read.size() > text.size()) read.pop_back();  // what `get` returned at the end
        EXPECT_EQ(read, text) << step;
    }
}

TEST(FileStream, AFileThatIsCutWhileItIsReadIsNotAtItsEnd) {
    const TempFolder folder;
    const std::string text = long_text();
    for (const std::size_t left : {0U, 1U, 20'000U, 99'999U}) {
        const std::string path = folder.write("cut", text);
        FileStream file(path);
        std::string read(10'000, ' ');
        ASSERT_TRUE(file.read(read.data(), 10'000));
        std::filesystem::resize_file(hkpd::path_of(path), left);
        read.resize(text.size());
        file.read(read.data(), static_cast<std::streamsize>(text.size()));
        EXPECT_TRUE(file.bad()) << left;
        file.clear();
        ASSERT_TRUE(hkpd::read_failure(file)) << "also after the stream was cleared";
        EXPECT_EQ(hkpd::read_failure(file)->found, hkpd::file_became_shorter);
        file.seekg(0, std::ios::end);
        EXPECT_TRUE(file.bad()) << left;
        file.open(path);
        EXPECT_FALSE(hkpd::read_failure(file)) << "the short file is read as it is";
        file.seekg(0, std::ios::end);
        EXPECT_EQ(file.tellg(), static_cast<std::streamoff>(left));
    }
}

TEST(FileStream, AFileMayGrowWhileItIsRead) {
    const TempFolder folder;
    const std::string text = long_text(), path = folder.write("growing", text);
    FileStream file(path);
    std::string read(10'000, ' ');
    ASSERT_TRUE(file.read(read.data(), 10'000));
    folder.write("growing", text + text);
    read.append(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(read, text + text);
    EXPECT_FALSE(hkpd::read_failure(file));
}

TEST(FileStream, SeeksAndReturnsPositions) {
    const TempFolder folder;
    const std::string text = long_text();
    FileStream file(folder.write("text", text));
    EXPECT_EQ(file.tellg(), 0);
    for (const std::size_t position : {50'000U, 3U, 99'999U, 8192U, 0U}) {
        file.seekg(static_cast<std::streamoff>(position));
        EXPECT_EQ(static_cast<std::size_t>(file.tellg()), position);
        EXPECT_EQ(file.get(), text[position]);
        EXPECT_EQ(static_cast<std::size_t>(file.tellg()), position + 1);
    }
    file.seekg(10, std::ios::cur);
    EXPECT_EQ(file.get(), text[11]);
    file.seekg(-5, std::ios::end);
    EXPECT_EQ(file.get(), text[text.size() - 5]);
    file.seekg(-1, std::ios::beg);
    EXPECT_TRUE(file.fail());
}

TEST(FileStream, OpensOneFileAfterAnother) {
    const TempFolder folder;
    const std::string one = folder.write("one", "1"), two = folder.write("two", "2");
    FileStream file(one);
    EXPECT_EQ(file.get(), '1');
    EXPECT_EQ(file.get(), FileStream::traits_type::eof());
    file.open(two);
    EXPECT_TRUE(file.good());
    EXPECT_EQ(file.get(), '2');
    file.close();
    EXPECT_FALSE(file.is_open());
    EXPECT_EQ(file.get(), FileStream::traits_type::eof());
    file.open(folder.path("missing"));
    EXPECT_EQ(errno, ENOENT);
    EXPECT_TRUE(file.fail() && !file.is_open());
    file.open(one);
    EXPECT_EQ(file.get(), '1');
}

#ifndef _WIN32
TEST(FileStream, AFailedReadIsNotTheEnd) {
    const TempFolder folder;
    FileStream directory(folder.path());
    ASSERT_TRUE(directory.is_open());
    std::array<char, 100'000> part{};
    errno = 0;
    EXPECT_FALSE(directory.read(part.data(), part.size()));
    EXPECT_TRUE(directory.bad());
    EXPECT_EQ(errno, EISDIR);
}

TEST(FileStream, APipeDoesNotSeek) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ASSERT_EQ(::write(ends[1], "some text", 9), 9);
    ::close(ends[1]);
    FileBuffer buffer(ends[0]);
    std::istream pipe(&buffer);
    EXPECT_EQ(pipe.tellg(), std::istream::pos_type(-1));
    EXPECT_FALSE(pipe.seekg(0));
    pipe.clear();
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(pipe), {}), "some text");
    ::close(ends[0]);
}

TEST(FileStream, ABufferBeginsWhereTheFileIs) {
    const TempFolder folder;
    folder.write("text", "0123456789");
    const int number = hkpd::system_file::open(folder.path("text"));
    ASSERT_NE(number, -1);
    ASSERT_EQ(hkpd::system_file::seek(number, 4, SEEK_SET), 4);
    FileBuffer buffer(number);
    std::istream rest(&buffer);
    EXPECT_EQ(rest.tellg(), 4);
    EXPECT_EQ(rest.get(), '4');
    rest.seekg(2);
    EXPECT_EQ(rest.get(), '2');
    hkpd::system_file::close(number);
}
#endif

}  // namespace
}  // namespace hkpd_test
