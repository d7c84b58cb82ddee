//! Calls to the kernel that the standard library does not have: the only unsafe code of this crate.
//!
//! Each block passes the kernel pointers to values that live until the call returns, with their true sizes.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::fs::File;
use std::io::{self, Error};
use std::marker::PhantomData;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// The result of a call that returns -1 for an error.
fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        Err(Error::last_os_error())
    } else {
        Ok(result)
    }
}

/// Puts the calling thread into a new network namespace.
pub fn new_network_namespace() -> io::Result<()> {
    // SAFETY: takes no pointers. Only this thread is moved.
    checked(unsafe { libc::unshare(libc::CLONE_NEWNET) }).map(drop)
}

/// Puts the calling thread into a network namespace.
pub fn enter(space: &File) -> io::Result<()> {
    // SAFETY: takes no pointers. Only this thread is moved.
    checked(unsafe { libc::setns(space.as_raw_fd(), libc::CLONE_NEWNET) }).map(drop)
}

/// Makes the open `/dev/net/tun` a network device of IP packets without any header, of this name.
pub fn become_tun(file: &File, name: &str) -> io::Result<()> {
    // SAFETY: an `ifreq` of zeros is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // The last byte stays 0.
    let most = request.ifr_name.len() - 1;
    for (to, from) in request.ifr_name[..most].iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: TUNSETIFF reads and writes an `ifreq`, which lives until it returns.
    checked(unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request) }).map(drop)
}

/// Reads and writes of this file return at once.
pub fn set_nonblocking(file: &impl AsFd) -> io::Result<()> {
    let fd = file.as_fd().as_raw_fd();
    // SAFETY: takes no pointers.
    let flags = checked(unsafe { libc::fcntl(fd, libc::F_GETFL) })?;
    // SAFETY: takes no pointers.
    checked(unsafe { libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) }).map(drop)
}

/// What is awaited of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    /// It can be read.
    Read,
    /// It can be written.
    Write,
}

/// Files of which one is awaited to be ready.
pub struct Awaited<'f> {
    polls: Vec<libc::pollfd>,
    files: PhantomData<BorrowedFd<'f>>,
}

impl<'f> Awaited<'f> {
    /// These files, and what is awaited of all of them.
    pub fn new(files: impl IntoIterator<Item = BorrowedFd<'f>>, ready: Ready) -> Self {
        let poll = |file: BorrowedFd<'_>| libc::pollfd {
            fd: file.as_raw_fd(),
            events: match ready {
                Ready::Read => libc::POLLIN,
                Ready::Write => libc::POLLOUT,
            },
            revents: 0,
        };
        Self {
            polls: files.into_iter().map(poll).collect(),
            files: PhantomData,
        }
    }

    /// Waits until one of the files is ready, for at most `most`: the indices of those that are.
    pub fn wait(&mut self, most: Duration) -> io::Result<impl Iterator<Item = usize>> {
        let most = libc::timespec {
            tv_sec: most.as_secs().min(1 << 30) as libc::time_t,
            tv_nsec: most.subsec_nanos() as _,
        };
        // SAFETY: the array has `len` entries; it and the time live until the call returns, and the files are borrowed until then;
        // no signal mask is given.
        let done = unsafe {
            libc::ppoll(
                self.polls.as_mut_ptr(),
                self.polls.len() as libc::nfds_t,
                &most,
                std::ptr::null(),
            )
        };
        let some = match checked(done) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
            other => other? > 0,
        };
        // An error or the end of a file is found when it is read or written.
        let ready = self.polls.iter().enumerate();
        let ready = ready.filter(move |(_, it)| some && it.revents != 0);
        Ok(ready.map(|(at, _)| at))
    }
}

/// Discards up to `most` bytes that a TCP socket has received: their number.
pub fn discard(socket: &impl AsFd, most: usize) -> io::Result<usize> {
    let fd = socket.as_fd().as_raw_fd();
    // SAFETY: with MSG_TRUNC, TCP discards the bytes and writes nothing to the buffer, so that it may be null (tcp(7)).
    let read = unsafe { libc::recv(fd, std::ptr::null_mut(), most, libc::MSG_TRUNC) };
    usize::try_from(read).map_err(|_| Error::last_os_error())
}

/// The first bytes of the kernel's `struct tcp_info` of a socket, as many as it knows.
pub fn tcp_info(socket: &impl AsFd) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0u8; 512];
    let mut length = bytes.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into the buffer, which has as many, and the new length.
    checked(unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &mut length,
        )
    })?;
    bytes.truncate(length as usize);
    Ok(bytes)
}

