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
#[derive(Debug, Serialize)]
pub struct PlayedView {
    r#move: String,
    name: String,
    side: usize,
    /// `12.` or `12...`, where a new number begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
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

/// The position after `ply` moves; the game may have more. A resignation ends only the last one.
pub fn position<G: FullGame>(sitting: &Sitting<G>, ply: usize) -> PositionView {
    let played = sitting.played();
    let mut game = played.start().clone();
    let mut last = Vec::new();
    for (number, m) in played.moves().iter().take(ply).enumerate() {
        if number + 1 == ply {
            last = touched(&game, *m);
        }
        game.play(*m);
    }
    let mut moves = Vec::new();
    let result =
        if ply == played.moves().len() { sitting.legal_moves(&mut moves) } else { game.legal_moves(&mut moves) };
    PositionView {
        ply,
        position: game.position(),
        turn: game.side() as usize,
        board: game.diagram().map(board),
        text: game.to_string(),
        legal: moves.into_iter().map(|m| legal(&game, m)).collect(),
        last,
        alarm: game.alarm(),
        result: result.map(|outcome| ended::<G>(&outcome)),
    }
}

/// All moves of a game.
pub fn moves<G: FullGame>(sitting: &Sitting<G>) -> Vec<PlayedView> {
    let mut game = sitting.played().start().clone();
    let mut numbers = MoveNumbers::of(&game);
    let view = |m: &G::Move| {
        let number = numbers.next(game.side());
        let view = PlayedView {
            r#move: game.move_text(*m),
            name: game.move_name(*m),
            side: game.side() as usize,
            number: number.begins.then(|| number.to_string()),
        };
        game.play(*m);
        view
    };
    sitting.played().moves().iter().map(view).collect()
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
