//! A report for people and for programs.

use std::fmt::{self, Write};

use serde_json::{Value, json};

use super::{Fault, MatchEnd, MatchReport, Who};
use crate::stats::{Decision, Sprt, SprtState};
use alfil_core::wording::cut;

/// Columns of the score bar.
const BAR: usize = 60;

/// Characters of a name or message that fit.
const TEXT: usize = 66;

/// Faults that are listed one by one.
const FAULTS_LISTED: usize = 5;

impl fmt::Display for MatchReport {
    /// A summary in 80 columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, pairs) = (self.games(), self.pairs.pairs());
        let resumed =
            if self.resumed > 0 { format!(", {} of them played earlier", self.resumed) } else { String::new() };
        writeln!(f, "A  {}\nB  {}", cut(&self.a, TEXT), cut(&self.b, TEXT))?;
        writeln!(f, "{}: {games} games in {pairs} pair{}{resumed}", self.game, if pairs == 1 { "" } else { "s" })?;
        if games == 0 {
            return self.write_stopped(f);
        }
        let (parts, [won, lost]) = (self.parts(), self.whole());
        let in_part = if parts > 0 { format!(", {parts} with part points") } else { String::new() };
        let percent = 100.0 * self.pairs.score();
        writeln!(f, "\n  {}", bar(won, self.draws + parts, lost))?;
        writeln!(f, "  {won} won, {} drawn, {lost} lost{in_part}: {percent:.1} %", self.draws)?;
        let elo = self.pairs.elo();
        writeln!(f, "\n  Elo of A over B   {:+.1}   (95 %: {:+.1} to {:+.1})", elo.elo, elo.low, elo.high)?;
        writeln!(f, "  A is stronger     {:.1} %", 100.0 * self.pairs.superiority())?;
        let [none, half, one, three_halves, two] = self.pairs.counts;
        writeln!(f, "  A's pairs  0: {none}  1/2: {half}  1: {one}  3/2: {three_halves}  2: {two}")?;
        if self.pairs.quarters != [0; 4] {
            let [one, three, five, seven] = self.pairs.quarters;
            writeln!(f, "             1/4: {one}  3/4: {three}  5/4: {five}  7/4: {seven}")?;
        }
        if let Some((sprt, state)) = &self.sprt {
            write_sprt(sprt, state, f)?;
        }
        self.write_stopped(f)?;
        self.write_faults(f)
    }
}

impl MatchReport {
    fn write_stopped(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ended == Some(MatchEnd::Stopped) { writeln!(f, "  stopped before the end") } else { Ok(()) }
    }

    fn write_faults(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (who, name) in [(Who::A, "A"), (Who::B, "B")] {
            let of = |(_, fault): &&(u64, Fault)| fault.by == who;
            let count = self.faults.iter().filter(of).count();
            if count > 0 {
                writeln!(f, "\n  {name} lost {count} games by crashing, stalling or an illegal move:")?;
            }
            for (game, fault) in self.faults.iter().filter(of).take(FAULTS_LISTED) {
                writeln!(f, "    game {game}: {}", cut(&fault.what, TEXT))?;
            }
            if count > FAULTS_LISTED {
                writeln!(f, "    and {} more", count - FAULTS_LISTED)?;
            }
        }
        Ok(())
    }

    /// The report as JSON, from A's side.
    pub fn json(&self) -> Value {
        let (elo, [wins, losses]) = (self.pairs.elo(), self.whole());
        let sprt = self.sprt.map(|(sprt, state)| {
            json!({
                "elo0": sprt.elo0, "elo1": sprt.elo1, "alpha": sprt.alpha, "beta": sprt.beta,
                "llr": state.llr, "lower": state.lower, "upper": state.upper, "decision": decision(&state),
            })
        });
        let fault = |(game, fault): &(u64, Fault)| json!({"game": game, "by": fault.by, "what": fault.what});
        json!({
            "a": self.a, "b": self.b, "game": self.game, "games": self.games(),
            "wins": wins, "draws": self.draws, "losses": losses, "parts": self.parts(), "score": self.pairs.score(),
            "pairs": self.pairs.counts, "quarter_pairs": self.pairs.quarters,
            "elo": elo.elo, "elo_low": elo.low, "elo_high": elo.high, "superiority": self.pairs.superiority(),
            "sprt": sprt, "faults": self.faults.iter().map(fault).collect::<Vec<_>>(), "resumed": self.resumed,
            "stopped": self.ended == Some(MatchEnd::Stopped),
        })
    }

