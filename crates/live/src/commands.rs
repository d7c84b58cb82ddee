//! Commands in the namespaces of hosts: instead of the plan's flows, a user's own programs.

use crate::space::{Host, Trouble};
use crate::sys;
use std::ffi::CString;
use std::fmt::Write as _;
use std::io::Write as _;
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
/// Commands bear the process that started them here, so that what a killed one left can be found.
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
    let names = names(hosts, ipv6)?;
    let mut started = Started(Vec::new());
    for task in &tasks.servers {
        started.0.push(start(task, hosts, &names, false)?);
    }
    if !tasks.servers.is_empty() {
        std::thread::sleep(HEAD_START);
    }
    let mut main = Started(vec![start(&tasks.main, hosts, &names, true)?]);
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

/// A file that is `/etc/hosts` with the hosts of the run; it is removed when this is dropped.
struct Names(std::path::PathBuf);

impl Drop for Names {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn names(hosts: &[Host], ipv6: bool) -> Result<Names, Trouble> {
    let mut text = String::new();
    for host in hosts {
        // Writing into a String cannot fail.
        let _ = match ipv6 {
            true => writeln!(text, "{} {}", host.ipv6, host.name),
            false => writeln!(text, "{} {}", host.ipv4, host.name),
        };
    }
    text += &std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let path = std::env::temp_dir().join(format!("dupack-live-{}.hosts", std::process::id()));
    let failed = |why| Trouble::Other(format!("cannot write {}: {why}", path.display()));
    // A file of another's is not followed or overwritten.
    let _ = std::fs::remove_file(&path);
    let mut file = std::fs::File::create_new(&path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    Ok(Names(path))
}

/// The user that has called `sudo`, if one has: commands run as that user.
fn caller() -> Option<(u32, u32)> {
    let number = |name| std::env::var(name).ok()?.parse().ok();
    Some((number("SUDO_UID")?, number("SUDO_GID")?))
}

fn start(task: &Task, hosts: &[Host], names: &Names, asks: bool) -> Result<Child, Trouble> {
    let host = hosts.iter().find(|it| it.name == task.host);
    let host = host.ok_or_else(|| Trouble::Other(format!("no host is called {}", task.host)))?;
    let (program, arguments) = task.words.split_first().unwrap_or((&task.host, &[]));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env(MARK, std::process::id().to_string());
    if !asks {
        command.stdin(Stdio::null());
    }
    let path = names.0.to_string_lossy().into_owned();
    let path = CString::new(path)
        .map_err(|_| Trouble::Other("the path of temporary files has a zero".into()))?;
    sys::confine(&mut command, &host.space, path, caller());
    command
        .spawn()
        .map_err(|why| Trouble::Other(format!("cannot run {program} on host {}: {why}", task.host)))
}
