//! The options of the rules of chess.

use alfil_core::wording::shorten;

use crate::rules::{RuleOption, RuleValues, join_settings, ply_cap_option, ply_cap_text, read_ply_cap, settings};

/// The options of the rules of chess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Castling as in Chess960: moves are written as king takes rook. Positions that only Chess960 can have turn this
    /// on by themselves.
    pub chess960: bool,
    /// Plies after which a game is a draw.
    pub ply_cap: u32,
}

impl Default for Rules {
    fn default() -> Rules {
        // 512 plies: AlphaZero's pseudocode.
        Rules { chess960: false, ply_cap: 512 }
    }
}

impl crate::Rules for Rules {
    fn options() -> Vec<RuleOption> {
        let values = RuleValues::Words(&["false", "true"]);
        let chess960 = RuleOption { key: "chess960", meaning: "Castling as in Chess960", values };
        vec![chess960, ply_cap_option(Rules::default().ply_cap)]
    }

    fn changed(&self, text: &str) -> Result<Rules, String> {
        let mut rules = self.clone();
        for setting in settings(text) {
            match setting? {
                ("chess960", value) => {
                    rules.chess960 = value.parse().map_err(|_| "chess960 is true or false")?;
                }
                ("ply_cap", value) => rules.ply_cap = read_ply_cap(value)?,
                (key, _) => return Err(format!("there is no '{}', only chess960 and ply_cap", shorten(key))),
            }
        }
        Ok(rules)
    }

    fn text(&self) -> String {
        let chess960 = if self.chess960 { "chess960=true" } else { "" };
        join_settings([chess960, &ply_cap_text(self.ply_cap, Rules::default().ply_cap)])
    }

    fn uncapped(&self) -> Rules {
        let usual = Rules::default().ply_cap;
        Rules { ply_cap: if self.ply_cap == usual { u32::MAX } else { self.ply_cap }, ..self.clone() }
    }
}
