//! Calls over time.

/// A histogram of calls over time with a limited number of buckets: when there are too many,
/// neighbours are merged.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    width: u64,
    counts: Vec<u32>,
    second: u64,
    in_second: u32,
    peak: u32,
}

const SECOND: u64 = 1_000_000_000;
/// The finest bucket: the peak is that of a second, so finer rates would exceed it.
const MIN_BUCKET_NANOS: u64 = SECOND;
/// The most buckets: twice as many as are drawn.
const MAX_BUCKETS: usize = 2048;

impl Load {
    pub(crate) fn new() -> Self {
        Self {
            width: MIN_BUCKET_NANOS,
            counts: Vec::with_capacity(MAX_BUCKETS),
            second: 0,
            in_second: 0,
            peak: 0,
        }
    }

    pub(crate) fn count(&mut self, now: u64) {
        self.count_second(now / SECOND);
        while now / self.width >= MAX_BUCKETS as u64 {
            self.widen();
        }
        let bucket = (now / self.width) as usize;
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
    }

    fn count_second(&mut self, second: u64) {
        if second != self.second {
            (self.second, self.in_second) = (second, 0);
        }
        self.in_second = self.in_second.saturating_add(1);
        self.peak = self.peak.max(self.in_second);
    }

    fn widen(&mut self) {
        let pairs = self
            .counts
            .chunks(2)
            .map(|pair| pair.iter().fold(0_u32, |sum, count| sum.saturating_add(*count)));
        self.counts = pairs.collect();
        self.width *= 2;
    }

    pub(crate) fn peak(&self) -> f64 {
        f64::from(self.peak)
    }

    /// Points of time in seconds, with the calls per second from there on.
    pub(crate) fn over_time(mut self, max_points: usize) -> Vec<(f64, f64)> {
        while self.counts.len() > max_points.max(1) {
            self.widen();
        }
        let (width, second) = (self.width, SECOND as f64);
        let rate = |(bucket, count): (u64, &u32)| {
            ((bucket * width) as f64 / second, f64::from(*count) * second / width as f64)
        };
        (0..).zip(&self.counts).map(rate).collect()
    }
}
