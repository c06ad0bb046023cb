//! The page in a real browser.

use std::path::Path;

use alfil_web::WebSettings;
use serde_json::{Value, json};

use crate::driver::Browser;
use crate::http::Running;
use crate::{contests, runs};

// Keys as WebDriver writes them.
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";
const ENTER: &str = "\u{e007}";

fn cell(name: &str) -> String {
    format!("[data-cell=\"{name}\"]")
}

fn plies(browser: &Browser) -> usize {
    browser.run("return document.querySelectorAll('.moves button').length").as_u64().unwrap() as usize
}

/// Makes a move of the game by clicks, as its steps say.
fn make(server: &Running, browser: &Browser, id: &str, text: &str) {
    let state = server.get(&format!("/api/v1/games/{id}")).json();
    let before = state["moves"].as_array().unwrap().len();
    browser.wait(&format!("return document.querySelectorAll('.moves button').length === {before}"));
    let legal = state["shown"]["legal"].as_array().unwrap();
    let m = legal.iter().find(|m| m["move"] == text).unwrap_or_else(|| panic!("{text} is not legal"));
    for step in m["steps"].as_array().unwrap() {
        match (&step["touch"], &step["choose"]) {
            (Value::Array(cells), _) => browser.click(&cell(cells[0].as_str().unwrap())),
            (_, Value::String(name)) => {
                let mut shown = name.clone();
                shown[..1].make_ascii_uppercase();
                browser.press(&shown);
            }
            _ => panic!("{step}"),
        }
    }
    browser.wait(&format!("return document.querySelectorAll('.moves button').length > {before}"));
}

#[test]
fn a_game_of_every_kind_is_played_by_clicks_to_its_end() {
    let server = Running::new();
    let Some(browser) = Browser::start("every-game", server.address) else { return };
    let games = [
        ("chess", "", "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", "White wins: checkmate."),
        ("chess", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "a7a8q", ""),
        (
            "hexchess",
            "",
            "c1e3 f10g8 f3h2 i7i5 g1f3 d9f8 g4g6 b7b6 h2l5 e10l5 e3e2 f7g6 f2i5 i8i5 b1b3 c7c5 c2c3 g8d3 f5f7 f8e5 f3g4 i5g5",
            "Black wins: checkmate.",
        ),
        ("connect4", "", "4 3 4 3 4 3 4", "X wins: four in a row."),
        ("tictactoe", "", "1 2 5 3 9", "X wins: three in a row."),
        ("nim", "", "d7 c5 b3 a1", "Second wins"),
        // Soldiers that wait, turns that are ended before all have had their orders, and a march on the headquarters.
        (
            "headquarters",
            "",
            "d9-g9 end end g9-j9 e5-e6 end end j9-l8 end end l8-m8! end end m8-m8!",
            "Red wins: headquarters taken.",
        ),
        (
            "headquarters",
            "15/15/15/15/15/15/15/15/15/15 c3:20,l8:10,g6:8 m8:10,h6:2,k1:10 red 9",
            "g6-g6xh6 l8-m8!",
            "Red wins",
        ),
    ];
    for (game, position, moves, result) in games {
        let mut request = json!({ "game": game, "side": "both" });
        if !position.is_empty() {
            request["position"] = json!(position);
        }
        let id = server.game(&request.to_string());
        browser.go(&format!("/play/{game}/{id}"));
        for text in moves.split_whitespace() {
            make(&server, &browser, &id, text);
        }
        if !result.is_empty() {
            browser.wait("return !document.querySelector('.over')?.hidden");
            assert!(browser.text(".over").starts_with(result), "{game}: {}", browser.text(".over"));
        }
    }
    browser.check();
}

