"""Names of the standard library and of well-known packages whose calls change something outside of the
handler."""

from __future__ import annotations

import re

from mrtr_codemod.names.roles import local_part

_FILE_FUNCTIONS = frozenset(
    f"os.{name}"
    for name in (
        "remove", "unlink", "rename", "renames", "replace", "mkdir", "makedirs", "rmdir", "removedirs", "truncate",
        "symlink", "link", "chmod", "chown", "mkfifo", "mknod", "utime", "write", "ftruncate",
    )
) | frozenset(
    f"shutil.{name}"
    for name in ("rmtree", "move", "copy", "copy2", "copyfile", "copytree", "copymode", "make_archive",
                 "unpack_archive", "chown")
)  # fmt: skip
_PATH_METHODS = frozenset(
    {"write_text", "write_bytes", "unlink", "mkdir", "rmdir", "rename", "replace", "touch", "symlink_to",
     "hardlink_to", "chmod"}
)  # fmt: skip
_PATHS = ("pathlib.Path()", "anyio.Path()", "aiopath.AsyncPath()")
_OPEN_FILE = re.compile(
    r"(?:^open|io\.open|\.open|aiofiles\.open|os\.fdopen|tempfile\.\w+)\(\)\.(?:write|writelines|truncate)$"
)
_TEMPORARY = re.compile(r"^tempfile\.(?:mkstemp|mkdtemp|NamedTemporaryFile|TemporaryDirectory)$")
_PROCESS = re.compile(
    r"^(?:subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)"
    r"|os\.(?:system|popen|kill|killpg|spawn\w+|posix_spawn\w*|exec\w+|fork|abort)"
    r"|asyncio\.create_subprocess_(?:exec|shell)|anyio\.(?:run_process|open_process)|signal\.raise_signal)$"
)
_HTTP = re.compile(
    r"^(?:requests|httpx|aiohttp|urllib3|niquests)\b(?:\.\w+|\(\))*?\.(?:post|put|patch|delete|request|send|stream)$"
)
_NETWORK = re.compile(
    r"^(?:smtplib\.\w+\(\)\.(?:send\w*|login)|aiosmtplib\.send|socket\.create_connection"
    r"|socket\.socket\(\)\.(?:connect|send\w*)|asyncio\.open_connection|websockets\.connect"
    r"|websocket\.create_connection|ftplib\.\w+\(\)\.(?:stor\w+|delete|rename|mkd|rmd)|paramiko\..*\.exec_command)$"
)
_DATABASES = (
    "sqlite3", "aiosqlite", "psycopg", "psycopg2", "asyncpg", "pymysql", "aiomysql", "mysql", "sqlalchemy", "sqlmodel",
    "pymongo", "motor", "redis", "aioredis", "peewee", "tortoise", "duckdb", "pyodbc", "cassandra", "neo4j", "boto3",
)  # fmt: skip
_DATABASE_VERBS = re.compile(
    r"\.(?:execute|executemany|executescript|commit|add|add_all|delete|merge|flush|insert\w*|update\w*|delete_\w+"
    r"|replace_one|bulk_\w+|save|create\w*|drop\w*|set|setex|setnx|mset|hset|hmset|hdel|incr\w*|decr\w*|lpush|rpush|lpop"
    r"|rpop|sadd|srem|zadd|zrem|expire|publish|xadd|put_\w+|send_\w+|upload_\w+|terminate_\w+|stop_\w+|start_\w+)$"
)
STRONG_VERBS = frozenset(
    {
        "delete", "remove", "send", "post", "publish", "upload", "drop", "truncate", "purge", "destroy", "kill",
        "terminate", "deploy", "charge", "refund", "transfer", "pay", "revoke", "grant", "erase", "wipe", "reboot",
        "uninstall", "cancel", "restart", "rollback", "commit", "enqueue",
    }
)  # fmt: skip
"""First words of method names that say: this changes something."""
WEAK_VERBS = frozenset(
    {
        "create", "insert", "update", "upsert", "write", "save", "store", "put", "patch", "push", "merge", "move",
        "rename", "book", "reserve", "archive", "provision", "install", "register", "unregister", "submit", "apply",
        "approve", "notify", "dispatch", "reset",
    }
)  # fmt: skip
"""First words that say so only of a call that is awaited or whose result nobody takes: others may just make a value."""


def effect_of_name(external: str) -> str | None:
    """The kind of effect that calling an external object has, None if it is not known to have one."""
    if external in _FILE_FUNCTIONS or _TEMPORARY.match(external) or _OPEN_FILE.search(external):
        return "file"
    head, _, tail = external.rpartition(".")
    if tail in _PATH_METHODS and head.startswith(_PATHS):
        return "file"
    if _PROCESS.match(external):
        return "process"
    if _HTTP.match(external) or _NETWORK.match(external):
        return "network"
    if external.partition(".")[0] in _DATABASES and _DATABASE_VERBS.search(external):
        return "database"
    return None


def is_sdk(external: str) -> bool:
    """Whether an object belongs to the SDKs: progress, logging and notifications may be repeated."""
    return bool(local_part(external))
