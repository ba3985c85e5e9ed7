"""What keeps an untrusted program in: namespaces for the whole runner, limits and a powerless user for each program.

Every measure is tried and its success recorded (`enter` returns the report); none is assumed. Not covered: a kernel
exploit, and total memory over many processes (only each process's address space is limited). Standard library only.
"""

import ctypes
import os
import resource
import shutil
import sys
import tempfile
from typing import Any

_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 1, 38, 36
_SIGKILL = 9
_SYS_CAPSET = {"x86_64": 126, "aarch64": 91}.get(os.uname().machine)
_STACK_BYTES = 128 << 20
_USER_BASE, _USER_COUNT = 61_000, 4_000

_libc = ctypes.CDLL(None, use_errno=True)


class Isolation:
    """The measures in force in this runner process; `report` names each with True or False."""

    def __init__(self) -> None:
        self.report: dict[str, bool] = {"network": False, "processes": False, "files": False, "user": False}
        self.workspace = ""
        """Folder under which every program gets its private temporary folder."""
        self.proc_fd = _open_folder("/proc")
        self._own_pids_fd: int | None = None
        self._user: int | None = None

    def enter(self, scratch_mb: int) -> None:
        """Move this process into its own namespaces and file tree, as far as the machine allows."""
        self._become_root_of_namespace()
        for flag in (_CLONE_NEWIPC, _CLONE_NEWUTS):
            _libc.unshare(flag)
        self.report["network"] = _libc.unshare(_CLONE_NEWNET) == 0
        self.report["processes"] = self._check_process_namespaces()
        if _libc.unshare(_CLONE_NEWNS) == 0:
            self.report["files"] = _enter_private_tree(scratch_mb)
        self.workspace = "/tmp" if self.report["files"] else tempfile.mkdtemp(prefix="or1-sandbox-")
        if not self.report["files"]:
            os.chmod(self.workspace, 0o711)
        if os.geteuid() == 0:
            self._user = _USER_BASE + os.getpid() % _USER_COUNT
            self.report["user"] = True
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def leave(self) -> None:
        if self.workspace and self.workspace != "/tmp":
            shutil.rmtree(self.workspace, ignore_errors=True)

    def _become_root_of_namespace(self) -> None:
        """Without root, a user namespace gives the right to make the other ones (where the kernel allows it)."""
        user, group = os.geteuid(), os.getegid()
        if user == 0 or _libc.unshare(_CLONE_NEWUSER) != 0:
            return
        for path, content in (
            ("/proc/self/setgroups", "deny"),
            ("/proc/self/uid_map", f"{user} {user} 1"),
            ("/proc/self/gid_map", f"{group} {group} 1"),
        ):
            try:
                with open(path, "w") as stream:
                    stream.write(content)
            except OSError:
                return

    def _check_process_namespaces(self) -> bool:
        try:
            self._own_pids_fd = os.open("/proc/self/ns/pid", os.O_RDONLY)
        except OSError:
            return False
        works = _libc.unshare(_CLONE_NEWPID) == 0 and _libc.setns(self._own_pids_fd, _CLONE_NEWPID) == 0
        if not works:
            os.close(self._own_pids_fd)
            self._own_pids_fd = None
        return works

    def fork(self) -> int:
        """Fork a child that is the first process of its own process namespace, so that killing it kills all it
        started; a plain fork where there are none."""
        if self._own_pids_fd is None:
            return os.fork()
        _libc.unshare(_CLONE_NEWPID)
        pid = os.fork()
        if pid:
            _libc.setns(self._own_pids_fd, _CLONE_NEWPID)
        return pid

    def private_folder(self) -> str:
        path = tempfile.mkdtemp(dir=self.workspace)
        if self._user is not None:
            os.chown(path, self._user, self._user)
        return path

    def confine(self, limits: dict[str, Any], keep_fd: int) -> None:
        """In the forked child: limits, no descriptors but 0, 1, 2 and `keep_fd`, then a user without rights."""
        memory = _address_space(self.proc_fd) + (int(limits["memory_mb"]) << 20)
        output = int(limits["output_mb"]) << 20
        cpu = int(-(-float(limits["total_cpu_s"]) // 1))
        _limit(resource.RLIMIT_AS, memory)
        _limit(resource.RLIMIT_FSIZE, output)
        _limit(resource.RLIMIT_CPU, cpu, cpu + 1)
        _limit(resource.RLIMIT_NOFILE, 256)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_STACK, _STACK_BYTES)
        if self._user is not None or self.report["processes"]:
            # without either, the limit would count every process of the user who runs us
            _limit(resource.RLIMIT_NPROC, int(limits["processes"]))
        _close_all_but(keep_fd)
        if self._user is not None:
            os.setgroups([])
            os.setresgid(self._user, self._user, self._user)
            os.setresuid(self._user, self._user, self._user)
        elif self.report["network"]:
            _drop_capabilities()
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def _close_all_but(keep_fd: int) -> None:
    """Python itself opens nothing that a program needs; what is open belongs to the runner."""
    os.closerange(3, max(3, keep_fd))
    os.closerange(keep_fd + 1 if keep_fd > 2 else 3, 65_536)


def _open_folder(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None


def _limit(what: int, soft: int, hard: int | None = None) -> None:
    current = resource.getrlimit(what)[1]
    hard = soft if hard is None else hard
    if current != resource.RLIM_INFINITY:
        soft, hard = min(soft, current), min(hard, current)
    resource.setrlimit(what, (soft, hard))


def _address_space(proc_fd: int | None) -> int:
    """Bytes of address space that this interpreter already has (the child starts as its copy)."""
    try:
        stream = os.open("self/statm", os.O_RDONLY, dir_fd=proc_fd)
    except (OSError, TypeError):
        return 512 << 20
    try:
        return int(os.read(stream, 200).split()[0]) * resource.getpagesize()
    finally:
        os.close(stream)


def _drop_capabilities() -> None:
    if _SYS_CAPSET is None:
        return
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _libc.syscall(_SYS_CAPSET, header, nothing)


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> bool:
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    return _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]) == 0


