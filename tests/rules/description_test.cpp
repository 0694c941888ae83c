// Descriptions: HTML of other people. Expected forms follow from the rules in rules/README.md; the properties at the
// end hold for any input.
#include "rules/description.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/processor_time.hpp"

namespace hkpd::description_test {

std::string html(std::string_view text) { return pal::read_description(text).html; }
std::string plain(std::string_view text) { return pal::read_description(text).text; }

/// Reads the HTML that was written as a strict reader would: only tags of the list, without attributes; every element
/// closed in order; items in lists, and nothing else in lists. Returns what is wrong.
std::string wrong_with(std::string_view html) {
    static const std::set<std::string, std::less<>> elements{"b",  "strong", "i",  "em",   "p",
                                                             "ul", "ol",     "li", "code", "pre"};
    std::vector<std::string> open;
    for (std::size_t at = 0; at < html.size();) {
        const bool in_list = !open.empty() && (open.back() == "ul" || open.back() == "ol");
        if (html[at] != '<') {
            const auto c = static_cast<unsigned char>(html[at]);
            if (c == '>' || c == '"' || c == '\'') return "a character that is not escaped";
            if (c < ' ' && c != '\n') return "a control character";
            if (c == '&' && html.substr(at, 5) != "&amp;" && html.substr(at, 4) != "&lt;" &&
                html.substr(at, 4) != "&gt;" && html.substr(at, 6) != "&quot;" && html.substr(at, 5) != "&#39;")
                return "a character reference";
            if (in_list && c != ' ' && c != '\n') return "text in a list";
            ++at;
            continue;
        }
        const std::size_t end = html.find('>', at);
        if (end == html.npos) return "a tag without an end";
        const std::string_view tag = html.substr(at + 1, end - at - 1);
        at = end + 1;
        if (tag == "br") {
            if (in_list) return "br in a list";
            continue;
        }
        if (tag.starts_with('/')) {
            if (open.empty() || open.back() != tag.substr(1)) return "an end tag out of order";
            open.pop_back();
            continue;
        }
        if (!elements.contains(tag)) return "the tag " + std::string(tag);
        if (tag == "li" ? !in_list : in_list) return std::string(tag) + " in a wrong place";
        const bool is_block = tag == "p" || tag == "ul" || tag == "ol" || tag == "pre";
        if (is_block && !open.empty() && open.back() != "li") return std::string(tag) + " in " + open.back();
        open.emplace_back(tag);
    }
    return open.empty() ? "" : "an element that is not closed";
}

TEST(RuleDescription, KeepsTheElementsOfTheList) {
    EXPECT_EQ(html("<b>a</b> <STRONG>b</STRONG> <i>c</i> <em>d</em> <code>e</code>"),
              "<b>a</b> <strong>b</strong> <i>c</i> <em>d</em> <code>e</code>");
    EXPECT_EQ(html("a<BR>\nb<br/>c<br />d"), "a<br>b<br>c<br>d");
    EXPECT_EQ(html("<p class='x' onclick=\"alert(1)\">a</p>"), "<p>a</p>");
    EXPECT_EQ(html("<UL>\n<LI>a</LI>\n<LI>b\n</UL>"), "<ul><li>a</li><li>b</li></ul>");
    EXPECT_EQ(html("<pre>a\n  b</pre>"), "<pre>a\n  b</pre>");
    EXPECT_EQ(html("  a \n\t b  "), "a b");
}

TEST(RuleDescription, LinksBecomeTextWithTheirAddress) {
    EXPECT_EQ(html("See <A HREF=\"http://a.example/?x=1&qid=2\">the page</A>."),
              "See the page (http://a.example/?x=1&amp;qid=2).");
    EXPECT_EQ(html("<a href=https://a.example>a</a>"), "a (https://a.example)");
    EXPECT_EQ(html("<a title='x' href = 'https://a.example/>b'>a</a>"), "a (https://a.example/&gt;b)");
    EXPECT_EQ(html("<a href=\"javascript:alert(1)\">a</a>"), "a");
    EXPECT_EQ(html("<a href=\" &#106;avascript:alert(1)\">a</a>"), "a");
    EXPECT_EQ(html("<a href=\"data:text/html,x\">a</a>"), "a");
    EXPECT_EQ(html("<a href='http://x/'>a<a href='http://y/'>b"), "a (http://x/)b (http://y/)");
}

TEST(RuleDescription, EverythingElseIsTextOrLeftOut) {
    EXPECT_EQ(html("<script>alert(1)</script>a"), "a");
    EXPECT_EQ(html("<SCRIPT src=x></SCRIPT >a"), "a");
    EXPECT_EQ(html("<style>p{}</style><iframe src=x>b</iframe><svg onload=x><p>c</p></svg>a"), "a");
    EXPECT_EQ(html("<script>alert(1)"), "");
    EXPECT_EQ(html("<script></scripty>x</script>a"), "a");
    EXPECT_EQ(html("<div><span style='x'>a</span></div><img src=x onerror=alert(1)>b"), "ab");
    EXPECT_EQ(html("a<!-- <b> -->b<!DOCTYPE x><?php x ?>c"), "abc");
    EXPECT_EQ(html("a<!-- b"), "a");
    EXPECT_EQ(html("1 < 2 & 3 > 2, <5 and \"it's\""), "1 &lt; 2 &amp; 3 &gt; 2, &lt;5 and &quot;it&#39;s&quot;");
    EXPECT_EQ(html("a <b"), "a &lt;b");
}

TEST(RuleDescription, CharacterReferences) {
    EXPECT_EQ(html("&lt;script&gt; &amp;amp; &quot; &#65;&#x42; &copy; &nbsp;x"),
              "&lt;script&gt; &amp;amp; &quot; AB \u00A9 x");
    EXPECT_EQ(html("&bogus; & &#0; &#xD800; &#99999999; &#xfffffffff;"),
              "&amp;bogus; &amp; \uFFFD \uFFFD \uFFFD &amp;#xfffffffff;");
}

TEST(RuleDescription, InvisibleCharactersAreEscaped) {
    EXPECT_EQ(html("a\x1B[31m \xE2\x80\xAE"
                   "b \xFF &#x202E;"),
              "a\\x1B[31m \\u202Eb \\xFF \\u202E");
    EXPECT_EQ(plain("a\x07"
                    "b\xE2\x81\xA6"),
              "a\\x07b\\u2066");
}

TEST(RuleDescription, ThePlainTextHasALineForEachParagraph) {
    EXPECT_EQ(plain("<p>One <b>bold</b> line.</p><p>Two<br><br>\nThree</p>"), "One bold line.\nTwo\nThree");
    EXPECT_EQ(plain("Read:<UL><LI>a</LI><LI><A HREF=\"http://x/\">b</A></LI></UL>End"),
              "Read:\n- a\n- b (http://x/)\nEnd");
    EXPECT_EQ(plain("<pre>a\n  b</pre>c"), "a\n  b\nc");
    EXPECT_EQ(plain(""), "");
}

const std::vector<std::string> hostile{
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "\"><img src=x onerror=alert(1)>",
    "<img src=\"x\" onerror=\"alert(1)\"",
    "<b onmouseover=alert(1)>x</b>",
    "<b/onclick=alert(1)>x",
    "<a href=\"jAvAsCrIpT:alert(1)\">x</a>",
    "<a href=\"java&#10;script:alert(1)\">x</a>",
    "<a href='http://x\"><script>alert(1)</script>'>x</a>",
    "<a href=http://x\" onclick=alert(1)>x</a>",
    "<svg/onload=alert(1)>",
    "<math><mtext></p><style><!--</style><img src=x onerror=alert(1)>",
    "<style>@import 'http://x'</style>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=x><embed src=y></object>",
    "<base href=http://x/>",
    "<meta http-equiv=refresh content='0;url=http://x'>",
    "<form action=http://x><input type=submit></form>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "</script><script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&amp;lt;script&amp;gt;",
    "<p><ul><li><b><p></ul></b></li>",
    "</b></p></ul></li></pre>",
    "<ul>text<b>bold</b><br><p>x</p><ul><li>y</ul></ul>",
    "<li>a<li>b<ol><li>c</ol></li></li>",
    "<b><i></b></i><pre><b></pre></b><code><p>",
    "<plaintext><b>x",
    std::string("a\0b<b\0>c", 8),
};

TEST(RuleDescription, HostileFragments) {
    ASSERT_GE(hostile.size(), 30U);
    for (const std::string& fragment : hostile) {
        EXPECT_EQ(wrong_with(html(fragment)), "") << fragment << "\n" << html(fragment);
        EXPECT_EQ(html(fragment).find("<script"), std::string::npos);
    }
    EXPECT_EQ(html("<ul>text<b>bold</b><br></ul>"), "<ul><li>text<b>bold</b><br></li></ul>");
    EXPECT_EQ(html("<p>a<p>b<ul><li>c"), "<p>a</p><p>b</p><ul><li>c</li></ul>");
}

TEST(RuleDescription, AnyMixtureOfPiecesIsBalanced) {
    std::mt19937 random(22);  // NOLINT(cert-msc51-cpp): the same pieces each time
    std::vector<std::string> pieces = hostile;
    for (const char* name : {"b", "i", "em", "strong", "code", "p", "ul", "ol", "li", "pre", "br", "a", "div"})
        for (const char* form : {"<%>", "</%>", "<% x='", "<%"}) {
            std::string piece = form;
            pieces.push_back(piece.replace(piece.find('%'), 1, name));
        }
    for (const char* text : {"text", " ", "\n", "<", ">", "&", "\"", "'", "=", "-->", "<!--"})
        pieces.emplace_back(text);
    for (int i = 0; i < 20000; ++i) {
        std::string all;
        for (auto count = random() % 20; count != 0; --count) all += pieces[random() % pieces.size()];
        const std::string written = html(all);
        ASSERT_EQ(wrong_with(written), "") << all << "\n" << written;
        // What was written is read back as the same.
        ASSERT_EQ(html(written), written) << all;
    }
}

TEST(RuleDescription, WorkAndSizeAreBounded) {
    const hkpd_test::ProcessorTime time;
    for (const char* piece : {"<", "<a", "<a \"", "<a x=\"", "<ul>", "<b>", "</b", "<!--", "&", "<script",
                              "<script></scrip", "<li><ul>", "\xE2\x80\xAE"}) {
        std::string all;
        while (all.size() < 10'000'000) all += piece;
        const std::string written = html(all);
        EXPECT_EQ(wrong_with(written), "") << piece;
        EXPECT_LE(written.size(), 8 * pal::longest_description) << piece;
    }
    EXPECT_LT(time.seconds(), 10);
}

TEST(RuleDescription, NamesAreOneLine) {
    EXPECT_EQ(pal::one_line("  a \r\n\t b ", 100), "a b");
    EXPECT_EQ(pal::one_line(std::string(2000, 'x'), 10), std::string(10, 'x') + "…");
    EXPECT_EQ(pal::one_line("\u00E4\u00E4\u00E4\u00E4", 5), "\u00E4\u00E4…");
    EXPECT_EQ(pal::one_line("", 5), "");
}

}  // namespace hkpd::description_test
