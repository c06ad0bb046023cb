//! The promises of the statistics: intervals that cover, tests that keep their error rates, ratings that are recovered.
#![allow(clippy::unwrap_used)]

use alfil_arena::stats::{
    Decision, Encounter, Estimate, Pairs, Rating, Slope, Sprt, best_opponent, elo_of, expected_score, most_informative,
    ratings, ratings_with_covariances,
};
use alfil_game::Score;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Players who draw, and openings that favour one colour: the games of a pair are correlated.
#[derive(Clone, Copy)]
struct Model {
    /// A's true advantage on the inner scale, which is not the difference in Elo.
    strength: f64,
    /// How much must be made up for a win: the larger, the more draws.
    margin: f64,
    /// How much the openings favour White.
    openings: [f64; 4],
}

impl Model {
    /// Chess of strong players: many draws, and openings from dull to lopsided.
    const DRAWISH: Model = Model { strength: 0.0, margin: 180.0, openings: [0.0, 40.0, 100.0, 250.0] };
    /// No draws, and White wins most games.
    const SHARP: Model = Model { strength: 0.0, margin: 0.0, openings: [100.0, 200.0, 300.0, 400.0] };
    /// Some draws, openings that hardly matter.
    const PLAIN: Model = Model { strength: 0.0, margin: 60.0, openings: [0.0, 10.0, 20.0, 30.0] };

    /// The model in which A's mean score is that of a difference of `elo`.
    fn of_elo(self, elo: f64) -> Model {
        let (mut low, mut high) = (-2_000.0, 2_000.0);
        for _ in 0..60 {
            let strength = 0.5 * (low + high);
            *(if (Model { strength, ..self }).mean() < expected_score(elo) { &mut low } else { &mut high }) = strength;
        }
        Model { strength: low, ..self }
    }

    /// The probabilities that A loses and wins, with this advantage from the opening.
    fn chances(&self, opening: f64) -> (f64, f64) {
        let advantage = self.strength + opening;
        (expected_score(-advantage - self.margin), expected_score(advantage - self.margin))
    }

    /// A's mean score.
    fn mean(&self) -> f64 {
        let points = |opening: f64| {
            let (loss, win) = self.chances(opening);
            0.5 * (1.0 + win - loss)
        };
        self.openings.iter().map(|o| 0.5 * (points(*o) + points(-o))).sum::<f64>() / 4.0
    }

    fn game(&self, opening: f64, random: &mut Xoshiro256PlusPlus) -> Score {
        let (loss, win) = self.chances(opening);
        let roll: f64 = random.random();
        if roll < loss {
            Score::LOSS
        } else if roll < loss + win {
            Score::WIN
        } else {
            Score::DRAW
        }
    }

    /// Plays a pair: an opening drawn at random, with both colours.
    fn play(&self, pairs: &mut Pairs, random: &mut Xoshiro256PlusPlus) {
        let opening = self.openings[random.random_range(0..4)];
        pairs.add(self.game(opening, random), self.game(-opening, random));
    }
}

const MODELS: [(&str, Model); 3] = [("drawish", Model::DRAWISH), ("sharp", Model::SHARP), ("plain", Model::PLAIN)];

/// The maximum of a concave function and where it is, by numerical search: steps in all directions, smaller ones where
/// none is better.
fn climb(mut best: [f64; 3], value: impl Fn([f64; 3]) -> f64) -> (f64, [f64; 3]) {
    let mut most = value(best);
    let directions: Vec<[f64; 3]> =
        (0..27).map(|code: i32| [code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1].map(f64::from)).collect();
    let mut step = 0.1;
    while step > 1e-12 {
        let moved = |direction: &[f64; 3]| std::array::from_fn(|i| best[i] + step * direction[i]);
        match directions.iter().map(moved).map(|next| (value(next), next)).max_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((higher, next)) if higher > most => (most, best) = (higher, next),
            _ => step *= 0.5,
        }
    }
    (most, best)
}

