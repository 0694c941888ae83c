#!/usr/bin/env python3
"""Writes lib/src/names/local_titles.zst and local_titles_index.cpp: names of objects and counters in other languages.

    make_local_titles.py LOCALIZED FACTS... OUTPUT_FOLDER

LOCALIZED is a table of facts with the columns language_id, language, english, index, localized and source, separated by
tabs. Rows whose source has the mark [doubtful] are left out. FACTS state which counters belong to which object: tables (CSV, or
separated by tabs) with the columns `object` or `counterset`, and `counter`, and manifests of counters (.man). For other
base titles, a counter belongs to the object with the next lower index.

local_titles.zst, as text in UTF-8 with a line each:

    TITLE <TAB> 1 if it is an object <TAB> positions of the objects that have it as a counter
    =LANGUAGE <TAB> NAME
    SPELLING { <TAB> SPELLING }                     for each title; an empty line if it is not known

The titles end with the first language. local_titles_index.cpp has hashes of names by which a log in another language is
noticed without the table. Needs the command zstd.
"""
import csv
import re
import subprocess
import sys
import unicodedata

# Objects of the base titles (2 to 1846) that FACTS may not name; of newer sets, those of LOCALIZED.
BASE_OBJECTS = """System|Memory|Browser|Cache|Process|Thread|PhysicalDisk|LogicalDisk|Processor|Objects|Redirector|Server|
NWLink NetBIOS|NWLink IPX|NWLink SPX|NetBEUI|NetBEUI Resource|NBT Connection|Network Interface|IPv4|IPv6|ICMP|ICMPv6|
TCPv4|TCPv6|UDPv4|UDPv6|Paging File|Image|Process Address Space|Thread Details|RAS Port|RAS Total|WINS Server|
MacFile Server|AppleTalk|Network Segment|Telephony|Gateway Service For NetWare|Client Service For NetWare|
Server Work Queues|NNTP Server|Job Object|Job Object Details|Full Image|Authentication|Security System-Wide Statistics|
Security Per-Process Statistics|Netlogon|USB|Print Queue|Packet Filter|Kerberos|Heap|Disk Storage Unit""".replace("\n", "")
NEW_OBJECTS = """Processor Information|Processor Performance|Hyper-V Hypervisor|Hyper-V Hypervisor Logical Processor|HTTP Service|
HTTP Service Request Queues|HTTP Service Url Groups|Web Service|Web Service Cache|Terminal Services|
Terminal Services Session|Event Tracing for Windows|Event Tracing for Windows Session|FileSystem Disk Activity|
GPU Engine|GPU Process Memory|GPU Adapter Memory|Distributed Transaction Coordinator|Energy Meter|Power Meter|Power Budget|
Thermal Zone Information|Synchronization|SynchronizationNuma|SMB Client Shares|SMB Server Shares|SMB Server|
SMB Server Sessions|SMB Direct Connection|TCPIP Performance Diagnostics|TCPIP Performance Diagnostics (Per-CPU)|
Storage Spaces Virtual Disk|Storage Spaces Tier|Storage Spaces Write Cache|Storage Spaces Drt|WFP|WFPv4|WFPv6|WFP Classify|
Network Adapter|Per Processor Network Activity Cycles|Per Processor Network Interface Card Activity|Network QoS Policy|
Physical Network Interface Card Activity|RDMA Activity|Microsoft Winsock BSP|BranchCache|BITS Net Utilization|
Windows Time Service|WSMan Quota Statistics|NUMA Node Memory|Pacer Flow|Pacer Pipe|Teredo Client|Teredo Relay|
Teredo Server|IPHTTPS Session|IPHTTPS Global|Database|Database ==> Instances|Database ==> TableClasses|
Offline Files|Client Side Caching|ReadyBoost Cache|Search Indexer|Search Gatherer|Search Gatherer Projects|
ASP.NET|ASP.NET Applications|ASP.NET State Service|Active Server Pages|XHCI TransferRing|XHCI CommonBuffer|
XHCI Interrupter|Hyper-V Dynamic Memory Integration Service|Hyper-V VM Vid Partition|Generic IKEv1, AuthIP, and IKEv2|
IPsec Driver|IPsec Connections|IPsec AuthIP IPv4|IPsec AuthIP IPv6|IPsec IKEv1 IPv4|IPsec IKEv2 IPv4|DNS Server|DHCP Server|
Fax Service|MSDTC Bridge 3.0.0.0|Remote Desktop Services|RemoteFX Graphics|RemoteFX Network|Bulk Bytes|Bluetooth Radio|
Bluetooth Device|User Input Delay per Process|User Input Delay per Session|Application Pool WAS|APP_POOL_WAS""".replace("\n", "")


def loose(text):
    """The form in which texts are compared; the same as loose_name of lib/src/names/local_titles.cpp, by which the
    hashes are looked up: only the letters that occur in the table matter here."""
    text = unicodedata.normalize("NFC", text)
    for mark in "\u2018\u2019\u02bc\u0060\u00b4":
        text = text.replace(mark, "'")
    text = re.sub("[\u00a0\u202f\u2009]", " ", text).replace("\u0307", "")
    letters = []
    for letter in text:
        upper = letter.upper()
        if letter.isascii():
            letter = letter.lower()
        elif len(upper) == 1 and not upper.isascii():
            letter = upper
        letters.append({"\u0130": "i", "\u0131": "i", "\u1e9e": "\u00df"}.get(letter, letter))
    return "".join(letters)


