//! The addresses, and what they answer: `docs/web-api.md` has them all.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, oneshot};

use crate::assets;
use crate::background::{Priority, spawn};
use crate::catalogue::Catalogue;
use crate::contests::{Bounds, Contests};
use crate::control::Control;
use crate::error::{ApiError, LARGEST_BODY};
use crate::guard::{Guard, guard};
use crate::host::NewGame;
use crate::live_search::{Question, SearchRequest};
use crate::networks::Networks;
use crate::runs::Runs;
use crate::server::WebSettings;
use crate::session::{Session, StateView};
use crate::sessions::{Sessions, random_name};
use crate::stream::{Message, Streams};
use crate::tree_memory::TreeMemory;

/// Searches at once that pages look into.
const SEARCHES: usize = 32;

/// Hints at once.
const HINTS: usize = 4;

/// Moves of a line that a question may ask about.
const LONGEST_LINE: usize = 200;

/// What all requests share.
pub struct App {
    catalogue: Catalogue,
    sessions: Sessions,
    runs: Arc<Runs>,
    contests: Arc<Contests>,
    streams: Streams,
    searches: Arc<Semaphore>,
    hints: Arc<Semaphore>,
    /// Memory for the trees of searches.
    trees: Arc<TreeMemory>,
    /// Where questions to the searches that run are put, by the searches' names.
    questions: Mutex<HashMap<String, std::sync::mpsc::Sender<Question>>>,
}

impl App {
    pub fn new(settings: WebSettings) -> App {
        let WebSettings { runs, contests, networks, control, .. } = settings;
        let runs = Arc::new(Runs::new(runs, Control::new(control)));
        let networks = Arc::new(Networks::new(networks));
        App {
            catalogue: Catalogue::new(&runs, &networks),
            sessions: Sessions::default(),
            runs,
            contests: Arc::new(Contests::new(contests)),
            streams: Streams::new(),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            hints: Arc::new(Semaphore::new(HINTS)),
            trees: Arc::default(),
            questions: Mutex::default(),
        }
    }

    fn questions(&self) -> std::sync::MutexGuard<'_, HashMap<String, std::sync::mpsc::Sender<Question>>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers to all requests that pass the guard.
pub fn router(app: App, guarded: Guard) -> Router {
    let page = get(assets::page);
    let api = Router::new()
        .route("/catalogue", get(catalogue))
        .route("/games", post(begin))
        .route("/games/{id}", get(state))
        .route("/games/{id}/moves", post(play))
        .route("/games/{id}/undo", post(undo))
        .route("/games/{id}/resign", post(resign))
        .route("/games/{id}/hint", post(hint))
        .route("/games/{id}/pgn", get(pgn))
        .route("/games/{id}/events", get(events))
        .route("/games/{id}/search", get(search))
        .route("/searches/{id}/tree", get(tree))
        .route("/runs", get(runs))
        .route("/runs/{name}", get(run))
        .route("/runs/{name}/events", get(run_events))
        .route("/runs/{name}/stop", post(stop_run))
        .route("/runs/{name}/resume", post(resume_run))
        .route("/runs/{name}/config", get(run_config))
        .route("/runs/{name}/games", get(run_files))
        .route("/runs/{name}/games/{file}", get(run_games))
        .route("/runs/{name}/longest", get(run_longest))
        .route("/contests", get(contests))
        .route("/contests/{id}", get(contest))
        .route("/contests/{id}/events", get(contest_events))
        .route("/contests/{id}/games", get(contest_games))
        .with_state(Arc::new(app));
    Router::new()
        .nest("/api/v1", api)
        .route("/", page.clone())
        .route("/play/{game}", page.clone())
        .route("/play/{game}/{id}", page.clone())
        .route("/analyse/{game}", page.clone())
        .route("/analyse/{game}/{id}", page.clone())
        .route("/runs", page.clone())
        .route("/runs/{name}", page.clone())
        .route("/contests", page.clone())
        .route("/contests/{id}", page)
        .route("/assets/{file}", get(assets::file))
        .fallback(async || ApiError::missing("there is nothing at this address"))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(from_fn_with_state(Arc::new(guarded), guard))
}

type Shared = State<Arc<App>>;
type Answer = Result<Response, ApiError>;

/// A new game, or one that has changed.
#[derive(Serialize)]
struct Named {
    id: String,
    #[serde(flatten)]
    state: StateView,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlayRequest {
    r#move: String,
    /// Moves before it, as the sender knows the game.
    ply: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    ply: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    /// Moves from the root, with commas between them.
    #[serde(default)]
    line: String,
}

fn json(value: &impl Serialize) -> Answer {
    let text = serde_json::to_string(value).map_err(ApiError::failed)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|why| ApiError::wrong(format!("the request is not what is expected: {why}")))
}

fn asked<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, ApiError> {
    Ok(query.map_err(|why| ApiError::wrong(why.body_text()))?.0)
}

/// Does what may read files or take a moment in a thread that no other request waits for.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T, ApiError> + Send + 'static) -> Result<T, ApiError> {
    tokio::task::spawn_blocking(work).await.map_err(ApiError::failed)?
}

