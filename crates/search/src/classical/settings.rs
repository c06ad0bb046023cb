//! The switches of alpha-beta.

/// Switches of [`AlphaBeta`](super::AlphaBeta). The exact ones change how much is searched, never the value found at a depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaBetaSettings {
    /// Exact. Search depth 1, 2, 3, … and let each tell the next which moves to try first.
    pub deepening: bool,
    /// Exact. Search moves after the first with an empty window, and again only if that fails (PVS).
    pub principal_variation: bool,
    /// Exact except where plies or repetitions count, which are no part of a position's key. Remember positions, as
    /// many as fit into `table_bytes`. Only entries of exactly the depth asked for count.
    pub table: bool,
    /// Exact. Try captures first (the largest gain first), then moves that caused cutoffs elsewhere: two killers per
    /// ply, and those with the best history.
    pub ordering: bool,
    /// Exact. Of the quiet moves, try the one first that refuted the opponent's last move elsewhere.
    pub countermoves: bool,
    /// Exact. Try captures that lose material after all recaptures last.
    pub losing_captures_last: bool,
    /// Exact. Search with a narrow window around the last depth's value, and widen it if that fails.
    pub aspiration: bool,
    /// **Not exact.** At the horizon, go on with captures until the position is quiet.
    pub quiescence: bool,
    /// **Not exact.** Where even a pass would cause a cutoff, cut off. Not done in positions where a pass would be an
    /// advantage.
    pub null_move: bool,
    /// **Not exact.** Entries of the table that were searched deeper than asked for count as well.
    pub deeper_entries: bool,
    /// **Not exact.** A position that was on the board before is a draw, also the first time that it comes back.
    pub repetitions: bool,
    /// **Not exact.** Search one ply deeper where the mover is in check.
    pub check_extensions: bool,
    /// **Not exact.** Search late quiet moves less deep, and again if they are better than expected.
    pub late_move_reductions: bool,
    /// **Not exact.** Near the horizon, leave out quiet moves that cannot make up for what is missing, cut off where there is far
    /// too much, and search only captures where there is far too little (futility and razoring).
    pub futility: bool,
    /// **Not exact.** Leave out captures that lose material after all recaptures: in the quiescence search, and near the horizon.
    pub exchange_pruning: bool,
    /// **Not exact.** In the quiescence search, let the mover stand pat before any move is generated, and then generate captures
    /// alone: that a side has no moves is seen only in check.
    pub captures_only: bool,
    /// Memory of the table, in bytes.
    pub table_bytes: usize,
}

/// A technique that changes what is found, by its name in players' lines.
pub struct Switch {
    /// One word.
    pub name: &'static str,
    /// Where it is.
    pub field: fn(&mut AlphaBetaSettings) -> &mut bool,
}

impl AlphaBetaSettings {
    /// All switches that are not exact: each has to show in matches what it is worth.
    pub const INEXACT: [Switch; 9] = [
        Switch { name: "quiescence", field: |settings| &mut settings.quiescence },
        Switch { name: "captures", field: |settings| &mut settings.captures_only },
        Switch { name: "nullmove", field: |settings| &mut settings.null_move },
        Switch { name: "deeper", field: |settings| &mut settings.deeper_entries },
        Switch { name: "repetitions", field: |settings| &mut settings.repetitions },
        Switch { name: "extensions", field: |settings| &mut settings.check_extensions },
        Switch { name: "reductions", field: |settings| &mut settings.late_move_reductions },
        Switch { name: "futility", field: |settings| &mut settings.futility },
        Switch { name: "exchanges", field: |settings| &mut settings.exchange_pruning },
    ];

    /// Plain fail-soft alpha-beta.
    pub const PLAIN: AlphaBetaSettings = AlphaBetaSettings {
        deepening: false,
        principal_variation: false,
        table: false,
        ordering: false,
        countermoves: false,
        losing_captures_last: false,
        aspiration: false,
        quiescence: false,
        null_move: false,
        deeper_entries: false,
        repetitions: false,
        check_extensions: false,
        late_move_reductions: false,
        futility: false,
        exchange_pruning: false,
        captures_only: false,
        table_bytes: 0,
    };

    /// Everything, for play on a clock: deep rather than exact.
    pub const STRONG: AlphaBetaSettings = AlphaBetaSettings {
        deepening: true,
        principal_variation: true,
        table: true,
        ordering: true,
        countermoves: true,
        losing_captures_last: true,
        aspiration: true,
        quiescence: true,
        null_move: true,
        deeper_entries: true,
        repetitions: true,
        check_extensions: true,
        late_move_reductions: true,
        futility: true,
        exchange_pruning: true,
        captures_only: true,
        table_bytes: 16 << 20,
    };
}

impl Default for AlphaBetaSettings {
    /// A sparring partner of fixed depth, whose strength does not change with every idea for [`STRONG`](Self::STRONG).
    fn default() -> AlphaBetaSettings {
        AlphaBetaSettings {
            deepening: true,
            principal_variation: true,
            table: true,
            ordering: true,
            aspiration: true,
            quiescence: true,
            null_move: true,
            table_bytes: 16 << 20,
            ..AlphaBetaSettings::PLAIN
        }
    }
}
