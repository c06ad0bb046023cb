//! The run's side of a fleet.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alfil_core::wording::{one_line, shorten};
use alfil_nn::Network;
use alfil_selfplay::Ticket;
use alfil_train::fleet::{Fleet, FleetMetrics, Order, Played, Referee, TaskKind, WorkerMetrics, WorkerNow};
use alfil_train::run::RunError;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::kv::{Entry, Operation};
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::runtime::{Builder, Runtime};

use crate::claim::{Claim, holder};
use crate::error::Trouble;
use crate::layout::{
    ARITHMETIC_HEADER, HEARTBEAT, JOB_HEADER, KEEPING, Kind, LEASES, RESULTS, RUN, SHUT, TOO_LARGE_HEADER,
};
use crate::ledger::Ledger;
use crate::link::Link;
use crate::message::{Job, Lease, NetworkName, PROGRAM, RunCard, TrainerCard, write};
use crate::replays::Replays;
use crate::{Address, FleetError, Role};

/// How long to wait for results before anything else is looked at.
const TURN: Duration = Duration::from_millis(200);

/// How long to wait when the server does not do what is asked.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How often to look for leases that were lost.
const RECONCILE: Duration = Duration::from_secs(5);

/// Leases that are looked for at once, of those that should be in the queue.
const LOOKED_FOR: usize = 64;

/// Results that are taken at once.
const MESSAGES: usize = 200;

/// Messages with nothing new in them are acknowledged when there are this many.
const KEEP_MESSAGES: usize = 1000;

/// Leases that are sent at once.
const LEASES_AT_ONCE: usize = 500;

/// Numbers that are open at once, at most.
const MOST_OPEN: usize = 1 << 20;

/// Games are written when there are this many, or after `KEEP_TIME`, as by lanes.
const KEEP_GAMES: usize = 256;
const KEEP_TIME: Duration = Duration::from_secs(10);

/// Positions before which the share of stale ones is not looked at.
const FEW_POSITIONS: u64 = 2_000;

/// Results of a worker whose evaluators round differently that may differ by chance, before their share is looked at.
const FEW_UNLIKE: u32 = 4;

/// Jobs whose results still count: the newest, and those of earlier networks.
const MOST_JOBS: usize = 8;

/// The run's side of a fleet.
pub struct Trainer {
    link: Link,
    address: Address,
    shared: Arc<Shared>,
    began: Instant,
    /// Last, so that its tasks are gone before what they use.
    runtime: Runtime,
}

struct Shared {
    card: RunCard,
    /// The machine and the folder of the run.
    home: String,
    /// This process, among trainers.
    instance: u64,
    say: Box<dyn Fn(&str) + Send + Sync>,
    tally: Mutex<Tally>,
    announcing: tokio::sync::Mutex<()>,
    claim: tokio::sync::Mutex<Claim>,
    /// Where the trainer is that has taken the fleet over, if one has.
    lost: Mutex<Option<String>>,
}

/// What has been done, and by whom.
#[derive(Default)]
struct Tally {
    /// Since the metrics were last asked for.
    metrics: FleetMetrics,
    positions: u64,
    stale: u64,
    /// When that was.
    asked: Option<Instant>,
    /// Since the beginning.
    all: WorkerMetrics,
    workers: HashMap<String, Known>,
    open: [u64; 2],
    /// The networks that are played now, by kind.
    networks: [Vec<NetworkName>; 2],
    strikes: HashMap<String, u32>,
    /// Of workers whose evaluators round differently: results that were played again here, and how many were unlike.
    compared: HashMap<String, [u32; 2]>,
    shut: BTreeSet<String>,
}

/// A worker that has sent something.
#[derive(Default)]
struct Known {
    done: WorkerMetrics,
    /// When its last result came.
    last: Option<Instant>,
    /// Positions when the rate was last updated.
    before: u64,
}

