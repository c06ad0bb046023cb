//! A player's mistakes beside those of others.

mod model;
mod page;
mod rate;
mod split_half;

use alfil_game::Notation;

use crate::chess::{Mistake, Motif, Vectors, told};
use crate::{Extracted, Phase};

use model::OPENING;

pub use model::{Cluster, Counts, Fitted, Model, Sample};
pub use page::{model_page, page};
pub use rate::Rate;
pub use split_half::{Distances, Split, split_half};

/// Standard errors from which on a difference is more than chance: with fifty comparisons, one in twenty profiles of average
/// players would show one.
pub const CLEAR: f64 = 3.3;

/// Positions to practise.
const PRACTICE: usize = 50;

/// How often a player makes a kind of mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What it is about.
    pub part: Part,
    /// Its name.
    pub name: String,
    /// Mistakes of the player, of as many moves.
    pub rate: Rate,
    /// The same of the corpus.
    pub base: Rate,
    /// How many times as often as in the corpus the player makes mistakes of any kind; 1 for all mistakes.
    level: f64,
}

/// What mistakes are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All of them.
    All,
    /// The phase of the game.
    Phase,
    /// The piece that moved.
    Piece,
    /// The opening.
    Opening,
    /// Tactics that were missed.
    Missed,
    /// Tactics that were allowed.
    Allowed,
    /// Clusters.
    Cluster,
}

impl Part {
    /// All parts, in order.
    pub const ALL: [Part; 7] =
        [Part::All, Part::Phase, Part::Piece, Part::Opening, Part::Missed, Part::Allowed, Part::Cluster];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Part::All => "All mistakes",
            Part::Phase => "By phase",
            Part::Piece => "By piece",
            Part::Opening => "By opening",
            Part::Missed => "Tactics missed",
            Part::Allowed => "Tactics allowed",
            Part::Cluster => "By cluster",
        }
    }
}

impl Row {
    /// How many standard errors the player's rate is above that of the corpus. Rows overlap: every mistake is in a phase, a piece and
    /// a cluster, so that what is above in one row is above in others.
    pub fn above(&self) -> f64 {
        self.rate.above(self.base)
    }

    /// How many times as often the player makes such mistakes as his level predicts: as somebody would who makes more or fewer
    /// mistakes of all kinds alike.
    pub fn relative(&self) -> f64 {
        self.rate.relative(self.base, self.level)
    }

    /// How many standard errors more often than his level predicts.
    pub fn relatively_above(&self) -> f64 {
        match self.part {
            Part::All => self.above(),
            _ => self.rate.relatively_above(self.base, self.level),
        }
    }

    /// What to train, if the player makes such mistakes more often than his level predicts.
    pub fn advice(&self) -> String {
        let name = &self.name;
        match (self.part, name.as_str()) {
            (Part::All, _) => "Slow down: mistakes of all kinds are more frequent than usual.".to_owned(),
            (Part::Phase, "opening") => {
                "Study the openings that you play, up to the plans of the middlegame.".to_owned()
            }
            (Part::Phase, "endgame") => "Practise endgames: play them out against an engine.".to_owned(),
            (Part::Phase, _) => "Solve positions from middlegames, and compare plans with an engine's.".to_owned(),
            (Part::Piece, _) => {
                format!("Before you move a {name}, look once more at what it leaves behind and where it goes.")
            }
            (Part::Opening, _) => format!("Review your games in {name}: they go wrong more often than others."),
            (Part::Missed, "mate") => "Solve mates in two to four moves.".to_owned(),
            (Part::Missed, _) => format!("Solve puzzles with the motif: {name}. You miss it when it is there."),
            (Part::Allowed, _) => {
                format!("Before each move look for the opponent's reply; the motif to look for is: {name}.")
            }
            (Part::Cluster, _) => format!("Practise positions of this kind: {name}."),
        }
    }
}

/// A player beside a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The name.
    pub player: String,
    /// Games.
    pub games: u64,
    /// How often each kind of mistake was made.
    pub rows: Vec<Row>,
}

