//! What every request has to pass, and what every answer says to the browser.
//!
//! A page of another site can send requests to this machine with the browser of whoever looks at it. So the `Host` has to be this
//! machine's own name, which a name that an attacker has pointed here is not, and an `Origin` has to be our own. Where the
//! server can be reached from elsewhere, every request has to bring the token as well, and its own names are the address that it
//! listens at and those that it was given.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::error::{ApiError, as_page, in_a_sentence};

/// How long a request may take until its answer begins.
const PATIENCE: Duration = Duration::from_secs(30);

/// The cookie that carries the token after its first use.
const COOKIE: &str = "alfil-token";

/// Nothing is loaded from elsewhere, nothing runs that is not one of our files, and no other page shows ours in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Who may ask.
pub struct Guard {
    address: SocketAddr,
    token: Option<String>,
    /// Names besides the address.
    hosts: Vec<String>,
}

impl Guard {
    /// Without a token only the names of this machine's loopback address are answered.
    pub fn new(address: SocketAddr, token: Option<String>, hosts: Vec<String>) -> Guard {
        Guard { address, token, hosts }
    }

    /// Whether a `Host` is one of this server's names. Any address is, where the server listens at every address: a page of another
    /// site can only use names.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, digits)) if !digits.ends_with(']') => (name, digits.parse().ok()),
            _ => (host, Some(80)),
        };
        if self.token.is_some() && self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name)) {
            return true;
        }
        let bound = self.address.ip();
        let is_bound = |ip: IpAddr| ip.is_loopback() || self.token.is_some() && (bound == ip || bound.is_unspecified());
        let ip = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        port == Some(self.address.port()) && (name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(is_bound))
    }

    fn check(&self, method: &Method, headers: &HeaderMap) -> Result<(), ApiError> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_ours(host) {
            return Err(ApiError::forbidden(match self.token {
                None => "this server answers only to localhost: open the address that it printed",
                Some(_) => "this server answers only to its address and to names that it was given with --host",
            }));
        }
        let own = [format!("http://{host}"), format!("https://{host}")];
        let is_foreign = |origin: &str| !own.iter().any(|own| own.eq_ignore_ascii_case(origin));
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let changes = !matches!(*method, Method::GET | Method::HEAD);
        if text(header::ORIGIN).is_some_and(is_foreign)
            || changes && site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
        {
            return Err(ApiError::forbidden("another site sent this request: it is refused"));
        }
        match &self.token {
            Some(token) if !brought(headers, token) => {
                Err(ApiError::unauthorized("this server needs its token: open the whole address that it printed"))
            }
            _ => Ok(()),
        }
    }

    /// The answer to the first request of a page, which has the token in its address: a cookie, and the address without it.
    fn welcome(&self, request: &Request) -> Option<Response> {
        let token = self.token.as_ref()?;
        let host = request.headers().get(header::HOST)?.to_str().ok()?;
        let query = request.uri().query()?;
        let given = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
        if *request.method() != Method::GET || !self.is_ours(host) || !same(given, token) {
            return None;
        }
        let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
        // A path that begins with two slashes would be the name of another host.
        let path = format!("/{}", request.uri().path().trim_start_matches('/'));
        let headers = [(header::SET_COOKIE, cookie), (header::LOCATION, path)];
        Some((StatusCode::SEE_OTHER, headers).into_response())
    }
}

/// Checks a request before anything else sees it.
pub async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let shows_pages = shows_pages(&request);
    let answer = match guard.welcome(&request) {
        Some(welcome) => welcome,
        None => match guard.check(request.method(), request.headers()) {
            Ok(()) => match tokio::time::timeout(PATIENCE, next.run(request)).await {
                Ok(answer) => in_a_sentence(answer),
                Err(_) => ApiError::late().into_response(),
            },
            Err(refused) => refused.into_response(),
        },
    };
    let mut answer = if shows_pages { as_page(answer) } else { answer };
    for (name, value) in HEADERS {
        answer.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    answer.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

/// Whether somebody looks at the answer in a browser, rather than a program.
fn shows_pages(request: &Request) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    !request.uri().path().starts_with("/api/") && accepts.is_some_and(|accept| accept.contains("text/html"))
}

/// Whether a request brings the token, in its cookie or as a bearer token.
fn brought(headers: &HeaderMap, token: &str) -> bool {
    let text = |name| headers.get_all(name).iter().filter_map(|value: &HeaderValue| value.to_str().ok());
    let mut cookies = text(header::COOKIE).flat_map(|cookies| cookies.split(';'));
    let mut cookie = cookies.by_ref().filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='));
    let mut bearer = text(header::AUTHORIZATION).filter_map(|value| value.strip_prefix("Bearer "));
    cookie.any(|given| same(given, token)) || bearer.any(|given| same(given, token))
}

