//! Games and runs as JSON.

use alfil_arena::Sitting;
use alfil_game::diagram::{Diagram, Figure, Ground, Shape};
use alfil_game::{FullGame, MoveNumbers, Outcome, Side, Step};
use alfil_train::run::Phase;
use serde::Serialize;

/// A board and what stands on it. A cell has the size 1; x grows to the right, y upwards.
#[derive(Debug, Serialize)]
pub struct BoardView {
    shape: &'static str,
    cells: Vec<CellView>,
    labels: Vec<LabelView>,
}

#[derive(Debug, Serialize)]
struct CellView {
    name: String,
    x: f32,
    y: f32,
    ground: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    piece: Option<PieceView>,
}

#[derive(Debug, Serialize)]
struct PieceView {
    /// 0 for the first player, 1 for the second.
    side: usize,
    figure: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tired: bool,
}

#[derive(Debug, Serialize)]
struct LabelView {
    x: f32,
    y: f32,
    text: String,
}

/// A move that can be played.
#[derive(Debug, Serialize)]
pub struct MoveView {
    /// As programs write it; what is sent back.
    r#move: String,
    /// As people write it.
    name: String,
    /// How it is made on the board.
    steps: Vec<StepView>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum StepView {
    Touch {
        touch: Vec<String>,
    },
    Choose {
        choose: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        figure: Option<&'static str>,
    },
}

/// A move that was played.
#[derive(Clone, Debug, Serialize)]
pub struct PlayedView {
    r#move: String,
    name: String,
    side: usize,
    /// `12.` or `12...`, where a new number begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    /// The cells that it is marked by.
    #[serde(skip)]
    cells: Vec<String>,
}

/// How a game has ended.
#[derive(Debug, Serialize)]
pub struct ResultView {
    /// "white wins: checkmate"
    words: String,
    /// The first player's points.
    score: f32,
}

/// A position of a game, with all that can be done in it.
#[derive(Debug, Serialize)]
pub struct PositionView {
    /// Moves before it.
    ply: usize,
    /// In the game's notation.
    position: String,
    /// Whose move it is.
    turn: usize,
    /// None if the game has no picture of itself: then its text is shown.
    board: Option<BoardView>,
    text: String,
    legal: Vec<MoveView>,
    /// Cells of the last move.
    last: Vec<String>,
    /// The cell of what is in danger, such as a king in check.
    alarm: Option<String>,
    /// How the game ends here by its rules.
    result: Option<ResultView>,
}

/// The position after `ply` moves, of which the game may have more; `played` are their views. A resignation ends only the last
/// position.
pub fn position<G: FullGame>(sitting: &Sitting<G>, ply: usize, played: &[PlayedView]) -> PositionView {
    let (mut moves, all) = (Vec::new(), sitting.played().moves());
    let (game, result) = if ply == all.len() {
        (sitting.played().now().clone(), sitting.legal_moves(&mut moves))
    } else {
        let mut game = sitting.played().start().clone();
        all.iter().take(ply).for_each(|m| game.play(*m));
        let result = game.legal_moves(&mut moves);
        (game, result)
    };
    let last = ply.checked_sub(1).and_then(|last| played.get(last));
    PositionView {
        ply,
        position: game.position(),
        turn: game.side() as usize,
        board: game.diagram().map(board),
        text: game.to_string(),
        legal: moves.into_iter().map(|m| legal(&game, m)).collect(),
        last: last.map_or(Vec::new(), |last| last.cells.clone()),
        alarm: game.alarm(),
        result: result.map(|outcome| ended::<G>(&outcome)),
    }
}

/// The moves of a game and what is told of them. Names take far longer than moves, so they are kept from one change to the next.
pub struct NamedMoves<G: FullGame> {
    moves: Vec<G::Move>,
    pub views: Vec<PlayedView>,
}

impl<G: FullGame> NamedMoves<G> {
    pub fn of(sitting: &Sitting<G>) -> NamedMoves<G> {
        let mut named = NamedMoves { moves: Vec::new(), views: Vec::new() };
        named.follow(sitting);
        named
    }

    /// Names the moves that are new, and forgets those that were taken back.
    pub fn follow(&mut self, sitting: &Sitting<G>) {
        let moves = sitting.played().moves();
        let same = self.moves.iter().zip(moves).take_while(|(known, m)| known == m).count();
        self.moves.truncate(same);
        self.views.truncate(same);
        let mut game = sitting.played().start().clone();
        let mut numbers = MoveNumbers::of(&game);
        for (ply, m) in moves.iter().enumerate() {
            let number = numbers.next(game.side());
            if ply >= same {
                self.moves.push(*m);
                self.views.push(PlayedView {
                    r#move: game.move_text(*m),
                    name: game.move_name(*m),
                    side: game.side() as usize,
                    number: number.begins.then(|| number.to_string()),
                    cells: touched(&game, *m),
                });
            }
            game.play(*m);
        }
    }
}

/// The cells that a move is marked by.
pub fn touched<G: FullGame>(game: &G, m: G::Move) -> Vec<String> {
    let touched = |step| match step {
        Step::Touch(cells) => cells.into_iter().next(),
        Step::Choose { .. } => None,
    };
    game.steps(m).into_iter().filter_map(touched).collect()
}

/// What a phase of a run is called.
pub fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Selfplay => "self-play",
        Phase::Learn => "training",
        Phase::Gate => "gate",
        Phase::Rate => "rating",
    }
}

pub fn ended<G: FullGame>(outcome: &Outcome) -> ResultView {
    ResultView { words: outcome.in_words::<G>(), score: outcome.score.0.points() }
}

fn legal<G: FullGame>(game: &G, m: G::Move) -> MoveView {
    let step = |step| match step {
        Step::Touch(touch) => StepView::Touch { touch },
        Step::Choose { name, figure } => {
            StepView::Choose { choose: name, figure: figure.map(|figure| self::figure(&figure)) }
        }
    };
    MoveView {
        r#move: game.move_text(m),
        name: game.move_name(m),
        steps: game.steps(m).into_iter().map(step).collect(),
    }
}

pub fn board(diagram: Diagram) -> BoardView {
    let shape = match diagram.shape {
        Shape::Square => "square",
        Shape::Hexagon => "hexagon",
    };
    let ground = |ground| match ground {
        Ground::Shade(shade) => format!("shade{shade}"),
        Ground::Obstacle => "obstacle".to_owned(),
        Ground::Home(side) => format!("home{}", side as usize),
    };
    let cells = diagram.cells.into_iter().map(|cell| CellView {
        name: cell.name,
        x: cell.x,
        y: cell.y,
        ground: ground(cell.ground),
        piece: cell.piece.map(|(side, figure)| piece(side, &figure)),
    });
    let labels = diagram.labels.into_iter().map(|label| LabelView { x: label.x, y: label.y, text: label.text });
    BoardView { shape, cells: cells.collect(), labels: labels.collect() }
}

fn piece(side: Side, drawn: &Figure) -> PieceView {
    let (number, tired) = match drawn {
        Figure::Numbered { number, tired } => (Some(*number), *tired),
        Figure::Number(number) => (Some(*number), false),
        _ => (None, false),
    };
    PieceView { side: side as usize, figure: figure(drawn), number, tired }
}

fn figure(figure: &Figure) -> &'static str {
    match figure {
        Figure::Pawn => "pawn",
        Figure::Knight => "knight",
        Figure::Bishop => "bishop",
        Figure::Rook => "rook",
        Figure::Queen => "queen",
        Figure::King => "king",
        Figure::Stone => "stone",
        Figure::Numbered { .. } => "unit",
        Figure::Number(_) => "number",
    }
}
