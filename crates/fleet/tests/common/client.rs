//! A client of the server that is no part of a fleet.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{ConnectOptions, Event, HeaderMap, Message, ServerError};
use futures_util::{FutureExt, StreamExt};
use tokio::runtime::Runtime;

use super::Server;

/// A subject that nobody may use.
const LAST: &str = "nobody.may.say.this";

pub struct Client {
    runtime: Runtime,
    client: async_nats::Client,
    /// What the server has complained about.
    errors: Arc<Mutex<Vec<String>>>,
}

impl Client {
    pub fn connect(server: &Server) -> Client {
        Client::connect_to(&server.url())
    }

    pub fn connect_to(url: &str) -> Client {
        let runtime = Runtime::new().unwrap();
        let errors = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&errors);
        let options = ConnectOptions::new().event_callback(move |event| {
            if let Event::ServerError(ServerError::Other(text)) = event {
                heard.lock().unwrap().push(text);
            }
            async {}
        });
        let login = url.strip_prefix("nats://").and_then(|url| url.split_once('@'));
        let (options, url) = match login.and_then(|(login, host)| Some((login.split_once(':')?, host))) {
            Some(((user, password), host)) => (options.user_and_password(user.into(), password.into()), host),
            None => (options, url),
        };
        let client = runtime.block_on(options.connect(url)).unwrap();
        Client { runtime, client, errors }
    }

    /// Publishes, and waits until the server has it.
    pub fn publish(&self, subject: &str, headers: Option<HeaderMap>, payload: Vec<u8>) {
        self.runtime.block_on(async {
            let (subject, payload) = (subject.to_owned(), payload.into());
            match headers {
                Some(headers) => self.client.publish_with_headers(subject, headers, payload).await.unwrap(),
                None => self.client.publish(subject, payload).await.unwrap(),
            }
            self.client.flush().await.unwrap();
            // Flushing says that it was sent; an answer, that what was sent before has been read.
            let _ =
                tokio::time::timeout(Duration::from_secs(5), self.client.request("nobody.listens", "".into())).await;
        });
    }

    /// Whether the server does not take messages of this subject from this client.
    pub fn is_refused(&self, subject: &str) -> bool {
        self.errors.lock().unwrap().clear();
        // What comes last is refused in any case: when that is known, so is what came before.
        self.runtime.block_on(async {
            for subject in [subject, LAST] {
                self.client.publish(subject.to_owned(), "".into()).await.unwrap();
            }
            self.client.flush().await.unwrap();
        });
        loop {
            let errors = self.errors.lock().unwrap().join("\n").to_lowercase();
            if errors.contains(LAST) {
                return errors.contains(&format!("\"{}\"", subject.to_lowercase()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// All results of games that are sent while `act` acts, and a client.
pub fn capture(server: &Server, act: impl FnOnce()) -> (Vec<Message>, Client) {
    let client = Client::connect(server);
    let mut results = client.runtime.block_on(client.client.subscribe("alfil.result.games.*")).unwrap();
    let mut mark = client.runtime.block_on(client.client.subscribe("test.mark")).unwrap();
    client.runtime.block_on(client.client.flush()).unwrap();
    act();
    // The server has had all of them before it gets this, and so come they here.
    client.runtime.block_on(async {
        client.client.publish("test.mark", "".into()).await.unwrap();
        mark.next().await.unwrap();
    });
    let captured = std::iter::from_fn(|| results.next().now_or_never().flatten()).collect();
    (captured, client)
}
