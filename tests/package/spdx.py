#!/usr/bin/env python3
"""Checks the list of components of a release against SPDX 2.3 and against the files: spdx.py RELEASE.

Structure: fields, identifiers, licences, relationships (https://spdx.github.io/spdx-spec/v2.3/). Truth: checksums of the
files; the versions that the static command itself prints; the Depends of the Debian packages; the version of SQLite and
of the compiler in hkpd.exe. Then breaks a copy of the list in several ways, each of which must be found."""

import copy
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

LICENCES = {"Apache-2.0", "BSD-3-Clause", "BSL-1.0", "GPL-2.0-only", "GPL-3.0-or-later", "LGPL-2.1-or-later", "MIT",
            "Unicode-DFS-2015", "Unicode-DFS-2016", "ZPL-2.1", "blessing"}
EXCEPTIONS = {"GCC-exception-3.1", "Linux-syscall-note"}
RELATIONSHIPS = {"DESCRIBES", "GENERATED_FROM", "STATIC_LINK", "DYNAMIC_LINK"}
PURPOSES = {"SOURCE", "ARCHIVE", "INSTALL", "LIBRARY", "APPLICATION"}
PACKAGE_FIELDS = {"SPDXID", "name", "versionInfo", "supplier", "downloadLocation", "filesAnalyzed", "licenseConcluded",
                  "licenseDeclared", "copyrightText"}
OTHER_FIELDS = {"homepage", "sourceInfo", "externalRefs", "packageFileName", "checksums", "primaryPackagePurpose"}
# What `hkpd --version` calls a library, and its Debian source package.
SOURCES = {"Boost": "boost", "fmt": "fmtlib", "libdeflate": "libdeflate", "pugixml": "pugixml", "RapidJSON": "rapidjson",
           "SQLite": "sqlite3", "utf8proc": "utf8proc", "zstd": "libzstd"}


def require(condition, *message):
    if not condition:
        raise ValueError(" ".join(str(part) for part in message))


def check_licence(expression):
    for part in re.split(r" AND | OR ", expression):
        licence, _, exception = part.partition(" WITH ")
        require(licence in LICENCES, "unknown licence", expression)
        require(not exception or exception in EXCEPTIONS, "unknown exception", expression)


def check_package(package):
    require(PACKAGE_FIELDS <= package.keys() <= PACKAGE_FIELDS | OTHER_FIELDS, "fields of", package.get("name"), package.keys())
    require(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]), "identifier", package["SPDXID"])
    require(package["name"] and package["versionInfo"], "no name or version")
    require(package["supplier"].startswith("Organization: "), "supplier", package["supplier"])
    require(re.fullmatch(r"https://[A-Za-z0-9./%~:_-]+", package["downloadLocation"]), "location", package["downloadLocation"])
    require(package["filesAnalyzed"] is False, "files were not analysed")
    check_licence(package["licenseConcluded"])
    check_licence(package["licenseDeclared"])
    for reference in package.get("externalRefs", []):
        require(reference["referenceCategory"] == "PACKAGE-MANAGER" and reference["referenceType"] == "purl", reference)
        require(re.fullmatch(r"pkg:deb/debian/(?:[a-z0-9.-]|%2B)+@[A-Za-z0-9.%~:-]+\?arch=[a-z0-9]+", reference["referenceLocator"]),
                "purl", reference["referenceLocator"])
    for checksum in package.get("checksums", []):
        require(checksum["algorithm"] == "SHA256" and re.fullmatch("[0-9a-f]{64}", checksum["checksumValue"]), checksum)
    require(package.get("primaryPackagePurpose", "SOURCE") in PURPOSES, package.get("primaryPackagePurpose"))
    require("checksums" in package or "externalRefs" in package, package["name"], "is neither a file nor a component")


