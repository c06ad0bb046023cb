//! The run's side of a fleet.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alfil_core::wording::{one_line, shorten};
use alfil_nn::Network;
use alfil_selfplay::Ticket;
use alfil_train::fleet::{Fleet, FleetMetrics, Order, Played, Referee, TaskKind, WorkerMetrics};
use alfil_train::run::RunError;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};

use crate::error::Trouble;
use crate::layout::{ARITHMETIC_HEADER, HEARTBEAT, JOB_HEADER, Kind, LEASES, RESULTS, RUN, SHUT, TRAINER};
use crate::ledger::Ledger;
use crate::link::Link;
use crate::message::{Job, Lease, NetworkName, PROGRAM, RunCard, TrainerCard, read, write};
use crate::{Address, FleetError, Role};

/// How long to wait for results before anything else is looked at.
const TURN: Duration = Duration::from_millis(200);

/// How long to wait when the server does not do what is asked.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How often to look for leases that were lost.
const RECONCILE: Duration = Duration::from_secs(5);

/// Results that are taken at once.
const MESSAGES: usize = 200;

/// Leases that are sent at once.
const LEASES_AT_ONCE: usize = 500;

/// Numbers that are open at once, at most.
const MOST_OPEN: usize = 1 << 20;

/// Games are written when there are this many, or after `KEEP_TIME`, as by lanes.
const KEEP_GAMES: usize = 256;
const KEEP_TIME: Duration = Duration::from_secs(10);

/// Positions before which the share of stale ones is not looked at.
const FEW_POSITIONS: u64 = 2_000;

/// Jobs whose results still count: the newest, and those of earlier networks.
const MOST_JOBS: usize = 8;

/// The run's side of a fleet.
pub struct Trainer {
    link: Link,
    address: Address,
    shared: Arc<Shared>,
    /// Last, so that its tasks are gone before what they use.
    runtime: Runtime,
}

struct Shared {
    card: RunCard,
    say: Box<dyn Fn(&str) + Send + Sync>,
    tally: Mutex<Tally>,
    announcing: tokio::sync::Mutex<()>,
}

/// What has been done, and by whom.
#[derive(Default)]
struct Tally {
    /// Since the metrics were last asked for.
    metrics: FleetMetrics,
    positions: u64,
    stale: u64,
    /// Since the beginning.
    all: WorkerMetrics,
    open: [u64; 2],
    /// The networks that are played now, by kind.
    networks: [Vec<NetworkName>; 2],
    strikes: HashMap<String, u32>,
    shut: BTreeSet<String>,
}

impl Trainer {
    /// Connects, and claims the fleet for the run with this name. `say` is told in words what people should know.
    pub fn connect(address: Address, run: &str, say: Box<dyn Fn(&str) + Send + Sync>) -> Result<Trainer, FleetError> {
        let failed = |why: std::io::Error| FleetError::Play(format!("no threads can be started: {why}"));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(failed)?;
        let card = RunCard::new(run);
        let (link, shut) = runtime.block_on(claim(&address, &card))?;
        let tally = Mutex::new(Tally { shut, ..Tally::default() });
        let shared = Arc::new(Shared { card, say, tally, announcing: tokio::sync::Mutex::default() });
        runtime.spawn(be_seen(link.clone(), Arc::clone(&shared)));
        Ok(Trainer { link, address, shared, runtime })
    }
}

/// Connects, makes what is missing on the server and says whose it is. Returns the workers that are shut out.
async fn claim(address: &Address, card: &RunCard) -> Result<(Link, BTreeSet<String>), FleetError> {
    let link = Link::connect(address, Role::Trainer).await?;
    let server =
        |what| move |Trouble(why)| FleetError::Server { address: address.to_string(), what, why: one_line(&why) };
    if let Ok(presence) = link.presence().await
        && let Ok(Some(bytes)) = presence.get(TRAINER).await
        && let Some(TrainerCard { run, .. }) = read(&bytes)
        && run != card.run
    {
        return Err(FleetError::Taken { address: address.to_string(), run: shorten(&run) });
    }
    let keep = "keep streams (is JetStream on, as in configs/fleet/nats.conf, and is this the trainer's user?)";
    link.lay_out(Duration::from_secs(30)).await.map_err(server(keep))?;
    let claimed = async {
        let board = link.board().await?;
        link.put(&board, RUN, card).await?;
        // Before anybody else sees that nobody is here.
        let here = TrainerCard { run: card.run.clone(), program: PROGRAM.to_owned(), ..TrainerCard::default() };
        link.put(&link.presence().await?, TRAINER, &here).await?;
        let mut shut = BTreeSet::new();
        let mut keys = board.keys().await?;
        while let Some(key) = keys.next().await {
            shut.extend(key?.strip_prefix(SHUT).map(str::to_owned));
        }
        Ok::<_, Trouble>(shut)
    };
    let shut = claimed.await.map_err(server("take the run's card"))?;
    Ok((link, shut))
}

