//! The codec of compressed histories (D14).
//!
//! The faults of one task are similar, so together they compress well. The format is zlib over
//! JSON.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use crate::task::FaultRecord;

pub(crate) fn compress(faults: &[FaultRecord]) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(faults)?;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&json)?;
    encoder.finish()
}

pub(crate) fn decompress(compressed: &[u8]) -> io::Result<Vec<FaultRecord>> {
    let mut json = Vec::new();
    ZlibDecoder::new(compressed).read_to_end(&mut json)?;
    Ok(serde_json::from_slice(&json)?)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use steadfast::{Class, Fault};

    use super::*;

    /// D14: compression is lossless, and saves four fifths.
    #[test]
    fn compressed_history_is_smaller_and_decompresses_to_the_same() {
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
        let compressed = compress(&faults).unwrap();
        assert!(compressed.len() * 5 < serde_json::to_vec(&faults).unwrap().len());
        assert_eq!(decompress(&compressed).unwrap(), faults);
        assert!(decompress(b"not compressed").is_err());
    }
}
