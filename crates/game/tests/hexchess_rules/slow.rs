//! A plain generator: a letter for each cell, every step walked, every move made and then tested for check.

/// Axial coordinates: files to the right of f, steps up.
pub type At = (i32, i32);

/// The six steps over edges, clockwise from straight up.
const AROUND: [At; 6] = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)];
const FILES: &str = "abcdefghikl";

/// What lies off the board.
const OFF: char = '#';

#[derive(Clone, PartialEq)]
pub struct Slow {
    /// By q and r, both from -5.
    cells: [[char; 11]; 11],
    white: bool,
    passed: Option<At>,
}

pub fn add((q, r): At, (dq, dr): At) -> At {
    (q + dq, r + dr)
}

pub fn name((q, r): At) -> String {
    let lowest = (-5).max(-5 - q);
    format!("{}{}", FILES.chars().nth((q + 5) as usize).unwrap(), r - lowest + 1)
}

pub fn named(name: &str) -> At {
    let q = FILES.find(&name[..1]).unwrap() as i32 - 5;
    (q, (-5).max(-5 - q) + name[1..].parse::<i32>().unwrap() - 1)
}

/// A step over the corner between two edges.
fn corner(edge: usize) -> At {
    add(AROUND[edge], AROUND[(edge + 1) % 6])
}

impl Slow {
    pub fn read(text: &str) -> Slow {
        let fields: Vec<&str> = text.split(' ').collect();
        let mut cells = [[OFF; 11]; 11];
        for q in -5..=5i32 {
            for r in (-5i32).max(-5 - q)..=5.min(5 - q) {
                cells[(q + 5) as usize][(r + 5) as usize] = '.';
            }
        }
        let mut slow = Slow { cells, white: fields[1] == "w", passed: (fields[2] != "-").then(|| named(fields[2])) };
        for (row, rank) in fields[0].split('/').zip((1..=11).rev()) {
            // Rank 6 is the highest that all files have; above it each rank has one file less on either side.
            let mut file = (rank - 6).max(0) as usize;
            let mut gap = 0;
            for c in row.chars() {
                if let Some(digit) = c.to_digit(10) {
                    gap = 10 * gap + digit as usize;
                } else {
                    file += gap;
                    gap = 0;
                    slow.put(named(&format!("{}{rank}", FILES.chars().nth(file).unwrap())), c);
                    file += 1;
                }
            }
        }
        slow
    }

    pub fn at(&self, cell: &str) -> char {
        self.get(named(cell))
    }

    /// The position as text, with counters that make no difference.
    pub fn text(&self) -> String {
        let row = |rank: i32| {
            let cells = FILES.chars().map(|file| self.get(named(&format!("{file}{rank}")))).filter(|c| *c != OFF);
            let letters = cells.collect::<String>();
            let runs = letters.split_inclusive(|c| c != '.').flat_map(|run| {
                let gap = run.chars().take_while(|c| *c == '.').count();
                let digits = if gap > 0 { gap.to_string() } else { String::new() };
                [digits, run.trim_start_matches('.').to_owned()]
            });
            runs.collect::<String>()
        };
        let rows: Vec<String> = (1..=11).rev().map(row).collect();
        let passed = self.passed.map_or("-".to_owned(), name);
        format!("{} {} {passed} 0 1", rows.join("/"), if self.white { 'w' } else { 'b' })
    }

    /// Puts a piece on an empty cell of the board. Otherwise nothing happens.
    pub fn place(&mut self, at: At, piece: char) {
        if self.empty(at) {
            self.put(at, piece);
        }
    }

    fn get(&self, (q, r): At) -> char {
        if q.abs().max(r.abs()) > 5 { OFF } else { self.cells[(q + 5) as usize][(r + 5) as usize] }
    }

    fn put(&mut self, (q, r): At, piece: char) {
        self.cells[(q + 5) as usize][(r + 5) as usize] = piece;
    }

    /// The mover's pieces and where they stand.
    fn own(&self) -> impl Iterator<Item = (At, char)> {
        let cells = (-5..=5).flat_map(|q| (-5..=5).map(move |r| (q, r)));
        cells.map(|at| (at, self.get(at))).filter(|(_, piece)| self.is_own(*piece))
    }

    /// Whether the other position, which names a passed cell only where a capture is possible, is the same.
    pub fn agrees(&self, other: &Slow) -> bool {
        let is_capture = |text: &str, passed: At| {
            let from = named(&text[..1 + text[1..].find(|c: char| FILES.contains(c)).unwrap()]);
            text.ends_with(&name(passed)) && self.get(from).eq_ignore_ascii_case(&'p')
        };
        let passed = self.passed.filter(|passed| self.moves().iter().any(|(text, _)| is_capture(text, *passed)));
        self.cells == other.cells && self.white == other.white && passed == other.passed
    }

