# shellcheck shell=bash
# The two servers of run.sh, in its folder: one that `query` uses, and another; together they are the cluster fleet.
# Source it after checks.sh.

: "${folder:?}"
servers=()

# configure FOLDER PORT: enables only this port, on loopback. The names are those of the installed version.
configure() {
    mkdir -p "$1"
    cat >"$1/config.xml" <<END
<yandex>
    <logger><level>warning</level><log>$1/log</log><errorlog>$1/error.log</errorlog></logger>
    <listen_host>127.0.0.1</listen_host>
    <tcp_port>$2</tcp_port>
    <path>$1/data/</path>
    <tmp_path>$1/tmp/</tmp_path>
    <user_files_path>$1/user_files/</user_files_path>
    <format_schema_path>$1/format_schemas/</format_schema_path>
    <users_config>$1/users.xml</users_config>
    <default_profile>default</default_profile>
    <default_database>default</default_database>
    <mark_cache_size>100000000</mark_cache_size>
    <!-- Not the one of the data: nothing may depend on it. -->
    <timezone>Asia/Kathmandu</timezone>
    <remote_servers><fleet>
        <shard><replica><host>127.0.0.1</host><port>$port</port></replica></shard>
        <shard><replica><host>127.0.0.1</host><port>$other_port</port></replica></shard>
    </fleet></remote_servers>
</yandex>
END
    cat >"$1/users.xml" <<END
<yandex>
    <profiles><default/></profiles>
    <quotas><default/></quotas>
    <users><default>
        <password></password>
        <networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile>
        <quota>default</quota>
    </default></users>
</yandex>
END
}

# start_servers: starts both on two ports of loopback. If one ends at once, because another program has taken its port,
# both are started again on others.
start_servers() {
    local each
    for _ in 1 2 3; do
        {
            read -r port
            read -r other_port
        } < <(free_ports 2)
        servers=()
        for each in "one $port" "other $other_port"; do
            configure "$folder/${each% *}" "${each#* }"
            # From a shell without -x, since the server itself has to be ended.
            clickhouse-server --config-file="$folder/${each% *}/config.xml" >"$folder/${each% *}.out" 2>&1 &
            servers+=($!)
        done
        wait_for "both servers answer" answer_or_are_gone || return 0 # the check reports it
        if ! one_is_gone; then return; fi
        echo "a server ended at once, and both are started again: $(tail -qn 1 "$folder"/{one,other}.out | paste -sd ' ')"
        end_processes "${servers[@]}" || true
    done
}

query() { clickhouse-client --host 127.0.0.1 --port "$port" "$@"; }
query_other() { clickhouse-client --host 127.0.0.1 --port "$other_port" "$@"; }

answer() { query --query 'SELECT 1' && query_other --query 'SELECT 1'; }
one_is_gone() { is_gone "${servers[0]}" || is_gone "${servers[1]}"; }
answer_or_are_gone() { answer >/dev/null 2>&1 || one_is_gone; }
