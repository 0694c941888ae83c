#!/usr/bin/env python3
"""Reads the performance data of a remote Windows machine or Samba server from any machine with Python.

The data that RegQueryValueEx(HKEY_PERFORMANCE_DATA) returns there is fetched over the winreg protocol (MS-RRP, on the
named pipe of that name) and written unchanged: 000000.bin, 000001.bin, ... and the title databases counter-009.multi_sz
and help-009.multi_sz, which map indices to names. The directory is an input for hkpd:

    hkpd dump DIRECTORY
    hkpd replay DIRECTORY
    hkpd capture DIRECTORY -o run.mcap
"""

import argparse
import contextlib
import getpass
import math
import os
import re
import struct
import sys
import time

EXIT_GOOD, EXIT_DAMAGED, EXIT_USAGE, EXIT_UNREADABLE = 0, 1, 2, 3  # as in hkpd

# Win32 errors (winerror.h).
ERROR_SUCCESS = 0
ERROR_ACCESS_DENIED = 5
ERROR_NOT_READY = 21
ERROR_LOCK_FAILED = 167
ERROR_BUSY = 170
ERROR_MORE_DATA = 234
TRANSIENT = (ERROR_NOT_READY, ERROR_LOCK_FAILED, ERROR_BUSY)

PASSWORD_VARIABLE = "HKPD_PASSWORD"

RIGHTS = (
    "The user must be a member of the group Performance Monitor Users or Administrators on that machine, and its "
    "service RemoteRegistry must grant access."
)


class Fault(Exception):
    """An error with a message for the user."""

    def __init__(self, text, code=EXIT_UNREADABLE):
        super().__init__(text)
        self.code = code


# --- The registry of the remote machine ---------------------------------------------------------------------------


def query_request(handle, name, size):
    """Returns a BaseRegQueryValue request (MS-RRP 3.1.5.17) with a buffer of `size` bytes of which none is sent.

    Built by hand, because impacket would process the buffer byte by byte and send it.
    """
    text = (name + "\0").encode("utf-16-le")
    characters = len(text) // 2
    pointer = 0x20000  # anything but 0
    request = handle + struct.pack("<HHIIII", len(text), len(text), pointer, characters, 0, characters) + text
    request += bytes(-len(request) % 4)
    request += struct.pack("<II", pointer, 0)  # lpType
    request += struct.pack("<IIII", pointer, size, 0, 0)  # lpData: size, offset, number of bytes that follow
    request += struct.pack("<II", pointer, size)  # lpcbData
    return request + struct.pack("<II", pointer, 0)  # lpcbLen


def query_reply(reply):
    """Returns the Win32 error and the data of a BaseRegQueryValue reply."""
    at = 0

    def number():
        nonlocal at
        at += 4
        return struct.unpack_from("<I", reply, at - 4)[0]

    try:
        data = b""
        if number():  # lpType
            number()
        if number():  # lpData
            number()
            number()
            length = number()
            data = reply[at : at + length]
            if len(data) != length:
                raise Fault("the reply to BaseRegQueryValue is truncated")
            at += length + -length % 4
        for _ in ("lpcbData", "lpcbLen"):  # neither is reliable
            if number():
                number()
        return number(), data
    except struct.error:
        raise Fault("the reply to BaseRegQueryValue is too short") from None


