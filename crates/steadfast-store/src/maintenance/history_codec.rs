//! Old histories, packed (D14).
//!
//! The faults of one task are much alike, so together they take a fraction of the room that
//! they take one by one. What is packed is JSON all the same: it can be read by whoever has the
//! row and patience.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::task::FaultRecord;

/// Packs a history.
pub(crate) fn pack(faults: &[FaultRecord]) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(faults)?;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&json)?;
    encoder.finish()
}

/// What was packed.
pub(crate) fn unpack(packed: &[u8]) -> io::Result<Vec<FaultRecord>> {
    let mut json = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use steadfast::{Class, Fault};

    use super::*;

    /// D14: packing loses nothing, and is worth it.
    #[test]
    fn a_packed_history_is_smaller_and_the_same() {
        let fault = |attempt| FaultRecord {
            attempt,
            at: Timestamp::UNIX_EPOCH,
            class: Class::Retryable,
            message: "HTTP 503, the service is overloaded".to_owned(),
            fault: Fault::http(503).with_message("the service is overloaded"),
            why: None,
            next_delay: Some(1.5),
        };
        let faults: Vec<FaultRecord> = (1..=20).map(fault).collect();
        let packed = pack(&faults).unwrap();
        assert!(packed.len() * 5 < serde_json::to_vec(&faults).unwrap().len());
        assert_eq!(unpack(&packed).unwrap(), faults);
        assert!(unpack(b"not packed").is_err());
    }
}
