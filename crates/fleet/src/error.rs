//! Why a fleet cannot be used.

/// Why a fleet cannot be used. Displays as one sentence with what to do.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// What the user typed.
    #[error("{0}")]
    Address(String),
    /// There is no connection.
    #[error("cannot connect to {address}: {why}")]
    Connect {
        /// The server.
        address: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// The server does not do what is asked.
    #[error("{address} does not {what}: {why}")]
    Server {
        /// The server.
        address: String,
        /// What was asked.
        what: &'static str,
        /// What it says, or what to do.
        why: String,
    },
    /// Another run has the fleet.
    #[error("the fleet at {address} plays for the run {run}: stop that one, or give this one an account of its own")]
    Taken {
        /// The server.
        address: String,
        /// The run.
        run: String,
    },
    /// Another trainer has it, or claims it at the same moment.
    #[error(
        "the fleet at {address} has another trainer of a run of this name, on {home}: stop that one, or wait for 30 seconds"
    )]
    Held {
        /// The server.
        address: String,
        /// The machine and the folder of that one.
        home: String,
    },
    /// Trainer and worker are not of the same version.
    #[error("{0}")]
    Version(String),
    /// The run does not want this worker.
    #[error("the run has shut out this worker: {0}")]
    Shut(String),
    /// What is asked for cannot be played here.
    #[error("cannot play for the run: {0}")]
    Play(String),
}

/// What went wrong with the connection for now: it is tried again.
#[derive(Debug)]
pub(crate) struct Trouble(pub String);

impl<E: std::error::Error> From<E> for Trouble {
    fn from(error: E) -> Trouble {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !text.contains(&cause_text) {
                text = format!("{text}: {cause_text}");
            }
            source = cause.source();
        }
        Trouble(text)
    }
}
