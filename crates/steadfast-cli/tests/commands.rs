//! The command line as people and scripts use it (section 10): each file in `cmd/` is a
//! conversation, with every word of the answers and the exit codes.
//!
//! After a change that is meant, `TRYCMD=overwrite cargo test -p steadfast-cli --test commands`
//! writes the answers anew; read the difference.

#[test]
fn the_command_line_answers_word_for_word() {
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