/// Sets an option of a TCP socket that is a number.
pub fn set_tcp_option(socket: &impl AsFd, option: c_int, value: c_int) -> io::Result<()> {
    // SAFETY: the kernel reads the number, whose size is given.
    checked(unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            option,
            (&raw const value).cast(),
            size_of::<c_int>() as libc::socklen_t,
        )
    })
    .map(drop)
}

/// The scheduler wakes this thread as precisely as it can: its timers are not put off, and, if that is allowed, it runs before
/// others. True if it does run before others.
pub fn be_precise() -> bool {
    // SAFETY: takes no pointers.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: the kernel reads the parameter, which lives until the call returns; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &priority) == 0 }
}

/// The calling thread and what it starts can gain no privileges any more.
pub fn no_new_privileges() -> io::Result<()> {
    // SAFETY: takes no pointers.
    checked(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }).map(drop)
}

/// The calling thread gives up all capabilities.
pub fn drop_capabilities() -> io::Result<()> {
    /// `struct __user_cap_header_struct` of capget(2); process 0 is the calling thread.
    #[repr(C)]
    struct Header {
        version: u32,
        process: c_int,
    }
    /// Two `struct __user_cap_data_struct`: effective, permitted and inheritable sets, 32 capabilities each.
    type Sets = [[u32; 3]; 2];
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header {
        version: VERSION_3,
        process: 0,
    };
    let none: Sets = [[0; 3]; 2];
    // SAFETY: both structures have the kernel's layout of version 3 and live until the call returns.
    let done = unsafe { libc::syscall(libc::SYS_capset, &raw const header, &raw const none) };
    if done < 0 {
        return Err(Error::last_os_error());
    }
    Ok(())
}

/// Processor time of the calling thread.
pub fn thread_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes the time, which lives until the call returns.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A process group, which decides who gets the signals of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// That of this process.
    Ours,
    /// One of its own, which gets none.
    Apart,
    /// One of its own, to which the terminal belongs.
    WithTerminal,
}

/// How a command is confined.
pub struct Confined<'a> {
    /// Its network namespace.
    pub space: &'a File,
    /// What it finds in `/etc/hosts`.
    pub hosts: Vec<u8>,
    /// The user and group as which it runs, if not as those of this process.
    pub user: Option<(u32, u32)>,
    /// The process group in which it is.
    pub group: Group,
}

/// A command will run in a network namespace, sees the processes of its PID namespace only, can gain no privileges, takes signals as usual,
/// and dies with the thread that starts it.
pub fn confine(command: &mut Command, how: Confined<'_>) {
    let (space, hosts) = (how.space.as_raw_fd(), how.hosts);
    let (user, group_of_it) = (how.user, how.group);
    let prepare = move || {
        // SAFETY: takes no pointers. The file is open until the command has started, and this process has a single thread.
        checked(unsafe { libc::setns(space, libc::CLONE_NEWNET) })?;
        // SAFETY: takes no pointers.
        checked(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
        own_files(&hosts);
        leave_no_way_out();
        if let Some((user, group)) = user {
            // SAFETY: no groups, so that the pointer is not used; numbers otherwise.
            checked(unsafe { libc::setgroups(0, std::ptr::null()) })?;
            checked(unsafe { libc::setgid(group) })?;
            checked(unsafe { libc::setuid(user) })?;
        }
        match group_of_it {
            Group::Ours => {}
            // SAFETY: takes no pointers.
            Group::Apart => drop(checked(unsafe { libc::setpgid(0, 0) })),
            Group::WithTerminal => take_terminal(),
        }
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGQUIT] {
            // SAFETY: the default action is no function of ours.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        // SAFETY: takes no pointers.
        checked(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
        no_new_privileges()
    };
    // SAFETY: between fork and exec it only makes system calls, allocates nothing and takes no locks.
    unsafe { command.pre_exec(prepare) };
}

/// In the mount namespace of the calling process: `/etc/hosts` with these bytes, and `/proc` of its PID namespace.
///
/// Names of hosts are a convenience: without them there are addresses. A container may forbid a new `/proc`; then the command sees
/// processes that it cannot touch.
fn own_files(hosts: &[u8]) {
    let none = std::ptr::null();
    let mount = |what: &CStr, at: &CStr, kind: Option<&CStr>, flags| {
        let kind = kind.map_or(none, CStr::as_ptr);
        // SAFETY: the paths and the kind end with a zero and live until the call returns; without data (mount(2)).
        unsafe { libc::mount(what.as_ptr(), at.as_ptr(), kind, flags, none.cast()) == 0 }
    };
    let safe = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    if !mount(c"none", c"/", None, libc::MS_REC | libc::MS_PRIVATE) {
        return;
    }
    // The file has a place of its own in memory, so that nothing is left of it in whatever way the run ends.
    if mount(c"tmpfs", c"/proc", Some(c"tmpfs"), safe) {
        if write_file(c"/proc/hosts", hosts) {
            mount(c"/proc/hosts", c"/etc/hosts", None, libc::MS_BIND);
        }
        // SAFETY: the path is a constant.
        unsafe { libc::umount2(c"/proc".as_ptr(), libc::MNT_DETACH) };
    }
    mount(c"proc", c"/proc", Some(c"proc"), safe);
}

/// Writes a new file that all may read; true if all of it is written.
fn write_file(path: &CStr, bytes: &[u8]) -> bool {
    // SAFETY: the path ends with a zero, the buffer has as many bytes as is said; both live until the calls return.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o644);
        if file < 0 {
            return false;
        }
        // Whatever the umask is.
        let readable = libc::fchmod(file, 0o644) == 0;
        let written = libc::write(file, bytes.as_ptr().cast(), bytes.len());
        libc::close(file);
        readable && usize::try_from(written).is_ok_and(|it| it == bytes.len())
    }
}

/// The program that the calling process becomes cannot go to other namespaces, mount, or look into other processes, even as root.
fn leave_no_way_out() {
    const CAP_SYS_PTRACE: c_int = 19;
    const CAP_SYS_ADMIN: c_int = 21;
    for capability in [CAP_SYS_ADMIN, CAP_SYS_PTRACE] {
        // They fail where the process has no right to drop what it does not have.
        // SAFETY: take no pointers.
        unsafe {
            libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0);
            let lower = libc::PR_CAP_AMBIENT_LOWER;
            libc::prctl(libc::PR_CAP_AMBIENT, lower, capability, 0, 0);
        }
    }
}

