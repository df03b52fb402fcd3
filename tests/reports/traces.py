"""Small strace logs for the report: ordinary ones, and one whose every name would like to be a script."""

from collections.abc import Iterable

RUN = 'document.documentElement.setAttribute("data-ran","yes")'
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    f"</script><script>{RUN}</script>",
    f"<img src=x onerror='{RUN}'>",
    f"<svg onload='{RUN}'>",
    f"\"><img src=x onerror='{RUN}'>",
    f'<a href="javascript:{RUN}">press</a>',
    "<b>bold</b> & &lt;i&gt; {{ 7 * 7 }} ${7*7} \u202etxt.exe",
    "%{y} %{customdata}",
    "<!--",
    "]]>",
)


def log(names: Iterable[str], program: str = "/bin/work") -> str:
    """Return the log of a program that reads each file and writes it anew, a millisecond a call."""
    calls = [f'execve({_quoted(program)}, ["work"], 0x7ffd /* 1 var */) = 0']
    for name in names:
        for flags, call in (("O_RDONLY", "read"), ("O_WRONLY|O_CREAT|O_TRUNC", "write")):
            calls.append(f"openat(AT_FDCWD, {_quoted(name)}, {flags}, 0666) = 3")
            calls.extend([f'{call}(3, ""..., 8192) = 8192'] * 3)
            calls.append("close(3) = 0")
    calls.append("exit_group(0) = ?")
    return "".join(f"100   1700000000.{number * 1000:06d} {call}\n" for number, call in enumerate(calls))


def _quoted(name: str) -> str:
    """Write a name as strace does: bytes beyond ASCII in octal."""
    escaped = {0x22: '\\"', 0x5C: "\\\\", 0x0A: "\\n"}
    return (
        '"'
        + "".join(escaped.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in name.encode())
        + '"'
    )
