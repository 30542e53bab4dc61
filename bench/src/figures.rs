//! The measured figures of a row.

use crate::case::{Case, Row};

/// Who, and how much.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The case's name.
    pub name: &'static str,
    /// Its cost.
    pub cost: f64,
}

/// The figures of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The row's title.
    pub title: &'static str,
    /// The thing itself.
    pub bare: Option<f64>,
    /// This library: the case that is judged, and the others.
    pub ours: Vec<Figure>,
    /// The peer that costs least.
    pub best: Option<Figure>,
    /// The other peers and those that do less, cheapest first.
    pub others: Vec<Figure>,
    /// What ours must not exceed.
    pub reach: f64,
}

impl Figures {
    /// Measures a row, case by case.
    pub fn of<E>(row: &Row, mut measure: impl FnMut(&Case) -> Result<f64, E>) -> Result<Self, E> {
        let mut figure = |case: &Case| {
            let cost = measure(case)?;
            Ok(Figure { name: case.name, cost })
        };
        let bare = row.bare.as_ref().map(&mut figure).transpose()?;
        let ours = row.ours.iter().map(&mut figure).collect::<Result<_, E>>()?;
        let mut peers = row.peers.iter().map(&mut figure).collect::<Result<Vec<_>, E>>()?;
        let aside = row.aside.iter().map(&mut figure).collect::<Result<Vec<_>, E>>()?;

        sort(&mut peers);
        let mut peers = peers.into_iter();
        let best = peers.next();
        let mut others: Vec<Figure> = peers.chain(aside).collect();
        sort(&mut others);
        Ok(Figures {
            title: row.title,
            bare: bare.map(|b| b.cost),
            ours,
            best,
            others,
            reach: row.reach,
        })
    }

    /// The case of ours that is judged.
    pub fn judged(&self) -> Option<f64> {
        self.ours.first().map(|figure| figure.cost)
    }

    /// Ours to the best peer's: below one is better.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.judged()? / self.best.as_ref()?.cost)
    }

    /// Whether ours, to a tenth, does not exceed what it must not.
    pub fn reached(&self) -> Option<bool> {
        let tenths = (self.judged()? * 10.0).round();
        Some(tenths <= self.reach * 10.0)
    }
}

fn sort(figures: &mut [Figure]) {
    figures.sort_by(|a, b| a.cost.total_cmp(&b.cost));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: u64) {}

    const ROW: Row = Row {
        id: "row",
        title: "a row",
        bare: Some(Case::call("bare", nothing)),
        ours: &[Case::call("20", nothing), Case::call("30", nothing)],
        peers: &[Case::call("90", nothing), Case::call("40", nothing)],
        aside: &[Case::call("10", nothing)],
        reach: 20.0,
    };

    fn measured(row: &Row) -> Figures {
        let by_name = |case: &Case| Ok::<_, ()>(case.name.parse().unwrap_or(8.0));
        Figures::of(row, by_name).unwrap()
    }

    #[test]
    fn the_best_peer_is_never_one_that_does_less() {
        let figures = measured(&ROW);
        assert_eq!(figures.best.as_ref().unwrap().name, "40");
        assert_eq!(figures.ratio(), Some(0.5));
        let others: Vec<_> = figures.others.iter().map(|f| f.name).collect();
        assert_eq!(others, ["10", "90"]);
    }

    #[test]
    fn the_first_of_ours_is_judged() {
        assert_eq!(measured(&ROW).reached(), Some(true));
        let stricter = Row { reach: 19.9, ..ROW };
        assert_eq!(measured(&stricter).reached(), Some(false));
    }

    #[test]
    fn without_ours_there_is_no_verdict() {
        let figures = measured(&Row { ours: &[], ..ROW });
        assert_eq!((figures.ratio(), figures.reached()), (None, None));
    }
}
