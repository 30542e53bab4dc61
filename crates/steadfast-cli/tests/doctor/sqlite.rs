//! On files.

use std::fs::{File, Permissions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::process::Command;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection as _, Executor, SqliteConnection};
use steadfast_store::{ClaimRequest, Task};

use crate::store::Folder;
use crate::{Told, runtime};

/// What Linux calls nobody.
const NOBODY: u32 = 65534;

impl Folder {
    fn doctor(&self) -> Told {
        Told::by(&self.output("doctor --json"))
    }

    /// Somebody else's connection to the store, from another process than the doctor's.
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

fn sound() -> Folder {
    Folder::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
    })
}

/// Section 10: a store that is well is said to be, check by check.
#[test]
fn a_sound_store_gets_nothing_but_ok() {
    let folder = sound();
    let told = folder.doctor();
    assert_eq!(told.code, Some(0));
    assert_eq!(told.json["ok"], true);
    assert_eq!(told.json["store"], "sqlite:steadfast.db");
    for check in ["file", "schema", "leases", "due tasks", "damage", "journal", "log", "lock"] {
        assert_eq!(told.mark(check), "ok", "{:#}", told.check(check));
    }
    let text = folder.told("doctor");
    assert!(
        text.starts_with("sqlite:steadfast.db\nok       file          steadfast.db, "),
        "{text}"
    );
    assert!(text.contains("\nok       schema        version "), "{text}");
}

/// D7: a lease without a worker, for hours.
#[test]
fn a_lease_that_nobody_takes_over_is_a_problem() {
    let folder = Folder::with(async |store| {
        store.submit(Task::new("k", &1)).await.unwrap();
        store.claim(&ClaimRequest::new("mill-7", 1)).await.unwrap();
    });
    assert_eq!(folder.doctor().mark("leases"), "ok");
    folder.execute("UPDATE steadfast_leases SET until = until - 7200000000");
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("leases")), (Some(1), "problem"));
    assert!(told.advice("leases").contains("start a worker on this store"));
    let output = folder.output("doctor");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "problem  leases        1 lease of mill-7 with 1 task is over, the first for 1 h";
    assert!(text.contains(line), "{text}");
    assert!(text.ends_with("1 problem\n"), "{text}");
}

/// D11: work that nobody does.
#[test]
fn a_task_that_nobody_takes_is_warned_of() {
    let folder = sound();
    folder.execute("UPDATE steadfast_tasks SET submitted_at = submitted_at - 7200000000, due_at = due_at - 7200000000");
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("due tasks")), (Some(0), "warning"));
    assert_eq!(told.check("due tasks")["facts"]["queue"], "default");
}

/// D14: what a newer program wrote.
#[test]
fn a_store_from_the_future_is_a_problem() {
    let folder = sound();
    folder.execute("INSERT INTO steadfast_schema (version) VALUES (99)");
    let told = folder.doctor();
    assert_eq!(
        (told.code, told.mark("schema"), told.mark("leases")),
        (Some(1), "problem", "unknown")
    );
    assert!(told.check("schema")["found"].as_str().unwrap().contains("from the future"));
}

/// A reader that stays, in another process, keeps the log from being emptied.
#[test]
fn a_log_that_grew_under_a_reader_is_warned_of_and_names_the_reader() {
    let folder = sound();
    runtime().block_on(async {
        let mut reader = folder.connection().await;
        reader.execute("BEGIN; SELECT count(*) FROM steadfast_tasks").await.unwrap();
        let mut writer = folder.connection().await;
        writer.execute("PRAGMA synchronous = OFF; CREATE TABLE bulk (body BLOB)").await.unwrap();
        for _ in 0..9 {
            writer.execute("INSERT INTO bulk VALUES (randomblob(8388608))").await.unwrap();
        }
        let told = folder.doctor();
        assert_eq!(told.mark("log"), "warning", "{:#}", told.check("log"));
        let me = std::process::id().to_string();
        assert!(told.advice("log").contains(&me), "{}", told.advice("log"));
        assert!(told.advice("log").contains("wal_checkpoint(TRUNCATE)"));
        reader.execute("ROLLBACK").await.unwrap();
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").await.unwrap();
        assert_eq!(folder.doctor().mark("log"), "ok", "the advice helps");
    });
}