#[test]
fn a_whole_visit_from_the_first_page_to_a_game_that_is_reloaded() {
    let server = Running::new();
    let Some(browser) = Browser::start("visit", server.address) else { return };
    browser.go("/");
    browser.wait("return document.querySelectorAll('.card').length === 6");
    assert_eq!(browser.run("return document.querySelectorAll('.card [tabindex=\"0\"]').length"), json!(0), "pictures");
    browser.click(".card:nth-child(3) .button");
    browser.wait("return location.pathname === '/play/connect4' && document.querySelector('button.main')");
    browser.run("document.querySelector('#level').value = 1");
    browser.press("Start");
    browser.wait("return location.pathname.split('/').length === 4 && document.querySelector('.status')?.innerText === 'Your move'");
    browser.click(&cell("row 6, column 4"));
    // The opponent answers.
    browser.wait("return document.querySelectorAll('.moves button').length === 2");
    browser.press("Hint");
    browser.wait("return document.querySelectorAll('.mark.hint').length === 1");
    browser.press("Undo");
    browser.wait("return document.querySelectorAll('.moves button').length === 0");
    browser.click(&cell("row 1, column 1"));
    browser.wait("return document.querySelectorAll('.moves button').length === 2");
    let shown = browser.text(".moves");
    browser.go(browser.run("return location.pathname").as_str().unwrap());
    browser.wait("return document.querySelectorAll('.moves button').length === 2");
    assert_eq!(browser.text(".moves"), shown);
    // Back and forth by keys.
    browser.keys(&[LEFT, LEFT]);
    browser.wait("return document.querySelectorAll('.piece').length === 0");
    browser.keys(&[RIGHT]);
    browser.wait("return document.querySelectorAll('.piece').length === 1");
    browser.press("Resign");
    browser.press("Really resign?");
    browser.wait("return document.querySelector('.over').innerText.startsWith('O wins: resignation.')");
    browser.press("Play again");
    browser.wait(
        "return document.querySelectorAll('.moves button').length === 0 && document.querySelector('.over')?.hidden",
    );
    browser.check();
}