/// The largest `Σ w_i ln p_i` over distributions with this mean: p_1, p_2 and p_3 are tried, p_0 and p_4 follow from
/// the sum and the mean.
fn best_log_likelihood(weights: [f64; 5], mean: f64) -> f64 {
    let value = |[b, c, d]: [f64; 3]| {
        let e = mean - 0.25 * b - 0.5 * c - 0.75 * d;
        let p = [1.0 - b - c - d - e, b, c, d, e];
        let terms = weights.iter().zip(p).map(|(w, p)| if p > 0.0 { w * p.ln() } else { f64::NEG_INFINITY });
        terms.sum::<f64>()
    };
    // Part of a binomial distribution, the rest at both ends.
    let (q, r) = (mean, 1.0 - mean);
    let start = [4.0 * q * r * r * r, 6.0 * q * q * r * r, 4.0 * q * q * q * r].map(|p| 0.3 * p);
    climb(start, value).0
}

/// The weights of the counts, as the statistics use them.
fn weights(pairs: &Pairs) -> [f64; 5] {
    pairs.counts.map(|count| (count as f64).max(1e-3))
}

const EXAMPLES: [[u64; 5]; 6] = [
    [10, 40, 90, 50, 12],
    [3, 1, 4, 1, 5],
    [100, 3000, 9000, 3100, 90],
    [0, 7, 80, 20, 2],
    [30, 0, 140, 0, 41],
    [0, 0, 1, 3, 2],
];

#[test]
fn likelihood_ratios_match_a_numerical_search() {
    for counts in EXAMPLES {
        let pairs = Pairs { counts, ..Pairs::default() };
        for (elo0, elo1) in [(0.0, 10.0), (-30.0, 5.0), (50.0, 150.0)] {
            let sprt = Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 };
            let best = |elo: f64| best_log_likelihood(weights(&pairs), expected_score(elo));
            let (llr, tried) = (sprt.state(&pairs).llr, best(elo1) - best(elo0));
            assert!((llr - tried).abs() < 1e-4 * (1.0 + tried.abs()), "{counts:?} {elo0} {elo1}: {llr}, not {tried}");
        }
    }
}

#[test]
fn likelihood_ratios_of_many_games_are_nearly_normal() {
    let pairs = Pairs { counts: [400, 4200, 11_000, 4600, 500], ..Pairs::default() };
    let (pairs_played, mean) = (pairs.pairs() as f64, pairs.score());
    let square = |(i, count): (usize, &u64)| *count as f64 * (i as f64 / 4.0 - mean).powi(2);
    let variance = pairs.counts.iter().enumerate().map(square).sum::<f64>() / pairs_played;
    let (s0, s1) = (expected_score(0.0), expected_score(5.0));
    let normal = pairs_played * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
    let llr = Sprt { elo0: 0.0, elo1: 5.0, alpha: 0.05, beta: 0.05 }.state(&pairs).llr;
    assert!(normal > 1.0 && (llr / normal - 1.0).abs() < 0.01, "{llr}, not {normal}");
}

#[test]
fn intervals_end_where_a_numerical_search_finds_that_the_test_rejects() {
    for counts in EXAMPLES {
        let pairs = Pairs { counts, ..Pairs::default() };
        let weights = weights(&pairs);
        let sum: f64 = weights.iter().sum();
        let most: f64 = weights.iter().map(|w| w * (w / sum).ln()).sum();
        let Estimate { elo, low, high } = pairs.elo();
        assert!((expected_score(elo) - pairs.score()).abs() < 1e-12);
        for end in [low, high] {
            let statistic = 2.0 * (most - best_log_likelihood(weights, expected_score(end)));
            assert!((statistic - 3.841_459).abs() < 1e-2, "{counts:?} {end}: {statistic}");
        }
    }
}

#[test]
fn intervals_cover_the_true_difference() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let matches = 2_000;
    for (name, model) in MODELS {
        for elo in [0.0, 20.0, 100.0] {
            let model = model.of_elo(elo);
            let (mut above, mut below) = (0, 0);
            for _ in 0..matches {
                let mut pairs = Pairs::default();
                (0..100).for_each(|_| model.play(&mut pairs, &mut random));
                let estimate = pairs.elo();
                above += u32::from(estimate.low > elo);
                below += u32::from(estimate.high < elo);
            }
            let share = |count: u32| f64::from(count) / f64::from(matches);
            let covered = 1.0 - share(above) - share(below);
            println!("{name}, {elo} Elo: covered {covered:.4}, above {:.4}, below {:.4}", share(above), share(below));
            assert!((0.93..=0.97).contains(&covered), "{name}, {elo} Elo: {covered}");
            assert!(share(above) < 0.04 && share(below) < 0.04, "{name}, {elo} Elo: not one-sided");
        }
    }
}

