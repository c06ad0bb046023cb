//! `alfil games stats`

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use alfil_core::numbers::count;
use alfil_game::{FullGame, registry, with_game};
use alfil_selfplay::{Counts, GameRecord, chunks, read_chunk};
use anyhow::ensure;
use clap::Args;
use serde_json::json;

use crate::Verdict;

/// Players that are listed.
const LISTED: usize = 10;

/// The width of a band of ratings.
const BAND: u32 = 200;

#[derive(Args)]
pub struct StatsCommand {
    /// A folder of games, imported or of self-play
    folder: PathBuf,
    /// The game's name
    #[arg(long, default_value = registry::DEFAULT)]
    game: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is in a folder.
#[derive(Default)]
struct Stats {
    counts: Counts,
    /// Games by the lower end of the band of their players' mean rating.
    bands: BTreeMap<u32, u64>,
    players: BTreeMap<String, u64>,
}

pub fn run(command: &StatsCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let stats = with_game!(&command.game, G => read::<G>(command))??;
    let Stats { counts, bands, players } = &stats;
    let [won, drawn, lost] = counts.results;
    let mut most: Vec<(&String, &u64)> = players.iter().collect();
    most.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    most.truncate(LISTED);
    if command.json {
        let report = json!({
            "games": counts.games, "positions": counts.positions, "policies": counts.policies,
            "results": counts.results, "mean_length": counts.mean_length(), "resigned": counts.resigned,
            "adjudicated": counts.adjudicated, "policy_entropy": counts.mean_entropy(),
            "ratings": bands, "players": most,
        });
        writeln!(out, "{report}")?;
        return Ok(Verdict::Fine);
    }
    let share = |part: u64| 100.0 * part as f64 / counts.games as f64;
    writeln!(out, "{} games, {} positions", count(counts.games), count(counts.positions))?;
    writeln!(out, "{} positions with a policy, of {:.2} nats", count(counts.policies), counts.mean_entropy())?;
    writeln!(out, "{:.1} plies per game", counts.mean_length())?;
    writeln!(
        out,
        "{:.1} % won, {:.1} % drawn, {:.1} % lost by the first player",
        share(won),
        share(drawn),
        share(lost)
    )?;
    let (resigned, adjudicated) = (share(counts.resigned), share(counts.adjudicated));
    writeln!(out, "{resigned:.1} % ended by resignation, {adjudicated:.1} % by adjudication or agreement")?;
    for (from, games) in bands {
        writeln!(out, "rated {from} to {}: {} games", from + BAND - 1, count(*games))?;
    }
    for (name, games) in most {
        writeln!(out, "{}: {} games", alfil_core::wording::one_line(name), count(*games))?;
    }
    Ok(Verdict::Fine)
}

fn read<G: FullGame>(command: &StatsCommand) -> anyhow::Result<Stats> {
    let paths = chunks(&command.folder)?;
    ensure!(!paths.is_empty(), "there are no games in {}: name a folder of *.games files", command.folder.display());
    let mut stats = Stats::default();
    for path in paths {
        read_chunk::<G>(&path)?.iter().for_each(|record| stats.add(record));
    }
    Ok(stats)
}

impl Stats {
    fn add(&mut self, record: &GameRecord) {
        self.counts.add_record(record);
        let tag = |name: &str| record.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value);
        let elo = |name: &str| tag(name).and_then(|value| value.parse::<u32>().ok());
        if let (Some(first), Some(second)) = (elo("WhiteElo"), elo("BlackElo")) {
            *self.bands.entry(first.midpoint(second) / BAND * BAND).or_default() += 1;
        }
        for name in ["White", "Black"].into_iter().filter_map(tag) {
            *self.players.entry(name.clone()).or_default() += 1;
        }
    }
}
