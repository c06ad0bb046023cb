//! The engine as a chess program sees it.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod conversation;
mod failure;
mod gui;
mod noise;
