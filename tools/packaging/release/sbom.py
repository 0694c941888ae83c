#!/usr/bin/env python3
"""Writes the SPDX 2.3 list (SBOM) of a release: sbom.py --version V --commit ID --linked FOLDER --output FILE RELEASE.

RELEASE is the folder with the files of the release; FOLDER has for each file with compiled code FILE.json, as linked.py
prints it. Each component has the version that is installed, its source package and its licence (licences.json, which
must have all). The same files result in the same bytes: the time is that of SOURCE_DATE_EPOCH, the namespace contains
the commit."""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
LICENCES = json.loads((HERE / "licences.json").read_text(encoding="utf-8"))
# The table of Windows' zones is made from Unicode's data, and the page of a report contains uPlot.
OWN_LICENCE = "Apache-2.0 AND Unicode-DFS-2016 AND MIT"
SITE = "https://hkpd.example"
USES = {
    "static": ("STATIC_LINK", "objects of its archives are in the file"),
    "dynamic": ("DYNAMIC_LINK", "loaded at run time"),
    "headers": ("STATIC_LINK", "code of its headers is compiled into the file"),
}


def spdx_id(*parts):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(parts))


def licence_of(source):
    """Returns the licence of a source package, whose name may end with its version: boost1.74, gcc-12."""
    name = source if source in LICENCES else re.sub(r"-?[0-9.]+$", "", source)
    if name not in LICENCES:
        sys.exit(f"sbom.py: the source package {source} has no licence in {HERE / 'licences.json'}: add it")
    return LICENCES[name]


def component_package(component):
    source, version = component["source"], component["source_version"]
    return {
        "SPDXID": spdx_id("component", component["name"], component["architecture"]),
        "name": component["name"],
        "versionInfo": component["version"],
        "supplier": "Organization: Debian",
        "downloadLocation": f"https://snapshot.debian.org/package/{source}/{version}/".replace("+", "%2B"),
        "filesAnalyzed": False,
        "homepage": component["homepage"] or "NOASSERTION",
        "sourceInfo": f"Debian source package {source} {version}",
        "licenseConcluded": licence_of(source),
        "licenseDeclared": licence_of(source),
        "copyrightText": "NOASSERTION",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{component['name']}@{component['version']}"
                                f"?arch={component['architecture']}".replace("+", "%2B"),
        }],
    }


def file_package(path, version):
    purposes = {".gz": "ARCHIVE", ".zip": "ARCHIVE", ".deb": "INSTALL"}
    is_source = path.name == f"hkpd-{version}.tar.gz"
    return {
        "SPDXID": spdx_id("file", path.name),
        "name": path.name,
        "versionInfo": version,
        "packageFileName": path.name,
        "supplier": "Organization: hkpd maintainers",
        "downloadLocation": f"{SITE}/releases/v{version}/{path.name}",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}],
        "licenseConcluded": OWN_LICENCE,
        "licenseDeclared": OWN_LICENCE,
        "copyrightText": "2026 the hkpd maintainers; 1991-2022 Unicode, Inc.; 2022 Leon Sorokin",
        "primaryPackagePurpose": "SOURCE" if is_source else purposes[path.suffix],
    }


def document(options):
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    name = f"hkpd-{options.version}"
    files = sorted(path for path in options.release.iterdir() if path.is_file() and path != options.output)
    packages, relationships = {}, []

    def relate(subject, relation, object_, comment=None):
        relationships.append({"spdxElementId": subject, "relationshipType": relation, "relatedSpdxElement": object_}
                             | ({"comment": comment} if comment else {}))

    source = spdx_id("file", f"{name}.tar.gz")
    listed = {path.name.removesuffix(".json") for path in options.linked.iterdir()}
    if unknown := listed ^ {path.name for path in files} ^ {f"{name}.tar.gz"}:
        sys.exit(f"sbom.py: {', '.join(sorted(unknown))}: expected a file and a list of what is linked, found one of them")
    for path in files:
        package = file_package(path, options.version)
        packages[package["SPDXID"]] = package
        relate("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"])
        if package["SPDXID"] == source:
            continue
        relate(package["SPDXID"], "GENERATED_FROM", source)
        for component in json.loads((options.linked / f"{path.name}.json").read_text(encoding="utf-8")):
            used = component_package(component)
            packages[used["SPDXID"]] = used
            relate(package["SPDXID"], USES[component["use"]][0], used["SPDXID"], USES[component["use"]][1])
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"{SITE}/spdx/{name}/{options.commit}",
        "creationInfo": {
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: hkpd maintainers", f"Tool: hkpd-release.sh-{options.version}"],
        },
        "documentDescribes": sorted(spdx_id("file", path.name) for path in files),
        "packages": [packages[key] for key in sorted(packages)],
        "relationships": relationships,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--linked", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("release", type=pathlib.Path)
    options = parser.parse_args()
    text = json.dumps(document(options), indent=1, ensure_ascii=False)
    options.output.write_text(text + "\n", encoding="utf-8")


main()