#[test]
fn sequential_tests_keep_their_error_rates() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let runs = 2_000u32;
    for (name, model) in MODELS {
        for text in ["elo0=0,elo1=25", "elo0=-40,elo1=10,alpha=0.02,beta=0.1"] {
            let sprt: Sprt = text.parse().unwrap();
            for (elo, right, rate) in
                [(sprt.elo0, Decision::AcceptH0, sprt.alpha), (sprt.elo1, Decision::AcceptH1, sprt.beta)]
            {
                let model = model.of_elo(elo);
                let (mut errors, mut played) = (0, 0);
                for _ in 0..runs {
                    let mut pairs = Pairs::default();
                    let decision = loop {
                        model.play(&mut pairs, &mut random);
                        if let Some(decision) = sprt.state(&pairs).decision {
                            break decision;
                        }
                    };
                    errors += u32::from(decision != right);
                    played += pairs.pairs();
                }
                let found = f64::from(errors) / f64::from(runs);
                let deviation = (rate * (1.0 - rate) / f64::from(runs)).sqrt();
                println!("{name}, {text}, true {elo}: {found:.4} wrong, {} pairs", played / u64::from(runs));
                assert!(found < rate + 3.0 * deviation, "{name}, {text}, true {elo}: {found} wrong");
                // A test that errs far less than it may plays more games than it needs.
                assert!(found > 0.5 * rate, "{name}, {text}, true {elo}: {found} wrong");
            }
        }
    }
}

#[test]
fn mirrored_results_give_mirrored_answers() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for _ in 0..500 {
        let counts: [u64; 5] = std::array::from_fn(|_| match random.random_range(0..3) {
            0 => 0,
            1 => random.random_range(0..5),
            _ => random.random_range(0..500),
        });
        let (mut mirrored, pairs) = (counts, Pairs { counts, ..Pairs::default() });
        mirrored.reverse();
        let mirrored = Pairs { counts: mirrored, ..Pairs::default() };
        let (here, there) = (pairs.elo(), mirrored.elo());
        let same = |a: f64, b: f64| a == b || (a - b).abs() < 1e-6 * (1.0 + a.abs());
        assert!(same(here.elo, -there.elo) && same(here.low, -there.high), "{counts:?}: {here:?} {there:?}");
        assert!(here.low <= here.elo && here.elo <= here.high && here.elo.is_finite(), "{counts:?}: {here:?}");
        assert!((pairs.superiority() + mirrored.superiority() - 1.0).abs() < 1e-9, "{counts:?}");
        // Surely stronger, by the interval and by the likelihood of superiority.
        assert_eq!(here.low > 0.0, pairs.superiority() > 0.975, "{counts:?}: {here:?} {}", pairs.superiority());
        let test = Sprt { elo0: -5.0, elo1: 20.0, alpha: 0.05, beta: 0.05 };
        let turned = Sprt { elo0: -20.0, elo1: 5.0, ..test };
        assert!(same(test.state(&pairs).llr, -turned.state(&mirrored).llr), "{counts:?}");
    }
}

