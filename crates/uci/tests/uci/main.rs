//! The engine as a chess program meets it.
#![allow(clippy::unwrap_used)]

mod conversation;
mod failure;
mod gui;
mod noise;
