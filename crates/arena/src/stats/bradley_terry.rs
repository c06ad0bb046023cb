//! Ratings of a pool of players, by the model of Bradley and Terry: `P(a beats b) = 1 / (1 + exp(-(θ_a - θ_b)))`.

use super::cholesky::Cholesky;
use super::normal::TWO_SIDED_95;

/// Elo for one unit of θ: 400 / ln 10.
const ELO_OF_UNIT: f64 = 400.0 / std::f64::consts::LN_10;

/// The standard deviation, in Elo, of the prior around the anchor: so wide that it has no effect as soon as games
/// connect the players, and keeps everything finite before.
const PRIOR_ELO: f64 = 100_000.0;

/// The information of that prior: one over its variance.
const PRIOR_INFORMATION: f64 = (ELO_OF_UNIT / PRIOR_ELO) * (ELO_OF_UNIT / PRIOR_ELO);

/// The most that a strength changes in a step of the fit: some 350 Elo. Far from the maximum, steps would be too long.
const LONGEST_STEP: f64 = 2.0;

/// The fit takes some twenty steps; more where ratings are thousands of Elo apart.
const MOST_STEPS: usize = 500;

/// Games between two players of a pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// One player, by number from 0.
    pub a: usize,
    /// Another one.
    pub b: usize,
    /// How many games they have played.
    pub games: f64,
    /// The points of `a`: draws count as half.
    pub score: f64,
}

/// A player's rating with its 95 % interval, which is that of the difference from the anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The rating.
    pub elo: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// Ratings of `players` players, with player `anchor` fixed at `anchor_elo`. All numbers are finite.
pub fn ratings(players: usize, encounters: &[Encounter], anchor: usize, anchor_elo: f64) -> Vec<Rating> {
    ratings_with_covariances(players, encounters, anchor, anchor_elo).0
}

/// Ratings, and their covariances in Elo², row by row: what the players have in common, such as the uncertainty of an
/// opponent, drops out of the difference of two ratings.
///
/// The most likely ratings with Jeffreys' prior `√det I`, I the information matrix, as in Firth's bias-reduced
/// regression (1993). It acts as if about one more game for each player had been drawn, distributed over the games by
/// their information about the ratings; so unbeaten players stay finite, and a pool of very different players is not
/// pushed together, as it would be by draws distributed evenly. Two players with a score of s in n games are rated as
/// for (s + 1/2) / (n + 1).
///
/// Intervals come from the inverse of the information matrix. A game is taken to be won or lost with nothing between,
/// so where many games are drawn the intervals are wider than they need to be.
///
/// A player whom no chain of games connects with the anchor is rated around the anchor, with an interval of some
/// ±200,000 Elo: nothing is known. Impossible encounters (a player outside the pool or against itself, no games) are
/// left out, and scores are clamped to the range from 0 to `games`. An anchor outside the pool fixes no rating.
pub fn ratings_with_covariances(
    players: usize,
    encounters: &[Encounter],
    anchor: usize,
    anchor_elo: f64,
) -> (Vec<Rating>, Vec<Vec<f64>>) {
    let pool = Pool::fit(players, encounters, anchor);
    let rating = |player: usize| {
        let elo = anchor_elo + ELO_OF_UNIT * pool.strengths[player];
        let half = ELO_OF_UNIT * TWO_SIDED_95 * pool.covariance(player, player).sqrt();
        Rating { elo, low: elo - half, high: elo + half }
    };
    let covariances = |a: usize| (0..players).map(|b| ELO_OF_UNIT * ELO_OF_UNIT * pool.covariance(a, b)).collect();
    ((0..players).map(rating).collect(), (0..players).map(covariances).collect())
}