def check_structure(document):
    require(document.keys() == {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo",
                                "documentDescribes", "packages", "relationships"}, "fields", document.keys())
    require(document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", "version")
    require(document["SPDXID"] == "SPDXRef-DOCUMENT", "identifier of the document")
    require(re.fullmatch(r"https://[^#\s]+/[0-9a-f]{40}", document["documentNamespace"]), document["documentNamespace"])
    created = document["creationInfo"]
    require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", created["created"]), created)
    require(created["creators"] and all(re.match(r"(Tool|Organization|Person): \S", each) for each in created["creators"]), created)
    for package in document["packages"]:
        check_package(package)
    identifiers = [package["SPDXID"] for package in document["packages"]]
    require(len(set(identifiers)) == len(identifiers), "an identifier occurs twice")
    known = {*identifiers, document["SPDXID"]}
    related = set()
    for relationship in document["relationships"]:
        require({"spdxElementId", "relationshipType", "relatedSpdxElement"} <= relationship.keys(), relationship)
        require(relationship["relationshipType"] in RELATIONSHIPS, relationship)
        ends = {relationship["spdxElementId"], relationship["relatedSpdxElement"]}
        require(ends <= known, "unknown element in", relationship)
        related |= ends
    require(known <= related, "in no relationship:", known - related)
    described = [each["relatedSpdxElement"] for each in document["relationships"] if each["relationshipType"] == "DESCRIBES"]
    require(sorted(described) == document["documentDescribes"], "documentDescribes")


class Truth:
    """What the files of the release are and contain, by other ways than the list."""

    def __init__(self, release, version):
        self.version = version
        self.digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in release.iterdir()
                        if path.name != "SHA256SUMS" and not path.name.endswith(".spdx.json")}
        with tempfile.TemporaryDirectory() as folder:
            self.static = f"hkpd-{version}-linux-x86_64.tar.gz"
            with tarfile.open(release / self.static) as archive:
                archive.extractall(folder)
            command = pathlib.Path(folder) / self.static.removesuffix(".tar.gz") / "bin/hkpd"
            self.printed = subprocess.run([command, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.windows = f"hkpd-{version}-windows-x86_64.zip"
        with zipfile.ZipFile(release / self.windows) as archive:
            self.program = archive.read(self.windows.removesuffix(".zip") + "/hkpd.exe")
        self.depends = {}
        for path in release.glob("*.deb"):
            field = subprocess.run(["dpkg-deb", "-f", path, "Depends"], check=True, stdout=subprocess.PIPE, text=True).stdout
            self.depends[path.name] = {re.match(r"\s*(\S+)", part)[1] for part in field.split(",") if part.strip()}


def components(document, name, *relations):
    """Returns the packages that the file of this name has, by source package without a number."""
    packages = {package["SPDXID"]: package for package in document["packages"]}
    file = next(package["SPDXID"] for package in document["packages"] if package["name"] == name)
    return [packages[each["relatedSpdxElement"]] for each in document["relationships"]
            if each["spdxElementId"] == file and each["relationshipType"] in relations]


def versions_by_source(found):
    """Returns the version by source package, without a version at the end of its name: boost1.74, gcc-12."""
    return {re.sub(r"(?<=boost)[0-9.]+$|-[0-9]+$", "", package["sourceInfo"].split()[-2]): package["versionInfo"] for package in found}


def check_truth(document, truth):
    digests = {package["packageFileName"]: package["checksums"][0]["checksumValue"] for package in document["packages"]
               if "packageFileName" in package}
    require(digests == truth.digests, "files:", digests, truth.digests)

    static = versions_by_source(components(document, truth.static, "STATIC_LINK"))
    require(not components(document, truth.static, "DYNAMIC_LINK"), "the static command loads something")
    printed = dict(re.findall(r"(\w+) ([0-9.]+)", re.search("^libraries: (.*)$", truth.printed, re.M)[1]))
    require(printed.keys() == SOURCES.keys(), "the command prints", printed)
    for library, version in printed.items():
        for name in [truth.static, truth.windows]:
            listed = versions_by_source(components(document, name, "STATIC_LINK")).get(SOURCES[library], "")
            require(re.match(re.escape(version) + r"(?![0-9.])", listed), name, library, version, "is listed as", listed)
    compiler = re.search(r"GCC ([0-9.]+)", truth.printed)[1]
    require(static.get("gcc", "").startswith(compiler), "the compiler", compiler, "is listed as", static.get("gcc"))
    for source in ["abseil", "glibc"]:
        require(source in static, "the static command without", source)
    windows = versions_by_source(components(document, truth.windows, "STATIC_LINK"))
    require({"mingw-w64", "gcc-mingw-w64"} <= windows.keys() and not {"abseil", "glibc"} & windows.keys(), "hkpd.exe:", windows)
    require(windows["sqlite3"].split("-")[0].encode() in truth.program, "hkpd.exe has another SQLite than", windows["sqlite3"])

    for name, depends in truth.depends.items():
        if name.startswith("libhkpd-dev"):
            continue
        loaded = {package["name"] for package in components(document, name, "DYNAMIC_LINK")}
        require(loaded == depends, name, "loads", loaded, "and depends on", depends)
        require("abseil" in versions_by_source(components(document, name, "STATIC_LINK")), name, "without Abseil")


def broken_copies(document):
    """Yields what was broken, and the document with it."""

    def packages_of(broken, field):
        return [package for package in broken["packages"] if field in package]

    def changed(change):
        broken = copy.deepcopy(document)
        change(broken)
        return broken

    yield "no component", changed(lambda broken: broken["packages"].remove(packages_of(broken, "externalRefs")[0]))
    yield "checksum", changed(lambda broken: packages_of(broken, "checksums")[0]["checksums"][0].update(checksumValue="0" * 64))
    yield "licence", changed(lambda broken: broken["packages"][0].update(licenseConcluded="Free"))
    yield "field", changed(lambda broken: broken["packages"][0].pop("downloadLocation"))
    yield "time", changed(lambda broken: broken["creationInfo"].update(created="today"))
    yield "identifier", changed(lambda broken: broken["packages"].append(broken["packages"][0]))
    for relation in ["DESCRIBES", "DYNAMIC_LINK"]:
        first = next((each for each in document["relationships"] if each["relationshipType"] == relation), None)
        if first:
            yield relation, changed(lambda broken: broken["relationships"].remove(first))
    for source in ["fmtlib", "sqlite3", "boost1.74", "gcc-12", "abseil"]:
        for package in [each for each in document["packages"] if f" {source} " in each.get("sourceInfo", "")][:1]:
            at = document["packages"].index(package)
            yield f"version of {source}", changed(lambda broken: [
                each.update(versionInfo="0.9") for each in broken["packages"] if f" {source} " in each.get("sourceInfo", "")])
            yield f"file without {source}", changed(lambda broken: broken.update(relationships=[
                each for each in broken["relationships"] if each["relatedSpdxElement"] != broken["packages"][at]["SPDXID"]]))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: spdx.py RELEASE")
    release = pathlib.Path(sys.argv[1])
    lists = list(release.glob("*.spdx.json"))
    require(len(lists) == 1, release, "has", lists)
    version = re.fullmatch(r"hkpd-([0-9.]+)\.spdx\.json", lists[0].name)[1]
    document = json.loads(lists[0].read_text(encoding="utf-8"))
    truth = Truth(release, version)
    check_structure(document)
    check_truth(document, truth)
    count = 0
    for name, broken in broken_copies(document):
        try:
            check_structure(broken)
            check_truth(broken, truth)
        except (ValueError, KeyError):
            count += 1
        else:
            # A version that nothing else states cannot be compared.
            require(name == "version of abseil", "not found:", name)
    print(f"ok      {lists[0].name}: {len(document['packages'])} packages, {len(document['relationships'])} relationships;"
          f" {count} broken copies were refused")


main()