/// The calling process gets a process group of its own, to which the terminal belongs, if standard input is one. Shells want that: the group
/// of this process has no number in their PID namespace.
fn take_terminal() {
    // SAFETY: take no pointers; the action is no function of ours.
    unsafe {
        if libc::isatty(0) == 1 && libc::setpgid(0, 0) == 0 {
            libc::signal(libc::SIGTTOU, libc::SIG_IGN);
            libc::tcsetpgrp(0, libc::getpid());
            libc::signal(libc::SIGTTOU, libc::SIG_DFL);
        }
    }
}

/// The first process of a PID namespace. When this is dropped or the whole process ends, in whatever way, the kernel ends all processes of
/// the namespace, whatever they have done to leave their parents.
pub struct Init {
    process: libc::pid_t,
    /// It ends when this is closed.
    life: Option<File>,
}

impl Init {
    /// Children of the calling thread are in a new PID namespace from now on, and the thread can start no threads any more.
    pub fn start() -> io::Result<Self> {
        let (read, write) = pipe()?;
        // SAFETY: takes no pointers. Only children of this thread are concerned.
        checked(unsafe { libc::unshare(libc::CLONE_NEWPID) })?;
        let ends = (read.as_raw_fd(), write.as_raw_fd());
        // SAFETY: the child only makes system calls, with a buffer of its own, until it ends; it has all signals blocked before it is born, so
        // that no handler of this process runs in it.
        let process = unsafe {
            let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            let process = libc::fork();
            if process == 0 {
                be_init(ends);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
            process
        };
        let life = Some(write);
        checked(process).map(|process| Self { process, life })
    }
}

impl Drop for Init {
    fn drop(&mut self) {
        self.life = None;
        // SAFETY: the state is not asked for. Interrupted calls are repeated.
        while unsafe { libc::waitpid(self.process, std::ptr::null_mut(), 0) } < 0
            && Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}

/// A pipe that commands do not inherit: its ends for reading and for writing.
fn pipe() -> io::Result<(File, File)> {
    let mut ends: [c_int; 2] = [-1; 2];
    // SAFETY: the kernel writes two numbers.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both are open, and nothing else has them.
    Ok(unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) })
}

/// Waits until the other end of a pipe is closed, and ends.
///
/// # Safety
/// For a child between fork and its end, in which no signal has a handler.
unsafe fn be_init((life, other): (c_int, c_int)) -> ! {
    // SAFETY: system calls only. The buffer lives as long as the process.
    unsafe {
        // Not reached by the terminal's signals.
        libc::setsid();
        // Those that end here are not waited for.
        libc::signal(libc::SIGCHLD, libc::SIG_IGN);
        // The pipe becomes number 0; all else is closed, above all its other end (a kernel before 5.9 has no call for the rest).
        libc::dup2(life, 0);
        libc::close(other);
        libc::syscall(libc::SYS_close_range, 1, c_int::MAX, 0);
        let mut byte = 0u8;
        libc::read(0, (&raw mut byte).cast(), 1);
        libc::_exit(0)
    }
}

/// Sends SIGTERM to a process that this one has started and not waited for.
pub fn ask_to_end(process: u32) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGTERM) };
}
