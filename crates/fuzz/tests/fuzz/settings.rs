//! Configurations: a file, and settings on the command line.

use alfil_fuzz::{ITERATIONS, TIME, edited_text, edits};
use alfil_train::Config;
use alfil_train::config::render;
use bolero::{check, generator::produce};

const FILE: &str = "game = \"tictactoe\"\nencoding = \"tictactoe/stones\"\nseed = 7\n[network]\nsize = \"16x2\"\n[selfplay]\nvisits = 32\n\
    temperature = 1.0\n[training]\nbatch = 64\nrate_steps = [10, 20]\nrate_factors = [0.5, 0.1]\n[gate]\nkind = \"sprt\"\n\
    [rating]\nplayers = [\"random\", \"alphabeta:depth=2\"]\n[[stage]]\nfrom_generation = 3\nselfplay.visits = 64\n\
    [[stage]]\nfrom_hours = 1.5\n[stage.training]\nrate = 0.01\n";

const SETTINGS: [&str; 8] = [
    "training.batch=128",
    "selfplay={visits=9, games=4}",
    "gate.kind=none",
    "machine.device=\"cuda:1,cpu\"",
    "rating.players=[\"random\"]",
    "seed=1",
    "training.rate=1e-3",
    "rules=",
];

#[test]
fn configurations() {
    let input = (produce::<u8>(), edits(), edits());
    check!().with_iterations(ITERATIONS).with_test_time(TIME).with_generator(input).for_each(
        |(number, edits, more)| {
            let text = edited_text(FILE, edits);
            let setting = edited_text(SETTINGS[usize::from(*number) % SETTINGS.len()], more);
            match Config::parse(&text, std::slice::from_ref(&setting)) {
                Ok(config) => {
                    let written = render(&config);
                    let again = Config::parse(&written, &[]).unwrap_or_else(|why| panic!("{why} in {written}"));
                    assert_eq!(again, config);
                    assert_eq!(render(&again), written);
                    let _ = (config.warnings(), config.architecture());
                }
                Err(why) => assert!(!why.to_string().is_empty()),
            }
        },
    );
}
