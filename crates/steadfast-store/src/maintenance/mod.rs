//! Background maintenance: retention, rollups and compressed histories.

pub(crate) mod history_codec;
pub(crate) mod retention;
pub(crate) mod rollup;