#[test]
fn a_lock_that_stays_is_warned_of_and_names_its_holder() {
    let folder = sound();
    runtime().block_on(async {
        let mut writer = folder.connection().await;
        writer.execute("BEGIN IMMEDIATE").await.unwrap();
        let told = folder.doctor();
        assert_eq!(told.mark("lock"), "warning");
        assert_eq!(told.check("lock")["facts"]["pid"], std::process::id());
        assert!(told.advice("lock").contains("ps -o pid,user,etime,args -p"));
    });
}

#[test]
fn a_damaged_file_is_a_problem() {
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
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("damage")), (Some(1), "problem"));
    assert!(told.advice("damage").contains("sqlite3 steadfast.db .recover"));
}

#[test]
fn a_file_of_another_kind_is_told_as_one() {
    let folder = Folder::empty();
    let text = "not a database, however long one looks at it. ".repeat(100);
    std::fs::write(folder.path().join("steadfast.db"), text).unwrap();
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("store")), (Some(1), "problem"));
    assert!(told.check("store")["found"].as_str().unwrap().contains("not an SQLite database"));
}

/// Whoever may only read is told what is missing. Root may write everything, so there somebody
/// else is asked.
#[test]
fn a_file_that_may_only_be_read_is_a_problem() {
    let folder = sound();
    let program = folder.path().join("steadfast");
    std::fs::copy(env!("CARGO_BIN_EXE_steadfast"), &program).unwrap();
    let is_root = folder.path().metadata().unwrap().uid() == 0;
    for entry in folder.path().read_dir().unwrap().map(Result::unwrap) {
        let mode = if entry.path() == program { 0o755 } else { 0o444 };
        std::fs::set_permissions(entry.path(), Permissions::from_mode(mode)).unwrap();
    }
    if is_root {
        chown(folder.path(), Some(NOBODY), None).unwrap();
    }
    let mut command = Command::new(&program);
    command.args(["doctor", "--json", "--store", "sqlite:steadfast.db"]);
    command.current_dir(folder.path()).env_remove("STEADFAST_CONFIG");
    if is_root {
        command.uid(NOBODY).gid(NOBODY);
    }
    let told = Told::by(&command.output().unwrap());
    assert_eq!((told.code, told.mark("file")), (Some(1), "problem"), "{:#}", told.json);
    assert!(told.advice("file").contains("chmod u+w steadfast.db"), "{}", told.advice("file"));
    assert_eq!(told.mark("schema"), "ok", "what can be read is read");
}

/// D14: looking makes nothing.
#[test]
fn a_store_that_is_not_there_is_a_problem_and_is_not_made() {
    let folder = Folder::empty();
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("store")), (Some(1), "problem"));
    assert!(told.check("store")["found"].as_str().unwrap().contains("there is no such file"));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// F2: the policy file is checked with it, and its problems are problems.
#[test]
fn what_is_wrong_with_the_policy_file_is_told() {
    let folder = sound();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, "version: 1.1.0\npolicies: {calls: {max_attempts: 3}}\n").unwrap();
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("policies")), (Some(0), "ok"));
    std::fs::write(&file, "version: 1.1.0\npolicies: {calls: {max_attemps: 3}}\n").unwrap();
    let told = folder.doctor();
    assert_eq!((told.code, told.mark("policies")), (Some(1), "problem"));
    assert!(told.advice("policies").contains("did you mean max_attempts?"));
    assert_eq!(told.check("policies")["facts"]["problems"][0]["line"], 2);
}
