//! The server as browsers and other programs meet it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, missing_docs)]

mod api;
mod browser;
mod contests;
mod docs;
mod driver;
mod hostile;
mod http;
mod runs;
