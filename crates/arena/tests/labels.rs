//! What players without a program of their own teach about positions.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use alfil_arena::player::{Label, LabelSettings, Played, PlayerLine};
use alfil_game::chess::Chess;
use alfil_game::connect4::Connect4;
use alfil_game::tictactoe::TicTacToe;
use alfil_game::{FullGame, Game, Mover, Wdl, play_line};

const SEVERAL: LabelSettings = LabelSettings { lines: 4, temperature: 0.5 };

fn label<G: FullGame>(line: &str, game: &G, settings: LabelSettings) -> Label<G::Move> {
    let teacher = line.parse::<PlayerLine>().unwrap().teacher::<G>(&settings).unwrap();
    let mut player = teacher.player().unwrap();
    player.new_game(1).unwrap();
    player.label(&Played::new(game.clone()), &settings, &|| false).unwrap()
}

fn refusal(line: &str, settings: LabelSettings) -> String {
    line.parse::<PlayerLine>().unwrap().teacher::<TicTacToe>(&settings).err().unwrap().to_string()
}

fn after<G: FullGame>(moves: &str) -> G {
    let mut game = G::new(&G::Rules::default());
    play_line(&mut game, moves).unwrap();
    game
}

fn names<G: FullGame>(game: &G, label: &Label<G::Move>) -> Vec<String> {
    label.policy.iter().map(|(m, _)| game.move_name(*m)).collect()
}

fn is_shared<M>(label: &Label<M>) -> bool {
    (label.policy.iter().map(|(_, share)| share).sum::<f32>() - 1.0).abs() < 1e-3
}

#[test]
fn alpha_beta_teaches_its_move_or_the_best_ones_by_their_scores() {
    let mate = after::<Chess>("e4 e5 Bc4 Nc6 Qh5 Nf6");
    let best = label("alphabeta:depth=2", &mate, LabelSettings::default());
    assert_eq!((best.wdl, names(&mate, &best)), (Mover(Wdl::WIN), vec!["Qxf7#".to_owned()]));
    let soft = label("alphabeta:depth=2", &mate, SEVERAL);
    assert_eq!((soft.wdl, names(&mate, &soft)[0].as_str(), soft.policy.len()), (Mover(Wdl::WIN), "Qxf7#", 4));
    assert!(is_shared(&soft) && soft.policy[0].1 > 0.999, "{soft:?}");

    // White wins a queen by either capture, and nothing by any other move.
    let two = Chess::from_position("4k3/8/8/1q6/P1P5/8/8/4K3 w - - 0 1", &Default::default()).unwrap();
    let soft = label("alphabeta:depth=1", &two, SEVERAL);
    let mut first: Vec<String> = names(&two, &soft).into_iter().take(2).collect();
    first.sort();
    assert_eq!(first, ["axb5", "cxb5"]);
    assert!(is_shared(&soft) && soft.policy[1].1 > 0.2 && soft.policy[2].1 < 0.01, "{soft:?}");
    let hard = label("alphabeta:depth=1", &two, LabelSettings::default());
    assert!((hard.wdl.0.value() - soft.wdl.0.value()).abs() < 0.05 && hard.wdl.0.value() > 0.3, "{hard:?}");

    // The opponent wins next, wherever this side plays.
    let lost = after::<Connect4>("4 1 3 1 5");
    let label = label("alphabeta:depth=4", &lost, SEVERAL);
    assert_eq!(label.wdl, Mover(Wdl::LOSS));
}

#[test]
fn searches_of_trees_and_solvers_teach_what_they_have_found() {
    // X wins at 3, O threatens to win at 6.
    let game = after::<TicTacToe>("1 4 2 5");
    for line in ["uct:rollouts=300", "handcrafted:visits=50", "oracle"] {
        let label = label(line, &game, LabelSettings::default());
        assert_eq!((label.wdl, names(&game, &label)), (Mover(Wdl::WIN), vec!["3".to_owned()]), "{line}");
    }
    let start = after::<TicTacToe>("");
    let best = label("oracle", &start, LabelSettings::default());
    assert_eq!((best.wdl, best.policy.len()), (Mover(Wdl::DRAW), 9));
    let visited = label("uct:rollouts=100", &start, LabelSettings::default());
    assert!(is_shared(&visited) && visited.policy.len() == 9 && visited.wdl.0.value().abs() < 1.0, "{visited:?}");
    let known = label("handcrafted:visits=1", &start, LabelSettings::default());
    assert!(is_shared(&known) && known.policy.len() == 9, "only priors are known: {known:?}");
}

#[test]
fn players_without_scores_are_no_teachers() {
    assert_eq!(refusal("random", LabelSettings::default()), "random gives no scores, and cannot be a teacher");
    let one = "uct:rollouts=9 judges no moves one by one: leave out the number of lines";
    assert_eq!(refusal("uct:rollouts=9", SEVERAL), one);
}
