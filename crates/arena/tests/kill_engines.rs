//! A program that ends at once kills its engines first. A test of its own, since it kills those of all threads.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod common;

use std::time::Duration;

use alfil_arena::player::{ExternalPlayer, ExternalSettings, Go, Played, Player, PlayerError, kill_engines};
use alfil_game::Game;
use alfil_game::chess::Chess;
use common::{Folder, ends};

#[test]
fn all_engines_end_with_the_processes_that_they_have_started() {
    let folder = Folder::new("kill");
    let (path, grandchild) = (folder.file("engine"), folder.file("grandchild"));
    let script = format!(
        "while read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; \
         go*) sleep 300 & echo $! > {0}.new; mv {0}.new {0}; wait;; esac; done\n",
        grandchild.display()
    );
    std::fs::write(&path, script).unwrap();
    let go = Go { nodes: Some(1), ..Go::default() };
    let mut player = ExternalPlayer::new(ExternalSettings::new(&format!("/bin/sh {}", path.display()), go));
    let game = Played::new(Chess::new(&Default::default()));
    let failed = std::thread::scope(|scope| {
        let thinking = scope.spawn(|| {
            Player::<Chess>::new_game(&mut player, 1)?;
            player.choose(&game, &|| false)
        });
        while !grandchild.exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        kill_engines();
        thinking.join().unwrap().unwrap_err()
    });
    assert_eq!(failed, PlayerError::Crashed("it ended with signal: 9 (SIGKILL)".to_owned()));
    assert!(ends(std::fs::read_to_string(&grandchild).unwrap().trim()));
}