#[test]
fn pieces_are_dragged_promoted_and_put_back() {
    let server = Running::new();
    let Some(browser) = Browser::start("drag", server.address) else { return };
    let id = server.game(r#"{ "game": "chess", "side": "both", "position": "8/P6k/8/8/8/8/6r1/K7 w - - 0 1" }"#);
    browser.go(&format!("/play/chess/{id}"));
    browser.drag(&cell("a1"), &cell("c3"));
    assert_eq!(plies(&browser), 0, "no king goes that far");
    browser.drag(&cell("a1"), &cell("b1"));
    browser.wait("return document.querySelectorAll('.moves button').length === 1");
    browser.click(&cell("g2"));
    browser.wait("return document.querySelectorAll('.dots circle').length === 14");
    browser.click(&cell("g1"));
    browser.wait("return document.querySelectorAll('.mark.alarm').length === 1");
    assert_eq!(browser.text(".status"), "White to move: check");
    browser.click(&cell("b1"));
    browser.click(&cell("b2"));
    browser.click(&cell("g1"));
    browser.click(&cell("g3"));
    browser.wait("return document.querySelectorAll('.moves button').length === 4");
    browser.drag(&cell("a7"), &cell("a8"));
    browser.wait("return [...document.querySelectorAll('.menu button')].map(one => one.innerText).join() === 'Queen,Rook,Bishop,Knight,Cancel'");
    browser.press("Cancel");
    assert_eq!(plies(&browser), 4);
    browser.drag(&cell("a7"), &cell("a8"));
    browser.press("Knight");
    browser.wait("return document.querySelector('.moves').innerText.includes('a8=N')");
    browser.check();
}

#[test]
fn pieces_are_dragged_with_a_finger() {
    let server = Running::new();
    let Some(browser) = Browser::start("touch", server.address) else { return };
    browser.become_phone(360);
    let id = server.game(r#"{ "game": "chess", "side": "both" }"#);
    browser.go(&format!("/play/chess/{id}"));
    browser.wait("return document.querySelector('.playable.drags [data-cell=e2]') !== null");
    browser.swipe(&cell("e2"), &cell("e5"));
    assert_eq!(plies(&browser), 0, "no pawn goes that far");
    browser.swipe(&cell("e2"), &cell("e4"));
    browser.wait("return document.querySelector('.moves').innerText.includes('e4')");
    assert_eq!(browser.run("return scrollY"), json!(0), "the page stays where it is");
    browser.check();
}

#[test]
fn rules_and_ratings_are_chosen_from_what_there_is() {
    let server = Running::new();
    let Some(browser) = Browser::start("rules", server.address) else { return };
    browser.go("/play/hexchess");
    browser.wait("return document.querySelector('button.main')");
    assert_eq!(
        browser.run("return document.querySelector('[value=people]')"),
        Value::Null,
        "no network imitates people"
    );
    browser.run(
        "document.querySelector('details').open = true; document.querySelector('[name=side][value=both]').click(); \
         document.querySelector('[name=rule-stalemate]').value = '3/4'; document.querySelector('[name=rule-ply_cap]').value = 80",
    );
    browser.press("Start");
    browser.wait("return location.pathname.split('/').length === 4 && document.querySelector('.moves')");
    let path = browser.run("return location.pathname").as_str().unwrap().to_owned();
    let id = path.rsplit('/').next().unwrap();
    assert_eq!(server.get(&format!("/api/v1/games/{id}")).json()["rules"], "stalemate=3/4,ply_cap=80");
    // A catalogue with a network that plays like people.
    browser.before_every_page(
        "const ask = window.fetch; window.fetch = async (...of) => { const answer = await ask(...of); \
         if (!String(of[0]).endsWith('/catalogue')) return answer; const all = await answer.json(); \
         all.games.find(game => game.name === 'connect4').evaluators[0].imitates = 1500; return new Response(JSON.stringify(all)); }",
    );
    browser.go("/play/connect4");
    browser.wait("return document.querySelector('[name=band] option')?.innerText === '1500 Elo'");
    browser.run(
        "document.querySelector('[name=side][value=x]').click(); const kind = document.querySelector('[name=kind]'); kind.value = 'people'; kind.dispatchEvent(new Event('change', { bubbles: true }))",
    );
    browser.wait(
        "return document.querySelector('[name=band]').offsetParent && !document.querySelector('#level').offsetParent",
    );
    browser.press("Start");
    browser.wait("return location.pathname.split('/').length === 4 && document.querySelector('.players')?.innerText.includes('without search')");
    browser.check();
}

/// Of every page: it fits, and nothing on it moves after it is there. Says when its first content was painted.
#[test]
fn every_page_fits_a_phone_and_stays_where_it_is() {
    let data = contests::folder("browser-pages");
    std::fs::create_dir_all(data.join("runs")).unwrap();
    let runs = runs::folder("browser-pages-runs");
    let server = Running::with(WebSettings { runs: runs.join("runs"), ..WebSettings::local(0, &data) });
    let Some(browser) = Browser::start("pages", server.address) else { return };
    let mut pages = vec![
        ("/".to_owned(), ".card"),
        ("/runs".to_owned(), ".run-list"),
        ("/runs/first".to_owned(), ".chart svg"),
        ("/contests".to_owned(), ".run-list"),
        ("/contests/random.pgn.journal".to_owned(), ".games td"),
        ("/contests/ladder.jsonl".to_owned(), ".ladder td"),
    ];
    for game in alfil_game::registry::names() {
        let id = server.game(&json!({ "game": game, "side": "both" }).to_string());
        pages.push((format!("/play/{game}"), "button.main"));
        pages.push((format!("/play/{game}/{id}"), ".moves"));
        pages.push((format!("/analyse/{game}/{id}"), ".candidates tbody"));
    }
    for width in [360, 1280] {
        if width == 360 {
            browser.become_phone(width);
        } else {
            browser.become_desk(width);
        }
        for (path, ready) in &pages {
            browser.go(path);
            browser.wait(&format!("return document.querySelector({})", json!(ready)));
            browser.check_width();
            let (moved, painted) = browser.settled();
            eprintln!("{width} {path}: first content after {painted:.0} ms");
            assert!(moved.is_empty(), "{width} {path}: something moved: {moved:?}");
        }
    }
    browser.check();
    std::fs::remove_dir_all(data).unwrap();
    std::fs::remove_dir_all(runs).unwrap();
}

#[test]
fn a_game_is_played_with_the_keyboard_alone_on_a_phone() {
    let server = Running::new();
    let Some(browser) = Browser::start("keyboard", server.address) else { return };
    browser.become_phone(360);
    let id = server.game(r#"{ "game": "chess", "side": "both" }"#);
    browser.go(&format!("/play/chess/{id}"));
    browser.wait("return document.querySelector('[data-cell=a1][tabindex=\"0\"]') !== null");
    assert_eq!(
        browser.run("return document.documentElement.scrollWidth"),
        json!(360),
        "nothing is wider than the screen"
    );
    browser.run("document.querySelector('[data-cell=a1]').focus()");
    browser.keys(&[UP, RIGHT, RIGHT, RIGHT, RIGHT, ENTER]);
    assert_eq!(browser.run("return document.activeElement.getAttribute('aria-label')"), json!("e2, white pawn"));
    browser.keys(&[UP, UP, ENTER]);
    browser.wait("return document.querySelector('.moves').innerText.includes('e4')");
    assert_eq!(browser.text("#announcer"), "white played e4.");
    browser.run("document.querySelector('input[name=move]').focus()");
    browser.keys(&["N", "f", "6", ENTER]);
    browser.wait("return document.querySelector('.moves').innerText.includes('Nf6')");
    browser.check();
}

#[test]
fn a_search_is_looked_into() {
    let server = Running::new();
    let Some(browser) = Browser::start("search", server.address) else { return };
    let id = server.game(r#"{ "game": "connect4", "side": "both", "moves": "4 4 3" }"#);
    browser.go(&format!("/analyse/connect4/{id}"));
    browser.wait("return document.querySelectorAll('.candidates tbody').length >= 3");
    browser.wait("return document.querySelectorAll('.arrow').length > 0");
    // Value, visits and prior of a candidate, on the board.
    let figures = browser.wait("return [...document.querySelectorAll('.figures')].at(-1)?.textContent");
    assert_eq!(figures.as_str().unwrap().matches('%').count(), 2, "{figures}");
    browser.hover(".candidates tbody td");
    browser.wait("return document.querySelectorAll('.arrow .badge').length > 1");
    browser.click("details summary");
    browser.wait("return document.querySelectorAll('.tree li button').length >= 5");
    browser.click(".tree li button:not(:disabled)");
    browser.wait("return document.querySelectorAll('.tree li li button').length >= 3");
    browser.click(".switches label:nth-child(2)");
    browser.wait("return document.querySelectorAll('.mark.heat').length > 0");
    browser.click(".switches label:nth-child(3)");
    browser.wait("return document.querySelectorAll('.analysis:nth-of-type(2) .candidates tbody').length >= 3");
    browser.click(&cell("row 1, column 2"));
    browser.wait("return document.querySelectorAll('.moves button').length === 4");
    browser.press("Go through the game");
    browser.wait("return document.querySelectorAll('.chart path').length === 3");
    browser
        .wait("return [...document.querySelectorAll('button')].some(one => one.innerText === 'Go through the game')");
    browser.check();
    // What goes wrong is said on the page, and the button is there again.
    browser.run("window.fetch = () => Promise.reject(new TypeError('on purpose'))");
    browser.press("Go through the game");
    browser.wait("return document.querySelector('main .error').innerText.startsWith('The server does not answer')");
    browser
        .wait("return [...document.querySelectorAll('button')].some(one => one.innerText === 'Go through the game')");
}

#[test]
fn a_run_is_watched_from_one_generation_to_the_next() {
    let folder = runs::folder("browser");
    let server = Running::of(&folder);
    let Some(browser) = Browser::start("run", server.address) else { return };
    // A run that learns from folders has no games of its own.
    runs::write_people(&folder);
    browser.go("/runs/people");
    browser.wait("return document.querySelectorAll('.chart svg').length > 0 && document.querySelector('.facts').innerText.includes('Epochs')");
    // Its end is told while it is watched.
    browser.wait("return document.querySelector('main .lead').innerText.startsWith('At rest')");
    runs::finish_people(&folder);
    browser.wait("return document.querySelector('main .lead').innerText.startsWith('Complete')");
    browser.go("/runs");
    browser.wait("return document.querySelectorAll('.run-list li').length === 2");
    browser.click(".run-list a[href$=first]");
    browser.wait("return document.querySelector('main .lead')?.innerText.includes('generation 3 of 9: self-play')");
    runs::write(&runs::run(&folder), 4, &[1, 2, 3]);
    browser.wait("return document.querySelector('main .lead').innerText.includes('generation 4 of 9')");
    browser.wait("return document.querySelector('main .lead').innerText.startsWith('At rest')");
    // A process begins to play.
    #[cfg(unix)]
    {
        let working = runs::Working::start(&folder);
        browser.wait("return document.querySelectorAll('.watched figure').length === 4");
        browser.wait("return document.querySelector('main .lead').innerText.startsWith('At work')");
        let moves = browser.text(".watched-moves");
        browser.wait(&format!("return document.querySelector('.watched-moves').innerText !== {}", json!(moves)));
        browser.check_width();
        drop(working);
        browser.wait("return document.querySelector('.live').hidden");
        browser.wait("return document.querySelector('main .lead').innerText.startsWith('At rest')");
    }
    browser.run("const from = document.querySelector('.files select'); from.value = ''; from.dispatchEvent(new Event('change'))");
    browser.wait("return document.querySelector('.games tbody td')?.innerText.includes('generation 2')");
    browser.press("Replay");
    browser.wait("return location.pathname.startsWith('/analyse/nim/') && document.querySelectorAll('.moves button').length === 3");
    browser.check();
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_run_is_stopped_with_a_button() {
    let data = runs::folder("browser-control");
    let settings = WebSettings { control: Some("false".into()), ..WebSettings::local(0, &data) };
    let server = Running::with(settings);
    let Some(browser) = Browser::start("control", server.address) else { return };
    let working = runs::Working::start(&data);
    browser.go("/runs/first");
    browser.press("Stop");
    browser.wait("return document.querySelector('.live').hidden && document.querySelector('main .lead').innerText.startsWith('At rest')");
    drop(working);
    browser.press("Resume");
    browser.wait("return document.querySelector('main .error')?.innerText.startsWith('The run could not go on')");
    browser.check();
    std::fs::remove_dir_all(data).unwrap();
}

#[test]
fn matches_and_ladders_are_looked_at() {
    let data = contests::folder("browser-contests");
    let server = Running::of(&data);
    let Some(browser) = Browser::start("contests", server.address) else { return };
    browser.go("/contests");
    browser.wait("return document.querySelectorAll('.run-list li').length === 2");
    browser.click("a[href$=journal]");
    browser.wait("return document.querySelector('main .lead')?.innerText.startsWith('A match of tictactoe: 10 games')");
    browser.wait("return document.querySelector('.sprt').innerText.startsWith('Undecided')");
    contests::play(&data.join("contests"), 12);
    browser.wait("return document.querySelector('main .lead').innerText.startsWith('A match of tictactoe: 12 games')");
    browser.wait("return document.querySelectorAll('main tbody tr').length === 12");
    browser.press("Replay");
    browser.wait("return location.pathname.startsWith('/analyse/tictactoe/') && document.querySelectorAll('.moves button').length >= 5");
    browser.go("/contests/ladder.jsonl");
    browser.wait("return document.querySelectorAll('.ladder tbody tr').length === 3");
    assert!(browser.text(".ladder").contains("<b>third</b>"), "text is text");
    browser.become_phone(360);
    browser.check_width();
    browser.check();
    std::fs::remove_dir_all(data).unwrap();
}

#[test]
fn a_clock_runs_down_on_the_page() {
    let server = Running::new();
    let Some(browser) = Browser::start("clock", server.address) else { return };
    browser.go("/play/tictactoe");
    browser.wait("return document.querySelector('button.main')");
    browser.run("document.querySelector('[name=side][value=both]').click(); document.querySelector('[name=clock]').value = '60+0'");
    browser.press("Start");
    browser.wait("return document.querySelectorAll('.clock').length === 2");
    assert_eq!(browser.text(".clock[data-side='0']"), "1:00");
    browser.click(&cell("row 2, column 2"));
    browser.wait("return document.querySelector('.clock.runs')?.dataset.side === '1'");
    browser.wait("return document.querySelector('.clock.runs').innerText.startsWith('0:5')");
    assert_eq!(browser.text(".clock[data-side='0']"), "1:00");
    browser.check();
}

#[test]
fn a_game_goes_on_after_the_server_was_restarted() {
    let server = Running::new();
    let address = server.address;
    let Some(browser) = Browser::start("restart", address) else { return };
    let id = server.game(r#"{ "game": "chess", "side": "both", "moves": "e4 e5 Nf3" }"#);
    browser.go(&format!("/play/chess/{id}"));
    browser.wait("return document.querySelectorAll('.moves button').length === 3");
    drop(server);
    browser
        .wait("return document.querySelector('#connection').innerText === 'The server does not answer. Trying again…'");
    let usual = WebSettings::local(0, Path::new("there-is-no-such-folder"));
    let _server = Running::with(WebSettings { address, ..usual });
    browser.press("Continue with its moves");
    browser.wait(&format!(
        "return location.pathname !== '/play/chess/{id}' && document.querySelectorAll('.moves button').length === 3"
    ));
    browser.click(&cell("b8"));
    browser.click(&cell("c6"));
    browser.wait("return document.querySelector('.moves').innerText.includes('Nc6')");
}
