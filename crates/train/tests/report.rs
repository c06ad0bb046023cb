//! The page of a run, from made-up runs.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use alfil_game::tictactoe::TicTacToe;
use alfil_game::{First, Game, Mover, Score, Wdl, play_line};
use alfil_nn::learning::Losses;
use alfil_selfplay::probe::Measured;
use alfil_selfplay::{End, GameRecord, Ply, write_chunk};
use alfil_train::run::{
    ExamMetrics, FolderMetrics, GateMetrics, LearningMetrics, Metrics, ProbeMetrics, RatingMetrics, RunDirectory,
    SelfplayMetrics, State, TrendMetrics,
};
use alfil_train::{config, report};

const SECTIONS: [&str; 6] = ["Strength", "Learning", "Self-play", "Speed", "Newest games", "Configuration"];

/// A run in a temporary folder, which is removed at the end.
struct Made(PathBuf, RunDirectory);

impl Made {
    fn new(test: &str, name: &str, metrics: &[Metrics]) -> Made {
        let folder = std::env::temp_dir().join(format!("alfil-report-{test}-{}", std::process::id()));
        let run = RunDirectory::new(folder.join(name));
        run.create().unwrap();
        let config = alfil_train::Config::parse("game = \"tictactoe\"\nencoding = \"tictactoe/stones\"", &[]).unwrap();
        std::fs::write(run.config(), config::render(&config)).unwrap();
        State::new().save(&run).unwrap();
        let lines = metrics.iter().map(|metrics| serde_json::to_string(metrics).unwrap() + "\n");
        // The last line is being written.
        std::fs::write(run.metrics(), lines.collect::<String>() + "{\"generation\":").unwrap();
        Made(folder, run)
    }

    fn page(&self) -> String {
        report::write(&self.1, &self.1.report()).unwrap();
        let page = std::fs::read_to_string(self.1.report()).unwrap();
        check(&page);
        for section in SECTIONS {
            assert!(has_section(&page, section), "{section}");
        }
        page
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What must hold of every page.
fn check(page: &str) {
    for word in page.split(|c: char| !c.is_alphanumeric()) {
        assert!(!["nan", "inf", "infinity"].contains(&word.to_lowercase().as_str()), "not a number: {word}");
    }
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag.split([' ', '\n']).next().unwrap();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes what is not open");
        } else if !tag.ends_with('/') && !["!DOCTYPE", "meta"].contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!page.contains("<script") && !page.contains("http"), "it is not self-contained");
}

fn has_section(page: &str, section: &str) -> bool {
    page.contains(&format!("<h2>{section}</h2>")) || page.contains(&format!("<summary>{section}<"))
}

fn generation(generation: u32) -> Metrics {
    let part = f64::from(generation) / 20.0;
    let loss = Losses { policy: 3.0 - part, policy_entropy: 1.0, value: 0.9, agreement: 0.3, ..Default::default() };
    let measured = Some(Measured { value: 0.5 - part / 60.0, low: 0.1, high: 0.6, count: 200 });
    Metrics {
        generation,
        fleet: None,
        seconds: 60.0 * f64::from(generation),
        cpu_seconds: Some(118.0 * f64::from(generation)),
        elapsed: 60.0,
        selfplay: SelfplayMetrics {
            seconds: 30.0,
            games: 100,
            results: [50, 30, 20],
            length: 8.0,
            resigned: 10,
            adjudicated: 5,
            won_by_rules: Some(60),
            policy_divergence: measured,
            played_through: 8,
            false_resignations: 1,
            evaluations_per_second: 250_000.0,
            ..Default::default()
        },
        games: None,
        learning: LearningMetrics {
            seconds: 20.0,
            steps: 100 * u64::from(generation),
            rate: 0.002,
            training: Some(loss),
            held_out: Some(Losses { value: 1.0, ..loss }),
            calibration: vec![[0.0, 0.0, 0.0], [10.0, 0.5, 0.4], [90.0, -0.5, -0.6]],
            probes: BTreeMap::from([("a <b>queen</b> up".to_owned(), part.min(1.0))]),
            ..Default::default()
        },
        probe: Some(ProbeMetrics {
            seconds: 2.0,
            gap: measured,
            bias: measured,
            correlation: measured,
            blunders: measured,
        }),
        gate: Some(GateMetrics {
            results: [40, 0, 0],
            elo: 300.0,
            low: 100.0,
            high: f64::INFINITY,
            ..Default::default()
        }),
        promoted: generation.is_multiple_of(2),
        rating: generation.is_multiple_of(5).then(|| RatingMetrics {
            network: generation,
            elo: 100.0 * part,
            low: if generation == 5 { f64::NEG_INFINITY } else { 100.0 * part - 50.0 },
            high: f64::INFINITY,
            standings: vec![
                ("random".to_owned(), 0.0),
                ("uct:rollouts=100".to_owned(), 80.0),
                (format!("generation {generation}"), 100.0 * part),
            ],
            trend: (generation >= 15).then(|| TrendMetrics {
                hours: (f64::from(generation) / 120.0, f64::from(generation) / 60.0),
                networks: 3,
                start: 50.0 * part,
                per_hour: 300.0,
                low: 12.3,
                high: 587.7,
            }),
            exam: Some(ExamMetrics { positions: 300, search: 0.98, policy: 0.8 }),
            ..Default::default()
        }),
    }
}