/// Says every few seconds that the trainer is there, and how it does.
async fn be_seen(link: Link, shared: Arc<Shared>) {
    let mut last = (Instant::now(), 0);
    let mut speed = 0.0;
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let card = {
            let tally = shared.tally();
            let seconds = last.0.elapsed().as_secs_f64();
            let share = (seconds / 30.0).min(1.0);
            speed += share * ((tally.all.positions - last.1) as f64 / seconds - speed);
            last = (Instant::now(), tally.all.positions);
            TrainerCard {
                run: shared.card.run.clone(),
                program: PROGRAM.to_owned(),
                games: tally.all.games,
                positions: tally.all.positions,
                per_second: speed,
                open: tally.open.iter().sum(),
                stale_share: tally.stale_share(),
                refused: tally.all.refused,
                shut: tally.shut.iter().cloned().collect(),
            }
        };
        let said = async { link.put(&link.presence().await?, TRAINER, &card).await };
        if let Err(Trouble(why)) = said.await {
            tracing::debug!(why, "the trainer cannot be seen");
        }
    }
}

impl Shared {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tally {
    fn stale_share(&self) -> f64 {
        self.stale as f64 / self.positions.max(1) as f64
    }

    /// Counts something of a worker, for the generation and for all time.
    fn count(&mut self, worker: &str, done: WorkerMetrics) {
        *self.metrics.workers.entry(worker.to_owned()).or_default() += done;
        self.all += done;
    }
}

impl Drop for Trainer {
    /// Lets another run have the fleet at once.
    fn drop(&mut self) {
        let leave = async {
            let presence = self.link.presence().await?;
            presence.delete(TRAINER).await?;
            Ok::<(), Trouble>(())
        };
        let _ = self.runtime.block_on(async { tokio::time::timeout(TRY_AGAIN, leave).await });
    }
}

impl Fleet for Trainer {
    fn play(&self, order: &Order<'_>, referee: &mut dyn Referee) -> Result<(), RunError> {
        let kind = match order.task.kind {
            TaskKind::Games { .. } => Kind::Games,
            TaskKind::Pairs { .. } => Kind::Pairs,
        };
        let playing = Playing {
            link: &self.link,
            shared: &self.shared,
            order,
            referee,
            kind,
            series: String::new(),
            jobs: Vec::new(),
            ledger: Ledger::default(),
            over: false,
            in_hand: Vec::new(),
            kept: Instant::now(),
            reconciled: Instant::now(),
            laid_out: None,
            results: None,
        };
        tracing::info!(address = %self.address, ?kind, "the fleet plays");
        self.runtime.block_on(playing.run())
    }

    fn metrics(&self) -> FleetMetrics {
        let mut tally = self.shared.tally();
        let metrics = FleetMetrics { stale_share: tally.stale_share(), ..std::mem::take(&mut tally.metrics) };
        (tally.positions, tally.stale) = (0, 0);
        metrics
    }
}

/// An order that is being played.
struct Playing<'a, 'b> {
    link: &'a Link,
    shared: &'a Shared,
    order: &'a Order<'b>,
    referee: &'a mut dyn Referee,
    kind: Kind,
    series: String,
    /// The job of these networks is the last one; the others are of earlier networks.
    jobs: Vec<Issued>,
    ledger: Ledger,
    /// Whether all numbers are in the ledger, or have been.
    over: bool,
    /// Messages with their results, which are acknowledged when the results are on the disk.
    in_hand: Vec<(Message, Vec<Played>)>,
    kept: Instant,
    reconciled: Instant,
    /// When the streams of the server that has our leases were made, in nanoseconds. None if that is to be found out.
    laid_out: Option<i128>,
    results: Option<Consumer<pull::Config>>,
}

/// A job that workers may send results of.
struct Issued {
    id: String,
    networks: Vec<Arc<Network>>,
    arithmetic: u64,
}

/// Why a turn ended early.
enum Stop {
    /// The run cannot go on.
    Run(RunError),
    /// The server cannot do something for now.
    Server(Trouble),
}

impl From<RunError> for Stop {
    fn from(why: RunError) -> Stop {
        Stop::Run(why)
    }
}

impl From<Trouble> for Stop {
    fn from(why: Trouble) -> Stop {
        Stop::Server(why)
    }
}

impl Playing<'_, '_> {
    /// Whether all that was ordered has come and been judged.
    fn is_done(&self) -> bool {
        self.over && self.ledger.is_empty() && self.in_hand.is_empty()
    }

