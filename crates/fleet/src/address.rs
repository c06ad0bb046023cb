//! Where a fleet's server is, and how to prove who one is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use alfil_core::text_file::read_text;
use alfil_core::wording::shorten;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, ServerAddr};
use serde::Deserialize;

use crate::FleetError;

/// Bytes of a file of credentials at most.
const LARGEST: u64 = 1 << 16;

/// How long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

/// What somebody does in a fleet. Each role has its own inbox, so that none reads the answers to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Owns the run.
    Trainer,
    /// Plays for it.
    Worker,
    /// Looks at it, and sends workers home.
    Operator,
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Trainer => "trainer",
            Role::Worker => "worker",
            Role::Operator => "operator",
        }
    }
}

/// Where a fleet's server is, and who connects to it.
#[derive(Clone, Debug)]
pub struct Address {
    url: String,
    credentials: Credentials,
}

/// The file of credentials.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    password: Option<String>,
    /// The certificate by which the server is known, if it is not one that the system knows.
    #[serde(default)]
    ca: Option<PathBuf>,
}

impl Address {
    /// A server such as `nats://host:4222`, or `tls://host` for one that encrypts. `credentials` is a file with the lines
    /// `user = "…"` and `password = "…"`, and perhaps `ca = "…"`, the certificate of the authority that signed the server's.
    ///
    /// ```
    /// use alfil_fleet::Address;
    ///
    /// assert_eq!(Address::new("nats://me:secret@host", None).unwrap().to_string(), "nats://host:4222");
    /// let error = Address::new("http://host", None).unwrap_err().to_string();
    /// assert_eq!(error, "'http://host' is not the address of a fleet: write nats://HOST, or tls://HOST if it encrypts");
    /// ```
    pub fn new(text: &str, credentials: Option<&Path>) -> Result<Address, FleetError> {
        let wrong = || {
            let text = shorten(text);
            FleetError::Address(format!(
                "'{text}' is not the address of a fleet: write nats://HOST, or tls://HOST if it encrypts"
            ))
        };
        let scheme = text.split("://").next().unwrap_or_default();
        let server: ServerAddr = text.parse().map_err(|_| wrong())?;
        if !["nats", "tls"].contains(&scheme) || !text.contains("://") || server.host().is_empty() {
            return Err(wrong());
        }
        let mut credentials = credentials.map_or_else(|| Ok(Credentials::default()), read)?;
        credentials.user = credentials.user.or(server.username().map(str::to_owned));
        credentials.password = credentials.password.or(server.password().map(str::to_owned));
        Ok(Address { url: format!("{scheme}://{}:{}", server.host(), server.port()), credentials })
    }

    /// Connects. Later the connection is made again by itself, however often it breaks.
    pub(crate) async fn connect(&self, role: Role) -> Result<Client, FleetError> {
        let Credentials { user, password, ca } = self.credentials.clone();
        let mut options = ConnectOptions::new()
            .name(format!("alfil {}", role.word()))
            .custom_inbox_prefix(format!("_INBOX.alfil-{}", role.word()))
            .connection_timeout(PATIENCE)
            .ping_interval(Duration::from_secs(10))
            .request_timeout(Some(PATIENCE))
            .require_tls(self.url.starts_with("tls:"));
        if let Some(user) = user {
            options = options.user_and_password(user, password.unwrap_or_default());
        }
        if let Some(ca) = ca {
            options = options.add_root_certificates(ca);
        }
        options.connect(&self.url).await.map_err(|error| {
            let why = match error.kind() {
                ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                    "it refuses this user and password: give --credentials FILE with those that nats.conf names"
                        .to_owned()
                }
                ConnectErrorKind::TimedOut => {
                    "it does not answer: is the address right, and no firewall between?".to_owned()
                }
                // Which kind it is depends on who refuses the certificate.
                kind if kind == ConnectErrorKind::Tls || error.to_string().contains("certificate") => {
                    format!(
                        "{error}: name the authority that signed its certificate in --credentials FILE, as ca = \"…\""
                    )
                }
                ConnectErrorKind::Io => {
                    format!("{error}: start it with nats-server -c configs/fleet/nats.conf, or correct the address")
                }
                _ => error.to_string(),
            };
            FleetError::Connect { address: self.to_string(), why }
        })
    }
}

impl std::fmt::Display for Address {
    /// The server, without the password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.url)
    }
}

fn read(path: &Path) -> Result<Credentials, FleetError> {
    let failed = |why: String| FleetError::Address(format!("cannot use the credentials {}: {why}", path.display()));
    let text = read_text(path, LARGEST).map_err(|why| failed(why.to_string()))?;
    let mut credentials: Credentials = toml::from_str(&text).map_err(|why| failed(why.message().to_owned()))?;
    // As in other configurations, a file is named as seen from the one that names it.
    credentials.ca = credentials.ca.map(|ca| path.parent().map_or(ca.clone(), |folder| folder.join(ca)));
    Ok(credentials)
}