#[test]
fn a_page_has_everything_that_was_measured() {
    for generations in [1, 20, 500] {
        let made =
            Made::new(&format!("all-{generations}"), "run", &(1..=generations).map(generation).collect::<Vec<_>>());
        let page = made.page();
        let charts = "Policy loss,Value loss,Agreement,Learning rate,Calibration,Probes,Rating,Gate,Length,Results,\
                      Policy entropy,Ends,False resignations,Evaluations,Positions,Positions per hour,Samples,Shares,\
                      Time by phase,Value gap on hanging pieces,Correlation with material,Blunders,Prior to target,\
                      Held out minus training";
        for chart in charts.split(',') {
            assert!(page.contains(&format!("<b>{chart}</b>")), "{chart}");
        }
        assert_eq!(page.contains("<b>Exam</b>"), generations >= 5);
        let slope = "rising in the last half of the run: 300 Elo per hour (12 to 588)";
        assert_eq!(
            page.matches(slope).count(),
            if generations >= 20 { 2 } else { 0 },
            "in the chart and among the facts"
        );
        // The line through the ratings of the last half: 300 Elo per hour are 5 per generation of a minute.
        if generations == 20 {
            let shown: Vec<&str> =
                page.split("\ntrend: ").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
            assert_eq!(shown, ["50", "75", "100"]);
        }
        assert_eq!(page.contains(">rollouts=100</tspan><title>uct:rollouts=100: 80</title>"), generations >= 5);
        assert!(page.contains("a &lt;b&gt;queen&lt;/b&gt; up") || generations == 1);
        assert!(page.contains("40 won, 0 drawn, 0 lost") || generations == 500);
        assert!(page.len() < 1 << 20, "{} bytes", page.len());
    }
}

#[test]
fn a_young_run_says_that_its_slope_is_not_known() {
    let page = Made::new("young", "run", &(1..=5).map(generation).collect::<Vec<_>>()).page();
    assert!(page.contains("interval; whether it rises is not known yet</span>") && !page.contains("\ntrend: "));
}

#[test]
fn a_run_without_results_has_a_page() {
    let page = Made::new("empty", "run", &[]).page();
    assert!(page.contains("Nothing has been measured yet.") && page.contains("There are no games yet."));
    // A generation without measurements, and without a gate.
    let page = Made::new("bare", "run", &[Metrics { generation: 1, ..Metrics::default() }]).page();
    assert!(page.contains("There is no gate"));
}

#[test]
fn absurd_numbers_have_a_page() {
    let numbers = [f64::MAX, f64::MIN, 1e300, -1e300, f64::MIN_POSITIVE, 0.0];
    let absurd = |(index, number): (usize, &f64)| {
        let mut metrics = generation(5 * index as u32);
        let loss = Losses { policy: *number, value: -number, agreement: *number, ..Default::default() };
        metrics.seconds = *number;
        metrics.selfplay.seconds = *number;
        metrics.selfplay.length = *number;
        metrics.selfplay.evaluations_per_second = *number;
        metrics.elapsed = *number;
        metrics.selfplay.won_by_rules = Some(u64::MAX);
        let measured = Measured { value: *number, low: -f64::MAX, high: *number, count: u64::MAX };
        metrics.selfplay.policy_divergence = Some(measured);
        metrics.probe = Some(ProbeMetrics {
            seconds: *number,
            gap: Some(measured),
            blunders: Some(measured),
            ..Default::default()
        });
        metrics.learning.rate = *number;
        metrics.learning.waiting = *number;
        metrics.learning.training = Some(loss);
        metrics.learning.calibration = vec![[*number; 3], [1.0, *number, -number]];
        metrics.learning.probes.insert("x".to_owned(), *number);
        let rating = metrics.rating.as_mut().unwrap();
        (rating.elo, rating.low, rating.high) = (*number, -f64::MAX, *number);
        rating.standings.push(("y".to_owned(), *number));
        let (hours, start, per_hour) = ((-f64::MAX, *number), *number, *number);
        rating.trend = Some(TrendMetrics { hours, networks: u32::MAX, start, per_hour, low: -number, high: *number });
        rating.exam = Some(ExamMetrics { positions: u64::MAX, search: *number, policy: -number });
        metrics
    };
    let all: Vec<Metrics> = numbers.iter().enumerate().map(absurd).collect();
    Made::new("absurd", "run", &all).page();
    for (index, metrics) in all.into_iter().enumerate() {
        let page = Made::new(&format!("absurd-{index}"), "run", &[metrics]).page();
        assert!(page.len() < 1 << 17, "{} bytes", page.len());
    }
}

