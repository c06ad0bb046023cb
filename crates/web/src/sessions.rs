//! The sessions that are in memory, by their names.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::error::ApiError;
use crate::session::Session;

/// Sessions at once. One more takes the place of the one that nobody has looked at for longest.
const MOST: usize = 1000;

/// Random bytes of a name: nobody can guess the name of another's game.
const NAME_BYTES: usize = 12;

/// The sessions that are in memory.
#[derive(Default)]
pub struct Sessions(Mutex<HashMap<String, Entry>>);

struct Entry {
    session: Arc<dyn Session>,
    used: Instant,
}

impl Sessions {
    /// Keeps a session, under a new name.
    pub fn insert(&self, session: Arc<dyn Session>) -> Result<String, ApiError> {
        let name = random_name()?;
        let mut table = self.lock();
        if table.len() >= MOST {
            let idle = table.iter().filter(|(_, entry)| !entry.session.is_watched());
            let oldest = idle.min_by_key(|(_, entry)| entry.used).map(|(name, _)| name.clone());
            let oldest = oldest.ok_or_else(|| ApiError::busy("too many games are being played: close some pages"))?;
            table.remove(&oldest);
        }
        table.insert(name.clone(), Entry { session, used: Instant::now() });
        Ok(name)
    }

    /// The session with this name.
    pub fn get(&self, name: &str) -> Result<Arc<dyn Session>, ApiError> {
        let mut table = self.lock();
        let gone = || ApiError::missing("this game is no longer in the server's memory: begin a new one");
        let entry = table.get_mut(name).ok_or_else(gone)?;
        entry.used = Instant::now();
        Ok(Arc::clone(&entry.session))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A name that nobody can guess.
pub fn random_name() -> Result<String, ApiError> {
    let mut bytes = [0; NAME_BYTES];
    let failed = |why: getrandom::Error| ApiError::failed(format!("this machine has no random numbers: {why}"));
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