async fn catalogue(State(app): Shared) -> Answer {
    json(&aside(move || Ok(app.catalogue.view())).await?)
}

async fn begin(State(app): Shared, body: Bytes) -> Answer {
    let request: NewGame = read(&body)?;
    let named = aside(move || {
        let session = app.catalogue.host(&request.game)?.begin(&request)?;
        let state = session.state(None)?;
        Ok(Named { id: app.sessions.insert(session)?, state })
    });
    json(&named.await?)
}

/// Does something with a game, and answers with what has become of it, or with its position after `ply` moves.
async fn with_game(
    app: Arc<App>,
    id: String,
    ply: Option<usize>,
    change: impl FnOnce(Arc<dyn Session>) -> Result<(), ApiError> + Send + 'static,
) -> Answer {
    let session = app.sessions.get(&id)?;
    let named = aside(move || {
        change(Arc::clone(&session))?;
        Ok(Named { id, state: session.state(ply)? })
    });
    json(&named.await?)
}

async fn state(State(app): Shared, Path(id): Path<String>, at: Result<Query<At>, QueryRejection>) -> Answer {
    with_game(app, id, asked(at)?.ply, |_| Ok(())).await
}

async fn play(State(app): Shared, Path(id): Path<String>, body: Bytes) -> Answer {
    let PlayRequest { r#move, ply } = read(&body)?;
    with_game(app, id, None, move |session| session.play(&r#move, ply)).await
}

async fn undo(State(app): Shared, Path(id): Path<String>) -> Answer {
    with_game(app, id, None, |session| session.undo()).await
}

async fn resign(State(app): Shared, Path(id): Path<String>) -> Answer {
    with_game(app, id, None, |session| session.resign()).await
}

/// Set when whoever waits has left.
struct StopWhenDropped(Arc<AtomicBool>);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

async fn hint(State(app): Shared, Path(id): Path<String>) -> Answer {
    let session = app.sessions.get(&id)?;
    let permit = Arc::clone(&app.hints).acquire_owned().await.map_err(ApiError::failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let _waiting = StopWhenDropped(Arc::clone(&stop));
    let hint = aside(move || {
        let hint = session.hint(&stop);
        drop(permit);
        hint
    });
    json(&hint.await?)
}

async fn pgn(State(app): Shared, Path(id): Path<String>) -> Answer {
    let session = app.sessions.get(&id)?;
    let text = aside(move || session.pgn()).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"game.pgn\""),
    ];
    Ok((headers, text).into_response())
}

async fn events(State(app): Shared, Path(id): Path<String>) -> Answer {
    let session = app.sessions.get(&id)?;
    let (sender, answer) = app.streams.open()?;
    let mut changes = session.changes();
    let listener = Arc::clone(&session).listen();
    tokio::spawn(async move {
        let mut told = None;
        loop {
            changes.mark_unchanged();
            let game = Arc::clone(&session);
            let message = match aside(move || game.state(None)).await {
                Ok(state) if told == Some(state.version) => None,
                Ok(state) => {
                    told = Some(state.version);
                    Some(Message::new("state", &Named { id: id.clone(), state }))
                }
                Err(why) => Some(Message::failure(&why.to_string())),
            };
            if let Some(message) = message
                && sender.send(message).await.is_err()
            {
                break;
            }
            tokio::select! {
                () = sender.closed() => break,
                changed = changes.changed() => if changed.is_err() { break },
            }
        }
        drop(listener);
    });
    Ok(answer)
}

async fn search(
    State(app): Shared,
    Path(id): Path<String>,
    request: Result<Query<SearchRequest>, QueryRejection>,
) -> Answer {
    let request = asked(request)?;
    let session = app.sessions.get(&id)?;
    let permit = Arc::clone(&app.searches).try_acquire_owned();
    let permit = permit.map_err(|_| ApiError::busy("too many searches are running: close some pages"))?;
    let prepared = aside(move || session.search(request)).await?;
    let (sender, answer) = app.streams.open()?;
    let name = random_name()?;
    let first = Message::new("search", &serde_json::json!({ "id": name }));
    let memory = app.trees.take();
    let (answering, questions) = Answering::new(app, name);
    let started = spawn(Priority::Endless, move || {
        if sender.blocking_send(first).is_ok() {
            prepared.run(sender, questions, memory.bytes());
        }
        drop((answering, memory, permit));
    });
    started.map_err(|why| ApiError::busy(format!("the search cannot start: {why}")))?;
    Ok(answer)
}

/// A search that can be asked about its tree, as long as this lives.
struct Answering {
    app: Arc<App>,
    name: String,
}

impl Answering {
    fn new(app: Arc<App>, name: String) -> (Answering, std::sync::mpsc::Receiver<Question>) {
        let (ask, questions) = std::sync::mpsc::channel();
        app.questions().insert(name.clone(), ask);
        (Answering { app, name }, questions)
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.app.questions().remove(&self.name);
    }
}

async fn tree(State(app): Shared, Path(id): Path<String>, of: Result<Query<Of>, QueryRejection>) -> Answer {
    let line: Vec<String> = asked(of)?.line.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    if line.len() > LONGEST_LINE {
        return Err(ApiError::wrong(format!("a line has at most {LONGEST_LINE} moves")));
    }
    let ended = || ApiError::missing("this search has ended");
    let asking = app.questions().get(&id).cloned().ok_or_else(ended)?;
    let (answer, answered) = oneshot::channel();
    asking.send(Question { line, answer }).map_err(|_| ended())?;
    json(&answered.await.map_err(|_| ended())??)
}

async fn runs(State(app): Shared) -> Answer {
    json(&aside(move || app.runs.list()).await?)
}

async fn run(State(app): Shared, Path(name): Path<String>) -> Answer {
    json(&aside(move || app.runs.update(&name, 0)).await?)
}

async fn run_events(State(app): Shared, Path(name): Path<String>) -> Answer {
    let (runs, of) = (Arc::clone(&app.runs), name.clone());
    // A wrong name is an answer of its own, not an event.
    aside(move || runs.config(&of)).await?;
    let (sender, answer) = app.streams.open()?;
    tokio::spawn(Arc::clone(&app.runs).follow(name.clone(), sender.clone()));
    tokio::spawn(Arc::clone(&app.runs).watch(name, sender));
    Ok(answer)
}

async fn stop_run(State(app): Shared, Path(name): Path<String>) -> Answer {
    json(&aside(move || app.runs.stop(&name).and_then(|()| app.runs.update(&name, usize::MAX))).await?)
}

async fn resume_run(State(app): Shared, Path(name): Path<String>) -> Answer {
    json(&aside(move || app.runs.resume(&name).and_then(|()| app.runs.update(&name, usize::MAX))).await?)
}

async fn run_config(State(app): Shared, Path(name): Path<String>) -> Answer {
    let config = aside(move || app.runs.config(&name)).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], config).into_response())
}

