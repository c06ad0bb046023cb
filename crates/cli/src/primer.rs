//! `alfil primer`

use std::io::Write;
use std::path::{Path, PathBuf};

use alfil_primer::bandits::{self, Experiment, Policy};
use alfil_primer::grid::World;
use alfil_primer::king::{self, KingWays};
use alfil_primer::neurons::{self, Layer, Loss, Optimizer};
use alfil_primer::queens::Queens;
use alfil_primer::softmax;
use alfil_primer::tour::{Sums, Tour};
use alfil_primer::tree::{EXAMPLES, GameTree, Order};
use alfil_primer::{Board, Square};
use anyhow::{Context, bail, ensure};
use clap::{Args, Subcommand, ValueEnum};

use crate::Verdict;

/// Plays of all gamblers together, at most: a few seconds.
const MOST_PLAYS: u64 = 20_000_000;

#[derive(Subcommand)]
pub enum PrimerCommand {
    /// Queens that do not attack each other, some of which may already be placed
    Queens {
        /// How many queens, on a board of that size
        #[arg(default_value_t = 8)]
        size: usize,
        /// The row of the queen of each column, -1 for none: -1,3,-1,-1,2
        #[arg(long, value_name = "ROWS", allow_hyphen_values = true, conflicts_with = "size")]
        placed: Option<String>,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// A knight's tour: to every square of a board once
    Tour {
        /// Files and ranks, up to 200x200
        #[arg(default_value = "8x8")]
        size: String,
        /// The first square
        #[arg(long, value_name = "SQUARE", default_value = "a1")]
        from: String,
        /// Show Euler's tour, in which all rows and columns have the sum 260
        #[arg(long, conflicts_with_all = ["size", "from"])]
        euler: bool,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// How many shortest ways a king has to each square
    King {
        /// Where it stands
        #[arg(default_value = "e5")]
        from: String,
        /// Where it goes
        #[arg(long, value_name = "SQUARE", default_value = "d1")]
        to: String,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// A token that learns its way through a small world from rewards
    Grid {
        /// Walks to learn from
        #[arg(long, default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        walks: u32,
        /// What a reward is worth one step earlier
        #[arg(long, default_value_t = 0.99)]
        gamma: f64,
        /// The probability that a step goes to the next direction clockwise
        #[arg(long, default_value_t = 0.1)]
        slip: f64,
        /// The seed of all random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// Machines that pay by chance, and what three gamblers regret
    Bandits {
        /// The machines' probabilities
        #[arg(long, value_delimiter = ',', default_value = "0.3,0.5,0.6,0.8")]
        arms: Vec<f64>,
        /// Plays of each gambler
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        plays: u32,
        /// Gamblers of each kind, whose regrets are averaged
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        gamblers: u32,
        /// The seed of all random numbers
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// From values to probabilities, at several temperatures
    Softmax {
        /// The values
        #[arg(default_values_t = [1.0, 4.0, 3.0, 1.0], allow_negative_numbers = true)]
        values: Vec<f64>,
        /// The temperatures
        #[arg(long, value_delimiter = ',', default_value = "0.5,1,2")]
        temperature: Vec<f64>,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// What a network is made of: a convolution, gradients, learning with SGD and Adam
    Neurons {
        /// Steps of learning
        #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
        steps: u32,
        /// The seed of the first weights
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[command(flatten)]
        picture: PictureFile,
    },
    /// Minimax and alpha-beta on a small tree, step by step
    Tree {
        /// A tree, as in ((1.45 0.2) (0.25 0.34) 2.32), or one of the book's: minimax, queen-pawn, alphabeta
        #[arg(default_value = EXAMPLES[1].0, allow_hyphen_values = true)]
        tree: String,
        /// Which moves of a node are looked at first
        #[arg(long, value_enum, default_value = "right")]
        order: OrderName,
        /// Look at every node instead of cutting off what cannot matter
        #[arg(long)]
        minimax: bool,
        #[command(flatten)]
        picture: PictureFile,
    },
}

#[derive(Args)]
pub struct PictureFile {
    /// Draw it
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum OrderName {
    /// The first, as they are written
    Left,
    /// The last
    Right,
}

pub fn run(command: PrimerCommand, out: &mut impl Write) -> anyhow::Result<Verdict> {
    match command {
        PrimerCommand::Queens { size, placed, picture } => queens(size, placed.as_deref(), &picture, out),
        PrimerCommand::Tour { size, from, euler, picture } => tour(&size, &from, euler, &picture, out),
        PrimerCommand::King { from, to, picture } => king(&from, &to, &picture, out),
        PrimerCommand::Grid { walks, gamma, slip, seed, picture } => {
            ensure!((0.0..=1.0).contains(&gamma), "--gamma {gamma} should be from 0 to 1");
            ensure!((0.0..=1.0).contains(&slip), "--slip {slip} should be from 0 to 1");
            grid(&World::new(gamma, slip), walks, seed, &picture, out)
        }
        PrimerCommand::Bandits { arms, plays, gamblers, seed, picture } => {
            let fine = (1..=20).contains(&arms.len()) && arms.iter().all(|arm| (0.0..=1.0).contains(arm));
            ensure!(fine, "--arms takes 1 to 20 probabilities from 0 to 1, with commas between them");
            let all = u64::from(plays) * u64::from(gamblers);
            ensure!(
                all <= MOST_PLAYS,
                "{gamblers} gamblers with {plays} plays each are too many: take fewer of either"
            );
            bandits(&Experiment { arms, plays, gamblers, seed }, &picture, out)
        }
        PrimerCommand::Softmax { values, temperature, picture } => {
            let fine = values.len() <= 20 && values.iter().all(|value| value.is_finite());
            ensure!(fine, "softmax takes up to 20 finite values");
            let fine = (1..=5).contains(&temperature.len()) && temperature.iter().all(|t| *t > 0.0 && t.is_finite());
            ensure!(fine, "--temperature takes 1 to 5 numbers above 0, with commas between them");
            softmax(&values, &temperature, &picture, out)
        }
        PrimerCommand::Neurons { steps, seed, picture } => neurons(steps as usize, seed, &picture, out),
        PrimerCommand::Tree { tree, order, minimax, picture } => {
            let order = match order {
                OrderName::Left => Order::Left,
                OrderName::Right => Order::Right,
            };
            let tree = GameTree::read(&tree)?;
            let walk = if minimax { tree.minimax(order) } else { tree.alpha_beta(order) };
            write!(out, "{}", tree.text(&walk))?;
            draw(&picture, out, || tree.svg(&walk, order))
        }
    }
}

/// Writes the picture, if one is wanted.
fn draw(picture: &PictureFile, out: &mut impl Write, svg: impl FnOnce() -> String) -> anyhow::Result<Verdict> {
    if let Some(path) = &picture.svg {
        write_picture(path, &svg())?;
        writeln!(out, "the picture is {}", path.display())?;
    }
    Ok(Verdict::Fine)
}

fn write_picture(path: &Path, svg: &str) -> anyhow::Result<()> {
    alfil_core::disk::write_whole(path, svg.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

fn queens(size: usize, placed: Option<&str>, picture: &PictureFile, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let queens = placed.map_or_else(|| Queens::empty(size), Queens::read)?;
    let solutions = queens.solve();
    for step in solutions.steps.iter().take(40) {
        writeln!(out, "{step}")?;
    }
    if let Some(more) = solutions.steps.len().checked_sub(41) {
        writeln!(out, "and {} more steps", more + 1)?;
    }
    let Some(first) = solutions.all.first() else {
        writeln!(out, "there is no solution, after {} steps", solutions.steps.len() - 1)?;
        return Ok(Verdict::Fine);
    };
    writeln!(out, "\n{}", first.text())?;
    let (all, distinct) = (solutions.all.len(), solutions.distinct());
    let plural = if all == 1 { "" } else { "s" };
    writeln!(out, "{all} solution{plural}, {distinct} if rotations and reflections count as one")?;
    draw(picture, out, || first.svg())
}

fn tour(size: &str, from: &str, euler: bool, picture: &PictureFile, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let tour = if euler {
        Tour::euler()?
    } else {
        let board = Board::read(size)?;
        Tour::find(board, board.square(from)?)?
    };
    match tour.text() {
        Some(text) => write!(out, "{text}")?,
        None if picture.svg.is_none() => bail!("the board is too wide for the terminal: draw it with --svg FILE.svg"),
        None => {}
    }
    let ends: Vec<&Square> = [tour.squares().first(), tour.squares().last()].into_iter().flatten().collect();
    if let [first, last] = ends[..] {
        let closed = if tour.is_closed() { ", from which the knight could begin again" } else { "" };
        writeln!(out, "{} squares, from {first} to {last}{closed}", tour.squares().len())?;
    }
    match tour.sums() {
        Some(Sums { whole, half: Some(half) }) => {
            writeln!(out, "every row and column has the sum {whole}, and every half of one {half}")?;
        }
        Some(Sums { whole, half: None }) => writeln!(out, "every row and column has the sum {whole}")?,
        None => {}
    }
    draw(picture, out, || tour.svg())
}

fn king(from: &str, to: &str, picture: &PictureFile, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let [from, to] = [Board::CHESS.square(from)?, Board::CHESS.square(to)?];
    let ways = KingWays::from(from);
    writeln!(out, "{}", ways.text())?;
    let nearer: Vec<Square> = ways.nearer(to).collect();
    let sum = nearer.iter().map(|near| format!("{} ({near})", ways.to(*near))).collect::<Vec<_>>().join(" + ");
    let moves = king::distance(from, to);
    let equals = if nearer.len() > 1 { format!(" = {sum}") } else { String::new() };
    writeln!(out, "from {from} to {to} in {moves} moves: {} ways{equals}", ways.to(to))?;
    draw(picture, out, || ways.svg())
}

fn grid(world: &World, walks: u32, seed: u64, picture: &PictureFile, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let (exact, learnt) = (world.solve(), world.learn(walks, seed));
    writeln!(out, "learnt from {walks} walks:\n{}", world.text(&learnt.values))?;
    writeln!(out, "exact:\n{}", world.text(&exact))?;
    let tenth = (learnt.returns.len() / 10).max(1);
    let mean = |returns: &[f64]| returns.iter().sum::<f64>() / returns.len().max(1) as f64;
    let (first, last) = (&learnt.returns[..tenth], &learnt.returns[learnt.returns.len() - tenth..]);
    writeln!(out, "a walk was worth {:.2} in the first tenth, {:.2} in the last", mean(first), mean(last))?;
    let (learnt_start, exact_start) = (world.value_of_start(&learnt.values), world.value_of_start(&exact));
    writeln!(out, "the start is worth {exact_start:.3}, and was thought to be worth {learnt_start:.3}")?;
    draw(picture, out, || world.svg(&learnt))
}

fn bandits(experiment: &Experiment, picture: &PictureFile, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let regrets = Policy::ALL.map(|policy| experiment.run(policy));
    writeln!(out, "mean regret of {} gamblers", experiment.gamblers)?;
    write!(out, "{}", bandits::table(&regrets))?;
    writeln!(out, "UCB1's is proven to stay below {:.0}", experiment.ucb1_bound())?;
    draw(picture, out, || bandits::svg(&regrets))
}

fn softmax(
    values: &[f64],
    temperatures: &[f64],
    picture: &PictureFile,
    out: &mut impl Write,
) -> anyhow::Result<Verdict> {
    const BAR: f64 = 40.0;
    for temperature in temperatures {
        let mut shares = values.to_vec();
        softmax::normalise(&mut shares, *temperature);
        writeln!(out, "temperature {temperature}")?;
        for (value, share) in values.iter().zip(shares) {
            writeln!(out, "{value:>8}  {share:.3}  {}", "#".repeat((BAR * share).round() as usize))?;
        }
    }
    draw(picture, out, || softmax::svg(values, temperatures))
}

fn neurons(steps: usize, seed: u64, picture: &PictureFile, out: &mut impl Write) -> anyhow::Result<Verdict> {
    let (mut convolution, inputs) = neurons::book_convolution();
    let outputs: Vec<String> = convolution.forward(&inputs).iter().map(|output| format!("{output:.4}")).collect();
    writeln!(out, "a convolution, 2x2 over 3x3: {}", outputs.join("  "))?;
    let mut network = neurons::xor_network(seed);
    let error = neurons::gradient_error(&mut network, &[0.3, -0.7], &Loss::Squares(vec![1.0]));
    writeln!(out, "gradients of two layers differ from slopes of the loss by at most {error:.1e}")?;
    let sgd = neurons::learn_xor(&mut neurons::xor_network(seed), &mut Optimizer::Sgd(0.5), steps);
    let adam = neurons::learn_xor(&mut network, &mut Optimizer::adam(0.05), steps);
    writeln!(
        out,
        "\nlearning \"one or the other, but not both\": mean squared error\n{:>8}  {:>8}  {:>8}",
        "step", "SGD", "Adam"
    )?;
    let marks = std::iter::successors(Some(1), |step| Some(step * 10)).take_while(|step| *step < steps).chain([steps]);
    for step in marks {
        writeln!(out, "{step:>8}  {:>8.4}  {:>8.4}", sgd[step - 1], adam[step - 1])?;
    }
    for (inputs, answer) in neurons::XOR {
        let [one, other] = inputs;
        writeln!(out, "{one} and {other}: {:.3}, should be {answer}", network.forward(&inputs)[0])?;
    }
    draw(picture, out, || neurons::svg(&sgd, &adam))
}