#[test]
fn uniform_results_have_answers() {
    let none = Pairs::default();
    assert_eq!(none.elo(), Estimate { elo: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY });
    assert_eq!(none.superiority(), 0.5);

    // Only wins: -n ln p = 1.92 at the lower end, where p is also the score as all else would best be lost.
    for won in [1, 10, 1_000, 1_000_000] {
        let pairs = Pairs { counts: [0, 0, 0, 0, won], ..Pairs::default() };
        let Estimate { elo, low, high } = pairs.elo();
        let lowest = elo_of((-1.920_729 / won as f64).exp());
        assert!((low - lowest).abs() < 3.0, "{won}: {low}, not {lowest}");
        assert!((elo - elo_of(1.0 - 0.125 / won as f64)).abs() < 1e-6 && elo > low, "{won}: {elo}");
        assert_eq!(high, f64::INFINITY);
        assert!(pairs.superiority() > 0.87, "{won}: {}", pairs.superiority());
    }
    assert_eq!(Pairs { counts: [3, 0, 0, 0, 0], ..Pairs::default() }.elo().low, f64::NEG_INFINITY);

    // Only even pairs: what else there may be would best be two wins, so the score is 1 - p/2 at the upper end.
    for even in [1, 10, 1_000] {
        let Estimate { elo, low, high } = Pairs { counts: [0, 0, even, 0, 0], ..Pairs::default() }.elo();
        let highest = elo_of(1.0 - 0.5 * (-1.920_729 / even as f64).exp());
        assert_eq!(elo, 0.0);
        assert!((high / highest - 1.0).abs() < 0.02 && (high + low).abs() < 1e-6, "{even}: {low} {high}");
    }

    let sprt = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    assert_eq!(sprt.state(&Pairs { counts: [0, 0, 0, 0, 1], ..Pairs::default() }).decision, None);
    assert_eq!(
        sprt.state(&Pairs { counts: [0, 0, 0, 0, 1_000], ..Pairs::default() }).decision,
        Some(Decision::AcceptH1)
    );
    assert_eq!(
        sprt.state(&Pairs { counts: [0, 0, 1_000, 0, 0], ..Pairs::default() }).decision,
        Some(Decision::AcceptH0)
    );
    // Even hypotheses that no games could distinguish have a ratio.
    let absurd = Sprt { elo0: -1e9, elo1: 1e9, ..sprt };
    assert!(absurd.state(&Pairs { counts: [1 << 40, 0, 5, 0, 1 << 40], ..Pairs::default() }).llr.is_finite());
}

/// Games of the pairs (a, b), each played `games` times by players of these ratings.
fn tournament(
    elos: &[f64],
    meetings: &[(usize, usize)],
    games: u32,
    draws: f64,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Encounter> {
    let mut points = |a: usize, b: usize| {
        let expected = expected_score(elos[a] - elos[b]);
        let drawn = draws * 2.0 * expected.min(1.0 - expected);
        let roll: f64 = random.random();
        if roll < drawn { 0.5 } else { f64::from(u8::from(roll < 0.5 * drawn + expected)) }
    };
    let meet = |&(a, b): &(usize, usize)| {
        let score = (0..games).map(|_| points(a, b)).sum();
        Encounter { a, b, games: f64::from(games), score }
    };
    meetings.iter().map(meet).collect()
}

/// How often the intervals of players other than the anchor cover their true ratings, and the mean error.
fn ladder_coverage(elos: &[f64], meetings: &[(usize, usize)], games: u32, draws: f64, seed: u64) -> (f64, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut covered, mut error, mut all) = (0, 0.0, 0);
    for _ in 0..500 {
        let encounters = tournament(elos, meetings, games, draws, &mut random);
        let ratings = ratings(elos.len(), &encounters, 0, elos[0]);
        assert_eq!(ratings[0], Rating { elo: elos[0], low: elos[0], high: elos[0] });
        for (rating, elo) in ratings.iter().zip(elos).skip(1) {
            covered += u32::from(rating.low <= *elo && *elo <= rating.high);
            error += rating.elo - elo;
            all += 1;
        }
    }
    (f64::from(covered) / f64::from(all), error / f64::from(all))
}

#[test]
fn ratings_of_simulated_pools_are_recovered() {
    let elos = [1000.0, 1050.0, 1120.0, 1200.0, 1310.0, 1400.0, 1430.0, 1600.0];
    let round_robin: Vec<(usize, usize)> = (0..8).flat_map(|a| (a + 1..8).map(move |b| (a, b))).collect();
    let chain: Vec<(usize, usize)> = (1..8).map(|a| (a, a - 1)).collect();
    for (name, meetings, games) in [("round robin", &round_robin, 20), ("chain", &chain, 100)] {
        let (covered, error) = ladder_coverage(&elos, meetings, games, 0.0, 4);
        println!("{name}: covered {covered:.4}, mean error {error:.1}");
        assert!((0.93..=0.97).contains(&covered), "{name}: {covered}");
        assert!(error.abs() < 12.0, "{name}: {error}");
        // A draw varies less than a win and a loss: the intervals are wider than they need to be.
        let (covered, _) = ladder_coverage(&elos, meetings, games, 0.5, 5);
        println!("{name} with draws: covered {covered:.4}");
        assert!(covered > 0.97, "{name} with draws: {covered}");
    }
}

