# shellcheck shell=bash
# The checks of run.sh for the content of the tables, field by field. Sourced by run.sh.

: "${HKPD:?}" "${here:?}" "${root:?}"

# Rows from dump do not replace those from replay of the same sample.
raw_after_cooked() {
    "$HKPD" dump --format jsonl fleet/web07.mcap | insert
    query --query 'OPTIMIZE TABLE hkpd.samples FINAL'
    by_sample
}

latest() {
    query --query "SELECT machine, instance, counter, value, moment FROM hkpd.latest
        WHERE object = 'Processor' AND counter = '% Processor Time' ORDER BY machine, instance" |
        tee latest.tsv | wc -l | grep -Fx 150
    "$HKPD" replay --format csv --path '\Processor(_Total)\% Processor Time' fleet/web50.mcap | tail -n 1 |
        cut -d , -f 2,8,13,17 | tr , '\t' >expected.tsv
    diff -u expected.tsv <(tail -n 1 latest.tsv | cut -f 1-4)
    cut -f 5 latest.tsv | sort -u | diff - <(echo '2026-01-01 00:24:45')
}

# rows MACHINE: compares hkpd.samples with lines.jsonl.
rows() {
    query --query "SELECT * FROM hkpd.samples FINAL WHERE machine = '$1' FORMAT JSONEachRow" >rows.jsonl
    python3 "$here/check.py" rows lines.jsonl rows.jsonl
}

every_field() {
    "$HKPD" replay --format jsonl fleet/web01.mcap >lines.jsonl
    rows WEB01
}

# Both interfaces, with instances that have parents, and hostile names: the machine's is from the command line, that of
# the processes svchost is written into the blobs, since it is not valid UTF-16.
hostile_names() {
    local name=$'\t\n\'"\\\x01{},🚀 \u202e\\N' escaped
    escaped=${name//\\/\\\\}
    escaped=${escaped//\'/\\\'}
    "$HKPD" capture --simulate --machine "$name" --count 3 -o hostile.mcap
    "$HKPD" replay --format jsonl hostile.mcap >lines.jsonl
    insert <lines.jsonl
    rows "$escaped"

    "$HKPD" capture --simulate --machine BROKEN --count 2 --v1 --object Process --object Thread -o broken.mcap
    "$HKPD" capture --export blobs broken.mcap
    python3 - blobs/*.bin <<'END'
import sys
for path in sys.argv[1:]:
    with open(path, "r+b") as blob:
        data = blob.read()
        broken = data.replace("svchost".encode("utf-16-le"), "\udc00\t\\'\"\n\ud800".encode("utf-16-le", "surrogatepass"))
        assert broken != data
        blob.seek(0)
        blob.write(broken)
END
    "$HKPD" replay --format jsonl blobs >lines.jsonl
    insert <lines.jsonl
    rows BROKEN
}

text_and_bytes() {
    "$HKPD" dump --format jsonl "$root/testdata/captures/text-and-bytes.bin" >lines.jsonl
    grep -F '"hex"' lines.jsonl
    grep -F '"text"' lines.jsonl
    insert <lines.jsonl
    rows TEXT
}

# Lines that no existing capture has: missing keys, keys of later versions, extremes of numbers, years.
odd_lines() {
    local at
    for at in null '"1601-01-01T00:00:00.000Z"' '"1969-12-31T23:59:59.999Z"' '"2024-02-29T23:59:59.999Z"' \
        '"2000-03-01T00:00:00.001Z"' '"2100-03-01T12:00:00.000Z"' '"9999-12-31T23:59:59.999Z"' \
        '"30827-12-31T23:59:59.999Z"'; do
        printf '{"time":%s,"machine":"ODD","source":"log","object":"o","object_index":null,"counterset":null,' "$at"
        printf '"parent":null,"instance":"","pid":4294967295,"instance_id":-2147483648,"counter":"c","counter_index":4294967295,'
        printf '"type":"0x12345678","raw":18446744073709551615,"value":1.7976931348623157e308,"reason":null}\n'
    done >lines.jsonl
    {
        sed 's/"counterset":null,//; s/}$/,"later":{"a":[1,"}"]}}/' lines.jsonl
        echo '{"time":"2024-02-29T23:59:59.999Z","machine":"FEW","source":"v1"}'
    } | insert
    rows ODD
    query --query "SELECT toString(moment), object, counter FROM hkpd.samples WHERE machine IN ('ODD', 'FEW')
        ORDER BY machine, filetime" | tee odd.tsv
    diff -u - odd.tsv <<END
2024-02-29 23:59:59		
0000-00-00 00:00:00	o	c
0000-00-00 00:00:00	o	c
0000-00-00 00:00:00	o	c
2000-03-01 00:00:00	o	c
2024-02-29 23:59:59	o	c
2100-03-01 12:00:00	o	c
2105-12-31 23:59:59	o	c
2105-12-31 23:59:59	o	c
END
}