#[test]
fn text_from_outside_is_escaped() {
    let made = Made::new("nasty", "<b>\"a' & <script>", &[generation(1)]);
    assert!(made.page().contains("<h1>&lt;b&gt;&quot;a&#39; &amp; &lt;script&gt;</h1>"));
}

#[test]
fn games_are_shown_with_diagrams() {
    let made = Made::new("games", "run", &[generation(1)]);
    let mut game = TicTacToe::new(&Default::default());
    let played = play_line(&mut game, "1 4 2 5 3").unwrap();
    assert!(game.outcome().is_some());
    // From the mover's side; the first player wins.
    let values = [0.0, -0.2, 0.4, -0.8, 1.0];
    let wdl = |value: f32| Mover(Wdl { win: (1.0 + value) / 2.0, draw: 0.0, loss: (1.0 - value) / 2.0 });
    let plies = played.iter().zip(values).map(|(m, value)| Ply::new((*m).into(), [], wdl(value)));
    let record = GameRecord::new(1_234, String::new(), plies.collect(), First(Score::WIN), End::Rules);
    write_chunk::<TicTacToe>(&made.1.replay().join("000001-0000.games"), &[record]).unwrap();
    let page = made.page();
    assert!(page.contains("<h3>Game 1,234: the first player wins (three in a row), 5 plies</h3>"));
    assert!(page.contains("<i>1.</i> 1 4 <i>2.</i> 2 5 <i>3.</i> 3 "));
    assert!(page.contains("<figcaption>after 2... 5</figcaption>"));
    // After 1, 2 and 3 moves of the first player and 1, 2 and 2 of the other, each with what the last move has changed.
    let drawn = ["<circle class=\"stone0\"", "<circle class=\"stone1\"", "class=\"changed\"", "<svg class=\"board\""];
    assert_eq!(drawn.map(|part| page.matches(part).count()), [6, 5, 3, 3]);
    assert!(page.contains("<title>2... 5\nvalue: 0.8</title>"));
    // A damaged file of games does not prevent the page.
    std::fs::write(made.1.replay().join("000002-0000.games"), "x").unwrap();
    assert!(made.page().contains("damaged"));
}

#[test]
fn a_page_that_cannot_be_written_leaves_nothing_behind() {
    let made = Made::new("unwritable", "run", &[]);
    let error = report::write(&made.1, &made.0.join("none").join("page.html")).unwrap_err();
    assert!(error.to_string().starts_with("cannot write "), "{error}");
    assert!(!made.0.join("none").exists());
}

/// Where all is learnt from folders, nothing is said of games that were not played.
#[test]
fn a_run_without_self_play_has_epochs_and_no_games() {
    let folders = FolderMetrics { epochs: 0.75, games: 1_200, positions: 98_000, share: 1.0, held_out: None };
    let without = |metrics: Metrics| Metrics { selfplay: SelfplayMetrics::default(), games: Some(folders), ..metrics };
    let metrics: Vec<Metrics> = (1..=5).map(|number| without(generation(number))).collect();
    let made = Made::new("folders", "people", &metrics);
    let text = std::fs::read_to_string(made.1.config()).unwrap().replace("folders = []", "folders = [\"games\"]");
    std::fs::write(made.1.config(), text).unwrap();
    report::write(&made.1, &made.1.report()).unwrap();
    let page = std::fs::read_to_string(made.1.report()).unwrap();
    check(&page);
    let sections = SECTIONS.map(|section| has_section(&page, section));
    assert_eq!(sections, [true, true, false, true, false, true]);
    for there in ["1,200 games", "98,000 positions", "0.75", "Samples"] {
        assert!(page.contains(there), "{there}");
    }
    for absent in ["in self-play", "from the cache", "Positions per hour"] {
        assert!(!page.contains(absent), "{absent}");
    }
    // Beside self-play its held-out games have a line of their own.
    let held_out = metrics[0].learning.held_out;
    let mixed = FolderMetrics { share: 0.2, held_out, ..folders };
    let mixed: Vec<Metrics> = (1..=5).map(|number| Metrics { games: Some(mixed), ..generation(number) }).collect();
    let page = Made::new("mixed", "mixed", &mixed).page();
    assert!(page.contains("held out, folders") && page.contains("0.75"), "{page}");
}