def _enter_private_tree(scratch_mb: int) -> bool:
    """A read-only tree of what Python needs, an empty /tmp of limited size, and nothing else of the host."""
    if not _mount("none", "/", None, _MS_REC | _MS_PRIVATE):
        return False
    root = _mount_point()
    if not root or not _mount("tmpfs", root, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=4m,mode=755"):
        return False
    # Before the rest: Python's own folders may lie below the host's /tmp, and must stay visible there.
    os.makedirs(root + "/tmp", exist_ok=True)
    if not _mount("tmpfs", root + "/tmp", "tmpfs", _MS_NOSUID | _MS_NODEV, f"size={scratch_mb}m,mode=711"):
        return False
    for path in _needed_paths():
        if not _bind(path, root):
            return False
    os.makedirs(root + "/dev", exist_ok=True)
    for device in ("null", "zero", "urandom", "random"):
        _bind(f"/dev/{device}", root, read_only=False)
    try:
        os.chroot(root)
        os.chdir("/")
    except OSError:
        return False
    return True


def _mount_point() -> str:
    """A standard folder to mount over (only we see it), so that no folder of ours stays behind on the host."""
    needed = _needed_paths()
    for path in ("/mnt", "/media", "/srv"):
        if os.path.isdir(path) and not any(p.startswith(path + "/") for p in needed):
            return path
    return ""


def _needed_paths() -> list[str]:
    wanted = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/opt/python"]
    wanted += [os.path.join(sys.base_prefix, "lib"), os.path.join(sys.base_prefix, "bin")]
    wanted += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    chosen: list[str] = []
    for path in sorted({os.path.abspath(p) for p in wanted if os.path.exists(p)}):
        if not any(path.startswith(parent + "/") for parent in chosen):
            chosen.append(path)
    return chosen


def _bind(path: str, root: str, read_only: bool = True) -> bool:
    """Show `path` of the host at the same place in the new tree (a link stays a link)."""
    target = root + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return True
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        open(target, "w").close()
    if not _mount(path, target, None, _MS_BIND | _MS_REC):
        return False
    flags = _MS_BIND | _MS_REMOUNT | _MS_NOSUID | (_MS_RDONLY | _MS_NODEV if read_only else 0)
    return _mount("none", target, None, flags) or not read_only
