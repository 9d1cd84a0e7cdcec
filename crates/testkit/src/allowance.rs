//! What a process may take, watched from inside.
//!
//! A run that hangs polls no flag, so only another thread can end it, and only together with the process. Campaigns give every machine a process
//! of its own with an [`MachineAllowance`], and go on with the next one. Processor time counts and not the clock: on a busy computer, and at idle priority, a
//! run waits for others. A process in which no thread does anything has the same right to its end; it is told by pulses without processor time.

use std::process;
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::silence::resident_bytes;

const PULSE: Duration = Duration::from_millis(500);
/// Pulses without processor time until all threads are taken to wait for each other.
const MAX_IDLE_PULSES: u32 = 240;
/// Processor time of a pulse that is the watcher's own.
const IDLE: Duration = Duration::from_millis(2);

#[derive(Clone, Copy, Debug)]
pub struct MachineAllowance {
    /// Processor time of all threads.
    pub time: Duration,
    pub bytes: u64,
}

impl MachineAllowance {
    /// Ends the process when it has taken more. `tell` is told why before.
    pub fn watch(self, tell: impl Fn(&str) + Send + 'static) {
        thread::spawn(move || {
            let mut pulse = Pulse { time: processor_time(), n_idle: 0 };
            loop {
                thread::sleep(PULSE);
                if let Some(reason) = pulse.excess(&self, processor_time(), resident_bytes()) {
                    tell(reason);
                    process::exit(1);
                }
            }
        });
    }
}

struct Pulse {
    time: Duration,
    n_idle: u32,
}

impl Pulse {
    /// Takes note of a pulse; what the process has taken too much of.
    fn excess(&mut self, allowed: &MachineAllowance, time: Duration, bytes: u64) -> Option<&'static str> {
        let is_idle = time.saturating_sub(self.time) <= IDLE;
        self.n_idle = if is_idle { self.n_idle + 1 } else { 0 };
        self.time = time;
        if time > allowed.time {
            return Some("time");
        }
        if bytes > allowed.bytes {
            return Some("memory");
        }
        (self.n_idle > MAX_IDLE_PULSES).then_some("idle time")
    }
}

/// Processor time of this process.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: MachineAllowance = MachineAllowance { time: Duration::from_secs(10), bytes: 1000 };

    #[test]
    fn a_process_ends_for_what_it_takes() {
        let mut pulse = Pulse { time: Duration::ZERO, n_idle: 0 };
        assert_eq!(pulse.excess(&ALLOWED, Duration::from_secs(9), 1000), None);
        assert_eq!(pulse.excess(&ALLOWED, Duration::from_secs(11), 1000), Some("time"));
        assert_eq!(pulse.excess(&ALLOWED, Duration::from_secs(9), 1001), Some("memory"));
    }

    #[test]
    fn threads_that_wait_for_each_other_are_noticed() {
        let mut pulse = Pulse { time: Duration::ZERO, n_idle: 0 };
        for _ in 0..MAX_IDLE_PULSES {
            assert_eq!(pulse.excess(&ALLOWED, Duration::ZERO, 0), None);
        }
        assert_eq!(pulse.excess(&ALLOWED, Duration::ZERO, 0), Some("idle time"));
        assert_eq!(pulse.excess(&ALLOWED, Duration::from_secs(1), 0), None);
    }
}