#[test]
fn ratings_match_a_numerical_search() {
    let encounters = [
        Encounter { a: 0, b: 1, games: 30.0, score: 12.5 },
        Encounter { a: 1, b: 2, games: 10.0, score: 8.0 },
        Encounter { a: 3, b: 2, games: 25.0, score: 25.0 },
        Encounter { a: 3, b: 0, games: 4.0, score: 4.0 },
        Encounter { a: 2, b: 0, games: 7.0, score: 2.5 },
    ];
    // The likelihood times the root of the determinant of the information matrix; player 1 is the anchor.
    let value = |[x, y, z]: [f64; 3]| {
        let strengths = [x, 0.0, y, z];
        let (mut sum, mut m) = (0.0, [[0.0; 4]; 4]);
        for e in &encounters {
            let p = 1.0 / (1.0 + (strengths[e.b] - strengths[e.a]).exp());
            sum += e.score * p.ln() + (e.games - e.score) * (1.0 - p).ln();
            for (i, j, sign) in [(e.a, e.a, 1.0), (e.b, e.b, 1.0), (e.a, e.b, -1.0), (e.b, e.a, -1.0)] {
                m[i][j] += sign * e.games * p * (1.0 - p);
            }
        }
        let minor = |i: usize, j: usize| m[2][i] * m[3][j] - m[3][i] * m[2][j];
        let determinant: f64 = m[0][0] * minor(2, 3) - m[0][2] * minor(0, 3) + m[0][3] * minor(0, 2);
        sum + 0.5 * determinant.ln()
    };
    let (_, [x, y, z]) = climb([0.0; 3], value);
    for (rating, strength) in ratings(4, &encounters, 1, 1500.0).iter().zip([x, 0.0, y, z]) {
        let elo = 1500.0 + 400.0 / std::f64::consts::LN_10 * strength;
        assert!((rating.elo - elo).abs() < 1e-3 * (elo - 1500.0).abs() + 1e-6, "{}, not {elo}", rating.elo);
    }
}

#[test]
fn two_players_have_the_ratings_of_their_score() {
    for (games, score) in [(100.0, 50.0), (100.0, 73.5), (40.0, 40.0), (1.0, 0.0), (1e6, 1e6)] {
        let encounter = Encounter { a: 0, b: 1, games, score };
        let found = ratings(2, &[encounter], 1, 0.0)[0];
        let p = (score + 0.5) / (games + 1.0); // Jeffreys
        let half = 1.959_964 * 400.0 / std::f64::consts::LN_10 / (games * p * (1.0 - p)).sqrt();
        assert!((found.elo - elo_of(p)).abs() < 1e-3 * elo_of(p).abs() + 1e-3, "{encounter:?}: {found:?}");
        assert!(((found.high - found.low) / (2.0 * half) - 1.0).abs() < 1e-3, "{encounter:?}: {found:?} {half}");
        // The same games described differently.
        let halves = [Encounter { games: 0.5 * games, score: 0.5 * score, ..encounter }; 2];
        let turned = Encounter { a: 1, b: 0, games, score: games - score };
        for same in [ratings(2, &halves, 1, 0.0)[0], ratings(2, &[turned], 1, 0.0)[0]] {
            assert!((same.elo - found.elo).abs() < 1e-3 && (same.high - found.high).abs() < 1e-3, "{same:?} {found:?}");
        }
    }
}

#[test]
fn pools_with_gaps_have_ratings() {
    assert_eq!(ratings(0, &[], 0, 100.0), []);
    assert_eq!(ratings(1, &[], 0, 100.0), [Rating { elo: 100.0, low: 100.0, high: 100.0 }]);
    // Players 2 and 3 have met only each other, player 4 no one; the last encounters are impossible.
    let encounters = [
        Encounter { a: 0, b: 1, games: 20.0, score: 0.0 },
        Encounter { a: 2, b: 3, games: 50.0, score: 30.0 },
        Encounter { a: 4, b: 4, games: 10.0, score: 10.0 },
        Encounter { a: 4, b: 7, games: 10.0, score: 10.0 },
        Encounter { a: 4, b: 1, games: 0.0, score: 0.0 },
        Encounter { a: 4, b: 1, games: f64::NAN, score: 0.0 },
        Encounter { a: 4, b: 1, games: 5.0, score: f64::NAN },
    ];
    let found = ratings(5, &encounters, 0, 100.0);
    assert!(found.iter().all(|r| r.elo.is_finite() && r.low.is_finite() && r.high.is_finite()), "{found:?}");
    assert!(found[1].low > 200.0 && found[1].elo < 1_000.0, "{found:?}");
    assert!((found[2].elo + found[3].elo - 200.0).abs() < 1.0 && found[2].high > 5_000.0, "{found:?}");
    assert!((found[2].elo - found[3].elo - elo_of(30.5 / 51.0)).abs() < 0.1, "{found:?}");
    assert_eq!(found[4].elo, 100.0);
    assert!((found[4].high - 100.0 - 1.96 * 100_000.0).abs() < 10.0, "{found:?}");
    // An anchor outside the pool fixes no rating.
    let free = ratings(2, &encounters[..1], 9, 100.0);
    assert!(free[0].high > 5_000.0 && (free[1].elo - free[0].elo - (found[1].elo - found[0].elo)).abs() < 20.0);
}