    async fn run(mut self) -> Result<(), RunError> {
        let mut troubles = 0;
        while !(self.order.stop)() && !self.is_done() {
            match self.turn().await {
                Ok(()) => troubles = 0,
                Err(Stop::Run(why)) => return Err(why),
                Err(Stop::Server(Trouble(why))) => {
                    troubles += 1;
                    tracing::warn!(why, "the fleet's server");
                    // A server that was restarted is back at once: nobody needs to know.
                    if troubles == 5 {
                        (self.shared.say)(&format!(
                            "the fleet's server does not answer as it should: {}",
                            one_line(&why)
                        ));
                    }
                    self.laid_out = None;
                    tokio::time::sleep(TRY_AGAIN).await;
                }
            }
        }
        let kept = self.keep().await;
        self.shared.tally().open[self.kind as usize] = 0;
        // Leases that nobody has begun are no longer needed.
        let _ = self.forget_leases().await;
        kept
    }

    async fn turn(&mut self) -> Result<(), Stop> {
        if self.laid_out.is_none() {
            self.begin().await?;
        }
        let networks = (self.order.networks)();
        let is_current = |job: &Issued| {
            job.networks.len() == networks.len() && job.networks.iter().zip(&networks).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if !self.jobs.last().is_some_and(is_current) {
            self.announce(networks).await?;
        }
        while !self.over && self.ledger.len() < MOST_OPEN {
            match (self.order.next)() {
                Ticket::Game(number) => self.ledger.add(number),
                Ticket::Later => break,
                Ticket::Over => self.over = true,
            }
        }
        self.lease().await?;
        self.receive().await?;
        let games: usize = self.in_hand.iter().map(|(_, played)| played.len()).sum();
        let all_in = self.over && self.ledger.is_empty();
        if games >= KEEP_GAMES || self.kept.elapsed() >= KEEP_TIME || all_in || self.kind == Kind::Pairs {
            self.keep().await?;
        }
        if self.reconciled.elapsed() >= RECONCILE {
            self.reconciled = Instant::now();
            self.reconcile().await?;
        }
        self.shared.tally().open[self.kind as usize] = self.ledger.len() as u64;
        Ok(())
    }

    /// Makes what the server lacks, and begins with no leases there: those of an earlier process may be of anything.
    async fn begin(&mut self) -> Result<(), Trouble> {
        self.link.lay_out(Duration::from_secs(self.order.settings.lease_seconds)).await?;
        let board = self.link.board().await?;
        self.link.put(&board, RUN, &self.shared.card).await?;
        let made = self.forget_leases().await?;
        self.ledger.lose_leases();
        self.laid_out = Some(made);
        self.results = Some(self.link.consumer(RESULTS, self.kind).await?);
        if let Some(job) = self.jobs.pop() {
            self.announce_as(job).await?;
        }
        Ok(())
    }

    async fn forget_leases(&self) -> Result<i128, Trouble> {
        let mut leases = self.link.stream(LEASES).await?;
        leases.purge().filter(self.kind.lease_subject()).await?;
        Ok(leases.info().await?.created.unix_timestamp_nanos())
    }

    /// Says that these networks play from now on.
    async fn announce(&mut self, networks: Vec<Arc<Network>>) -> Result<(), Stop> {
        let arithmetic = self.referee.arithmetic(&networks)?;
        self.announce_as(Issued { id: String::new(), networks, arithmetic }).await?;
        Ok(())
    }

    async fn announce_as(&mut self, mut issued: Issued) -> Result<(), Trouble> {
        // Nobody else decides meanwhile which networks are needed.
        let _alone = self.shared.announcing.lock().await;
        let mut names = Vec::new();
        for network in &issued.networks {
            names.push(self.link.store_network(network).await?);
        }
        let lease_seconds = self.order.settings.lease_seconds;
        let job = Job { task: self.order.task.clone(), networks: names.clone(), lease_seconds };
        (issued.id, self.series) = (job.id(), job.series());
        let board = self.link.board().await?;
        self.link.put(&board, &self.kind.job_key(), &job).await?;
        tracing::info!(job = issued.id, kind = ?self.kind, "job announced");
        self.jobs.retain(|known| known.id != issued.id);
        self.jobs.push(issued);
        let earlier = self.jobs.len().saturating_sub(MOST_JOBS);
        self.jobs.drain(..earlier);
        // Workers that still play with an earlier network have it in memory.
        let needed = {
            let mut tally = self.shared.tally();
            tally.networks[self.kind as usize] = names;
            tally.networks.concat()
        };
        self.link.forget_networks(&needed).await
    }

    /// Gives out leases for all numbers that have none.
    async fn lease(&mut self) -> Result<(), Trouble> {
        let most = self.order.settings.lease_games as usize;
        let subject = self.kind.lease_subject();
        let mut sent = Vec::new();
        while sent.len() < LEASES_AT_ONCE
            && let numbers = self.ledger.next_lease(most)
            && !numbers.is_empty()
        {
            let lease = Lease { series: self.series.clone(), numbers };
            let stored = self.link.jetstream.publish(subject.clone(), write(&lease).into()).await?;
            // No lease is there: if the server does not say which place it has, it is lost.
            self.ledger.leased(&lease.numbers, u64::MAX);
            sent.push((lease.numbers, stored));
        }
        for (numbers, stored) in sent {
            let place = stored.await?.sequence;
            self.ledger.leased(&numbers, place);
        }
        Ok(())
    }

    /// Takes the results that come within a short time.
    async fn receive(&mut self) -> Result<(), Stop> {
        let Some(consumer) = &self.results else { return Ok(()) };
        let batch = consumer.batch().max_messages(MESSAGES).expires(TURN).messages().await;
        let mut batch = batch.map_err(Trouble::from)?;
        // All of them first: a batch that is not read for some seconds is given up with what is in it.
        let mut messages = Vec::new();
        while let Some(message) = batch.next().await {
            messages.push(message.map_err(|why| Trouble(why.to_string()))?);
        }
        for message in messages {
            self.take(message).await?;
        }
        Ok(())
    }

    /// Judges a message. What is in it is kept later, and it is acknowledged then.
    async fn take(&mut self, message: Message) -> Result<(), Stop> {
        let worker = message.subject.rsplit('.').next().unwrap_or_default().to_owned();
        if self.shared.tally().shut.contains(&worker) {
            dismiss(&message).await;
            return Ok(());
        }
        let header = |name| message.headers.as_ref().and_then(|headers| headers.get(name)).map(|value| value.as_str());
        let Some(id) = header(JOB_HEADER) else {
            self.refuse(&worker, "it does not say of which job it is").await;
            dismiss(&message).await;
            return Ok(());
        };
        let Some(place) = self.jobs.iter().position(|job| job.id == id) else {
            // Of an order that is over, or was given by an earlier process of the trainer.
            dismiss(&message).await;
            return Ok(());
        };
        let is_stale = place + 1 < self.jobs.len();
        let own = format!("{:016x}", self.jobs[place].arithmetic);
        let is_like_us = header(ARITHMETIC_HEADER).is_some_and(|theirs| theirs == own);
        let all = match self.referee.read(&message.payload) {
            Ok(all) => all,
            Err(why) => {
                self.refuse(&worker, &why).await;
                dismiss(&message).await;
                return Ok(());
            }
        };
        let mut accepted = Vec::new();
        for played in all {
            let number = played.number();
            if !self.ledger.is_open(number) {
                self.shared.tally().metrics.duplicates += 1;
                continue;
            }
            if let Err(why) = self.referee.check(&played) {
                self.refuse(&worker, &why).await;
                break;
            }
            if is_like_us && chance() < self.order.settings.replay_share {
                let networks = self.jobs[place].networks.clone();
                match self.referee.replay(&networks, number)? {
                    Some(own) if own != played => {
                        self.shut(&worker, &format!("game {number} goes on in another way when it is played again"))
                            .await;
                        break;
                    }
                    Some(_) => self.shared.tally().metrics.replayed += 1,
                    None => {}
                }
            }
            if !self.has_room(&played, is_stale) {
                self.ledger.again(number);
                continue;
            }
            self.ledger.take(number);
            let done = match played {
                Played::Game(_) => {
                    WorkerMetrics { games: 1, positions: played.positions(), ..WorkerMetrics::default() }
                }
                Played::Pair(_) => WorkerMetrics { pairs: 1, ..WorkerMetrics::default() },
            };
            self.shared.tally().count(&worker, done);
            accepted.push(played);
        }
        if accepted.is_empty() {
            dismiss(&message).await;
            return Ok(());
        }
        self.in_hand.push((message, accepted));
        Ok(())
    }

    /// Whether a result counts, as far as the share of stale ones goes. Counts its positions if so.
    fn has_room(&self, played: &Played, is_stale: bool) -> bool {
        let mut tally = self.shared.tally();
        let positions = played.positions();
        if is_stale {
            let after = tally.stale + positions;
            let all = (tally.positions + positions).max(FEW_POSITIONS);
            if after as f64 > self.order.settings.stale_share * all as f64 {
                tally.metrics.discarded += 1;
                return false;
            }
            tally.stale = after;
        }
        tally.positions += positions;
        true
    }

    /// Hands what is in hand to the run, and acknowledges it when it is on the disk.
    async fn keep(&mut self) -> Result<(), RunError> {
        self.kept = Instant::now();
        let mut messages = Vec::new();
        let mut played = Vec::new();
        for (message, results) in self.in_hand.drain(..) {
            messages.push(message);
            played.extend(results);
        }
        if played.is_empty() {
            return Ok(());
        }
        self.referee.keep(played)?;
        for message in messages {
            dismiss(&message).await;
        }
        Ok(())
    }

    /// Leases again what the server has lost, or what came back as something else.
    async fn reconcile(&mut self) -> Result<(), Trouble> {
        let mut leases = self.link.stream(LEASES).await?;
        let info = leases.info().await?;
        let (first, last) = (info.state.first_sequence, info.state.last_sequence);
        if self.laid_out != Some(info.created.unix_timestamp_nanos()) {
            return Err(Trouble("its streams are not those of before".to_owned()));
        }
        let Some(results) = &self.results else { return Ok(()) };
        let info = results.get_info().await?;
        let on_their_way = info.num_pending > 0 || info.num_ack_pending > self.in_hand.len();
        if !on_their_way {
            let lost = self.ledger.keep_leases(first..=last);
            if lost > 0 {
                tracing::warn!(lost, "numbers leased again");
            }
        }
        Ok(())
    }

    /// Counts a message that is not a result of the run. A worker that sends several of them is shut out.
    async fn refuse(&self, worker: &str, why: &str) {
        let strikes = {
            let mut tally = self.shared.tally();
            tally.count(worker, WorkerMetrics { refused: 1, ..WorkerMetrics::default() });
            let strikes = tally.strikes.entry(worker.to_owned()).or_default();
            *strikes += 1;
            *strikes
        };
        let worker_in_words = shorten(worker);
        (self.shared.say)(&format!(
            "the worker {worker_in_words} sent what is not a result of this run: {}",
            one_line(why)
        ));
        if strikes >= self.order.settings.strikes {
            self.shut(worker, why).await;
        }
    }

    /// Shuts a worker out of the run.
    async fn shut(&self, worker: &str, why: &str) {
        let is_new = self.shared.tally().shut.insert(worker.to_owned());
        if !is_new {
            return;
        }
        (self.shared.say)(&format!("the worker {} is shut out: {}", shorten(worker), one_line(why)));
        let told = async {
            let board = self.link.board().await?;
            self.link.put(&board, &format!("{SHUT}{worker}"), &shorten(why)).await
        };
        if let Err(Trouble(why)) = told.await {
            tracing::warn!(why, worker, "cannot tell that it is shut out");
        }
    }
}

/// Acknowledges a message. If that is lost, it comes again, and is known.
async fn dismiss(message: &Message) {
    if let Err(why) = message.ack_with(AckKind::Ack).await {
        tracing::debug!(%why, "a result cannot be acknowledged");
    }
}

/// A number from 0 to 1 that nobody outside can foresee.
fn chance() -> f64 {
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1u64 << 53) as f64
}