    /// The state of the match in a few words, for a line that is redrawn.
    pub fn brief(&self) -> String {
        let (elo, [won, lost]) = (self.pairs.elo(), self.whole());
        let mut text = format!("+{won} ={} -{lost}", self.draws);
        if self.parts() > 0 {
            let _ = write!(text, " in part {}", self.parts());
        }
        if self.games() > 0 {
            let _ = write!(text, "  Elo {:+.0} ({:+.0} to {:+.0})", elo.elo, elo.low, elo.high);
        }
        if let Some((_, state)) = &self.sprt {
            let _ = write!(text, "  LLR {:.2} ({:.2} to {:.2})", state.llr, state.lower, state.upper);
        }
        if !self.faults.is_empty() {
            let _ = write!(text, "  {} faults", self.faults.len());
        }
        text
    }
}

fn write_sprt(sprt: &Sprt, state: &SprtState, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let outcome = match state.decision {
        Some(Decision::AcceptH0) => format!("not {:+} Elo stronger", sprt.elo1),
        Some(Decision::AcceptH1) => format!("over {:+} Elo stronger", sprt.elo0),
        None => "undecided".to_owned(),
    };
    let SprtState { llr, lower, upper, .. } = state;
    writeln!(f, "  SPRT {:+} / {:+}    {outcome} (LLR {llr:.2} in {lower:.2} to {upper:.2})", sprt.elo0, sprt.elo1)
}

fn decision(state: &SprtState) -> Option<&'static str> {
    state.decision.as_ref().map(|decision| match decision {
        Decision::AcceptH0 => "H0",
        Decision::AcceptH1 => "H1",
    })
}

/// A line of three parts: won, shared, lost.
fn bar(wins: u64, draws: u64, losses: u64) -> String {
    let games = (wins + draws + losses).max(1) as f64;
    let column = |part: u64| (part as f64 / games * BAR as f64).round() as usize;
    let (won, drawn) = (column(wins), column(wins + draws));
    let part = |from: usize, to: usize, piece: &str| piece.repeat(to - from);
    format!("[{}{}{}]", part(0, won, "█"), part(won, drawn, "▒"), part(drawn, BAR, "·"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::Record;
    use crate::contest::tally::Tally;
    use crate::stats::expected_score;

    #[test]
    fn the_bar_always_has_the_same_width() {
        for (wins, draws, losses) in [(0, 0, 1), (1, 0, 0), (1, 1, 1), (7, 0, 93), (0, 0, 0), (333, 333, 335)] {
            assert_eq!(bar(wins, draws, losses).chars().count(), BAR + 2);
        }
        assert_eq!(bar(1, 1, 1), format!("[{}{}{}]", "█".repeat(20), "▒".repeat(20), "·".repeat(20)));
    }

    #[test]
    fn part_points_are_neither_won_nor_drawn_nor_lost() {
        let game = |pair, score| Record {
            pair,
            first: Who::A,
            score,
            end: String::new(),
            start: String::new(),
            moves: String::new(),
            book: 0,
            notes: Vec::new(),
            fault: None,
        };
        let mut tally = Tally::new(Tally::empty("a", "b", "hexchess"), 2, None);
        tally.add([game(0, 0.75), game(0, 0.5)]);
        tally.add([game(1, 1.0), game(1, 0.25)]);
        let text = tally.report.to_string();
        assert!(text.contains("  1 won, 1 drawn, 0 lost, 2 with part points: 62.5 %\n"), "{text}");
        let json = tally.report.json();
        assert_eq!((&json["wins"], &json["losses"], &json["parts"]), (&1.into(), &0.into(), &2.into()));
        assert_eq!(json["quarter_pairs"], json!([0, 0, 2, 0]));
        assert!((expected_score(json["elo"].as_f64().unwrap()) - 0.625).abs() < 1e-9, "{json}");
        assert_eq!(tally.report.games(), 4);
    }

    #[test]
    fn summaries_fit_in_80_columns_whatever_the_names() {
        let mut report = Tally::empty(&"long name ".repeat(30), "ü", "chess");
        (report.wins, report.losses) = (1_000_000, 3_000_000);
        report.pairs.counts = [1_000_000, 300_000, 400_000, 200_000, 100_000];
        let fault = Fault { by: Who::B, what: "it crashed ".repeat(20) };
        report.faults = (1..9).map(|game| (game, fault.clone())).collect();
        let sprt = Sprt { elo0: -10.0, elo1: 10.5, alpha: 0.05, beta: 0.05 };
        report.sprt = Some((sprt, sprt.state(&report.pairs)));
        let text = report.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("B lost 8 games") && text.contains("and 3 more"), "{text}");
    }
}
