//! A canvas of character cells.
//!
//! A Braille character has two columns of four dots, so its resolution is eight times that of
//! letters. ASCII has one character for a cell. Both are drawn in dots and differ only in output.

/// One character cell and its contents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// The dots of Braille, one bit each.
    pub(super) dots: u8,
    /// The series of the last dot.
    pub(super) line: Option<usize>,
    /// The series of a single point.
    pub(super) point: Option<usize>,
    /// The series of the band behind it.
    pub(super) band: Option<usize>,
    /// Whether the edge of a region passes here.
    pub(super) edge: bool,
}

/// Cells, addressed by dots. `(0, 0)` is the dot at the top left.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) columns: usize,
    pub(super) rows: usize,
    cells: Vec<Cell>,
}

/// The dots of a cell horizontally.
const ACROSS: usize = 2;
/// The dots of a cell vertically.
const DOWN: usize = 4;
/// The bits of a Braille character's dots, row by row.
const BITS: [[u8; ACROSS]; DOWN] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

impl Canvas {
    pub(super) fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows, cells: vec![Cell::default(); columns * rows] }
    }

    /// The x coordinate of the rightmost dots.
    pub(super) fn last_x(&self) -> f64 {
        (self.columns * ACROSS).saturating_sub(1) as f64
    }

    /// The y coordinate of the lowest dots.
    pub(super) fn last_y(&self) -> f64 {
        (self.rows * DOWN).saturating_sub(1) as f64
    }

    pub(super) fn row(&self, row: usize) -> impl Iterator<Item = &Cell> {
        self.cells.iter().skip(row * self.columns).take(self.columns)
    }

    fn cell(&mut self, column: usize, row: usize) -> Option<&mut Cell> {
        if column >= self.columns {
            return None;
        }
        self.cells.get_mut(row * self.columns + column)
    }

    /// Draws a straight line, clipped to the canvas.
    pub(super) fn line(&mut self, a: (f64, f64), b: (f64, f64), series: usize) {
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        let first = a.0.round().max(0.0) as usize;
        let last = b.0.round().min(self.last_x());
        if last < first as f64 {
            return;
        }
        for x in first..=last as usize {
            let from = height_at(a, b, x as f64 - 0.5);
            let to = height_at(a, b, x as f64 + 0.5);
            self.column(x, from, to, series);
        }
    }

    fn column(&mut self, x: usize, from: f64, to: f64, series: usize) {
        let (top, bottom) =
            (from.min(to).round().max(0.0), from.max(to).round().min(self.last_y()));
        if top > bottom {
            return;
        }
        for y in top as usize..=bottom as usize {
            self.dot(x, y, series);
        }
    }

    fn dot(&mut self, x: usize, y: usize, series: usize) {
        let bit = BITS.get(y % DOWN).and_then(|row| row.get(x % ACROSS)).copied().unwrap_or(0);
        if let Some(cell) = self.cell(x / ACROSS, y / DOWN) {
            cell.dots |= bit;
            cell.line = Some(series);
        }
    }

    /// Draws a single point, which takes a whole cell.
    pub(super) fn point(&mut self, (x, y): (f64, f64), series: usize) {
        let inside = (0.0..=self.last_x()).contains(&x) && (0.0..=self.last_y()).contains(&y);
        if !inside {
            return;
        }
        let (column, row) = (x.round() as usize / ACROSS, y.round() as usize / DOWN);
        if let Some(cell) = self.cell(column, row) {
            cell.point = Some(series);
        }
    }

    /// Fills the area between two edges, each `(x, upper y, lower y)`.
    pub(super) fn band(&mut self, a: (f64, f64, f64), b: (f64, f64, f64), series: usize) {
        let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        let middle = |column: usize| (column * ACROSS) as f64 + 0.5;
        for column in 0..self.columns {
            let x = middle(column);
            if x + 1.0 < a.0 || x - 1.0 > b.0 {
                continue;
            }
            let upper = height_at((a.0, a.1), (b.0, b.1), x);
            let lower = height_at((a.0, a.2), (b.0, b.2), x);
            self.shade(column, upper, lower, series);
        }
    }

    /// Fills the cells of which at least half is in the area.
    fn shade(&mut self, column: usize, upper: f64, lower: f64, series: usize) {
        for row in 0..self.rows {
            let middle = (row * DOWN) as f64 + 1.5;
            if middle < upper - 0.5 || middle > lower + 0.5 {
                continue;
            }
            if let Some(cell) = self.cell(column, row) {
                cell.band = Some(series);
            }
        }
    }

    /// Draws a vertical line behind everything else.
    pub(super) fn edge(&mut self, x: f64) {
        if !(0.0..=self.last_x()).contains(&x) {
            return;
        }
        for row in 0..self.rows {
            if let Some(cell) = self.cell(x.round() as usize / ACROSS, row) {
                cell.edge = true;
            }
        }
    }

    /// The cell column and row of a dot that is on the canvas.
    pub(super) fn cell_of(&self, x: f64, y: f64) -> (usize, usize) {
        let x = x.clamp(0.0, self.last_x()).round() as usize;
        let y = y.clamp(0.0, self.last_y()).round() as usize;
        (x / ACROSS, y / DOWN)
    }
}

/// The y coordinate at `x` of a line from `a` to `b`; outside of it, that of the nearer end.
fn height_at(a: (f64, f64), b: (f64, f64), x: f64) -> f64 {
    if x <= a.0 {
        // A vertical line has both ends in one column.
        return a.1;
    }
    if x >= b.0 {
        return b.1;
    }
    a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(canvas: &Canvas) -> Vec<u8> {
        (0..canvas.rows).flat_map(|row| canvas.row(row)).map(|cell| cell.dots).collect()
    }

    #[test]
    fn diagonal_line_reaches_both_corners() {
        let mut canvas = Canvas::new(2, 1);
        canvas.line((0.0, 3.0), (3.0, 0.0), 0);
        assert_eq!(canvas.row(0).filter(|cell| cell.line == Some(0)).count(), 2);
        assert_eq!(dots(&canvas).iter().filter(|dots| **dots == 0).count(), 0);
    }

    #[test]
    fn vertical_line_has_no_gap() {
        let mut canvas = Canvas::new(1, 2);
        canvas.line((0.0, 7.0), (0.0, 0.0), 0);
        assert_eq!(dots(&canvas), vec![0x47, 0x47]);
    }

    #[test]
    fn dots_outside_the_canvas_are_not_drawn() {
        let mut canvas = Canvas::new(2, 2);
        canvas.line((-50.0, -9.0), (90.0, -3.0), 0);
        canvas.point((4.0, 0.0), 0);
        canvas.edge(f64::MAX);
        assert!((0..2).flat_map(|row| canvas.row(row)).all(|cell| *cell == Cell::default()));
    }

    #[test]
    fn band_fills_the_cells_between_its_edges() {
        let mut canvas = Canvas::new(3, 3);
        canvas.band((0.0, 4.0, 7.0), (5.0, 4.0, 7.0), 0);
        let filled = |row| canvas.row(row).filter(|cell| cell.band.is_some()).count();
        assert_eq!([filled(0), filled(1), filled(2)], [0, 3, 0]);
    }
}
