//! An engine whose evaluator fails: it reports the failure and ends.

use alfil_failing_device::{FailingDevice, SENTENCE};
use alfil_game::chess::Az21;
use alfil_nn::{Architecture, Network};
use alfil_uci::options::Options;

use super::gui::Gui;

fn engine(device: FailingDevice, name: &str) -> Gui {
    let path = std::env::temp_dir().join(format!("alfil-uci-{name}-{}.safetensors", std::process::id()));
    Network::random::<Az21>(Architecture::new::<Az21>("8x1".parse().unwrap()), 1).save(&path).unwrap();
    let (weights_file, device_name) = (path.display().to_string(), "cuda".to_owned());
    let options = Options { hash: 8, threads: 2, weights_file, device: device_name, ..Options::default() };
    let gui = Gui::on(options, Some(Box::leak(Box::new(device))));
    gui.say("isready");
    let heard = gui.wait("readyok");
    assert_eq!(heard.len(), 1, "the network is there: {heard:?}");
    std::fs::remove_file(path).unwrap();
    gui
}

#[test]
fn it_says_what_failed_and_ends() {
    for go in ["go nodes 100000", "go infinite", "eval"] {
        let gui = engine(FailingDevice::after(if go == "eval" { 1 } else { 50 }), "failure");
        // The first position is in the cache.
        gui.say("position startpos moves e2e4");
        gui.say(go);
        let heard = gui.wait("info string the evaluator");
        assert_eq!(heard.last().unwrap(), &format!("info string {SENTENCE}"));
        assert!(!heard.iter().any(|line| line.starts_with("bestmove")), "{heard:?}");
        // It ends without another command.
        assert_eq!(gui.failure(), SENTENCE);
    }
}

#[test]
fn a_panic_ends_it_as_well() {
    let gui = engine(FailingDevice::panicking_after(50), "panic");
    gui.say("go infinite");
    let sentence = "a thread of the search panicked: the test wants it";
    assert_eq!(gui.wait("info string a thread").last().unwrap(), &format!("info string {sentence}"));
    assert_eq!(gui.failure(), sentence);
}
