//! Server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::error::ApiError;

/// Streams at once.
const STREAMS: usize = 400;

/// Events that wait for a reader who is slow; whoever sends waits as well.
const WAITING: usize = 4;

/// How often an idle stream shows that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The streams that are open.
#[derive(Clone)]
pub struct Streams(Arc<Semaphore>);

/// An event with its name and its contents as JSON.
pub struct Message {
    name: &'static str,
    text: String,
}

impl Message {
    /// What cannot be written as JSON becomes an error event.
    pub fn new(name: &'static str, contents: &impl Serialize) -> Message {
        match serde_json::to_string(contents) {
            Ok(text) => Message { name, text },
            Err(why) => Message::failure(&why.to_string()),
        }
    }

    /// Says in a sentence why the stream ends.
    pub fn failure(sentence: &str) -> Message {
        Message { name: "failure", text: serde_json::json!({ "error": sentence }).to_string() }
    }
}

impl Streams {
    pub fn new() -> Streams {
        Streams(Arc::new(Semaphore::new(STREAMS)))
    }

    /// A stream, and where its events are put. The sender is closed when nobody reads any more.
    pub fn open(&self) -> Result<(mpsc::Sender<Message>, Response), ApiError> {
        let permit = Arc::clone(&self.0).try_acquire_owned();
        let permit = permit.map_err(|_| ApiError::busy("too many pages are open: close some of them"))?;
        let (sender, receiver) = mpsc::channel(WAITING);
        let events = unfold((receiver, permit), next);
        Ok((sender, Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT)).into_response()))
    }
}

type Source = (mpsc::Receiver<Message>, OwnedSemaphorePermit);

async fn next((mut receiver, permit): Source) -> Option<(Result<Event, Infallible>, Source)> {
    let Message { name, text } = receiver.recv().await?;
    Some((Ok(Event::default().event(name).data(text)), (receiver, permit)))
}
