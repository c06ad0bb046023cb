//! Promises of [`Encoding`].

use crate::examples::Examples;
use std::collections::HashSet;

use super::rules::ensure;
use super::sample::{Played, Sample};
use crate::{Encoding, Game};

type Outcome = Result<u64, String>;

/// One position in this many has every policy index tried out, not only those of legal moves.
const FULLY_DECODED: u64 = 50;

pub(super) fn head_outputs<E: Encoding>(_: &Sample<E::Game>) -> Outcome {
    let outputs: HashSet<usize> = (0..E::POLICY_SIZE).map(E::head_output).collect();
    if outputs.len() != E::POLICY_SIZE {
        return Err(format!("{} policy indices share {} outputs", E::POLICY_SIZE, outputs.len()));
    }
    match outputs.into_iter().find(|output| *output >= E::POLICY_PLANES * E::CELLS) {
        Some(output) => Err(format!("output {output} of {} does not exist", E::POLICY_PLANES * E::CELLS)),
        None => Ok(E::POLICY_SIZE as u64),
    }
}

pub(super) fn policy<E: Encoding>(sample: &Sample<E::Game>) -> Outcome {
    let mut moves = Vec::new();
    let mut cases = 0u64;
    for game in sample.positions() {
        game.generate(&mut moves);
        let mut indices = HashSet::new();
        for &m in &moves {
            let index = E::index(&game, m);
            ensure!(index < E::POLICY_SIZE, game, "{m:?} has index {index} of {}", E::POLICY_SIZE);
            ensure!(indices.insert(index), game, "{m:?} shares index {index} with another move");
            let decoded = E::move_at(&game, index);
            ensure!(decoded == Some(m), game, "{m:?} has index {index}, which reads back as {decoded:?}");
        }
        if cases.is_multiple_of(FULLY_DECODED) {
            for index in (0..E::POLICY_SIZE).filter(|index| !indices.contains(index)) {
                let decoded = E::move_at(&game, index);
                ensure!(decoded.is_none(), game, "index {index} of no legal move reads as {decoded:?}");
            }
        }
        ensure!(E::move_at(&game, E::POLICY_SIZE).is_none(), game, "an index beyond the policy is a move");
        cases += 1;
    }
    Ok(cases)
}

pub(super) fn planes<E: Encoding>(sample: &Sample<E::Game>) -> Outcome {
    let mut planes = vec![f32::NAN; E::PLANES * E::CELLS];
    let mut again = vec![0.0; E::PLANES * E::CELLS];
    let mut cases = 0;
    for game in sample.positions() {
        // Whatever was in the buffer must not show through.
        planes.fill(f32::NAN);
        again.fill(-7.0);
        E::planes(&game, &mut planes);
        E::planes(&game.clone(), &mut again);
        let outside = planes.iter().position(|value| !(0.0..=1.0).contains(value));
        if let Some(at) = outside {
            ensure!(false, game, "plane {} holds {}", at / E::CELLS, planes[at]);
        }
        ensure!(planes == again, game, "the planes differ when made again");
        cases += 1;
    }
    Ok(cases)
}

/// Plays each game again from the exchanged start position: at every ply, the planes and the policy must be the same.
pub(super) fn movers_view<E: Encoding>(sample: &Sample<E::Game>) -> Outcome {
    let mut cases = 0;
    for played in &sample.games {
        if let Some(start) = played.start.swapped() {
            cases += replay::<E>(played, start, |cell| cell, |index| index, E::ABSOLUTE_PLANES)?;
        }
    }
    Ok(cases)
}

/// Plays each game again with every move turned, from the turned first position: at every ply, the planes and the policy must
/// be the turned ones. A position that the encoding cannot turn serves if it looks the same afterwards.
pub(super) fn symmetries<E: Encoding>(sample: &Sample<E::Game>) -> Outcome {
    let mut cases = 0;
    for (number, symmetry) in E::SYMMETRIES.iter().enumerate() {
        let cells: HashSet<usize> = (0..E::CELLS).map(symmetry.cell).filter(|cell| *cell < E::CELLS).collect();
        let indices: HashSet<usize> = (0..E::POLICY_SIZE).map(symmetry.index).filter(|i| *i < E::POLICY_SIZE).collect();
        if cells.len() != E::CELLS || indices.len() != E::POLICY_SIZE {
            return Err(format!("the {} is not a permutation", symmetry.name));
        }
        let mut replayed = 0;
        for played in &sample.games {
            let same = || looks_the_same::<E>(&played.start, symmetry.cell).then(|| played.start.clone());
            let twin = E::turned(&played.start, number).or_else(same);
            if let Some(twin) = twin.filter(|_| E::can_turn(&played.start, number)) {
                replayed += replay::<E>(played, twin, symmetry.cell, symmetry.index, &[])
                    .map_err(|error| format!("{}: {error}", symmetry.name))?;
            }
        }
        if replayed == 0 {
            return Err(format!("the {} cannot be checked: no test position looks the same in it", symmetry.name));
        }
        cases += replayed;
    }
    Ok(cases)
}

fn looks_the_same<E: Encoding>(game: &E::Game, cell: fn(usize) -> usize) -> bool {
    let mut planes = vec![0.0; E::PLANES * E::CELLS];
    E::planes(game, &mut planes);
    planes.chunks_exact(E::CELLS).all(|plane| (0..E::CELLS).all(|from| plane[from] == plane[cell(from)]))
}

fn replay<E: Encoding>(
    played: &Played<E::Game>,
    mut twin: E::Game,
    cell: impl Fn(usize) -> usize,
    index: impl Fn(usize) -> usize,
    exempt_planes: &[usize],
) -> Outcome {
    let mut planes = vec![0.0; E::PLANES * E::CELLS];
    let mut twin_planes = vec![0.0; E::PLANES * E::CELLS];
    let (mut moves, mut twin_moves) = (Vec::new(), Vec::new());
    let mut cases = 0;
    for (ply, game) in played.positions().enumerate() {
        E::planes(&game, &mut planes);
        E::planes(&twin, &mut twin_planes);
        for plane in (0..E::PLANES).filter(|plane| !exempt_planes.contains(plane)) {
            let at = |from| plane * E::CELLS + from;
            let differs = (0..E::CELLS).find(|&from| planes[at(from)] != twin_planes[at(cell(from))]);
            ensure!(differs.is_none(), game, "plane {plane} differs from its twin's in cell {differs:?}");
        }
        game.generate(&mut moves);
        twin.generate(&mut twin_moves);
        let expected: HashSet<usize> = moves.iter().map(|&m| index(E::index(&game, m))).collect();
        let found: HashSet<usize> = twin_moves.iter().map(|&m| E::index(&twin, m)).collect();
        ensure!(expected == found, game, "the twin has other policy indices");
        if let Some(&m) = played.moves.get(ply) {
            let Some(twin_move) = E::move_at(&twin, index(E::index(&game, m))) else {
                return Err(format!("{m:?} has no twin in {}", game.position()));
            };
            twin.play(twin_move);
        }
        cases += 1;
    }
    Ok(cases)
}