impl Profile {
    /// Compares a player's mistakes with those that a model was made from. The vectors are theirs, of the model's kind.
    pub fn new(
        player: String,
        mistakes: &[Mistake<'_>],
        vectors: &Vectors,
        extracted: &Extracted,
        model: &Model,
    ) -> Profile {
        let own = model.count(mistakes, vectors, extracted);
        let base = &model.base;
        let mut rows = Vec::new();
        let moves = own.all.moves;
        let share = |share: crate::extract::Share| Rate { count: share.errors, of: share.moves };
        let level = share(own.all).relative(share(base.all), 1.0);
        let mut add = |part, name: &str, rate: Rate, base: Rate| {
            let level = if part == Part::All { 1.0 } else { level };
            rows.push(Row { part, name: name.to_owned(), rate, base, level });
        };
        add(Part::All, "all mistakes", share(own.all), share(base.all));
        for phase in Phase::ALL {
            let of = |counts: &Counts| share(counts.phases.get(&phase).copied().unwrap_or_default());
            add(Part::Phase, phase.name(), of(&own), of(base));
        }
        for piece in ["pawn", "knight", "bishop", "rook", "queen", "king"] {
            let of = |counts: &Counts| share(counts.pieces.get(piece).copied().unwrap_or_default());
            add(Part::Piece, piece, of(&own), of(base));
        }
        for (opening, counted) in own.openings.iter().filter(|(_, counted)| counted.moves >= OPENING) {
            // Few corpora have every opening often enough: then the rate of all openings is the base.
            let known = base.openings.get(opening).copied().filter(|counted| counted.moves >= OPENING);
            add(Part::Opening, opening, share(*counted), share(known.unwrap_or(base.all)));
        }
        for motif in Motif::ALL {
            let of = |counts: &std::collections::BTreeMap<String, u64>, of: u64| Rate {
                count: counts.get(motif.name()).copied().unwrap_or(0),
                of,
            };
            add(Part::Missed, motif.name(), of(&own.missed, moves), of(&base.missed, base.all.moves));
            add(Part::Allowed, motif.name(), of(&own.allowed, moves), of(&base.allowed, base.all.moves));
        }
        for (at, cluster) in model.clusters.iter().enumerate() {
            let of =
                |counts: &Counts| Rate { count: counts.clusters.get(at).copied().unwrap_or(0), of: counts.all.moves };
            add(Part::Cluster, &cluster.name, of(&own), of(base));
        }
        rows.sort_by_key(|row| row.part as usize);
        Profile { player, games: extracted.games, rows }
    }

    /// The rows of a part.
    pub fn part(&self, part: Part) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.part == part)
    }

    /// What the player does worse than his level predicts by more than chance, the clearest first; and all mistakes, if there are
    /// more of them than in the corpus.
    pub fn weaknesses(&self) -> Vec<&Row> {
        let mut weak: Vec<&Row> = self.rows.iter().filter(|row| row.relatively_above() >= CLEAR).collect();
        weak.sort_by(|a, b| b.relatively_above().total_cmp(&a.relatively_above()));
        weak
    }

    /// What the player does better than his level predicts by more than chance, the clearest first.
    pub fn strengths(&self) -> Vec<&Row> {
        let mut strong: Vec<&Row> = self.rows.iter().filter(|row| row.relatively_above() <= -CLEAR).collect();
        strong.sort_by(|a, b| a.relatively_above().total_cmp(&b.relatively_above()));
        strong
    }
}

/// Mistakes to practise: those with a motif first, the worst first among them; each position once.
pub fn practice<'a, 'b>(mistakes: &'b [Mistake<'a>]) -> Vec<&'b Mistake<'a>> {
    let mut chosen: Vec<&Mistake<'_>> =
        mistakes.iter().filter(|mistake| mistake.better.first().is_some_and(|m| *m != mistake.played)).collect();
    chosen.sort_by_key(|mistake| {
        let has_motif = !mistake.missed.is_empty() || !mistake.allowed.is_empty();
        (!has_motif, -mistake.record.loss, mistake.record.game, mistake.record.ply)
    });
    let mut seen = std::collections::HashSet::new();
    chosen.retain(|mistake| seen.insert(&mistake.record.position));
    chosen.truncate(PRACTICE);
    chosen
}

/// Positions with the better move, one per line, as chess programs read them (EPD).
pub fn epd(mistakes: &[&Mistake<'_>]) -> String {
    let line = |mistake: &&Mistake<'_>| {
        let board: Vec<&str> = mistake.record.position.split(' ').take(4).collect();
        let better = mistake.better.first().map_or(String::new(), |&m| mistake.position.move_name(m));
        let missed = told(&mistake.missed);
        let text = |text: &str| text.replace(['"', ';'], "'");
        let record = mistake.record;
        let (player, game, ply) = (text(&record.player), record.game, record.ply);
        let why = if missed.is_empty() { missed } else { format!(" c1 \"{missed}\";") };
        format!(
            "{} bm {better}; id \"{player}, game {game}, ply {ply}\"; c0 \"played {}, loses {}\";{why}\n",
            board.join(" "),
            record.played,
            record.loss
        )
    };
    mistakes.iter().map(line).collect()
}
