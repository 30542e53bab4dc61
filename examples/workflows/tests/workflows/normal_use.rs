//! The README's command, at a smaller size.

use std::process::{Command, Output};

use crate::program;

/// X2: the throughput is printed together with the machine.
#[test]
fn throughput_is_reported_with_the_machine() {
    let output = Command::new(program()).args(["--throughput", "50"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    // A release build may miss the goal with this little work.
    let is_right =
        output.status.success() || printed.contains("MISSED: 1000 per second is the goal");
    assert!(is_right, "{printed}{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.contains(" cores of ") && printed.contains(", load "), "{printed}");
    assert!(printed.contains("\n200 nodes in "), "{printed}");
}

/// X2: a temporary server, the orders, the kills, the three weeks, and the report.
#[test]
fn small_run_and_three_weeks_are_reported() {
    let mut command = Command::new(program());
    let Output { status, stdout, stderr } =
        command.args(["--orders", "40", "--kills", "1"]).output().unwrap();
    let printed = String::from_utf8(stdout).unwrap();
    assert!(status.success(), "{printed}{}", String::from_utf8_lossy(&stderr));
    for (row, wanted) in
        [("executions completed", 39), ("retried as a new execution", 1), ("lost", 0), ("wrong", 0)]
    {
        let line = printed.lines().find_map(|line| line.trim().strip_prefix(row));
        let figure = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        assert_eq!(figure, Some(wanted), "{row}: {printed}");
    }
    for line in [
        "40 orders of 4 nodes, 3 instances, seed 1",
        "Compared, after 1 killed instances",
        " node executions per second, in ",
        "day 21  completed",
    ] {
        assert!(printed.contains(line), "no {line:?} in:\n{printed}");
    }
}