#[test]
fn players_who_always_beat_the_weaker_ones_stay_finite_and_in_order() {
    for (players, games) in [(3, 1.0), (10, 2.0), (40, 1.0), (6, 1e5)] {
        let beats = |a: usize| (0..a).map(move |b| Encounter { a, b, games, score: games });
        let found = ratings(players, &(0..players).flat_map(beats).collect::<Vec<_>>(), 0, 0.0);
        for pair in found.windows(2) {
            assert!(pair[0].elo < pair[1].elo && pair[1].high.is_finite(), "{players} {games}: {pair:?}");
        }
        // Mirrored, the steps up the ladder are the steps down.
        let ends = [found[1].elo - found[0].elo, found[players - 1].elo - found[players - 2].elo];
        assert!((ends[0] / ends[1] - 1.0).abs() < 0.01, "{players} {games}: {ends:?}");
    }
}

#[test]
fn the_next_game_is_the_most_informative() {
    let any = |_, _| true;
    assert_eq!(most_informative(0, &[], 0, any), None);
    assert_eq!(most_informative(1, &[], 0, any), None);
    assert_eq!(most_informative(2, &[], 0, any), Some((0, 1)));
    // About a player that has played more than the others, if only that one matters.
    let known = [Encounter { a: 0, b: 1, games: 100.0, score: 50.0 }];
    assert_eq!(most_informative(4, &known, 0, |a, b| a == 1 || b == 1).map(|(a, b)| a == 1 || b == 1), Some(true));
    // A player without games comes first.
    let even = |a: usize, b: usize, games: f64| Encounter { a, b, games, score: 0.5 * games };
    let next = most_informative(4, &[even(0, 1, 10.0), even(1, 3, 10.0)], 0, any).unwrap();
    assert!(next.0 == 2 || next.1 == 2, "{next:?}");
    // Then the one with the fewest games.
    assert_eq!(most_informative(3, &[even(0, 1, 100.0), even(1, 2, 10.0), even(0, 2, 100.0)], 0, any), Some((1, 2)));
    // Games with a certain result tell little: not against the one who loses to everyone.
    let beaten = |b: usize| Encounter { a: 0, b, games: 60.0, score: 0.0 };
    assert_eq!(most_informative(3, &[beaten(1), beaten(2), even(1, 2, 20.0)], 1, any), Some((1, 2)));
}

#[test]
fn informative_games_make_ratings_more_precise() {
    let players = 12;
    let elos: Vec<f64> = (0..players).map(|i| 300.0 * i as f64).collect();
    let pairs: Vec<(usize, usize)> = (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).collect();
    // The squares of interval widths and of errors, where games are chosen and where every pair plays in turn.
    let (mut widths, mut errors) = ([0.0; 2], [0.0; 2]);
    for seed in 0..40 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut played = [Vec::new(), Vec::new()];
        for round in 0..2 * pairs.len() {
            let next = most_informative(players, &played[0], 0, |_, _| true).unwrap();
            played[0].extend(tournament(&elos, &[next], 4, 0.0, &mut random));
            played[1].extend(tournament(&elos, &[pairs[round % pairs.len()]], 4, 0.0, &mut random));
        }
        for (way, encounters) in played.iter().enumerate() {
            for (rating, elo) in ratings(players, encounters, 0, 0.0).iter().zip(&elos) {
                widths[way] += (rating.high - rating.low).powi(2);
                errors[way] += (rating.elo - elo).powi(2);
            }
        }
    }
    let (width, error) = ((widths[0] / widths[1]).sqrt(), (errors[0] / errors[1]).sqrt());
    println!("against a round robin: intervals {width:.3}, errors {error:.3}");
    assert!(width < 0.8 && error < 0.85, "{width} {error}");
}