def hash_of(text):
    value = 0x811C9DC5
    for byte in loose(text).encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def read_facts(path):
    if path.endswith(".man"):
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for block in re.split(r"<(?:\w+:)?counterSet\b", text)[1:]:
            name = re.search(r'\bname\s*=\s*"([^"]*)"', block)
            for counter in re.finditer(r'<(?:\w+:)?counter\b[^>]*?\bname\s*=\s*"([^"]*)"', block, re.S):
                if name:
                    yield name.group(1), counter.group(1)
        return
    with open(path, encoding="utf-8") as file:
        reader = csv.DictReader(file, delimiter="\t" if path.endswith(".tsv") else ",")
        for row in reader:
            yield row.get("object") or row.get("counterset") or "", row["counter"]


def array(name, values):
    lines = [f"extern const std::array<std::uint32_t, {len(values)}> {name}{{"]
    for at in range(0, len(values), 10):
        lines.append("    " + " ".join(f"0x{value:08X}," for value in values[at:at + 10]))
    return "\n".join(lines + ["};"])


def main():
    localized, *facts, folder = sys.argv[1:]
    with open(localized, encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rows = [row for row in rows if "[doubtful]" not in row["source"] and row["english"] != "_Total"]
    indices = {row["english"]: int(row["index"]) for row in rows if row["index"]}
    titles = sorted({row["english"] for row in rows}, key=lambda t: (indices.get(t, 1 << 20), t))
    position = {title: at for at, title in enumerate(titles)}
    folded = {}
    for at, title in enumerate(titles):
        folded.setdefault(title.lower(), at)
    known = [pair for path in facts for pair in read_facts(path)]
    objects = {name.strip() for name in (BASE_OBJECTS + "|" + NEW_OBJECTS).split("|")} | {name for name, _ in known}
    is_object = [title in objects or title.startswith(".NET CLR ") or title.startswith(".NET Data Provider")
                 for title in titles]
    belongs = [set() for _ in titles]
    for name, counter in known:
        if name.lower() in folded and counter.lower() in folded:
            for at, title in enumerate(titles):  # spellings that differ in case
                if title.lower() == counter.lower():
                    belongs[at].add(folded[name.lower()])
    last = None
    for at, title in enumerate(titles):
        if title not in indices:
            break
        if is_object[at]:
            last = at
        elif last is not None and not belongs[at]:
            belongs[at].add(last)

    lines = [f"{title}\t{int(is_object[at])}\t{' '.join(map(str, sorted(belongs[at])))}" for at, title in enumerate(titles)]
    local_hashes, english = set(), {hash_of(title) for title in titles}
    languages = sorted({(row["language_id"], row["language"]) for row in rows})
    for identifier, language in languages:
        spellings = [[] for _ in titles]
        for row in rows:
            if (row["language_id"], row["language"]) == (identifier, language):
                texts = spellings[position[row["english"]]]
                text = unicodedata.normalize("NFC", row["localized"])
                if loose(text) not in map(loose, texts):
                    texts.append(text)
                if is_object[position[row["english"]]] and hash_of(text) not in english:
                    local_hashes.add(hash_of(text))
        lines.append(f"={identifier}\t{language}")
        lines += ["\t".join(texts) for texts in spellings]
    text = "\n".join(lines) + "\n"
    subprocess.run(["zstd", "-19", "--ultra", "-22", "-q", "-f", "--no-check", "-o", f"{folder}/local_titles.zst"],
                   input=text.encode(), check=True)
    with open(f"{folder}/local_titles_index.cpp", "w", encoding="utf-8") as out:
        out.write("// Generated by tools/make_local_titles.py. Do not edit.\n#include <array>\n#include <cstddef>\n"
                  "#include <cstdint>\n#include <span>\n\n"
                  '#include "names/local_titles.hpp"\n\nnamespace hkpd {\nnamespace {\n\n// clang-format off\n')
        for name, values in (("local_object_hashes", local_hashes), ("english_title_hashes", english)):
            out.write(array(name, sorted(values)).replace("extern const", "constexpr") + "\n\n")
        out.write("// clang-format on\n\n}  // namespace\n\n"
                  f"const std::size_t local_titles_size = {len(text.encode())};\n"
                  "std::span<const std::uint32_t> local_objects() noexcept { return local_object_hashes; }\n"
                  "std::span<const std::uint32_t> english_titles() noexcept { return english_title_hashes; }\n\n"
                  "}  // namespace hkpd\n")
    print(f"{len(titles)} titles, {sum(is_object)} objects, {len(languages)} languages, {len(rows)} facts, "
          f"{len(text.encode())} bytes", file=sys.stderr)
    missing = [title for at, title in enumerate(titles) if not is_object[at] and not belongs[at] and title not in indices]
    print(f"{len(missing)} newer titles without an object", file=sys.stderr)


if __name__ == "__main__":
    main()
