#!/usr/bin/env python3
"""Reads the performance data of a remote Windows machine, or Samba server, from any machine with Python.

What RegQueryValueEx(HKEY_PERFORMANCE_DATA) returns there is fetched over the winreg protocol (MS-RRP, on the named pipe
of that name) and written as it comes: 000000.bin, 000001.bin, ... and the title databases, counter-009.multi_sz and
help-009.multi_sz, which turn indices into names. The directory is an input for hkpd:

    hkpd dump DIRECTORY
    hkpd replay DIRECTORY
    hkpd capture --from DIRECTORY -o run.mcap
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

EXIT_GOOD, EXIT_DAMAGED, EXIT_USAGE, EXIT_UNREADABLE = 0, 1, 2, 3  # as hkpd has them

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
    "The user has to be a member of that machine's group Performance Monitor Users (or Administrators), and to be "
    "let in by its service RemoteRegistry."
)


class Fault(Exception):
    """What went wrong, for the user to read."""

    def __init__(self, text, code=EXIT_UNREADABLE):
        super().__init__(text)
        self.code = code


# --- The registry of the other machine ---------------------------------------------------------------------------


def query_request(handle, name, size):
    """The request of BaseRegQueryValue (MS-RRP 3.1.5.17): a buffer of `size` bytes of which none is sent.

    By hand, for impacket would take the buffer apart byte by byte, and send it.
    """
    text = (name + "\0").encode("utf-16-le")
    characters = len(text) // 2
    pointer = 0x20000  # anything but 0
    request = handle + struct.pack("<HHIIII", len(text), len(text), pointer, characters, 0, characters) + text
    request += bytes(-len(request) % 4)
    request += struct.pack("<II", pointer, 0)  # lpType
    request += struct.pack("<IIII", pointer, size, 0, 0)  # lpData: room, offset, and how many bytes follow
    request += struct.pack("<II", pointer, size)  # lpcbData
    return request + struct.pack("<II", pointer, 0)  # lpcbLen


def query_reply(reply):
    """The Win32 error and the bytes of a reply of BaseRegQueryValue."""
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
                raise Fault("the answer to BaseRegQueryValue is cut off")
            at += length + -length % 4
        for _ in ("lpcbData", "lpcbLen"):  # neither is to be trusted
            if number():
                number()
        return number(), data
    except struct.error:
        raise Fault("the answer to BaseRegQueryValue is too short") from None


class Registry:
    """HKEY_PERFORMANCE_DATA of a machine, over an SMB connection that was logged in."""

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
        """Where the service starts on demand, asking for its pipe starts it, and the pipe is there a little later."""
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
                    f"{self.host}: the service RemoteRegistry does not run there. An administrator starts it with\n"
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
        """The other side unloads its providers."""
        self.rpc.call(self.rrp.BaseRegCloseKey.opnum, self.handle)
        self.rpc.recv()
        self.rpc.disconnect()


def error_text(status):
    from impacket.system_errors import ERROR_MESSAGES

    name, text = ERROR_MESSAGES.get(status, ("error", "unknown"))
    advice = ""
    if status == 2:  # ERROR_FILE_NOT_FOUND
        advice = " Unless the query is wrong, the counters there may be damaged: lodctr /R builds their registry anew."
    return f"{name} ({status}): {text}{advice}"


def check(status, what):
    if status == ERROR_ACCESS_DENIED:
        raise Fault(f"{what}: access is denied. {RIGHTS}")
    if status != ERROR_SUCCESS:
        raise Fault(f"{what}: {error_text(status)}")


# --- The policy of buffers ---------------------------------------------------------------------------------------


def missing_of_block(data, size):
    """What tells that a data block is not all there; nothing where it is."""
    if len(data) == size:
        return "it fills the buffer to the last byte"  # Samba cuts it off there and says nothing
    if len(data) < 24:
        return f"it has {len(data)} bytes"
    if data[:8] != "PERF".encode("utf-16-le"):
        return "it is no performance data"
    total = struct.unpack_from("<I", data, 20)[0]
    if total == 0:
        return "it says that it has no bytes"
    if total > len(data):
        return f"it has {len(data)} of {total} bytes"
    return None


def missing_of_titles(data, size):
    return "it fills the buffer to the last byte" if len(data) == size else None


class ValueReader:
    """Reads values whose size nobody knows beforehand. What ERROR_MORE_DATA says of it is not looked at: it may be
    0, what was offered, or anything."""

    FIRST_SIZE, MOST = 1 << 18, 1 << 26  # Samba refuses a request for 256 MiB
    FIRST_WAIT, WAITS = 0.05, 8  # 13 seconds in all

    def __init__(self, query, first=FIRST_SIZE, most=MOST, sleep=time.sleep):
        """`query(name, size)` gives a Win32 error and bytes."""
        self.query, self.first, self.most, self.sleep = query, min(first, most), most, sleep
        self.sizes = {}  # what was enough the last time

    def read(self, name, missing):
        """The Win32 error, the bytes, and what is still missing of them. `missing(data, size)` judges a reply."""
        size = self.sizes.get(name, self.first)
        while True:
            status, data = self.query_patiently(name, size)
            lacks = missing(data, size) if status == ERROR_SUCCESS else None
            if status != ERROR_MORE_DATA and lacks is None:
                self.sizes[name] = size
                return status, data, None
            if size >= self.most:
                return status, data, lacks
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
    """All of it or nothing, also when the script is interrupted."""
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
        raise Fault(f"{path}: is not empty, and nothing is overwritten")


class Capture:
    """What is fetched, on its way to a directory."""

    def __init__(self, reader, host, directory):
        self.reader, self.host, self.directory = reader, host, directory
        self.samples = self.bytes = self.missed = 0
        self.damaged = False
        self.titles = []

    def take_titles(self, language):
        """Samba has help texts under the name that Windows NT had for them."""
        self.take_title("Counter", language)
        if not self.take_title("Help", language) and not self.take_title("Explain", language):
            remark(f"{self.host}: no help texts of language {language}")

    def take_title(self, value, language):
        status, data, lacks = self.reader.read(f"{value} {language}", missing_of_titles)
        if status == ERROR_SUCCESS and len(data) > 4 and not lacks:
            name = f"{value.lower()}-{language}.multi_sz"
            write_file(self.directory, name, data)
            self.titles.append(name)
            return True
        if value == "Counter":
            why = error_text(status) if status else lacks or "the answer is empty"
            remark(f"{self.host}: no names of language {language}: {why}")
        return False

    def take_sample(self, query):
        status, data, lacks = self.reader.read(query, missing_of_block)
        if status == ERROR_MORE_DATA:
            raise Fault(f"{self.host}: '{query}' is larger than {self.reader.most} bytes: give a larger --max-bytes")
        check(status, f"{self.host}: '{query}'")
        if not data:  # so Samba answers those who may not read it
            raise Fault(f"{self.host}: '{query}': the answer is empty. {RIGHTS}")
        if lacks:
            self.damaged = True
            remark(f"{self.host}: sample {self.samples} is not whole: {lacks}")
        write_file(self.directory, f"{self.samples:06}.bin", data)
        self.samples += 1
        self.bytes += len(data)

    def take_samples(self, query, count, interval):
        """At `interval` seconds by the clock; moments that are past when a sample is through are left out."""
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
        return text + (f"; {self.missed} missed, for want of time" if self.missed else "")


def remark(text):
    print(f"capture_remote.py: {text}", file=sys.stderr)


# --- The way there -----------------------------------------------------------------------------------------------


def read_secret(options):
    """The password, or its hash: from a file, the environment or the terminal, which nobody else can read."""
    if options.password_file:
        with open(options.password_file, encoding="utf-8") as file:
            return file.readline().rstrip("\r\n")
    if PASSWORD_VARIABLE in os.environ:
        return os.environ[PASSWORD_VARIABLE]
    if not sys.stdin.isatty():
        raise Fault(f"no password: give --password-file FILE, or set {PASSWORD_VARIABLE}", EXIT_USAGE)
    return getpass.getpass(f"{'Hash' if options.hash else 'Password'} of {options.user} on {options.host}: ")


def split_user(user):
    """Name and domain of DOMAIN\\USER, DOMAIN/USER, USER@DOMAIN or USER."""
    for separator in "\\/":
        if separator in user:
            domain, name = user.split(separator, 1)
            return name, domain
    name, _, domain = user.partition("@")
    return name, domain


def split_hash(secret):
    """The LM and the NT hash of `LM:NT`, `:NT` or `NT`."""
    match = re.fullmatch(r"(?:([0-9a-fA-F]{32})?:)?([0-9a-fA-F]{32})", secret)
    if not match:
        raise Fault("with --hash the secret is an NT hash of 32 hexadecimal digits, or LM:NT", EXIT_USAGE)
    return match[1] or "", match[2]


def connect(options):
    from impacket.smbconnection import SMBConnection

    try:
        return SMBConnection(options.host, options.host, sess_port=options.port, timeout=options.timeout)
    except Exception as error:  # of many kinds: where nobody answers in time, one without a name
        raise Fault(f"{options.host}: cannot be reached on port {options.port}: {error}") from error


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
        raise Fault("--kerberos takes the ticket from the file that KRB5CCNAME names, and that is not set", EXIT_USAGE)
    try:
        connection.kerberosLogin(name, "", domain, useCache=True)
    except SessionError:
        raise
    except Exception as error:  # of many kinds: no such file, no ticket, no answer from the domain controller
        raise Fault(f"{host}: Kerberos: {error}") from error


def session_fault(error, options):
    """An SMB error in plain words."""
    from impacket import nt_errors

    status = error.getErrorCode()
    if status == nt_errors.STATUS_LOGON_FAILURE:
        return Fault(f"{options.host}: user or password is wrong ({options.user})")
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

    parse.__name__ = f"number from {least} on"  # argparse says it where the value is wrong
    return parse


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="capture_remote.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"""The other machine has to run the service RemoteRegistry, and to let the user in: a member of its group
Performance Monitor Users, or an administrator. The password is asked for, unless --password-file or the
environment variable {PASSWORD_VARIABLE} has it.

