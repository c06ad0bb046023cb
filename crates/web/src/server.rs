//! Listening and answering.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use alfil_core::wording::shorten;
use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

use crate::api::{self, App};
use crate::descriptors;
use crate::guard::Guard;
use crate::patient::Patient;

/// Connections at once; more wait until one of these is closed. Fewer where the process may have few files open, of which
/// `OTHER_FILES` are left for everything else.
const CONNECTIONS: usize = 1024;
const OTHER_FILES: usize = 128;

/// How long the head of a request may take, and a connection may be silent before its next one.
const HEAD_TIME: Duration = Duration::from_secs(20);

/// How long a peer may take nothing of what is sent to it.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// The shortest token: nobody can try out this many.
const SHORTEST_TOKEN: usize = 16;

/// The longest token.
const LONGEST_TOKEN: usize = 200;

/// The longest name of a host.
const LONGEST_HOST: usize = 253;

/// How often the server looks whether it has to end.
const TICK: Duration = Duration::from_millis(100);

/// What a server is told.
#[derive(Clone, Debug)]
pub struct WebSettings {
    /// Where it listens; port 0 is any free one.
    pub address: SocketAddr,
    /// What every request has to bring. Any other address than a loopback address needs one.
    pub token: Option<String>,
    /// Names by which other machines reach it, besides its address. Only with a token.
    pub hosts: Vec<String>,
    /// The folder with the runs that are shown.
    pub runs: PathBuf,
    /// The folder with the files of matches and ladders that are shown.
    pub contests: PathBuf,
    /// The folder with networks to play with.
    pub networks: PathBuf,
    /// The program that stopped runs are resumed with; without one, the page can neither stop nor resume them.
    pub control: Option<PathBuf>,
}

impl WebSettings {
    /// For this machine alone, only to watch, with the usual folders of the data folder.
    pub fn local(port: u16, data: &Path) -> WebSettings {
        WebSettings {
            address: (Ipv4Addr::LOCALHOST, port).into(),
            token: None,
            hosts: Vec::new(),
            runs: data.join("runs"),
            contests: data.join("contests"),
            networks: data.join("networks"),
            control: None,
        }
    }
}

/// Why a server cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    /// Everybody in the network could use this machine.
    #[error(
        "{0} can be reached from other machines: give --token TEXT, which every page then needs, or leave --address out"
    )]
    NoToken(SocketAddr),
    /// The token can be guessed, or not be put into an address.
    #[error("a token has from {SHORTEST_TOKEN} to {LONGEST_TOKEN} letters, digits, - or _")]
    Token,
    /// Nobody reaches a loopback address by such a name, or it is no name.
    #[error(
        "'{0}' cannot be a --host: it is the name of this machine for others, without a port, and goes with a --token"
    )]
    Host(String),
    /// The address is taken, or not one of this machine.
    #[error("cannot listen at {address}: {why}; choose another port with --port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        why: io::Error,
    },
    /// The system refuses what every server needs.
    #[error("cannot start the server: {0}")]
    Start(#[from] io::Error),
}

/// A server that listens already and does not answer yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    settings: WebSettings,
}

impl Server {
    /// Takes the address.
    pub fn bind(settings: WebSettings) -> Result<Server, WebError> {
        let address = settings.address;
        let fits = |token: &String| {
            (SHORTEST_TOKEN..=LONGEST_TOKEN).contains(&token.len())
                && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        match &settings.token {
            None if !address.ip().is_loopback() => return Err(WebError::NoToken(address)),
            Some(token) if !fits(token) => return Err(WebError::Token),
            _ => {}
        }
        let is_name = |host: &String| {
            (1..=LONGEST_HOST).contains(&host.len())
                && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        };
        if let Some(wrong) = settings.hosts.iter().find(|host| settings.token.is_none() || !is_name(host)) {
            return Err(WebError::Host(shorten(wrong)));
        }
        let listener = TcpListener::bind(address).map_err(|why| WebError::Listen { address, why })?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address, settings })
    }

    /// The address of the page, as this machine reaches it.
    pub fn page(&self) -> String {
        let token = self.settings.token.as_ref().map_or(String::new(), |token| format!("?token={token}"));
        // A server that listens at every address has none of its own.
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        format!("http://{}/{token}", SocketAddr::new(ip, self.address.port()))
    }

    /// Answers until `stop` is set.
    pub fn run(self, stop: &AtomicBool) -> Result<(), WebError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let guard = Guard::new(self.address, self.settings.token.clone(), self.settings.hosts.clone());
        let router = api::router(App::new(self.settings), guard);
        let listener = {
            let _context = runtime.enter();
            tokio::net::TcpListener::from_std(self.listener)?
        };
        runtime.block_on(async {
            let accepting = tokio::spawn(accept(listener, router));
            while !stop.load(SeqCst) {
                tokio::time::sleep(TICK).await;
            }
            accepting.abort();
        });
        // Searches end by themselves as soon as their streams are gone.
        runtime.shutdown_timeout(Duration::from_secs(2));
        Ok(())
    }
}

async fn accept(listener: tokio::net::TcpListener, router: Router) {
    let files = descriptors::raise().map_or(CONNECTIONS, |files| files.saturating_sub(OTHER_FILES));
    let connections = Arc::new(Semaphore::new(files.clamp(1, CONNECTIONS)));
    loop {
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(why) => {
                // Too many open files, for instance: some will be closed.
                tracing::warn!(%why, "cannot accept a connection");
                tokio::time::sleep(TICK).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let stream = Patient::new(stream, WRITE_TIME);
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut http = hyper::server::conn::http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
            if let Err(why) = http.serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!(%why, "a connection ended");
            }
            drop(permit);
        });
    }
}
