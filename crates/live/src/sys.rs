//! Calls to the kernel that the standard library does not have: the only unsafe code of this crate.
//!
//! Each block passes the kernel pointers to values that live until the call returns, with their true sizes.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::io::{self, Error};
use std::marker::PhantomData;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
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

/// A command will run in a network namespace, with this file as `/etc/hosts`, as this user and group if they are given. It can gain no
/// privileges, takes signals as usual, and dies with the thread that starts it.
pub fn confine(command: &mut Command, space: &File, hosts: CString, user: Option<(u32, u32)>) {
    let space = space.as_raw_fd();
    let prepare = move || {
        // SAFETY: takes no pointers. The file is open until the command has started, and this process has a single thread.
        checked(unsafe { libc::setns(space, libc::CLONE_NEWNET) })?;
        // Names of hosts are a convenience: without them there are addresses.
        let _ = own_hosts(&hosts);
        if let Some((user, group)) = user {
            // SAFETY: no groups, so that the pointer is not used; numbers otherwise.
            checked(unsafe { libc::setgroups(0, std::ptr::null()) })?;
            checked(unsafe { libc::setgid(group) })?;
            checked(unsafe { libc::setuid(user) })?;
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

/// Puts a file in the place of `/etc/hosts`, for the calling process alone.
fn own_hosts(file: &CStr) -> io::Result<()> {
    let none = std::ptr::null();
    // SAFETY: takes no pointers.
    checked(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    // SAFETY: the path is a constant, the others may be null for a change of propagation (mount(2)).
    let all = libc::MS_REC | libc::MS_PRIVATE;
    checked(unsafe { libc::mount(none, c"/".as_ptr(), none, all, none.cast()) })?;
    // SAFETY: both paths end with a zero and live until the call returns.
    checked(unsafe {
        libc::mount(
            file.as_ptr(),
            c"/etc/hosts".as_ptr(),
            none,
            libc::MS_BIND,
            none.cast(),
        )
    })
    .map(drop)
}

/// Sends SIGTERM to a process that this one has started and not waited for.
pub fn ask_to_end(process: u32) {
    // SAFETY: takes no pointers.
    unsafe { libc::kill(process as libc::pid_t, libc::SIGTERM) };
}
