"""Names of counters and of time zones in several languages.

Names of counters come from titles/localized.tsv of the real data, if HKPD_SHARED_DIR states where that is; otherwise from the
few names below, which are enough for each language to have letters of its own.
"""
import functools
import os
import pathlib

OBJECTS = ["System", "Memory", "Processor", "Process", "Thread", "PhysicalDisk", "LogicalDisk", "Cache", "Objects", "Paging File",
           "Network Interface", "Redirector", "Server"]
WITH_INSTANCES = {"Processor", "Process", "Thread", "PhysicalDisk", "LogicalDisk", "Paging File", "Network Interface"}
INSTANCES = ["_Total", "0", "1", "0 C:", "svchost#1", "sqlservr", "a, b; c", "Intel[R] Ethernet _2", 'disk "new"']

# Object, counter: English and local.
OWN = {
    "English": [("Processor", "% Processor Time"), ("Memory", "Available Bytes"), ("System", "Processes"), ("PhysicalDisk", "Disk Reads/sec"),
                ("Process", "Handle Count"), ("Memory", "Pages/sec"), ("LogicalDisk", "% Free Space")],
    "German": [("Prozessor", "Prozessorzeit (%)"), ("Arbeitsspeicher", "Verfügbare Bytes"), ("System", "Prozesse"),
               ("Physikalischer Datenträger", "Lesevorgänge/s")],
    "French": [("Processeur", "% temps processeur"), ("Mémoire", "Octets disponibles"), ("Système", "Processus")],
    "Polish": [("Procesor", "Czas procesora (%)"), ("Pamięć", "Dostępne bajty"), ("Dysk fizyczny", "Średnia długość kolejki dysku")],
    "Czech": [("Procesor", "% času procesoru"), ("Paměť", "Bajty k dispozici"), ("Systém", "Počet procesů")],
    "Russian": [("Процессор", "% загруженности процессора"), ("Память", "Доступно байт"), ("Система", "Процессов")],
    "Turkish": [("İşlemci", "% İşlemci Zamanı"), ("Bellek", "Kullanılabilir Bayt")],
    # The second bytes of 表, ソ and 能 in code page 932 are backslashes.
    "Japanese": [("Processor", "% Processor Time"), ("ソフトウェア", "表示回数"), ("ネットワーク", "性能 (合計)")],
    "Chinese": [("处理器信息", "处理器时间百分比"), ("内存", "可用字节"), ("Processor", "% Processor Time")],
    "Korean": [("프로세서 정보", "프로세서 시간"), ("메모리", "사용 가능한 바이트")],
}
OWN_HEADINGS = ["Sessions", "Users online", "Orders/h", "Temperature (C)"]

# For each language: zone of IANA, and its standard and daylight time as Windows names them in English and locally.
ZONES = {
    "English": [("Europe/London", "GMT Standard Time", "GMT Daylight Time"),
                ("America/New_York", "Eastern Standard Time", "Eastern Daylight Time"),
                ("America/Los_Angeles", "Pacific Standard Time", "Pacific Daylight Time"),
                ("Australia/Sydney", "AUS Eastern Standard Time", "AUS Eastern Daylight Time"),
                ("Australia/Lord_Howe", "Lord Howe Standard Time", "Lord Howe Daylight Time"),
                ("Asia/Kolkata", "India Standard Time", "India Daylight Time"),
                ("America/Mexico_City", "Central Standard Time (Mexico)", "Central Daylight Time (Mexico)"),
                ("America/Santiago", "Pacific SA Standard Time", "Pacific SA Daylight Time")],
    "German": [("Europe/Berlin", "W. Europe Standard Time", "W. Europe Daylight Time", "Mitteleuropäische Zeit",
                "Mitteleuropäische Sommerzeit")],
    "French": [("Europe/Paris", "Romance Standard Time", "Romance Daylight Time", "Paris, Madrid", "Paris, Madrid (heure d’été)")],
    "Polish": [("Europe/Warsaw", "Central European Standard Time", "Central European Daylight Time",
                "Środkowoeuropejski czas stand.", "Środkowoeuropejski czas letni")],
    "Czech": [("Europe/Prague", "Central Europe Standard Time", "Central Europe Daylight Time", "Střední Evropa (běžný čas)",
               "Střední Evropa (letní čas)")],
    "Russian": [("Europe/Moscow", "Russian Standard Time", "Russian Daylight Time", "RTZ 2 (зима)", "RTZ 2 (лето)")],
    "Turkish": [("Europe/Istanbul", "Turkey Standard Time", "Turkey Daylight Time", "Türkiye Standart Saati",
                 "Türkiye Yaz Saati")],
    "Japanese": [("Asia/Tokyo", "Tokyo Standard Time", "Tokyo Daylight Time", "東京 (標準時)", "東京 (夏時間)")],
    "Chinese": [("Asia/Shanghai", "China Standard Time", "China Daylight Time", "中国标准时间", "中国夏令时")],
    "Korean": [("Asia/Seoul", "Korea Standard Time", "Korea Daylight Time", "대한민국 표준시", "대한민국 일광 절약 시간")],
}
# The languages whose local name of a zone is not expected to show the code page.
RARE_ZONE_NAMES = {"Polish", "Czech", "Turkish"}


@functools.cache
def localized():
    """Returns objects and counters of each language of localized.tsv, as (English, local)."""
    path = pathlib.Path(os.environ.get("HKPD_SHARED_DIR", "")) / "data/titles/localized.tsv"
    found = {}
    if not os.environ.get("HKPD_SHARED_DIR") or not path.is_file():
        return found
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        _, language, english, _, local, source = line.split("\t")
        if "doubtful" in source or "folded" in source or any(mark in local for mark in '\\"\t') or local != local.strip():
            continue
        objects, counters = found.setdefault(language, ([], []))
        if english in OBJECTS:
            if "(" not in local:
                objects.append((english, local))
        elif any(mark in english for mark in ("/sec", "%", "Bytes", "Count")):
            counters.append((english, local))
    return {language: lists for language, lists in found.items() if all(lists)}


def counter(dice, language, encoding):
    """Returns the names of an object, of an instance (or "") and of a counter."""
    instance = dice.choice(INSTANCES)
    if language in localized() and dice.random() < 0.8:
        objects, counters = localized()[language]
        english, local = dice.choice(objects)
        name = dice.choice(counters)[1]
        if english not in WITH_INSTANCES:
            instance = ""
    else:
        local, name = dice.choice(OWN[language])
        if local in ("Memory", "System", "Arbeitsspeicher", "Mémoire"):
            instance = ""
    try:
        (local + name).encode(encoding)
    except UnicodeEncodeError:
        return counter(dice, language, encoding)
    return local, instance, name