/// Three anchors who have met often, and `networks` who have joined one by one: each plays 100 games, in blocks of 25, against
/// the opponents that tell most.
fn simulated_run(networks: &[f64], random: &mut Xoshiro256PlusPlus) -> Vec<Encounter> {
    let elos: Vec<f64> = [0.0, 250.0, 450.0].into_iter().chain(networks.iter().copied()).collect();
    let mut played = tournament(&elos, &[(0, 1), (1, 2), (0, 2)], 100, 0.0, random);
    for newcomer in 3..elos.len() {
        for _ in 0..4 {
            let other = best_opponent(newcomer + 1, &played, 0, newcomer, |_| true).unwrap();
            played.extend(tournament(&elos, &[(newcomer, other)], 25, 0.0, random));
        }
    }
    played
}

/// How often the interval of the slope covers that of the true line, through networks that scatter about it.
fn slope_coverage(per_hour: f64, scatter: f64, runs: u64) -> f64 {
    let covers = |seed: u64| {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        // Normal enough: the sum of twelve uniform numbers has the variance 1.
        let mut normal = || (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        let hours: Vec<f64> = (0..8).map(|number| 4.0 + 0.5 * f64::from(number)).collect();
        let elos: Vec<f64> = hours.iter().map(|h| 100.0 + per_hour * (h - 4.0) + scatter * normal()).collect();
        let played = simulated_run(&elos, &mut random);
        let (rated, covariances) = ratings_with_covariances(11, &played, 0, 0.0);
        let points: Vec<(f64, f64)> = hours.into_iter().zip(rated[3..].iter().map(|rating| rating.elo)).collect();
        let covariances: Vec<&[f64]> = covariances[3..].iter().map(|row| &row[3..]).collect();
        let slope = Slope::of(&points, &covariances).unwrap();
        slope.low <= per_hour && per_hour <= slope.high
    };
    (0..runs).filter(|seed| covers(*seed)).count() as f64 / runs as f64
}

#[test]
fn slopes_of_simulated_runs_are_covered() {
    for per_hour in [0.0, 60.0] {
        // A little more than 95 %: chance alone makes an interval wider, and never narrower.
        let covered = slope_coverage(per_hour, 0.0, 400);
        println!("{per_hour} Elo per hour: covered {covered:.4}");
        assert!((0.935..=0.99).contains(&covered), "{per_hour}: {covered}");
    }
    // Networks that differ from the line by more than is measured. If nothing else mattered, the slope would have Student's
    // distribution with 6 degrees of freedom, of which 90.2 % lie within 1.96; without a wider interval it would be
    // less than 75 %.
    let covered = slope_coverage(60.0, 60.0, 400);
    println!("with scatter: covered {covered:.4}");
    assert!(covered > 0.87, "{covered}");
}

/// Exact fractions by the normal equations `(Xᵀ C⁻¹ X) b = Xᵀ C⁻¹ y`, in Python.
#[test]
fn slopes_match_the_normal_equations() {
    let points = [(0.0, 10.0), (1.0, 30.0), (2.0, 20.0), (4.0, 60.0)];
    let diagonal = |variances: [f64; 4]| {
        let mut matrix = [[0.0; 4]; 4];
        (0..4).for_each(|at| matrix[at][at] = variances[at]);
        matrix
    };
    let correlated =
        [[100.0, 50.0, 20.0, 0.0], [50.0, 400.0, 60.0, 10.0], [20.0, 60.0, 100.0, 30.0], [0.0, 10.0, 30.0, 900.0]];
    for (covariances, slope, start, half) in [
        // Σ² = 8500 / 251, and χ² = 270 / 251 for 2 degrees of freedom.
        (diagonal([100.0, 400.0, 100.0, 900.0]), 2_020.0 / 251.0, 2_390.0 / 251.0, 11.405_667_141),
        (correlated, 41_770.0 / 5_597.0, 49_850.0 / 5_597.0, 10.872_701_023),
        // χ² = 450 / 7 for 2 degrees of freedom: the interval is wider by the root of 225 / 7.
        (diagonal([4.0; 4]), 80.0 / 7.0, 10.0, 7.513_050_348),
    ] {
        let found = Slope::of(&points, &covariances).unwrap();
        assert!((found.slope - slope).abs() < 1e-9 && (found.at(0.0) - start).abs() < 1e-9, "{found:?}");
        assert!((found.high - slope - half).abs() < 1e-8 && (slope - found.low - half).abs() < 1e-8, "{found:?}");
        // An error that all points have in common moves the line, and does not tilt it.
        let shared = covariances.map(|row| row.map(|covariance| covariance + 5_000.0));
        let again = Slope::of(&points, &shared).unwrap();
        assert!((again.slope - slope).abs() < 1e-9 && (again.high - found.high).abs() < 1e-8, "{again:?}");
    }
    assert_eq!(Slope::of(&[], &[[0.0; 0]; 0]), None);
    assert_eq!(Slope::of(&[(1.0, 2.0)], &[[1.0]]), None);
    assert_eq!(Slope::of(&[(0.1, 2.0), (0.1, 3.0)], &[[1.0, 0.0], [0.0, 1.0]]), None);
    assert_eq!(Slope::of(&[(0.0, 2.0), (1.0, f64::INFINITY)], &[[1.0, 0.0], [0.0, 1.0]]), None);
    assert_eq!(Slope::of(&[(0.0, 2.0), (1.0, 3.0)], &[[1.0]]), None);
}

#[test]
fn a_newcomer_meets_near_and_well_known_opponents() {
    let score = |a: usize, b: usize, games: f64, score: f64| Encounter { a, b, games, score };
    let none = |players: usize, encounters: &[Encounter]| best_opponent(players, encounters, 0, players - 1, |_| true);
    assert_eq!(none(1, &[]), None);
    assert_eq!(none(2, &[]), Some(0));
    assert_eq!(best_opponent(3, &[], 0, 2, |_| false), None);
    assert_eq!(best_opponent(3, &[], 0, 7, |_| true), None, "it is not in the pool");
    // The anchor, three who are stronger by about 300 Elo each, one who loses every game, and the newcomer, who has
    // drawn with number 2.
    let steps = (0..3).map(|a| score(a, a + 1, 400.0, 60.0));
    let pool: Vec<Encounter> = steps.chain([score(0, 4, 60.0, 60.0), score(2, 5, 10.0, 5.0)]).collect();
    assert_eq!(none(6, &pool), Some(2));
    assert_eq!(best_opponent(6, &pool, 0, 5, |other| other != 2 && other != 3), Some(1));
    // The one who always loses is little known, and so worth a game to most_informative.
    let chosen = most_informative(6, &pool, 0, |a, b| (a, b) == (0, 4) || (a, b) == (0, 1));
    assert_eq!(chosen, Some((0, 4)));
    // Two are as strong as the newcomer, and one of them has played more.
    let twins = [score(0, 1, 20.0, 10.0), score(0, 2, 200.0, 100.0)];
    assert_eq!(best_opponent(4, &twins, 0, 3, |other| other != 0), Some(2));
}

/// Fits the pool again with one more game of the expected score, against each opponent in turn.
#[test]
fn the_best_opponent_makes_the_rating_most_precise() {
    let elos = [0.0, 250.0, 450.0, 130.0, 380.0, 300.0];
    let newcomer = 5;
    for seed in 0..40 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let others: Vec<(usize, usize)> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        let mut played = tournament(&elos, &others, 5 + 5 * (seed as u32 % 5), 0.0, &mut random);
        played.extend(tournament(&elos, &[(random.random_range(0..5), newcomer)], 30, 0.0, &mut random));
        let before = ratings(6, &played, 0, 0.0);
        let width = |other: usize| {
            let score = expected_score(before[newcomer].elo - before[other].elo);
            let mut played = played.clone();
            played.push(Encounter { a: newcomer, b: other, games: 1.0, score });
            let rating = ratings(6, &played, 0, 0.0)[newcomer];
            rating.high - rating.low
        };
        let chosen = width(best_opponent(6, &played, 0, newcomer, |_| true).unwrap());
        let narrowest = (0..5).map(width).fold(f64::INFINITY, f64::min);
        let gained = before[newcomer].high - before[newcomer].low - narrowest;
        assert!(gained > 0.0 && chosen - narrowest < 0.1 * gained, "{seed}: {chosen} {narrowest} {gained}");
    }
}
