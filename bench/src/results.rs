//! The measured costs of a row.

use crate::case::{Case, Row};

/// The measured cost of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseResult {
    /// The name of the case.
    pub name: &'static str,
    /// The cost in the unit of the measurement: instructions or nanoseconds.
    pub cost: f64,
}

/// The measured costs of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowResult {
    /// The title of the row.
    pub title: &'static str,
    /// The cost of the operation without a library.
    pub bare: Option<f64>,
    /// The costs of this library. The first is compared with the goal and the peers.
    pub steadfast: Vec<CaseResult>,
    /// The cheapest peer.
    pub best_peer: Option<CaseResult>,
    /// The other peers and the partial peers, cheapest first.
    pub others: Vec<CaseResult>,
    /// The maximum number of instructions for this library.
    pub goal: f64,
}

impl RowResult {
    /// Measures all cases of a row.
    pub fn measure<E>(
        row: &Row,
        mut measure: impl FnMut(&Case) -> Result<f64, E>,
    ) -> Result<Self, E> {
        let mut result = |case: &Case| {
            let cost = measure(case)?;
            Ok(CaseResult { name: case.name, cost })
        };
        let bare = row.bare.as_ref().map(&mut result).transpose()?;
        let steadfast = row.steadfast.iter().map(&mut result).collect::<Result<_, E>>()?;
        let mut peers = row.peers.iter().map(&mut result).collect::<Result<Vec<_>, E>>()?;
        let partial_peers =
            row.partial_peers.iter().map(&mut result).collect::<Result<Vec<_>, E>>()?;

        sort(&mut peers);
        let mut peers = peers.into_iter();
        let best_peer = peers.next();
        let mut others: Vec<CaseResult> = peers.chain(partial_peers).collect();
        sort(&mut others);
        Ok(RowResult {
            title: row.title,
            bare: bare.map(|b| b.cost),
            steadfast,
            best_peer,
            others,
            goal: row.goal,
        })
    }

    /// The cost of the first case of this library.
    pub fn steadfast_cost(&self) -> Option<f64> {
        self.steadfast.first().map(|case| case.cost)
    }

    /// The cost of this library divided by that of the best peer.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.steadfast_cost()? / self.best_peer.as_ref()?.cost)
    }

    /// Whether the cost of this library, rounded to a tenth, meets the goal.
    pub fn meets_goal(&self) -> Option<bool> {
        let tenths = (self.steadfast_cost()? * 10.0).round();
        Some(tenths <= self.goal * 10.0)
    }
}

fn sort(results: &mut [CaseResult]) {
    results.sort_by(|a, b| a.cost.total_cmp(&b.cost));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noop(_: u64) {}

    const ROW: Row = Row {
        id: "row",
        title: "a row",
        bare: Some(Case::call("bare", noop)),
        steadfast: &[Case::call("20", noop), Case::call("30", noop)],
        peers: &[Case::call("90", noop), Case::call("40", noop)],
        partial_peers: &[Case::call("10", noop)],
        goal: 20.0,
    };

    fn measured(row: &Row) -> RowResult {
        let cost_in_name = |case: &Case| Ok::<_, ()>(case.name.parse().unwrap_or(8.0));
        RowResult::measure(row, cost_in_name).unwrap()
    }

    #[test]
    fn partial_peer_is_never_the_best_peer() {
        let result = measured(&ROW);
        assert_eq!(result.best_peer.as_ref().unwrap().name, "40");
        assert_eq!(result.ratio(), Some(0.5));
        let others: Vec<_> = result.others.iter().map(|case| case.name).collect();
        assert_eq!(others, ["10", "90"]);
    }

    #[test]
    fn first_case_is_compared_with_the_goal() {
        assert_eq!(measured(&ROW).meets_goal(), Some(true));
        let stricter = Row { goal: 19.9, ..ROW };
        assert_eq!(measured(&stricter).meets_goal(), Some(false));
    }

    #[test]
    fn row_without_steadfast_cases_has_no_ratio_and_no_verdict() {
        let result = measured(&Row { steadfast: &[], ..ROW });
        assert_eq!((result.ratio(), result.meets_goal()), (None, None));
    }
}