    fn is_own(&self, piece: char) -> bool {
        piece.is_ascii_alphabetic() && piece.is_ascii_uppercase() == self.white
    }

    fn is_enemy(&self, piece: char) -> bool {
        piece.is_ascii_alphabetic() && !self.is_own(piece)
    }

    fn empty(&self, at: At) -> bool {
        self.get(at) == '.'
    }

    /// Where the mover's piece on `from` could go if its king did not matter, promotion left out.
    fn targets(&self, from: At) -> Vec<At> {
        let mut targets = Vec::new();
        let slide = |step: At, most: usize, targets: &mut Vec<At>| {
            let mut to = from;
            for _ in 0..most {
                to = add(to, step);
                match self.get(to) {
                    '.' => targets.push(to),
                    piece if self.is_enemy(piece) => return targets.push(to),
                    _ => return,
                }
            }
        };
        for edge in 0..6 {
            match self.get(from).to_ascii_lowercase() {
                'r' => slide(AROUND[edge], 99, &mut targets),
                'b' => slide(corner(edge), 99, &mut targets),
                'q' | 'k' => {
                    let most = if self.get(from).eq_ignore_ascii_case(&'q') { 99 } else { 1 };
                    slide(AROUND[edge], most, &mut targets);
                    slide(corner(edge), most, &mut targets);
                }
                'n' => {
                    // Over a corner, then one more step outwards over either of its edges.
                    slide(add(corner(edge), AROUND[edge]), 1, &mut targets);
                    slide(add(corner(edge), AROUND[(edge + 1) % 6]), 1, &mut targets);
                }
                _ => {}
            }
        }
        if self.get(from).eq_ignore_ascii_case(&'p') {
            let (ahead, aside) = if self.white { ((0, 1), [(-1, 1), (1, 0)]) } else { ((0, -1), [(-1, 0), (1, -1)]) };
            let one = add(from, ahead);
            if self.empty(one) {
                targets.push(one);
                let starts = if self.white { "b1 c2 d3 e4 f5 g4 h3 i2 k1" } else { "b7 c7 d7 e7 f7 g7 h7 i7 k7" };
                if starts.split(' ').any(|start| start == name(from)) && self.empty(add(one, ahead)) {
                    targets.push(add(one, ahead));
                }
            }
            for step in aside {
                let to = add(from, step);
                if self.is_enemy(self.get(to)) || self.passed == Some(to) {
                    targets.push(to);
                }
            }
        }
        targets
    }

    fn after(&self, from: At, to: At, promotion: Option<char>) -> Slow {
        let mut after = self.clone();
        let piece = self.get(from);
        let forward = if self.white { 1 } else { -1 };
        after.put(from, '.');
        after.put(to, promotion.unwrap_or(piece));
        after.passed = None;
        if piece.eq_ignore_ascii_case(&'p') {
            if self.passed == Some(to) {
                after.put((to.0, to.1 - forward), '.');
            }
            if to.0 == from.0 && to.1 == from.1 + 2 * forward {
                after.passed = Some((from.0, from.1 + forward));
            }
        }
        after.white = !self.white;
        after
    }

    /// Whether the mover could capture the other king.
    fn takes_king(&self) -> bool {
        let king = if self.white { 'k' } else { 'K' };
        self.own().any(|(from, _)| self.targets(from).iter().any(|to| self.get(*to) == king))
    }

    pub fn in_check(&self) -> bool {
        Slow { white: !self.white, passed: None, ..self.clone() }.takes_king()
    }

    /// How many pieces attack the mover's king.
    pub fn checks(&self) -> usize {
        let other = Slow { white: !self.white, passed: None, ..self.clone() };
        let king = if self.white { 'K' } else { 'k' };
        other.own().filter(|(from, _)| other.targets(*from).iter().any(|to| other.get(*to) == king)).count()
    }

    /// The legal moves and what they lead to.
    pub fn moves(&self) -> Vec<(String, Slow)> {
        let mut moves = Vec::new();
        for (from, piece) in self.own() {
            for to in self.targets(from) {
                let beyond = (to.0, to.1 + if self.white { 1 } else { -1 });
                let promotes = piece.eq_ignore_ascii_case(&'p') && self.get(beyond) == OFF;
                let promotions = if promotes { vec![Some('q'), Some('r'), Some('b'), Some('n')] } else { vec![None] };
                for promotion in promotions {
                    let becomes = promotion.map(|c: char| if self.white { c.to_ascii_uppercase() } else { c });
                    let after = self.after(from, to, becomes);
                    if !after.takes_king() {
                        let suffix = promotion.map(String::from).unwrap_or_default();
                        moves.push((format!("{}{}{suffix}", name(from), name(to)), after));
                    }
                }
            }
        }
        moves
    }

    pub fn perft(&self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ => self.moves().iter().map(|(_, after)| after.perft(depth - 1)).sum(),
        }
    }
}