impl Trainer {
    /// Connects, and claims the fleet for the run with this name. `home` says where the run is kept, on which machine: two runs of
    /// one name are known by it. `say` is told in words what people should know.
    pub fn connect(
        address: Address,
        run: &str,
        home: &str,
        say: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Trainer, FleetError> {
        let failed = |why: std::io::Error| FleetError::Play(format!("no threads can be started: {why}"));
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(failed)?;
        let (card, instance) = (RunCard::new(run), RandomState::new().build_hasher().finish());
        let here = TrainerCard {
            run: run.to_owned(),
            home: home.to_owned(),
            instance,
            program: PROGRAM.to_owned(),
            ..TrainerCard::default()
        };
        let (link, claim, shut) = runtime.block_on(claim(&address, &card, &here))?;
        let shared = Arc::new(Shared {
            card,
            home: home.to_owned(),
            instance,
            say,
            tally: Mutex::new(Tally { shut, ..Tally::default() }),
            announcing: tokio::sync::Mutex::default(),
            claim: tokio::sync::Mutex::new(claim),
            lost: Mutex::default(),
        });
        runtime.spawn(be_seen(link.clone(), Arc::clone(&shared)));
        runtime.spawn(keep_up(link.clone(), Arc::clone(&shared)));
        Ok(Trainer { link, address, shared, began: Instant::now(), runtime })
    }
}

/// Connects, makes what is missing on the server and says whose it is. Returns the workers that are shut out.
async fn claim(
    address: &Address,
    card: &RunCard,
    here: &TrainerCard,
) -> Result<(Link, Claim, BTreeSet<String>), FleetError> {
    let link = Link::connect(address, Role::Trainer).await?;
    let server =
        |what| move |Trouble(why)| FleetError::Server { address: address.to_string(), what, why: one_line(&why) };
    if let Ok(Some(other)) = holder(&link).await {
        let address = address.to_string();
        if other.run != card.run {
            return Err(FleetError::Taken { address, run: shorten(&other.run) });
        }
        // One that was killed a moment ago, and is started again, has the same home.
        if other.home != here.home {
            return Err(FleetError::Held { address, home: shorten(&other.home) });
        }
    }
    link.lay_out(Duration::from_secs(30)).await.map_err(|Trouble(why)| {
        // What the server says when an account's streams do not fit beside those of others.
        let is_full = ["insufficient", "10023", "10028", "10047"].iter().any(|word| why.contains(word));
        let what = if is_full {
            "have room for another run: raise max_file_store and max_memory_store in nats.conf"
        } else {
            "keep streams (is JetStream on, as in configs/fleet/nats.conf, and is this the trainer's user?)"
        };
        server(what)(Trouble(why))
    })?;
    let claimed = async {
        // Before anybody else sees that nobody is here.
        let Some(claim) = Claim::make(&link, here).await? else { return Ok(None) };
        let board = link.board().await?;
        link.put(&board, RUN, card).await?;
        let mut shut = BTreeSet::new();
        let mut keys = board.keys().await?;
        while let Some(key) = keys.next().await {
            shut.extend(key?.strip_prefix(SHUT).map(str::to_owned));
        }
        Ok::<_, Trouble>(Some((claim, shut)))
    };
    match claimed.await.map_err(server("take the run's card"))? {
        Some((claim, shut)) => Ok((link, claim, shut)),
        None => {
            Err(FleetError::Held { address: address.to_string(), home: "a machine that comes just now".to_owned() })
        }
    }
}

/// Follows who is shut out, for ever: people may forgive.
async fn keep_up(link: Link, shared: Arc<Shared>) {
    loop {
        let mut note = |entry: &Entry| {
            let Some(worker) = entry.key.strip_prefix(SHUT) else { return };
            if entry.operation == Operation::Put {
                shared.tally().shut.insert(worker.to_owned());
            } else if shared.tally().forgive(worker) {
                (shared.say)(&format!("the worker {} may come back", shorten(worker)));
            }
        };
        if let Err(Trouble(why)) = link.follow(&format!("{SHUT}*"), &mut note).await {
            tracing::debug!(why, "who is shut out cannot be followed");
        }
        tokio::time::sleep(TRY_AGAIN).await;
    }
}

/// Says every few seconds that the trainer is there, and how it does.
async fn be_seen(link: Link, shared: Arc<Shared>) {
    let mut last = (Instant::now(), 0);
    let mut speed = 0.0;
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let card = {
            let mut tally = shared.tally();
            let seconds = last.0.elapsed().as_secs_f64();
            let share = (seconds / 30.0).min(1.0);
            speed += share * ((tally.all.positions - last.1) as f64 / seconds - speed);
            last = (Instant::now(), tally.all.positions);
            for known in tally.workers.values_mut() {
                let rate = (known.done.positions - known.before) as f64 / seconds;
                known.done.per_second += share * (rate - known.done.per_second);
                known.before = known.done.positions;
            }
            TrainerCard {
                run: shared.card.run.clone(),
                home: shared.home.clone(),
                instance: shared.instance,
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
        match shared.claim.lock().await.renew(&link, &card).await {
            Ok(None) => {}
            Ok(Some(other)) => {
                *shared.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(shorten(&other.home));
                return;
            }
            Err(Trouble(why)) => tracing::debug!(why, "the trainer cannot be seen"),
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
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.done += done;
        known.last = Some(Instant::now());
        self.all += done;
    }

    /// Lets a worker in again. False if it was not shut out.
    fn forgive(&mut self, worker: &str) -> bool {
        self.strikes.remove(worker);
        self.compared.remove(worker);
        self.shut.remove(worker)
    }
}

impl Drop for Trainer {
    /// Lets another run have the fleet at once.
    fn drop(&mut self) {
        let leave = async { self.shared.claim.lock().await.give_up(&self.link).await };
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
            replays: None,
            kept: Instant::now(),
            reconciled: Instant::now(),
            laid_out: None,
            results: None,
            posted: Vec::new(),
            suspects: None,
            looked: 0,
            told_large: false,
        };
        tracing::info!(address = %self.address, ?kind, "the fleet plays");
        self.runtime.block_on(playing.run())
    }

    fn metrics(&self) -> FleetMetrics {
        let mut tally = self.shared.tally();
        let mut metrics = FleetMetrics { stale_share: tally.stale_share(), ..std::mem::take(&mut tally.metrics) };
        let seconds = tally.asked.replace(Instant::now()).unwrap_or(self.began).elapsed().as_secs_f64();
        for worker in metrics.workers.values_mut() {
            worker.per_second = worker.positions as f64 / seconds.max(1e-9);
        }
        (tally.positions, tally.stale) = (0, 0);
        metrics
    }

    fn workers(&self) -> Vec<WorkerNow> {
        let tally = self.shared.tally();
        let now = |(name, known): (&String, &Known)| WorkerNow {
            name: name.clone(),
            done: known.done,
            quiet: known.last.map_or(0.0, |last| last.elapsed().as_secs_f64()),
            shut: tally.shut.contains(name),
        };
        tally.workers.iter().map(now).collect()
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
    /// Messages that have been read. None is acknowledged before what was in it, or in another copy of it, is on the disk.
    in_hand: Vec<Hand>,
    /// Who plays some numbers again here, once that has been asked for.
    replays: Option<Replays>,
    kept: Instant,
    reconciled: Instant,
    /// When the streams of the server that has our leases were made, in nanoseconds. None if that is to be found out.
    laid_out: Option<i128>,
    results: Option<Consumer<pull::Config>>,
    /// The job as it should be on the board.
    posted: Vec<u8>,
    /// Leases that are not in the queue, and the last result at that time: when all results to there have been judged, numbers of
    /// those leases that are still open are lost.
    suspects: Option<(BTreeSet<u64>, u64)>,
    /// The place up to which leases were looked for.
    looked: u64,
    /// Whether people know that there are results too large for a message.
    told_large: bool,
}

/// A message that has been read.
struct Hand {
    message: Message,
    worker: String,
    /// Results that count.
    kept: Vec<Played>,
    /// Numbers that are played again here first.
    judged: Vec<Judged>,
    /// When the server was last told that it is in hand.
    touched: Instant,
}

/// A number that is played again here.
struct Judged {
    number: u64,
    /// What the worker sent; none if no message could hold it.
    played: Option<Played>,
    /// Whether the worker's evaluators should give the same bits.
    exactly: bool,
    is_stale: bool,
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
        if self.kind == Kind::Pairs {
            // A match that is over needs no more of them.
            for hand in &self.in_hand {
                acknowledge(&hand.message, AckKind::Ack).await;
            }
        }
        self.shared.tally().open[self.kind as usize] = 0;
        // Leases that nobody has begun are no longer needed.
        let _ = self.forget_leases().await;
        kept
    }

    async fn turn(&mut self) -> Result<(), Stop> {
        let lost = self.shared.lost.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(home) = lost {
            let what = format!("was taken over by another trainer of a run of this name, on {home}: stop one of them");
            return Err(RunError::Fleet(what).into());
        }
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
        if self.replays.as_ref().is_some_and(Replays::is_full) {
            // Results wait on the server meanwhile.
            tokio::time::sleep(TURN).await;
        } else {
            self.receive().await?;
        }
        self.hear_judge().await?;
        let games: usize = self.in_hand.iter().map(|hand| hand.kept.len()).sum();
        let all_in = self.over && self.ledger.is_empty();
        let is_much = games >= KEEP_GAMES || self.in_hand.len() >= KEEP_MESSAGES;
        if is_much || self.kept.elapsed() >= KEEP_TIME || all_in || self.kind == Kind::Pairs {
            self.keep().await?;
        }
        for hand in self.in_hand.iter_mut().filter(|hand| hand.touched.elapsed() >= KEEPING / 4) {
            hand.touched = Instant::now();
            acknowledge(&hand.message, AckKind::Progress).await;
        }
        if self.reconciled.elapsed() >= RECONCILE {
            self.reconciled = Instant::now();
            self.reconcile().await?;
        }
        self.shared.tally().open[self.kind as usize] = self.ledger.len() as u64;
        Ok(())
    }

    /// Makes what the server lacks, and begins with no leases there: those of an earlier process may be of anything.
    async fn begin(&mut self) -> Result<(), Stop> {
        self.link.lay_out(Duration::from_secs(self.order.settings.lease_seconds)).await?;
        let board = self.link.board().await?;
        self.link.put(&board, RUN, &self.shared.card).await?;
        // Those who are shut out stay so where the server has lost that.
        let shut = self.shared.tally().shut.clone();
        for worker in shut {
            let key = format!("{SHUT}{worker}");
            if board.get(key.as_str()).await.map_err(Trouble::from)?.is_none() {
                self.link.put(&board, &key, &"as before").await?;
            }
        }
        let made = self.forget_leases().await?;
        self.ledger.lose_leases();
        self.suspects = None;
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

    async fn announce_as(&mut self, mut issued: Issued) -> Result<(), Stop> {
        // Nobody else decides meanwhile which networks are needed.
        let _alone = self.shared.announcing.lock().await;
        let mut names = Vec::new();
        for network in &issued.networks {
            names.push(self.link.store_network(network).await?);
        }
        let lease_seconds = self.order.settings.lease_seconds;
        let job = Job { task: self.order.task.clone(), networks: names.clone(), lease_seconds };
        (issued.id, self.series) = (job.id(), job.series());
        let (posted, room) = (write(&job), self.link.room());
        if posted.len() > room {
            return Err(RunError::Fleet(format!(
                "cannot be told what to play: that takes {} kB, and a message of its server {} kB at most: raise max_payload in \
                 nats.conf up to 1 MB, or use fewer positions in selfplay.starts_file",
                posted.len() / 1000,
                room / 1000
            ))
            .into());
        }
        self.link.board().await?.put(self.kind.job_key(), posted.clone().into()).await.map_err(Trouble::from)?;
        self.posted = posted;
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
        Ok(self.link.forget_networks(&needed).await?)
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
        let header = |name| {
            let value = message.headers.as_ref().and_then(|headers| headers.get(name));
            value.map(|value| value.as_str().to_owned())
        };
        let (id, arithmetic, too_large) = (header(JOB_HEADER), header(ARITHMETIC_HEADER), header(TOO_LARGE_HEADER));
        let payload = message.payload.clone();
        let mut hand = Hand { message, worker, kept: Vec::new(), judged: Vec::new(), touched: Instant::now() };
        if !self.shared.tally().shut.contains(&hand.worker) {
            match id {
                None => self.refuse(&hand.worker, "it does not say of which job it is").await,
                // One that is unknown is of an order that is over, or was given by an earlier process of the trainer.
                Some(id) => {
                    if let Some(place) = self.jobs.iter().position(|job| job.id == id) {
                        match too_large {
                            Some(number) => self.play_here(&mut hand, place, &number).await?,
                            None => self.look_at(&mut hand, place, arithmetic, &payload).await?,
                        }
                    }
                }
            }
        }
        self.in_hand.push(hand);
        Ok(())
    }

    /// Checks what is in a message of the job at this place.
    async fn look_at(
        &mut self,
        hand: &mut Hand,
        place: usize,
        arithmetic: Option<String>,
        payload: &[u8],
    ) -> Result<(), Stop> {
        let all = match self.referee.read(payload) {
            Ok(all) => all,
            Err(why) => {
                self.refuse(&hand.worker, &why).await;
                return Ok(());
            }
        };
        let is_stale = place + 1 < self.jobs.len();
        let exactly = arithmetic.is_some_and(|theirs| theirs == format!("{:016x}", self.jobs[place].arithmetic));
        for played in all {
            let number = played.number();
            let is_in_hand = hand.judged.iter().any(|judged| judged.number == number);
            if !self.ledger.is_open(number) || is_in_hand || self.is_judged(number) {
                self.shared.tally().metrics.duplicates += 1;
                continue;
            }
            if let Err(why) = self.referee.check(&played) {
                self.refuse(&hand.worker, &why).await;
                break;
            }
            // Whether to look is decided here, whatever the worker says of its evaluators.
            if chance() < self.order.settings.replay_share && self.can_replay()? {
                self.ask(number, place);
                hand.judged.push(Judged { number, played: Some(played), exactly, is_stale });
            } else {
                self.accept(hand, played, is_stale);
            }
        }
        Ok(())
    }

    /// Whether a number can be played again here now. Where only a part of them is, a judge who is behind leaves some out.
    fn can_replay(&mut self) -> Result<bool, RunError> {
        self.appoint_judge()?;
        let is_all = self.order.settings.replay_share >= 1.0;
        Ok(self.replays.as_ref().is_some_and(|replays| replays.is_repeatable() && (is_all || !replays.is_full())))
    }

    fn appoint_judge(&mut self) -> Result<(), RunError> {
        if self.replays.is_none() {
            self.replays = self.referee.judge().map(Replays::start).transpose()?;
        }
        Ok(())
    }

    fn ask(&mut self, number: u64, place: usize) {
        let networks = self.jobs[place].networks.clone();
        if let Some(replays) = &mut self.replays {
            replays.ask(number, networks);
        }
    }

    fn is_judged(&self, number: u64) -> bool {
        self.in_hand.iter().flat_map(|hand| &hand.judged).any(|judged| judged.number == number)
    }

    /// Has a number played here whose result no message can hold.
    async fn play_here(&mut self, hand: &mut Hand, place: usize, number: &str) -> Result<(), Stop> {
        let Ok(number) = number.parse::<u64>() else {
            self.refuse(&hand.worker, "it names no number").await;
            return Ok(());
        };
        self.appoint_judge()?;
        if self.replays.is_none() || !self.ledger.is_open(number) || self.is_judged(number) {
            return Ok(());
        }
        if !std::mem::replace(&mut self.told_large, true) {
            (self.shared.say)(&format!(
                "game {number} is larger than a message may be ({} kB), and is played here, as are others like it",
                self.link.room() / 1000
            ));
        }
        self.ask(number, place);
        let is_stale = place + 1 < self.jobs.len();
        hand.judged.push(Judged { number, played: None, exactly: true, is_stale });
        Ok(())
    }

    /// Hears what has been played here, and judges what workers sent by it.
    async fn hear_judge(&mut self) -> Result<(), Stop> {
        while let Some((number, played)) = self.replays.as_mut().and_then(Replays::answer) {
            let found = self.in_hand.iter().enumerate().find_map(|(place, hand)| {
                Some((place, hand.judged.iter().position(|judged| judged.number == number)?))
            });
            let Some((place, at)) = found else { continue };
            // Stopped: the message comes again.
            let Some(own) = played? else { continue };
            let mut hand = self.in_hand.swap_remove(place);
            let Judged { played, exactly, is_stale, .. } = hand.judged.swap_remove(at);
            match played {
                None => {
                    self.shared.tally().metrics.own += 1;
                    self.ledger.take(number);
                    hand.kept.push(own);
                }
                Some(theirs) if self.is_trusted(&hand.worker, &own, &theirs, exactly).await => {
                    self.accept(&mut hand, theirs, is_stale);
                }
                Some(_) => self.ledger.again(number),
            }
            self.in_hand.push(hand);
        }
        Ok(())
    }

    /// Whether what a worker sent counts, after it was played again here. One that plays in another way is shut out.
    async fn is_trusted(&self, worker: &str, own: &Played, theirs: &Played, exactly: bool) -> bool {
        let (agrees, number) = (own.agrees(theirs, exactly), own.number());
        if agrees {
            self.shared.tally().metrics.replayed += 1;
        }
        if exactly {
            if !agrees {
                self.shut(worker, &format!("game {number} goes on in another way when it is played again")).await;
            }
            return agrees;
        }
        let [looked, unlike] = {
            let mut tally = self.shared.tally();
            let compared = tally.compared.entry(worker.to_owned()).or_default();
            compared[0] += 1;
            compared[1] += u32::from(!agrees);
            *compared
        };
        if unlike >= FEW_UNLIKE && 2 * unlike > looked {
            self.shut(worker, &format!("{unlike} of {looked} games begin in another way when they are played again"))
                .await;
            return false;
        }
        true
    }

    /// Strikes a result off the ledger, if it counts.
    fn accept(&mut self, hand: &mut Hand, played: Played, is_stale: bool) {
        let number = played.number();
        if !self.has_room(&played, is_stale) {
            return self.ledger.again(number);
        }
        self.ledger.take(number);
        let done = match played {
            Played::Game(_) => WorkerMetrics { games: 1, positions: played.positions(), ..WorkerMetrics::default() },
            Played::Pair(_) => WorkerMetrics { pairs: 1, ..WorkerMetrics::default() },
        };
        self.shared.tally().count(&hand.worker, done);
        hand.kept.push(played);
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

    /// Hands what has been judged to the run, and acknowledges it when it is on the disk.
    async fn keep(&mut self) -> Result<(), RunError> {
        self.kept = Instant::now();
        let mut messages = Vec::new();
        let mut played = Vec::new();
        for hand in self.in_hand.extract_if(.., |hand| hand.judged.is_empty()) {
            messages.push(hand.message);
            played.extend(hand.kept);
        }
        if !played.is_empty() {
            self.referee.keep(played)?;
        }
        for message in messages {
            acknowledge(&message, AckKind::Ack).await;
        }
        Ok(())
    }

    /// Says again what the server has lost or has otherwise, and leases again the numbers of leases that came to nothing.
    async fn reconcile(&mut self) -> Result<(), Trouble> {
        let mut leases = self.link.stream(LEASES).await?;
        let info = leases.info().await?;
        let (first, last) = (info.state.first_sequence, info.state.last_sequence);
        if self.laid_out != Some(info.created.unix_timestamp_nanos()) {
            return Err(Trouble("its streams are not those of before".to_owned()));
        }
        let board = self.link.board().await?;
        if board.get(self.kind.job_key()).await?.is_none_or(|job| *job != *self.posted) {
            tracing::warn!("the job is said again");
            board.put(self.kind.job_key(), self.posted.clone().into()).await?;
        }
        if board.get(RUN).await?.is_none_or(|card| *card != *write(&self.shared.card)) {
            self.link.put(&board, RUN, &self.shared.card).await?;
        }
        if self.suspects.is_none() {
            // The results of a lease are in their stream before the lease leaves the queue.
            let gone = self.gone(&leases, first..=last).await;
            let sent = self.link.stream(RESULTS).await?.cached_info().state.last_sequence;
            self.suspects = Some((gone, sent)).filter(|(gone, _)| !gone.is_empty());
        }
        let (Some((gone, sent)), Some(results)) = (&self.suspects, &self.results) else { return Ok(()) };
        let info = results.get_info().await?;
        let is_idle = self.in_hand.is_empty() && info.num_pending == 0 && info.num_ack_pending == 0;
        if is_idle || info.ack_floor.stream_sequence >= *sent {
            let lost = self.ledger.lose(gone);
            if lost > 0 {
                tracing::warn!(lost, "numbers leased again");
            }
            self.suspects = None;
        }
        Ok(())
    }

    /// The places of leases with open numbers that are not in the queue, which has places in this range: those beside it, and some
    /// of those in it, others each time.
    async fn gone(&mut self, leases: &Stream, range: RangeInclusive<u64>) -> BTreeSet<u64> {
        let (inside, mut gone): (BTreeSet<u64>, BTreeSet<u64>) =
            self.ledger.places().into_iter().partition(|place| range.contains(place));
        let next = inside.range(self.looked + 1..).chain(inside.range(..=self.looked));
        let looked: Vec<u64> = next.copied().take(LOOKED_FOR).collect();
        let found = join_all(looked.iter().map(|place| leases.get_raw_message(*place))).await;
        let is_gone = |found: &Result<_, async_nats::jetstream::stream::RawMessageError>| {
            found.as_ref().is_err_and(|why| why.kind() == RawMessageErrorKind::NoMessageFound)
        };
        gone.extend(looked.iter().zip(&found).filter(|(_, found)| is_gone(found)).map(|(place, _)| place));
        self.looked = looked.last().copied().unwrap_or(0);
        gone
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

/// Tells the server something about a message. If that is lost, the message comes again, and is known.
async fn acknowledge(message: &Message, kind: AckKind) {
    if let Err(why) = message.ack_with(kind).await {
        tracing::debug!(%why, "a result cannot be acknowledged");
    }
}

/// A number from 0 to 1 that nobody outside can foresee.
fn chance() -> f64 {
    (RandomState::new().build_hasher().finish() >> 11) as f64 / (1u64 << 53) as f64
}
