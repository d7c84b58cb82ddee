//! Commands in the namespaces of hosts: instead of the plan's flows, a user's own programs.
//!
//! All commands of a run, and what they start, are in a PID namespace of its own. So the kernel ends them all with the run, in whatever
//! way it ends, and they see no processes but their own.

use crate::space::{self, Host, Trouble};
use crate::sys::{self, Confined, Group, Init};
use std::fmt::Write as _;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Servers have this long to listen before the command begins.
const HEAD_START: Duration = Duration::from_millis(300);
/// What is asked to end has this long.
const GRACE: Duration = Duration::from_millis(500);
/// Interval of looking whether a command has ended.
const LOOK: Duration = Duration::from_millis(5);
/// Commands bear the number and the start of the process that started them here, so that what a dead one left can be found.
pub const MARK: &str = "DUPACK_LIVE";

/// A command, and the host on which it runs.
#[derive(Clone, Debug)]
pub struct Task {
    /// The host.
    pub host: String,
    /// The program and its arguments; at least one word.
    pub words: Vec<String>,
}

/// Commands of a run.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// The run ends with it.
    pub main: Task,
    /// These run until then.
    pub servers: Vec<Task>,
    /// Standard output of all of them is this process' standard error, because its own output is a document.
    pub apart: bool,
    /// The main one is a shell that has the terminal.
    pub interactive: bool,
}

/// Started commands. Those that still run when this is dropped are ended.
struct Started(Vec<Child>);

impl Drop for Started {
    fn drop(&mut self) {
        for child in &mut self.0 {
            sys::ask_to_end(child.id());
        }
        let until = Instant::now() + GRACE;
        for child in &mut self.0 {
            while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
                std::thread::sleep(LOOK);
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs the commands until the main one has ended or it is halted: its exit code, as in shells.
///
/// # Errors
/// If a command cannot be started.
pub fn run(tasks: &Tasks, hosts: &[Host], ipv6: bool, halt: &AtomicBool) -> Result<i32, Trouble> {
    // The thread that makes a PID namespace can start no threads after it.
    space::on_a_thread(|| all(tasks, hosts, ipv6, halt))
}

fn all(tasks: &Tasks, hosts: &[Host], ipv6: bool, halt: &AtomicBool) -> Result<i32, Trouble> {
    // Dropped last: it ends what the commands have left.
    let _init = Init::start().map_err(Trouble::Processes)?;
    let setting = Setting {
        hosts,
        names: names(hosts, ipv6).into_bytes(),
        mark: mark(),
        user: caller(),
        apart: tasks.apart,
    };
    let mut started = Started(Vec::new());
    for task in &tasks.servers {
        started.0.push(setting.start(task, None)?);
    }
    if !tasks.servers.is_empty() {
        std::thread::sleep(HEAD_START);
    }
    for (task, server) in tasks.servers.iter().zip(&mut started.0) {
        // One that goes to the background ends, too, but with success.
        if let Ok(Some(status)) = server.try_wait()
            && !status.success()
        {
            let (words, host) = (task.words.join(" "), &task.host);
            return Err(Trouble::Other(format!(
                "the server on host {host}, {words}, ended at once ({status}); the command was not run"
            )));
        }
    }
    let mut main = Started(vec![setting.start(&tasks.main, Some(tasks.interactive))?]);
    loop {
        let ended = main.0[0].try_wait();
        let ended =
            ended.map_err(|why| Trouble::Other(format!("cannot wait for the command: {why}")))?;
        if let Some(status) = ended {
            return Ok(status
                .code()
                .unwrap_or_else(|| 128 + status.signal().unwrap_or(0)));
        }
        if halt.load(Ordering::Relaxed) {
            return Ok(128 + 2);
        }
        std::thread::sleep(LOOK);
    }
}

/// `/etc/hosts` with the hosts of the run.
fn names(hosts: &[Host], ipv6: bool) -> String {
    let mut text = String::new();
    for host in hosts {
        // Writing into a String cannot fail.
        let _ = match ipv6 {
            true => writeln!(text, "{} {}", host.ipv6, host.name),
            false => writeln!(text, "{} {}", host.ipv4, host.name),
        };
    }
    text + &std::fs::read_to_string("/etc/hosts").unwrap_or_default()
}

/// This process, and when it started: the kernel gives its number to others later.
fn mark() -> String {
    let process = std::process::id();
    let state = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field, the name, may have blanks and brackets in it. The start is field 22.
    let rest = state.rsplit_once(')').map_or("", |it| it.1);
    let start = rest.split_whitespace().nth(19).unwrap_or("0");
    format!("{process}:{start}")
}

/// The user that has called `sudo`, if one has: commands run as that user. A user namespace without `setgroups` does not have that user.
fn caller() -> Option<(u32, u32)> {
    let groups = std::fs::read_to_string("/proc/self/setgroups").unwrap_or_default();
    if groups.trim() == "deny" {
        return None;
    }
    let number = |name| std::env::var(name).ok()?.parse().ok();
    Some((number("SUDO_UID")?, number("SUDO_GID")?))
}

/// What all commands of a run have in common.
struct Setting<'a> {
    hosts: &'a [Host],
    names: Vec<u8>,
    mark: String,
    user: Option<(u32, u32)>,
    apart: bool,
}

impl Setting<'_> {
    /// Starts the main command, which may be interactive, or a server.
    fn start(&self, task: &Task, main: Option<bool>) -> Result<Child, Trouble> {
        let host = self.hosts.iter().find(|it| it.name == task.host);
        let host =
            host.ok_or_else(|| Trouble::Other(format!("no host is called {}", task.host)))?;
        let (program, arguments) = task.words.split_first().unwrap_or((&task.host, &[]));
        let failed =
            |why| Trouble::Other(format!("cannot run {program} on host {}: {why}", task.host));
        let mut command = Command::new(program);
        command.args(arguments).env(MARK, &self.mark);
        if main.is_none() {
            command.stdin(Stdio::null());
        }
        if self.apart {
            let error = std::io::stderr().as_fd().try_clone_to_owned();
            command.stdout(error.map_err(failed)?);
        }
        let how = Confined {
            space: &host.space,
            hosts: self.names.clone(),
            user: self.user,
            group: match main {
                None => Group::Apart,
                Some(false) => Group::Ours,
                Some(true) => Group::WithTerminal,
            },
        };
        sys::confine(&mut command, how);
        command.spawn().map_err(failed)
    }
}
