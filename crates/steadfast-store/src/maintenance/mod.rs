//! Background maintenance: promotion, retention, rollups and compressed histories.

pub(crate) mod history_codec;
pub(crate) mod promote;
pub(crate) mod retention;
pub(crate) mod rollup;