class Registry:
    """HKEY_PERFORMANCE_DATA of a machine, over an authenticated SMB connection."""

    def __init__(self, connection, host):
        from impacket.dcerpc.v5 import rrp, transport

        self.rrp = rrp
        self.host = host
        self.rpc = transport.SMBTransport(host, filename=r"\winreg", smb_connection=connection).get_dce_rpc()
        self.open_pipe()
        self.rpc.bind(rrp.MSRPC_UUID_RRP)
        answer = self.rpc.request(self.open_request(), checkError=False)
        check(answer["ErrorCode"], f"{host}: HKEY_PERFORMANCE_DATA")
        self.handle = answer["phKey"].getData()

    def open_pipe(self):
        """Opens the pipe. If the service starts on demand, opening starts it, and the pipe exists a little later."""
        from impacket.nt_errors import STATUS_OBJECT_NAME_NOT_FOUND, STATUS_PIPE_NOT_AVAILABLE
        from impacket.smbconnection import SessionError

        for wait in (1, 2, None):
            try:
                return self.rpc.connect()
            except SessionError as error:
                if error.getErrorCode() not in (STATUS_OBJECT_NAME_NOT_FOUND, STATUS_PIPE_NOT_AVAILABLE):
                    raise
            if wait is None:
                raise Fault(
                    f"{self.host}: the service RemoteRegistry is not running. An administrator can start it with\n"
                    f"    sc.exe \\\\{self.host} start RemoteRegistry"
                )
            time.sleep(wait)

    def open_request(self):
        request = self.rrp.OpenPerformanceData()
        request["ServerName"] = self.rrp.NULL
        request["samDesired"] = self.rrp.MAXIMUM_ALLOWED
        return request

    def query(self, name, size):
        self.rpc.call(self.rrp.BaseRegQueryValue.opnum, query_request(self.handle, name, size))
        return query_reply(self.rpc.recv())

    def close(self):
        """Closes the key, so that the remote machine unloads its providers."""
        self.rpc.call(self.rrp.BaseRegCloseKey.opnum, self.handle)
        self.rpc.recv()
        self.rpc.disconnect()


def error_text(status):
    from impacket.system_errors import ERROR_MESSAGES

    name, text = ERROR_MESSAGES.get(status, ("error", "unknown"))
    advice = ""
    if status == 2:  # ERROR_FILE_NOT_FOUND
        advice = " The query may be wrong, or the counters on that machine damaged: lodctr /R rebuilds them."
    return f"{name} ({status}): {text}{advice}"


def check(status, what):
    if status == ERROR_ACCESS_DENIED:
        raise Fault(f"{what}: access is denied. {RIGHTS}")
    if status != ERROR_SUCCESS:
        raise Fault(f"{what}: {error_text(status)}")


# --- Buffer sizes ---------------------------------------------------------------------------------------


def missing_of_block(data, size):
    """Returns why a data block is incomplete; None if it is complete."""
    if len(data) == size:
        return "it fills the buffer completely"  # Samba truncates it there without an error
    if len(data) < 24:
        return f"it has {len(data)} bytes"
    if data[:8] != "PERF".encode("utf-16-le"):
        return "it is not performance data"
    total = struct.unpack_from("<I", data, 20)[0]
    if total == 0:
        return "its stated length is 0"
    if total > len(data):
        return f"it has {len(data)} of {total} bytes"
    return None


def missing_of_titles(data, size):
    return "it fills the buffer completely" if len(data) == size else None


class ValueReader:
    """Reads values whose size is not known in advance. The size returned with ERROR_MORE_DATA is ignored: it may be
    0, the offered size or any number."""

    FIRST_SIZE, MOST = 1 << 18, 1 << 26  # Samba refuses a request for 256 MiB
    FIRST_WAIT, WAITS = 0.05, 8  # 13 seconds in all

    def __init__(self, query, first=FIRST_SIZE, most=MOST, sleep=time.sleep):
        """`query(name, size)` returns a Win32 error and the data."""
        self.query, self.first, self.most, self.sleep = query, min(first, most), most, sleep
        self.sizes = {}  # sufficient size of the last read, by name

    def read(self, name, missing):
        """Returns the Win32 error, the data, and why it is incomplete, if it is. `missing(data, size)` checks a reply."""
        size = self.sizes.get(name, self.first)
        while True:
            status, data = self.query_patiently(name, size)
            reason = missing(data, size) if status == ERROR_SUCCESS else None
            if status != ERROR_MORE_DATA and reason is None:
                self.sizes[name] = size
                return status, data, None
            if size >= self.most:
                return status, data, reason
            size = min(2 * size, self.most)

    def query_patiently(self, name, size):
        wait = self.FIRST_WAIT
        for _ in range(self.WAITS):
            status, data = self.query(name, size)
            if status not in TRANSIENT:
                return status, data
            self.sleep(wait)
            wait *= 2
        return self.query(name, size)


