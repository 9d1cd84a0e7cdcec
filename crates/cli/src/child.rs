//! Subprocess runner for `abridge check`.
//!
//! A process per machine bounds its time, isolates its crashes and measures its memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::disk;

/// Runs `abridge check --json` on a machine and returns its JSON, or the reason why there is none.
pub(crate) fn check<'o>(
    file: &Path,
    options: impl Iterator<Item = &'o String>,
    limit: Duration,
) -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|error| format!("cannot find the program itself: {error}"))?;
    let mut command = Command::new(program);
    // Cached answers of earlier runs would change the time.
    command.arg("check").arg(file).args(["--json", "--por-cache", "off"]).args(options);
    command.args(disk::passed_on());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start: {error}"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let start = Instant::now();
    std::thread::scope(|scope| {
        let (ended, end) = std::sync::mpsc::channel();
        let stdout = scope.spawn(move || {
            let text = read_all(stdout);
            let _ = ended.send(());
            text
        });
        let stderr = scope.spawn(|| read_all(stderr));
        // A process that closes its output is about to exit.
        let _ = end.recv_timeout(limit);
        let status = wait(&mut child, start, limit)?;
        let (stdout, stderr) = (stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default());
        serde_json::from_str(&stdout).map_err(|_| {
            let said = if stderr.trim().is_empty() { &stdout } else { &stderr };
            format!("no JSON, {status}: {}", first_line(said))
        })
    })
}

fn read_all(source: Option<impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut source) = source {
        let _ = source.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits for a process to exit, and kills it at the time limit.
fn wait(child: &mut std::process::Child, start: Instant, limit: Duration) -> Result<std::process::ExitStatus, String> {
    let mut pause = Duration::from_micros(100);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if start.elapsed() < limit => {}
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("timeout".to_owned());
            }
            Err(error) => return Err(format!("cannot wait: {error}")),
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The first line that is not blank, shortened.
pub(crate) fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(160).collect()
}
