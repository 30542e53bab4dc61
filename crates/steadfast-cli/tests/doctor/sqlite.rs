//! SQLite stores.

use std::fs::{File, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection as _, Executor, SqliteConnection};
use steadfast_store::{ClaimRequest, Task};

use crate::store::Folder;
use crate::{DoctorOutput, runtime};

/// The user id of `nobody` on Linux.
const NOBODY_UID: u32 = 65534;

impl Folder {
    fn doctor(&self) -> DoctorOutput {
        DoctorOutput::by(&self.output("doctor --json"))
    }

    /// A connection from another process than the doctor's.
    async fn connection(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.path().join("steadfast.db"));
        options.connect().await.unwrap()
    }

    fn execute(&self, statement: &'static str) {
        runtime().block_on(async {
            self.connection().await.execute(statement).await.unwrap();
        });
    }
}

fn healthy_store() -> Folder {
    Folder::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
    })
}

/// Section 10: all checks of a healthy store are ok.
#[test]
fn healthy_store_has_only_ok_checks() {
    let folder = healthy_store();
    let printed = folder.doctor();
    assert_eq!(printed.code, Some(0));
    assert_eq!(printed.json["ok"], true);
    assert_eq!(printed.json["store"], "sqlite:steadfast.db");
    for check in
        ["file", "schema", "leases", "due tasks", "integrity", "journal mode", "WAL size", "lock"]
    {
        assert_eq!(printed.mark(check), "ok", "{:#}", printed.check(check));
    }
    let text = folder.run_ok("doctor");
    assert!(
        text.starts_with("sqlite:steadfast.db\nok       file          steadfast.db, "),
        "{text}"
    );
    assert!(text.contains("\nok       schema        version "), "{text}");
}

/// D7: a lease that expired hours ago and was not reclaimed.
#[test]
fn unreclaimed_lease_is_a_problem() {
    let folder = Folder::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
        store.claim(&ClaimRequest::new("mill-7", 1)).await.unwrap();
    });
    assert_eq!(folder.doctor().mark("leases"), "ok");
    folder.execute("UPDATE steadfast_leases SET until = until - 7200000000");
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("leases")), (Some(1), "problem"));
    assert!(printed.advice("leases").contains("start a worker on this store"));
    let output = folder.output("doctor");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "problem  leases        1 lease of mill-7 expired, holding 1 task, the oldest 1 h";
    assert!(text.contains(line), "{text}");
    assert!(text.ends_with("1 problem\n"), "{text}");
}

/// D11: a due task without a worker.
#[test]
fn unclaimed_task_is_a_warning() {
    let folder = healthy_store();
    folder.execute("UPDATE steadfast_tasks SET submitted_at = submitted_at - 7200000000, due_at = due_at - 7200000000");
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("due tasks")), (Some(0), "warning"));
    assert_eq!(printed.check("due tasks")["facts"]["queue"], "default");
}

/// D14: a schema of a newer program.
#[test]
fn newer_schema_is_a_problem() {
    let folder = healthy_store();
    folder.execute("INSERT INTO steadfast_schema (version) VALUES (99)");
    let printed = folder.doctor();
    assert_eq!(
        (printed.code, printed.mark("schema"), printed.mark("leases")),
        (Some(1), "problem", "unknown")
    );
    assert!(
        printed.check("schema")["found"].as_str().unwrap().contains("is newer than this program")
    );
}

/// A long read in another process keeps the WAL from being truncated.
#[test]
fn long_wal_is_a_warning_naming_its_reader() {
    let folder = healthy_store();
    runtime().block_on(async {
        let mut reader = folder.connection().await;
        reader.execute("BEGIN; SELECT count(*) FROM steadfast_tasks").await.unwrap();
        let mut writer = folder.connection().await;
        writer.execute("PRAGMA synchronous = OFF; CREATE TABLE bulk (body BLOB)").await.unwrap();
        for _ in 0..9 {
            writer.execute("INSERT INTO bulk VALUES (randomblob(8388608))").await.unwrap();
        }
        let printed = folder.doctor();
        assert_eq!(printed.mark("WAL size"), "warning", "{:#}", printed.check("WAL size"));
        let me = std::process::id().to_string();
        assert!(printed.advice("WAL size").contains(&me), "{}", printed.advice("WAL size"));
        assert!(printed.advice("WAL size").contains("wal_checkpoint(TRUNCATE)"));
        reader.execute("ROLLBACK").await.unwrap();
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
        assert_eq!(folder.doctor().mark("WAL size"), "ok", "the advice helps");
    });
}

