//! The engine as a chess program sees it.
#![allow(clippy::unwrap_used)]

mod conversation;
mod failure;
mod gui;
mod noise;
