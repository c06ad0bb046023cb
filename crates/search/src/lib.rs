//! Search: how a player looks ahead.
//!
//! Today the [classical](classical) family, from plain minimax to alpha-beta with all its helpers. Knows games only through
//! their contract, and nothing of libtorch or files.

pub mod classical;