#[test]
fn held_lock_is_a_warning_naming_its_process() {
    let folder = healthy_store();
    runtime().block_on(async {
        let mut writer = folder.connection().await;
        writer.execute("BEGIN IMMEDIATE").await.unwrap();
        let printed = folder.doctor();
        assert_eq!(printed.mark("lock"), "warning");
        assert_eq!(printed.check("lock")["facts"]["pid"], std::process::id());
        assert!(printed.advice("lock").contains("ps -o pid,user,etime,args -p"));
    });
}

#[test]
fn corrupt_file_is_a_problem() {
    let folder = Folder::with(async |store| {
        store.submit_all((0..2000).map(|n| Task::new("k", &n)).collect()).await.unwrap();
    });
    let path = folder.path().join("steadfast.db");
    runtime().block_on(async {
        let mut connection = folder.connection().await;
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
        connection.close().await.unwrap();
    });
    let mut file = File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(path.metadata().unwrap().len() / 2)).unwrap();
    file.write_all(&[0xaa; 16 * 4096]).unwrap();
    drop(file);
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("integrity")), (Some(1), "problem"));
    assert!(printed.advice("integrity").contains("sqlite3 steadfast.db .recover"));
}

#[test]
fn file_that_is_not_sqlite_is_reported() {
    let folder = Folder::empty();
    let text = "not a database, however often it is read. ".repeat(100);
    std::fs::write(folder.path().join("steadfast.db"), text).unwrap();
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("store")), (Some(1), "problem"));
    assert!(printed.check("store")["found"].as_str().unwrap().contains("not an SQLite database"));
}

/// A read-only user is printed which permission is missing. Root may write everything, so the test
/// then runs the command as another user.
#[test]
fn read_only_file_is_a_problem() {
    let folder = healthy_store();
    let program = folder.path().join("steadfast");
    std::fs::copy(env!("CARGO_BIN_EXE_steadfast"), &program).unwrap();
    let is_root = folder.path().metadata().unwrap().uid() == 0;
    for entry in folder.path().read_dir().unwrap().map(Result::unwrap) {
        let mode = if entry.path() == program { 0o755 } else { 0o444 };
        std::fs::set_permissions(entry.path(), Permissions::from_mode(mode)).unwrap();
    }
    if is_root {
        chown(folder.path(), Some(NOBODY_UID), None).unwrap();
    }
    let mut command = Command::new(&program);
    command.args(["doctor", "--json", "--store", "sqlite:steadfast.db"]);
    command.current_dir(folder.path()).env_remove("STEADFAST_CONFIG");
    if is_root {
        command.uid(NOBODY_UID).gid(NOBODY_UID);
    }
    let printed = DoctorOutput::by(&command.output().unwrap());
    assert_eq!((printed.code, printed.mark("file")), (Some(1), "problem"), "{:#}", printed.json);
    assert!(
        printed.advice("file").contains("chmod u+w steadfast.db"),
        "{}",
        printed.advice("file")
    );
    assert_eq!(printed.mark("schema"), "ok", "what can be read is read");
}

/// D14: the check creates nothing.
#[test]
fn missing_store_is_a_problem_and_is_not_created() {
    let folder = Folder::empty();
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("store")), (Some(1), "problem"));
    assert!(printed.check("store")["found"].as_str().unwrap().contains("there is no such file"));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// F2: errors of the policy file are problems.
#[test]
fn policy_file_errors_are_problems() {
    let folder = healthy_store();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, "version: 1.1.0\npolicies: {calls: {max_attempts: 3}}\n").unwrap();
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("policies")), (Some(0), "ok"));
    std::fs::write(&file, "version: 1.1.0\npolicies: {calls: {max_attemps: 3}}\n").unwrap();
    let printed = folder.doctor();
    assert_eq!((printed.code, printed.mark("policies")), (Some(1), "problem"));
    assert!(printed.advice("policies").contains("did you mean `max_attempts`?"));
    assert_eq!(printed.check("policies")["facts"]["problems"][0]["line"], 2);
}
