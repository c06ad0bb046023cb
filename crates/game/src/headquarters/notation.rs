//! Positions as text.
//!
//! A position is five words: the rows of the map from the top, with numbers for runs of free cells and `#` for obstacles;
//! what red has and what blue has, the headquarters before the soldiers, each with its points, `*` for those that have had
//! their order and `-` for fallen ones before living ones; the side to move; the number of the turn.
//!
//! ```text
//! 15/15/15/15/15/15/15/15/15/15 c3:20,c2:10,e5:10,d9:10 m8:20,m9:10,k6:10,l2:10 red 1
//! ```

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::cells::{Cell, Cells, HEIGHT, WIDTH};
use super::position::{Army, FULL_HEALTH, FULL_POINTS, Field, Position, UNITS, Unit};
use super::rules::MOST_TURNS;
use crate::Side;

/// The sides' names.
pub(super) const SIDES: [&str; 2] = ["red", "blue"];

pub(super) fn write(position: &Position, turn: u16) -> String {
    let mut text = String::new();
    for y in (0..usize::from(position.field.height)).rev() {
        let mut run = 0;
        for x in 0..usize::from(position.field.width) {
            if Cell::new(x, y).is_some_and(|cell| position.field.free.contains(cell)) {
                run += 1;
            } else {
                push_run(&mut text, &mut run);
                text.push('#');
            }
        }
        push_run(&mut text, &mut run);
        text.push(if y == 0 { ' ' } else { '/' });
    }
    for side in [Side::First, Side::Second] {
        let army = position.army(side);
        let _ = write!(text, "{}:{}", army.headquarters, army.points);
        let last = army.living().last().map_or(0, |(slot, _)| slot + 1);
        for (slot, unit) in army.units[..last].iter().enumerate() {
            let acted = if side == position.mover && position.has_acted(slot) { "*" } else { "" };
            let _ = match unit.health {
                0 => write!(text, ",-"),
                health => write!(text, ",{}:{health}{acted}", unit.cell),
            };
        }
        text.push(' ');
    }
    let _ = write!(text, "{} {turn}", SIDES[position.mover as usize]);
    text
}

fn push_run(text: &mut String, run: &mut usize) {
    if *run > 0 {
        let _ = write!(text, "{run}");
    }
    *run = 0;
}

/// The position and the number of the turn, or what is wrong.
pub(super) fn parse(text: &str) -> Result<(Position, u16), String> {
    let words: Vec<&str> = text.split_ascii_whitespace().take(6).collect();
    let [rows, red, blue, mover, turn] = words[..] else {
        return Err(
            "it must be five words: rows of the map, what red has, what blue has, side to move, turn".to_owned()
        );
    };
    let mover = match mover {
        "red" => Side::First,
        "blue" => Side::Second,
        _ => return Err("the fourth word must be red or blue".to_owned()),
    };
    // A game that has reached the largest cap stands one turn after it.
    let turn = number(turn, 1..=MOST_TURNS + 1).ok_or_else(|| format!("turns are counted from 1 to {MOST_TURNS}"))?;
    let field = parse_field(rows)?;
    let [(red, red_acted), (blue, blue_acted)] = [parse_army(red)?, parse_army(blue)?];
    let (acted, wrong) = if mover == Side::First { (red_acted, blue_acted) } else { (blue_acted, red_acted) };
    if wrong != 0 {
        return Err("only soldiers of the side to move can have had their orders (*)".to_owned());
    }
    let position = Position { field, armies: [red, blue], mover, acted };
    check(&position)?;
    Ok((position, turn))
}

fn parse_field(text: &str) -> Result<Field, String> {
    let form = || {
        format!(
            "the first word must list up to {HEIGHT} rows of up to {WIDTH} cells (numbers for free cells, # for obstacles)"
        )
    };
    let rows: Vec<&str> = text.split('/').take(HEIGHT + 1).collect();
    let mut free = Cells::default();
    let mut width = None;
    for (y, row) in rows.iter().rev().enumerate() {
        let mut x = 0;
        let mut rest = *row;
        while let Some(c) = rest.chars().next() {
            if c == '#' {
                x += 1;
                rest = &rest[1..];
            } else {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let run = number(&rest[..digits], 1..=WIDTH as u16).ok_or_else(form)?;
                for x in x..x + usize::from(run) {
                    free.insert(Cell::new(x, y).ok_or_else(form)?);
                }
                x += usize::from(run);
                rest = &rest[digits..];
            }
        }
        if x == 0 || x > WIDTH || *width.get_or_insert(x) != x {
            return Err(form());
        }
    }
    let height = rows.len();
    let width = width.filter(|_| height <= HEIGHT).ok_or_else(form)?;
    Ok(Field { width: width as u8, height: height as u8, free })
}

/// What a side has, and the bits of the soldiers that have had their orders.
fn parse_army(text: &str) -> Result<(Army, u8), String> {
    let form = || {
        format!(
            "a side has a headquarters of 0 to {FULL_POINTS} points and up to {UNITS} soldiers of 1 to {FULL_HEALTH} or '-', \
             as in c3:20,c2:10*,-,d9:7"
        )
    };
    let mut parts = text.split(',');
    let place = |part: &str, points: RangeInclusive<u16>| {
        let (cell, count) = part.split_once(':')?;
        Some((Cell::parse(cell)?, number(count, points)? as u8))
    };
    let (headquarters, points) = place(parts.next().unwrap_or(""), 0..=FULL_POINTS.into()).ok_or_else(form)?;
    let mut army = Army { headquarters, points, ..Army::default() };
    let mut acted = 0;
    for (slot, part) in parts.enumerate() {
        let unit = army.units.get_mut(slot).ok_or_else(form)?;
        if part != "-" {
            let living = part.strip_suffix('*').unwrap_or(part);
            let (cell, health) = place(living, 1..=FULL_HEALTH.into()).ok_or_else(form)?;
            *unit = Unit { cell, health };
            acted |= u8::from(living != part) << slot;
        }
    }
    Ok((army, acted))
}

/// A number in plain digits.
fn number(text: &str, range: RangeInclusive<u16>) -> Option<u16> {
    let plain = text.len() == 1 || !text.starts_with('0');
    let digits = plain && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| digits && range.contains(number))
}

fn check(position: &Position) -> Result<(), String> {
    let soldiers = || position.armies.iter().flat_map(|army| army.living().map(|(_, unit)| unit.cell));
    let [red, blue] = position.armies.each_ref().map(|army| army.headquarters);
    if let Some(cell) = soldiers().chain([red, blue]).find(|cell| !position.field.free.contains(*cell)) {
        return Err(format!("{cell} is an obstacle or outside the map"));
    }
    if red == blue {
        return Err("the two headquarters stand on the same cell".to_owned());
    }
    let mut taken = Cells::default();
    for cell in soldiers() {
        if taken.contains(cell) {
            return Err(format!("two soldiers stand on {cell}"));
        }
        taken.insert(cell);
    }
    if position.armies.iter().all(Army::is_beaten) {
        return Err("both sides have lost".to_owned());
    }
    if position.beaten().is_none() && position.idle().next().is_none() {
        return Err("all soldiers of the side to move have had their orders: its turn is over".to_owned());
    }
    Ok(())
}
