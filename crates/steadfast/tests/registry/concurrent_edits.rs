//! F4: two hundred edits, good and broken by turns, under eight threads of sessions.

use std::fs;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use steadfast::registry::Registry;

use super::{PROMISED, Scene, was_applied};

const EDITS: u32 = 200;
const THREADS: usize = 8;

/// A version in which everything is the same number: the attempts of both policies, and what
/// they are called. Half of one would disagree with itself.
fn version(number: u32) -> String {
    let policy = |id: &str| {
        format!(
            "  {id}:\n    name: version {number}\n    max_attempts: {number}\n    \
             base_delay: 0\n    max_duration: {number}h\n"
        )
    };
    format!("version: \"1.1.0\"\npolicies:\n{}{}", policy("p"), policy("q"))
}

/// Files that are broken in different ways, some of them late.
fn broken(number: u32) -> String {
    let good = version(number);
    match number % 5 {
        0 => good.replace("max_attempts", "max_atempts"),
        1 => good.replace("base_delay: 0", "base_delay: -1"),
        2 => format!("{good}subsystem_mappings: {{a: {{b: {{c: nowhere}}}}}}\n"),
        3 => good[..good.len() - 8].to_owned() + ": : [",
        _ => String::new(),
    }
}

/// In place, in two halves, or by putting another file in its place.
fn edit(scene: &Scene, number: u32, text: &str) {
    match number % 3 {
        0 => scene.write(text),
        1 => {
            let (first, second) = text.split_at(text.len() / 2);
            let mut file = fs::File::create(&scene.path).unwrap();
            file.write_all(first.as_bytes()).unwrap();
            file.write_all(second.as_bytes()).unwrap();
        }
        _ => {
            let beside = scene.folder.path().join("new.yaml");
            fs::write(&beside, text).unwrap();
            fs::rename(&beside, &scene.path).unwrap();
        }
    }
}

/// Runs sessions until stopped. Returns their number.
fn sessions(registry: &Registry, stop: &AtomicBool, newest: &AtomicU64) -> u64 {
    let mut count = 0;
    let mut last = 0;
    while !stop.load(Ordering::Relaxed) {
        let mut made = 0;
        let mut named = String::new();
        let error = registry
            .run("p", || {
                made += 1;
                Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionReset))
            })
            .on_give_up(|happening| {
                named = happening.policy.name().unwrap().to_owned();
            })
            .call()
            .unwrap_err();
        // The attempts that were made are those of the version that the session says it had.
        assert_eq!((made, format!("version {made}")), (error.attempts(), named));
        // Versions do not go back.
        assert!(made >= last, "{made} after {last}");
        last = made;
        assert!(u64::from(made) <= newest.load(Ordering::Acquire), "a version not yet written");
        // Two policies of one version agree.
        let policies = registry.policies();
        assert_eq!(policies.find("p").name(), policies.find("q").name());
        count += 1;
    }
    count
}

/// F4: no session sees half a policy, no good version is missed, no broken one is applied.
#[test]
fn edits_during_concurrent_sessions_are_applied_whole() {
    let first = 2;
    let scene = Scene::new(&version(first));
    let stop = AtomicBool::new(false);
    let newest = AtomicU64::new(u64::from(first));
    let longest = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let registry = scene.registry.clone();
                scope.spawn(|| sessions(&{ registry }, &stop, &newest))
            })
            .collect();
        let longest = (0..EDITS).map(|number| one_edit(&scene, first, number, &newest)).max();
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            assert!(thread.join().unwrap() > 0);
        }
        longest
    });
    let health = scene.registry.health();
    assert_eq!(health.version, 1 + u64::from(EDITS / 2));
    println!("the longest edit took {longest:?} to be live");
}

/// Edits the file and waits until that is known; says how long a good one took to be live.
fn one_edit(scene: &Scene, first: u32, number: u32, newest: &AtomicU64) -> Duration {
    let good = first + number / 2 + 1;
    let is_good = number.is_multiple_of(2);
    newest.store(u64::from(good), Ordering::Release);
    let text = if is_good { version(good) } else { broken(good) };
    let began = Instant::now();
    edit(scene, number, &text);
    let change = scene.change();
    let took = began.elapsed();
    assert_eq!(was_applied(&change), is_good, "edit {number}: {change}");
    // A broken file leaves the version before it in force.
    assert_eq!(scene.attempts(), good, "edit {number}: {change}");
    assert!(took < PROMISED);
    if is_good { took } else { Duration::ZERO }
}
