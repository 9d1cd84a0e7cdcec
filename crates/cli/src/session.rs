//! What ends a command of a dialogue and not the dialogue: Ctrl-C, and a lack of memory.
//!
//! A thread of the [`DialogueSession`] raises one stop flag, which all evaluations of the dialogue look at; it is lowered before the next command. Without it, Ctrl-C
//! would end the whole dialogue, or nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use abridge_check::{Config, Memory};
use abridge_diag::StopFlag;

use crate::commands::account;
use crate::exit::Exit;
use crate::out::{errln, flush};
use crate::prompt::Prompt;
use crate::watch::{Ceiling, Interrupt, resident_bytes, usual_budget};

/// Time between two looks at the signals and at the memory.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// A command that has not ended so long after Ctrl-C is ended with the process by the next one.
const GRACE_AFTER_INTERRUPT: Duration = Duration::from_secs(3);

pub(crate) struct DialogueSession {
    flag: StopFlag,
    memory: Memory,
    interrupt: Interrupt,
    is_busy: Arc<AtomicBool>,
    is_person: bool,
}

impl DialogueSession {
    /// A session with somebody at a terminal, or with a script, which Ctrl-C ends as a whole. The line editor takes signals for itself when it is made, so that it has to be there
    /// before.
    pub(crate) fn new(prompt: &Prompt) -> DialogueSession {
        let is_person = prompt.is_person();
        let budget = usual_budget();
        let session = DialogueSession {
            flag: StopFlag::default(),
            memory: account(budget),
            interrupt: Interrupt::of_session(!is_person),
            is_busy: Arc::default(),
            is_person,
        };
        let (flag, memory, interrupt) = (session.flag.clone(), session.memory.clone(), session.interrupt.clone());
        let is_busy = session.is_busy.clone();
        std::thread::spawn(move || keep(&flag, &memory, &interrupt, &is_busy, Ceiling::above(budget)));
        session
    }

    /// Executes a command that the user may interrupt.
    pub(crate) fn run<T>(&self, command: impl FnOnce() -> T) -> T {
        self.flag.lower();
        self.is_busy.store(true, Ordering::Relaxed);
        let result = command();
        self.is_busy.store(false, Ordering::Relaxed);
        // A request that comes between the line and its command counts for the command.
        self.interrupt.set_asked(false);
        self.interrupt.set_ends(!self.is_person);
        result
    }

    /// The command that runs was interrupted.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.is_asked()
    }

    pub(crate) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Has the evaluations of a configuration ended with the command.
    pub(crate) fn guarded(&self, mut config: Config) -> Config {
        config.stop = self.flag.clone();
        config.eval.memory = self.memory.clone();
        config
    }
}

impl Drop for DialogueSession {
    fn drop(&mut self) {
        // Whoever comes next in this process has a say of its own.
        self.interrupt.set_ends(false);
    }
}

fn keep(flag: &StopFlag, memory: &Memory, interrupt: &Interrupt, is_busy: &AtomicBool, ceiling: Ceiling) {
    let mut asked: Option<Instant> = None;
    loop {
        std::thread::sleep(POLL_INTERVAL);
        let resident = resident_bytes();
        memory.update(resident);
        if !is_busy.load(Ordering::Relaxed) {
            asked = None;
            continue;
        }
        if resident >= ceiling.hard {
            errln!("error: memory limit reached during an evaluation that could not be interrupted");
            flush();
            std::process::exit(Exit::Incomplete as i32);
        }
        if interrupt.is_asked() || resident >= ceiling.soft {
            flag.raise();
        }
        if interrupt.is_asked() && asked.get_or_insert_with(Instant::now).elapsed() >= GRACE_AFTER_INTERRUPT {
            interrupt.set_ends(true);
        }
    }
}