# --- Files -------------------------------------------------------------------------------------------------------


def write_file(directory, name, content):
    """Writes a file completely or not at all, even if the script is interrupted."""
    path = os.path.join(directory, name)
    unfinished = os.path.join(directory, f".{name}.part")
    try:
        with open(unfinished, "wb") as file:
            file.write(content)
        os.replace(unfinished, path)
    except BaseException:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise


def make_directory(path):
    os.makedirs(path, exist_ok=True)
    if os.listdir(path):
        raise Fault(f"{path}: directory is not empty")


class Capture:
    """Fetches titles and samples into a directory."""

    def __init__(self, reader, host, directory):
        self.reader, self.host, self.directory = reader, host, directory
        self.samples = self.bytes = self.missed = 0
        self.damaged = False
        self.titles = []

    def take_titles(self, language):
        """Fetches the titles of a language. Samba has help texts under the name that Windows NT used for them."""
        self.take_title("Counter", language)
        if not self.take_title("Help", language) and not self.take_title("Explain", language):
            remark(f"{self.host}: no help texts of language {language}")

    def take_title(self, value, language):
        status, data, reason = self.reader.read(f"{value} {language}", missing_of_titles)
        if status == ERROR_SUCCESS and len(data) > 4 and not reason:
            name = f"{value.lower()}-{language}.multi_sz"
            write_file(self.directory, name, data)
            self.titles.append(name)
            return True
        if value == "Counter":
            why = error_text(status) if status else reason or "the reply is empty"
            remark(f"{self.host}: no names of language {language}: {why}")
        return False

    def take_sample(self, query):
        status, data, reason = self.reader.read(query, missing_of_block)
        if status == ERROR_MORE_DATA:
            raise Fault(f"{self.host}: '{query}' is larger than {self.reader.most} bytes: increase --max-bytes")
        check(status, f"{self.host}: '{query}'")
        if not data:  # the reply of Samba to users without access
            raise Fault(f"{self.host}: '{query}': the reply is empty. {RIGHTS}")
        if reason:
            self.damaged = True
            remark(f"{self.host}: sample {self.samples} is incomplete: {reason}")
        write_file(self.directory, f"{self.samples:06}.bin", data)
        self.samples += 1
        self.bytes += len(data)

    def take_samples(self, query, count, interval):
        """Takes samples every `interval` seconds; ticks that pass while a sample is taken are skipped."""
        begin = time.monotonic()
        tick = 0
        while True:
            self.take_sample(query)
            if self.samples == count:
                return
            due = max(tick + 1, math.ceil((time.monotonic() - begin) / interval)) if interval else 0
            self.missed += max(0, due - tick - 1)
            tick = due
            time.sleep(max(0.0, begin + tick * interval - time.monotonic()))

    def summary(self):
        text = f"{self.directory}: {self.samples} sample{'s' * (self.samples != 1)}, {self.bytes} bytes"
        text += f", with {' and '.join(self.titles)}" if self.titles else ", without titles"
        return text + (f"; {self.missed} ticks missed" if self.missed else "")


def remark(text):
    print(f"capture_remote.py: {text}", file=sys.stderr)


# --- The connection -----------------------------------------------------------------------------------------------


