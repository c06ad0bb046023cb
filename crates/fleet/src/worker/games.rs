//! Games of self-play.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use alfil_core::settings::{Findings, Settings, Table, set_table};
use alfil_game::{Encoding, FullGame, Game};
use alfil_nn::EvaluatorError;
use alfil_search::Adjudicator;
use alfil_search::evaluators::NetworkBackend;
use alfil_selfplay::{LaneContext, Lanes, SelfplaySettings, Tickets, pack_chunk};
use alfil_train::fleet::{Played, arithmetic};

use super::playing::{Done, Setting, Started};

/// Starts lanes.
pub fn start<E: Encoding>(
    setting: &Setting<'_>,
    rules: <E::Game as Game>::Rules,
    settings: &str,
    listed: &[String],
) -> Result<Started, String> {
    let settings = read_settings(settings)?;
    let network = setting.networks.first().ok_or("it names no network")?;
    let backend = NetworkBackend::<E>::new(network, &*setting.worker.device).map_err(|why| why.to_string())?;
    let adjudicator = Adjudicator::open(&settings.adjudication).map_err(|why| why.to_string())?;
    let queue = Arc::clone(&setting.queue);
    let tickets = Arc::new(Tickets::limited(std::iter::from_fn(move || queue.take()), 0));
    let at_once = settings.at_once;
    let context = LaneContext::<E::Game> {
        settings,
        rules: rules.clone(),
        adjudicator,
        tickets: Arc::clone(&tickets),
        seed: setting.job.task.terms.seed,
        listed: listed.to_vec(),
        gallery: None,
    };
    let steps = Arc::clone(&setting.steps);
    let (lanes, stop, done, id) =
        (setting.worker.lanes, Arc::clone(&setting.stop), setting.done.clone(), Arc::clone(&setting.id));
    let play = move || {
        let lanes = Lanes { context, lanes, backend: &backend, stop: &stop };
        let played = lanes.run::<EvaluatorError>(&mut |record, counts| {
            steps.store(counts.evaluations + counts.moves + counts.games, Relaxed);
            if let Some(record) = record {
                let _ = done.send(Done::Played { job: Arc::clone(&id), played: Played::Game(Box::new(record)) });
            }
            Ok(())
        });
        let _ = done.send(Done::Ended(played.err()));
    };
    let started = std::thread::Builder::new().name("games".to_owned()).spawn(play);
    started.map_err(|why| format!("no thread can be started: {why}"))?;
    let under_way = lanes * at_once;
    Ok(Started {
        arithmetic: arithmetic::<E>(&setting.networks, &*setting.worker.device, &rules)
            .map_err(|why| why.to_string())?,
        pack: pack::<E::Game>,
        appetite: under_way + under_way / 2,
        allow: Box::new(move |games| match games {
            Some(games) => tickets.allow(games),
            None => tickets.close(),
        }),
    })
}

/// Reads settings as a configuration has them.
fn read_settings(text: &str) -> Result<SelfplaySettings, String> {
    let (mut settings, mut found) = (SelfplaySettings::default(), Findings::default());
    let table: Table = text.parse().map_err(|_| "its settings are no configuration".to_owned())?;
    set_table(&mut settings, &table, &mut found).map_err(|why| why.to_string())?;
    Settings::check(&settings, &mut found);
    match found.errors.first() {
        None => Ok(settings),
        Some(finding) => Err(format!("selfplay.{finding}")),
    }
}

fn pack<G: FullGame>(played: &[Played]) -> Result<Vec<u8>, String> {
    let records: Vec<_> = played
        .iter()
        .filter_map(|played| match played {
            Played::Game(record) => Some((**record).clone()),
            Played::Pair(_) => None,
        })
        .collect();
    pack_chunk::<G>(&records).map_err(|why| why.to_string())
}
