//! Ratings of many players.