/// Compares in a time that depends on the length of what was given only, so that nobody can guess a token letter by letter.
fn same(given: &str, token: &str) -> bool {
    let token = token.as_bytes();
    let differs = |(place, byte): (usize, u8)| byte ^ std::hint::black_box(token[place % token.len().max(1)]);
    let length = u8::from(given.len() != token.len() || token.is_empty());
    !token.is_empty() && given.bytes().enumerate().map(differs).fold(length, |all, one| all | one) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    const TOKEN: &str = "correct-horse-battery";

    fn loopback() -> Guard {
        Guard::new("127.0.0.1:8000".parse().unwrap(), None, Vec::new())
    }

    fn guarded(address: &str, hosts: &[&str]) -> Guard {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        Guard::new(address.parse().unwrap(), Some(TOKEN.to_owned()), hosts)
    }

    #[test]
    fn without_a_token_only_loopback_names_at_the_right_port_are_hosts() {
        let guard = loopback();
        for host in ["localhost:8000", "127.0.0.1:8000", "LOCALHOST:8000", "[::1]:8000", "127.0.0.2:8000"] {
            assert!(guard.is_ours(host), "{host}");
        }
        assert!(Guard::new("127.0.0.1:80".parse().unwrap(), None, Vec::new()).is_ours("localhost"));
        for host in
            ["", "localhost", "localhost:8001", "evil.example:8000", "127.0.0.1.evil.example:8000", "10.0.0.1:8000"]
        {
            assert!(!guard.is_ours(host), "{host}");
        }
    }

    #[test]
    fn with_a_token_the_address_and_the_names_that_were_given_are_hosts() {
        let one = guarded("10.0.0.1:8000", &["board.example"]);
        for host in ["10.0.0.1:8000", "localhost:8000", "board.example", "Board.Example:443"] {
            assert!(one.is_ours(host), "{host}");
        }
        for host in ["10.0.0.2:8000", "10.0.0.1", "evil.example:8000", "board.example.evil.example:8000", ""] {
            assert!(!one.is_ours(host), "{host}");
        }
        let all = guarded("0.0.0.0:8000", &[]);
        assert!(all.is_ours("10.0.0.2:8000") && all.is_ours("[2001:db8::1]:8000"));
        assert!(!all.is_ours("10.0.0.2:8001") && !all.is_ours("evil.example:8000"));
    }

    #[test]
    fn requests_of_other_sites_are_refused() {
        let guard = loopback();
        let ask = |method: Method, pairs: &[(&'static str, &str)]| guard.check(&method, &headers(pairs)).is_ok();
        let host = ("host", "localhost:8000");
        assert!(ask(Method::GET, &[host]) && ask(Method::POST, &[host]));
        assert!(ask(Method::POST, &[host, ("origin", "http://localhost:8000"), ("sec-fetch-site", "same-origin")]));
        assert!(!ask(Method::POST, &[host, ("origin", "http://evil.example")]));
        assert!(!ask(Method::POST, &[host, ("origin", "null")]));
        assert!(!ask(Method::POST, &[host, ("origin", "http://127.0.0.1:8000")]), "another name is another origin");
        assert!(!ask(Method::POST, &[host, ("sec-fetch-site", "cross-site")]));
        assert!(!ask(Method::GET, &[]) && !ask(Method::GET, &[("host", "evil.example")]));
    }

    #[test]
    fn a_server_with_a_token_wants_it_every_time() {
        let guard = guarded("10.0.0.1:8000", &["board.example"]);
        let host = ("host", "board.example:8000");
        let ask = |pairs: &[(&'static str, &str)]| guard.check(&Method::GET, &headers(pairs)).is_ok();
        assert!(!ask(&[host]));
        assert!(ask(&[host, ("authorization", "Bearer correct-horse-battery")]));
        assert!(ask(&[host, ("cookie", "other=1; alfil-token=correct-horse-battery")]));
        for wrong in [
            "",
            "correct",
            "correct-horse-batterx",
            "correct-horse-battery-staple",
            "correct-horse-batterycorrect-horse-battery",
        ] {
            assert!(!ask(&[host, ("authorization", &format!("Bearer {wrong}"))]), "{wrong}");
        }
        let at = |address: &str| {
            let request = Request::get(address).header("host", "board.example:8000");
            request.body(axum::body::Body::empty()).unwrap()
        };
        let welcome = guard.welcome(&at("//evil.example/?a=b&token=correct-horse-battery")).unwrap();
        assert_eq!(welcome.headers()[header::LOCATION], "/evil.example/");
        assert!(guard.welcome(&at("/?token=correct")).is_none());
        let foreign = Request::get(format!("/?token={TOKEN}")).header("host", "evil.example:8000");
        assert!(guard.welcome(&foreign.body(axum::body::Body::empty()).unwrap()).is_none());
    }
}
