//! The command line as its users see it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod commands;
mod contests;
#[cfg(feature = "fleet")]
mod fleet;
mod games;
mod insight;
mod old_files;
mod playing;
mod primer;
mod python_chess;
mod support;
#[cfg(unix)]
mod terminal;
#[cfg(feature = "torch")]
mod training;
#[cfg(feature = "torch")]
mod tutorial;
#[cfg(all(unix, feature = "web"))]
mod web;