/// The pair of players whose next game would tell most about the ratings, the lower number first; `None` for fewer than
/// two players.
///
/// A game tells `p (1 - p)` about the difference of its players, and most where the variance `V` of that difference is
/// large: the pair is the one with the largest `p (1 - p) V`, by which the next game shrinks the volume of the
/// uncertainty of all ratings most. Ties go to the first pair.
///
/// As long as games are few, ratings from games chosen this way lie a little too far apart, because p is itself an
/// estimate: by 8 % where 20 players over 1,900 Elo had 80 games each (intervals covered 91 %), by less than 1 % where
/// 12 players over 3,300 Elo had 88.
///
/// Only pairs that `may_meet` accepts count; it gets the lower number first.
pub fn most_informative(
    players: usize,
    encounters: &[Encounter],
    anchor: usize,
    may_meet: impl Fn(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    let pool = Pool::fit(players, encounters, anchor);
    let worth = |&(a, b): &(usize, usize)| information(pool.strengths[a] - pool.strengths[b]) * pool.variance(a, b);
    let pairs = (0..players).flat_map(|a| (a + 1..players).map(move |b| (a, b))).filter(|&(a, b)| may_meet(a, b));
    pairs.collect::<Vec<_>>().into_iter().rev().max_by(|x, y| worth(x).total_cmp(&worth(y)))
}

/// The opponent against whom the next game of `player` would tell most about this player's own rating; `None` if there is
/// none that `may_meet` accepts. Ties go to the first.
///
/// With C the covariances, a game against b, of information `i = p (1 - p)`, takes
/// `i (C_nn - C_nb)² / (1 + i V)` off the variance C_nn of player n, where V is the variance of the difference. So
/// the opponent should be near, and well known itself: [`most_informative`] would also choose an opponent who always
/// loses, to learn more about that one.
pub fn best_opponent(
    players: usize,
    encounters: &[Encounter],
    anchor: usize,
    player: usize,
    may_meet: impl Fn(usize) -> bool,
) -> Option<usize> {
    let pool = Pool::fit(players, encounters, anchor);
    let worth = |&other: &usize| {
        let information = information(pool.strengths[player] - pool.strengths[other]);
        let own = pool.covariance(player, player) - pool.covariance(player, other);
        information * own * own / (1.0 + information * pool.variance(player, other))
    };
    let others = (0..players).filter(|&other| player < players && other != player && may_meet(other));
    others.rev().max_by(|x, y| worth(x).total_cmp(&worth(y)))
}

/// A pool with strengths θ, and the games' information about them. The anchor's strength is 0 and certain.
struct Pool {
    strengths: Vec<f64>,
    /// The information matrix I.
    information: Cholesky,
    /// The inverse of I, row by row.
    covariances: Vec<f64>,
}

impl Pool {
    /// The pool with the most likely strengths, by Fisher's scoring: a step that does not improve the posterior is
    /// halved until it does.
    fn fit(players: usize, encounters: &[Encounter], anchor: usize) -> Pool {
        let games = Games::new(players, encounters, anchor);
        let mut pool = games.pool(vec![0.0; players]);
        let mut value = games.log_posterior(&pool);
        for _ in 0..MOST_STEPS {
            let gradient = games.gradient(&pool);
            let mut step = gradient.clone();
            pool.information.solve(&mut step);
            let gain: f64 = step.iter().zip(&gradient).map(|(step, slope)| step * slope).sum();
            if gain < 1e-14 {
                break; // the step is no longer than 1e-7 standard deviations
            }
            let longest = step.iter().fold(LONGEST_STEP, |longest, step| longest.max(step.abs()));
            let moved = |scale: f64| pool.strengths.iter().zip(&step).map(|(s, step)| s + scale * step).collect();
            let shorter = (0..40).map(|halvings| games.pool(moved(LONGEST_STEP / longest * 0.5f64.powi(halvings))));
            let Some(better) = shorter.map(|pool| (games.log_posterior(&pool), pool)).find(|next| next.0 > value)
            else {
                break; // as good as floating point allows
            };
            (value, pool) = better;
        }
        pool
    }

    fn covariance(&self, a: usize, b: usize) -> f64 {
        self.covariances[a * self.strengths.len() + b]
    }

    /// How uncertain the difference of two players is.
    fn variance(&self, a: usize, b: usize) -> f64 {
        self.covariance(a, a) + self.covariance(b, b) - 2.0 * self.covariance(a, b)
    }
}

/// The games that have been played.
struct Games {
    players: usize,
    anchor: usize,
    encounters: Vec<Encounter>,
}

impl Games {
    /// Keeps the encounters that are possible.
    fn new(players: usize, encounters: &[Encounter], anchor: usize) -> Games {
        let within = |e: &&Encounter| e.a < players && e.b < players && e.a != e.b;
        let played = |e: &&Encounter| e.games > 0.0 && e.games.is_finite() && !e.score.is_nan();
        let bounded = |e: &Encounter| Encounter { score: e.score.clamp(0.0, e.games), ..*e };
        Games { players, anchor, encounters: encounters.iter().filter(within).filter(played).map(bounded).collect() }
    }

    /// The pool, if these are the strengths.
    fn pool(&self, strengths: Vec<f64>) -> Pool {
        let information = Cholesky::new(self.players, self.information(&strengths));
        let mut covariances = information.inverse();
        if self.anchor < self.players {
            covariances[self.anchor * self.players + self.anchor] = 0.0;
        }
        Pool { strengths, information, covariances }
    }

    /// The logarithm of the posterior, up to a constant: the games, Jeffreys' prior and the wide one around the anchor.
    fn log_posterior(&self, pool: &Pool) -> f64 {
        let games = self.encounters.iter().map(|e| {
            let difference = pool.strengths[e.a] - pool.strengths[e.b];
            e.score * log_chance(difference) + (e.games - e.score) * log_chance(-difference)
        });
        let wide = pool.strengths.iter().map(|s| -0.5 * PRIOR_INFORMATION * s * s);
        games.chain(wide).sum::<f64>() + 0.5 * pool.information.log_determinant()
    }

    /// The slope of the posterior's logarithm. Jeffreys' prior adds `games p (1 - p) V` draws to an encounter. The
    /// anchor stays where it is.
    fn gradient(&self, pool: &Pool) -> Vec<f64> {
        let mut gradient: Vec<f64> = pool.strengths.iter().map(|s| -PRIOR_INFORMATION * s).collect();
        for e in &self.encounters {
            let difference = pool.strengths[e.a] - pool.strengths[e.b];
            let draws = e.games * information(difference) * pool.variance(e.a, e.b);
            let more = e.score + 0.5 * draws - (e.games + draws) * chance(difference);
            gradient[e.a] += more;
            gradient[e.b] -= more;
        }
        if let Some(slope) = gradient.get_mut(self.anchor) {
            *slope = 0.0;
        }
        gradient
    }

    /// The information matrix, row by row. The anchor is independent of the others: a row and a column of the unit
    /// matrix.
    fn information(&self, strengths: &[f64]) -> Vec<f64> {
        let size = self.players;
        let mut matrix = vec![0.0; size * size];
        for e in &self.encounters {
            let gained = e.games * information(strengths[e.a] - strengths[e.b]);
            matrix[e.a * size + e.a] += gained;
            matrix[e.b * size + e.b] += gained;
            matrix[e.a * size + e.b] -= gained;
            matrix[e.b * size + e.a] -= gained;
        }
        for player in 0..size {
            matrix[player * size + player] += PRIOR_INFORMATION;
        }
        if self.anchor < size {
            for player in 0..size {
                matrix[self.anchor * size + player] = 0.0;
                matrix[player * size + self.anchor] = 0.0;
            }
            matrix[self.anchor * size + self.anchor] = 1.0;
        }
        matrix
    }
}

/// The probability p to win, for a player stronger by this difference in θ.
fn chance(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// ln p, exact even for tiny p.
fn log_chance(difference: f64) -> f64 {
    difference.min(0.0) - (-difference.abs()).exp().ln_1p()
}

/// The information of a game about the difference of its players: p (1 - p).
fn information(difference: f64) -> f64 {
    chance(difference) * chance(-difference)
}