async fn run_files(State(app): Shared, Path(name): Path<String>) -> Answer {
    json(&aside(move || app.runs.files(&name)).await?)
}

async fn run_games(State(app): Shared, Path((name, file)): Path<(String, String)>) -> Answer {
    json(&aside(move || app.runs.saved(&name, &file)).await?)
}

async fn run_longest(State(app): Shared, Path(name): Path<String>) -> Answer {
    json(&aside(move || app.runs.longest(&name)).await?)
}

async fn contests(State(app): Shared) -> Answer {
    json(&aside(move || app.contests.list()).await?)
}

async fn contest(State(app): Shared, Path(id): Path<String>, bounds: Result<Query<Bounds>, QueryRejection>) -> Answer {
    let bounds = asked(bounds)?;
    json(&aside(move || app.contests.view(&id, &bounds)).await?)
}

async fn contest_events(
    State(app): Shared,
    Path(id): Path<String>,
    bounds: Result<Query<Bounds>, QueryRejection>,
) -> Answer {
    let bounds = asked(bounds)?;
    bounds.check()?;
    let (contests, of) = (Arc::clone(&app.contests), id.clone());
    // A wrong name is an answer of its own, not an event.
    aside(move || contests.view(&of, &Bounds::default())).await?;
    let (sender, answer) = app.streams.open()?;
    tokio::spawn(Arc::clone(&app.contests).watch(id, bounds, sender));
    Ok(answer)
}

async fn contest_games(State(app): Shared, Path(id): Path<String>) -> Answer {
    json(&aside(move || app.contests.games(&id)).await?)
}
