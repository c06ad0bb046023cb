//! The web page: games to play, searches to look into, runs to watch.
//!
//! [`Server`] listens and answers. What it says, it says in the versioned JSON of `docs/web-api.md`, and the page in `assets` is
//! one of the programs that read it. Every request passes the guard first. A `Session` is a game in memory;
//! whatever searches runs in threads of its own, a limited number at a time, and only as long as somebody listens.
//!
//! This crate knows games through the registry, and nothing of libtorch.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod api;
mod assets;
mod background;
mod catalogue;
mod clock;
mod contests;
mod control;
mod descriptors;
mod error;
mod guard;
mod host;
mod live_run;
mod live_search;
mod networks;
mod opponent;
mod patient;
mod runs;
mod server;
mod session;
mod sessions;
mod stream;
mod tree_memory;
mod view;

pub use server::{Server, WebError, WebSettings};
