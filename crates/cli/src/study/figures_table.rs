//! Figures of one game or two, side by side in 80 columns.

use std::fmt::{self, Display};

use super::figures::{Figures, STEP};

/// Characters of a game's column, and of the labels before it.
const GAME: usize = 30;
const LABEL: usize = 18;

/// A table of figures, one column per game.
pub struct FiguresTable<'a>(pub &'a [Figures]);

impl Display for FiguresTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FiguresTable(all) = *self;
        row(f, "", all, |figures| figures.game.clone())?;
        row(f, "positions", all, |figures| figures.branching().total().to_string())?;
        row(f, "moves    mean", all, |figures| format!("{:.1}", figures.branching().mean()))?;
        row(f, "         median", all, |figures| figures.branching().quantile(0.5).to_string())?;
        row(f, "         most", all, |figures| figures.branching().largest().to_string())?;
        row(f, "plies    mean", all, |figures| format!("{:.1}", figures.sample.lengths.mean()))?;
        row(f, "         median", all, |figures| figures.sample.lengths.quantile(0.5).to_string())?;
        row(f, "         quartiles", all, |figures| {
            let lengths = &figures.sample.lengths;
            format!("{} and {}", lengths.quantile(0.25), lengths.quantile(0.75))
        })?;
        row(f, "         most", all, |figures| figures.sample.lengths.largest().to_string())?;
        steps(f, all)?;
        ends(f, all)?;
        writeln!(f, "\n{}", conclusion(all))
    }
}

fn row(f: &mut fmt::Formatter<'_>, label: &str, all: &[Figures], cell: impl Fn(&Figures) -> String) -> fmt::Result {
    let cells: String = all.iter().map(|figures| format!("{:>GAME$}", cell(figures))).collect();
    writeln!(f, "{}", format!("{label:<LABEL$}{cells}").trim_end())
}

/// Legal moves by ply.
fn steps(f: &mut fmt::Formatter<'_>, all: &[Figures]) -> fmt::Result {
    writeln!(f)?;
    row(f, "moves by ply", all, |_| format!("{:>7}{:>8}{:>8}{:>7}", "games", "mean", "median", "most"))?;
    let last = all.iter().map(|figures| figures.common_plies()).max().unwrap_or(0);
    for from in (0..last).step_by(STEP) {
        let to = if from + STEP < last { from + STEP } else { usize::MAX };
        let label = if to == usize::MAX { format!("{from} and later") } else { format!("{from} to {}", to - 1) };
        row(f, &label, all, |figures| {
            let moves = figures.branching_between(from, to);
            if moves.total() == 0 {
                return String::new();
            }
            let (games, median) = (figures.games_at(from), moves.quantile(0.5));
            format!("{games:>7}{:>8.1}{median:>8}{:>7}", moves.mean(), moves.largest())
        })?;
    }
    Ok(())
}

fn ends(f: &mut fmt::Formatter<'_>, all: &[Figures]) -> fmt::Result {
    for figures in all {
        writeln!(f, "\nhow games of {} ended", figures.game)?;
        let mut ends: Vec<_> = figures.sample.ends.iter().collect();
        ends.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        for (end, games) in ends {
            let share = 100.0 * *games as f64 / figures.sample.lengths.total().max(1) as f64;
            writeln!(f, "{share:>6.1} %  {end}")?;
        }
    }
    Ok(())
}

/// What it means for a search, in one sentence.
fn conclusion(all: &[Figures]) -> String {
    let list = |one: &dyn Fn(&Figures) -> String| all.iter().map(one).collect::<Vec<_>>().join(" and ");
    let trees = list(&|figures| format!("10^{:.0} lines of play in {}", figures.log10_tree(), figures.game));
    let four = |figures: &Figures| figures.branching().mean().powi(4);
    let looks = list(&|figures| format!("{:.0} positions in {}", four(figures), figures.game));
    wrap(&format!(
        "By mean length x log10 of mean moves there are about {trees}, and looking at everything four plies ahead \
         takes about {looks}."
    ))
}

/// Lines of at most 78 columns, where words allow it.
fn wrap(text: &str) -> String {
    let mut wrapped = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if column > 0 {
            let fits = column + 1 + width <= 78;
            wrapped.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
        }
        wrapped.push_str(word);
        column += width;
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::sample::Sample;

    #[test]
    fn two_games_fit_into_80_columns_and_the_late_plies_into_one_row() {
        let mut sample = Sample::default();
        for length in 1..=100 {
            sample.lengths.add(length);
            sample.by_ply.resize_with(sample.by_ply.len().max(length), Default::default);
            sample.by_ply.iter_mut().take(length).for_each(|moves| moves.add(100));
        }
        sample.ends.insert("draw: something with quite a long name".to_owned(), 100);
        let all = [
            Figures { game: "headquarters".to_owned(), sample },
            Figures { game: "x".to_owned(), sample: Sample::default() },
        ];
        let text = FiguresTable(&all).to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80 && line.trim_end() == line), "{text}");
        // A mean length of 50.5 plies, with 100 moves at each.
        assert!(text.replace('\n', " ").contains("10^101 lines of play in headquarters and 10^0 lines"), "{text}");
        let row = text.lines().find(|line| line.starts_with("90 and later")).unwrap();
        assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["90", "and", "later", "10", "100.0", "100", "100"]);
        assert!(text.contains(" 100.0 %  draw: something"), "{text}");
    }
}
