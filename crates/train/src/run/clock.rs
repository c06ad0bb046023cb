//! The run's own clock: time while a process works on it, wall time and CPU time.

use std::time::Instant;

/// Measures the time from one lap to the next.
pub struct Clock {
    wall: Instant,
    cpu: Option<f64>,
}

/// The time of a lap, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lap {
    /// Wall time.
    pub seconds: f64,
    /// Of all threads of this process, and of the engines that have ended. Time in which the process was stopped is not
    /// in it. `None` where the system does not tell.
    pub cpu_seconds: Option<f64>,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Clock {
        Clock { wall: Instant::now(), cpu: cpu_seconds() }
    }

    /// The time since the last lap, or since the start.
    pub fn lap(&mut self) -> Lap {
        let last = std::mem::replace(self, Clock::start());
        let cpu_seconds = self.cpu.zip(last.cpu).map(|(now, before)| (now - before).max(0.0));
        Lap { seconds: (self.wall - last.wall).as_secs_f64(), cpu_seconds }
    }
}

/// CPU seconds, user and system, of this process and of its children that have ended.
#[cfg(unix)]
fn cpu_seconds() -> Option<f64> {
    let used = |who: libc::c_int| {
        // SAFETY: all zeros is a value of this plain structure, and getrusage writes to nothing else.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::getrusage(who, &mut usage) == 0).then_some(usage)?
        };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + 1e-6 * time.tv_usec as f64;
        Some(seconds(usage.ru_utime) + seconds(usage.ru_stime))
    };
    Some(used(libc::RUSAGE_SELF)? + used(libc::RUSAGE_CHILDREN)?)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn laps_add_up_and_children_count() {
        let (mut whole, mut clock) = (Clock::start(), Clock::start());
        let before = cpu_seconds().unwrap();
        while cpu_seconds().unwrap() - before < 0.05 {
            std::hint::black_box((0..10_000u64).sum::<u64>());
        }
        let first = clock.lap();
        // A child that is busy counts when it has ended.
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; times";
        let output = std::process::Command::new("sh").args(["-c", busy]).output().unwrap();
        let second = clock.lap();
        // The first line of `times` is the shell itself: user and system time, as in 0m0.120s 0m0.004s.
        let text = String::from_utf8(output.stdout).unwrap();
        let seconds = |word: &str| {
            let (minutes, seconds) = word.trim_end_matches('s').split_once('m').unwrap();
            60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
        };
        let child: f64 = text.lines().next().unwrap().split_whitespace().map(seconds).sum();
        assert!(first.cpu_seconds.unwrap() >= 0.05, "{first:?}");
        assert!(child > 0.01 && second.cpu_seconds.unwrap() > child - 0.011, "{second:?} {text}");
        let all = whole.lap();
        assert!(all.cpu_seconds.unwrap() >= first.cpu_seconds.unwrap() + second.cpu_seconds.unwrap() - 1e-6);
        assert!(all.seconds >= first.seconds + second.seconds);
    }

    #[test]
    fn sleep_takes_no_cpu_time() {
        alfil_failing_device::alone("run::clock::tests::sleep_takes_no_cpu_time", || {
            let mut clock = Clock::start();
            std::thread::sleep(Duration::from_millis(200));
            let Lap { seconds, cpu_seconds } = clock.lap();
            assert!(seconds >= 0.2 && cpu_seconds.unwrap() < 0.1, "{seconds} {cpu_seconds:?}");
        })
        .unwrap();
    }
}