def read_secret(options):
    """Returns the password or its hash from a file, the environment or the terminal, which other users cannot read."""
    if options.password_file:
        with open(options.password_file, encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    if PASSWORD_VARIABLE in os.environ:
        return os.environ[PASSWORD_VARIABLE]
    if not sys.stdin.isatty():
        raise Fault(f"no password: use --password-file FILE or set {PASSWORD_VARIABLE}", EXIT_USAGE)
    return getpass.getpass(f"{'Hash' if options.hash else 'Password'} of {options.user} on {options.host}: ")


def split_user(user):
    """Returns the name and the domain of DOMAIN\\USER, DOMAIN/USER, USER@DOMAIN or USER."""
    for separator in "\\/":
        if separator in user:
            domain, name = user.split(separator, 1)
            return name, domain
    name, _, domain = user.partition("@")
    return name, domain


def split_hash(secret):
    """Returns the LM and the NT hash of `LM:NT`, `:NT` or `NT`."""
    match = re.fullmatch(r"(?:([0-9a-fA-F]{32})?:)?([0-9a-fA-F]{32})", secret)
    if not match:
        raise Fault("--hash: expected an NT hash of 32 hexadecimal digits, or LM:NT", EXIT_USAGE)
    return match[1] or "", match[2]


def connect(options):
    """Returns a connection whose requests will be signed, so that they cannot be changed or redirected on the way."""
    from impacket.smb import SMB_DIALECT
    from impacket.smbconnection import SMBConnection

    try:
        connection = SMBConnection(options.host, options.host, sess_port=options.port, timeout=options.timeout)
    except Exception as error:  # of many types; an unspecific one for a timeout
        raise Fault(f"{options.host}: cannot be reached on port {options.port}: {error}") from error
    if connection.getDialect() == SMB_DIALECT:
        raise Fault(f"{options.host}: only SMB 1 is offered, whose messages are not protected; SMB 2 is required")
    server = connection.getSMBServer()
    server.RequireMessageSigning = True
    server._Connection["RequireSigning"] = True  # impacket has no function for this
    return connection


def log_in(connection, options, secret):
    name, domain = split_user(options.user)
    if options.kerberos:
        log_in_by_ticket(connection, options.host, name, domain)
    elif options.hash:
        lm_hash, nt_hash = split_hash(secret)
        connection.login(name, "", domain, lm_hash, nt_hash)
    else:
        connection.login(name, secret, domain)


def log_in_by_ticket(connection, host, name, domain):
    from impacket.smbconnection import SessionError

    if "KRB5CCNAME" not in os.environ:
        raise Fault("--kerberos requires KRB5CCNAME to name the ticket cache", EXIT_USAGE)
    try:
        connection.kerberosLogin(name, "", domain, useCache=True)
    except SessionError:
        raise
    except Exception as error:  # of many types: no such file, no ticket, no reply from the domain controller
        raise Fault(f"{host}: Kerberos: {error}") from error


def session_fault(error, options):
    """Returns the fault for an SMB error."""
    from impacket import nt_errors

    status = error.getErrorCode()
    if status == nt_errors.STATUS_LOGON_FAILURE:
        return Fault(f"{options.host}: wrong user or password ({options.user})")
    if status == nt_errors.STATUS_ACCESS_DENIED:
        return Fault(f"{options.host}: access is denied. {RIGHTS}")
    name, text = nt_errors.ERROR_MESSAGES.get(status, (f"0x{status:08x}", "unknown error"))
    return Fault(f"{options.host}: {name}: {text}")


def rpc_fault(error, options):
    if "access_denied" in str(error):
        return Fault(f"{options.host}: access is denied. {RIGHTS}")
    return Fault(f"{options.host}: {error}")


# --- The command line --------------------------------------------------------------------------------------------


def positive(kind, least):
    def parse(text):
        value = kind(text)
        if not least <= value < math.inf:
            raise ValueError(text)
        return value

    parse.__name__ = f"number of at least {least}"  # shown by argparse for a wrong value
    return parse


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="capture_remote.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"""The remote machine must run the service RemoteRegistry, and the user must be an administrator there or a
member of its group Performance Monitor Users. The script prompts for the password unless it is given by
--password-file or the environment variable {PASSWORD_VARIABLE}.

Exit codes: 0 success; 1 a sample is incomplete and has been written as received; 2 usage error; 3 an input
or output could not be read or written.

  capture_remote.py SERVER --user 'DOMAIN\\ada' -o out && hkpd dump out
  capture_remote.py SERVER --user ada --object 238 --object 230 --count 60 --interval 1 -o out

Needs impacket: apt-get install python3-impacket, or pip install impacket.""",
    )
    add = parser.add_argument
    add("host", metavar="HOST", help="name or address of the machine")
    add("-o", "--output", metavar="DIRECTORY", required=True, help="new or empty directory to write to")
    add("-u", "--user", metavar="USER", help="USER, DOMAIN\\USER or USER@DOMAIN")
    add("--password-file", metavar="FILE", help="file with the password in its first line")
    add("--hash", action="store_true", help="the password is an NT hash (or LM:NT) instead")
    add("--kerberos", action="store_true", help="use the ticket of kinit in the cache named by KRB5CCNAME")
    add("--port", metavar="N", type=positive(int, 1), default=445, help="default 445")
    add("--timeout", metavar="SECONDS", type=positive(float, 0.1), default=60, help="timeout of each reply; default 60")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--query", metavar="TEXT", default="Global", help="query; default Global")
    what.add_argument("--object", metavar="INDEX", type=positive(int, 1), action="append", help="object to query (repeatable)")
    add("--language", metavar="NNN", action="append", help="language of the titles; default 009 (repeatable)")
    add("--count", metavar="N", type=positive(int, 0), default=1, help="number of samples; default 1, 0: until Ctrl-C")
    add("--interval", metavar="SECONDS", type=positive(float, 0), default=1, help="time between samples; default 1")
    add("--buffer", metavar="BYTES", type=positive(int, 0), default=ValueReader.FIRST_SIZE, help="initial buffer size")
    add("--max-bytes", metavar="BYTES", type=positive(int, 1), default=ValueReader.MOST, help="maximum buffer size; default 64 MiB")
    options = parser.parse_args(arguments)
    options.host = options.host.lstrip("\\")
    if not options.user and not options.kerberos:
        parser.error("--user or --kerberos is required")
    options.user = options.user or ""
    options.query = " ".join(map(str, options.object)) if options.object else options.query
    options.language = options.language or ["009"]
    for language in options.language:
        if not re.fullmatch("[0-9a-fA-F]{3}", language):
            parser.error(f"'{language}' is not a Windows language id such as 009 or 007")
    return options


def run(options):
    from impacket.dcerpc.v5.rpcrt import DCERPCException
    from impacket.nmb import NetBIOSError, NetBIOSTimeout
    from impacket.smbconnection import SessionError

    secret = "" if options.kerberos else read_secret(options)
    connection = connect(options)
    try:
        log_in(connection, options, secret)
        registry = Registry(connection, options.host)
        make_directory(options.output)
        reader = ValueReader(registry.query, options.buffer, options.max_bytes)
        capture = Capture(reader, options.host, options.output)
        try:
            for language in options.language:
                capture.take_titles(language)
            capture.take_samples(options.query, options.count, options.interval)
            registry.close()
        except KeyboardInterrupt:
            remark("interrupted")
    except SessionError as error:
        raise session_fault(error, options) from error
    except DCERPCException as error:
        raise rpc_fault(error, options) from error
    except (NetBIOSError, NetBIOSTimeout) as error:
        raise Fault(f"{options.host}: {error}") from error
    finally:
        with contextlib.suppress(Exception):  # an earlier error is more important
            connection.close()
    print(capture.summary())
    if capture.samples == 0:
        return EXIT_UNREADABLE
    return EXIT_DAMAGED if capture.damaged else EXIT_GOOD


def main(arguments=None):
    options = options_of(arguments)
    try:
        import impacket.smbconnection  # noqa: F401
    except ImportError as error:
        remark(
            f"{error}: install impacket for {sys.executable} (Debian and Ubuntu: apt-get install python3-impacket, "
            "which is for /usr/bin/python3)"
        )
        return EXIT_UNREADABLE
    try:
        return run(options)
    except Fault as fault:
        remark(fault)
        return fault.code
    except OSError as error:
        remark(f"{error.filename}: {error.strerror}" if error.filename else f"{options.host}: {error}")
        return EXIT_UNREADABLE
    except KeyboardInterrupt:
        remark("interrupted")
        return EXIT_UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