Exit codes: 0 good; 1 a sample is not whole, what came has been written; 2 wrong usage; 3 something could not
be read or written.

  capture_remote.py SERVER --user 'DOMAIN\\ada' -o out && hkpd dump out
  capture_remote.py SERVER --user ada --object 238 --object 230 --count 60 --interval 1 -o out

Needs impacket: apt-get install python3-impacket, or pip install impacket.""",
    )
    add = parser.add_argument
    add("host", metavar="HOST", help="the machine's name or address")
    add("-o", "--output", metavar="DIRECTORY", required=True, help="where to write to: a new or empty directory")
    add("-u", "--user", metavar="USER", help="USER, DOMAIN\\USER or USER@DOMAIN")
    add("--password-file", metavar="FILE", help="its first line is the password")
    add("--hash", action="store_true", help="the password is an NT hash (or LM:NT) instead")
    add("--kerberos", action="store_true", help="use the ticket that kinit got, of the cache that KRB5CCNAME names")
    add("--port", metavar="N", type=positive(int, 1), default=445, help="default 445")
    add("--timeout", metavar="SECONDS", type=positive(float, 0.1), default=60, help="for each answer; default 60")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--query", metavar="TEXT", default="Global", help="what to ask for; default Global")
    what.add_argument("--object", metavar="INDEX", type=positive(int, 1), action="append", help="an object (repeatable)")
    add("--language", metavar="NNN", action="append", help="language of the titles; default 009 (repeatable)")
    add("--count", metavar="N", type=positive(int, 0), default=1, help="samples; default 1, and 0 until Ctrl-C")
    add("--interval", metavar="SECONDS", type=positive(float, 0), default=1, help="between samples; default 1")
    add("--buffer", metavar="BYTES", type=positive(int, 0), default=ValueReader.FIRST_SIZE, help="to begin with")
    add("--max-bytes", metavar="BYTES", type=positive(int, 1), default=ValueReader.MOST, help="most of it; default 64 MiB")
    options = parser.parse_args(arguments)
    options.host = options.host.lstrip("\\")
    if not options.user and not options.kerberos:
        parser.error("give --user, or --kerberos")
    options.user = options.user or ""
    options.query = " ".join(map(str, options.object)) if options.object else options.query
    options.language = options.language or ["009"]
    for language in options.language:
        if not re.fullmatch("[0-9a-fA-F]{3}", language):
            parser.error(f"'{language}' is no language as Windows numbers them, such as 009 or 007")
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
        with contextlib.suppress(Exception):  # what went wrong before is what counts
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
