//! Transcripts of command lines (section 10): each file in `cmd/` has commands with their complete
//! output and exit codes.
//!
//! After an intended change, `TRYCMD=overwrite cargo test -p steadfast-cli --test commands`
//! regenerates the output; read the diff.

#[test]
fn transcripts_match_the_output() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .env("CLICOLOR_FORCE", "")
        .env("STEADFAST_CONFIG", "")
        .env("STEADFAST_SECRETS", "")
        .env("STEADFAST_SERVER", "")
        .env("STEADFAST_STORE", "")
        .env("STEADFAST_TOKEN", "")
        .case("tests/cmd/*.trycmd");
}
