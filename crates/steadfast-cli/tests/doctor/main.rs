//! `steadfast doctor` on stores with real problems (section 10).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod postgres;
mod sqlite;
#[path = "../store/mod.rs"]
mod store;

use std::process::Output;

use serde_json::Value;

/// The JSON report of the doctor.
struct DoctorOutput {
    code: Option<i32>,
    json: Value,
}

impl DoctorOutput {
    fn by(output: &Output) -> Self {
        let text = std::str::from_utf8(&output.stdout).unwrap();
        let json = serde_json::from_str(text)
            .unwrap_or_else(|_| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
        Self { code: output.status.code(), json }
    }

    fn check(&self, name: &str) -> &Value {
        let checks = self.json["checks"].as_array().unwrap();
        let found = checks.iter().find(|check| check["check"] == name);
        found.unwrap_or_else(|| panic!("no {name} in {:#}", self.json))
    }

    fn mark(&self, name: &str) -> &str {
        self.check(name)["mark"].as_str().unwrap()
    }

    /// The checks that are not `ok`.
    fn not_ok(&self) -> Vec<&str> {
        let checks = self.json["checks"].as_array().unwrap().iter();
        let bad = checks.filter(|check| check["mark"] != "ok");
        bad.map(|check| check["check"].as_str().unwrap()).collect()
    }

    /// The advice of a check.
    fn advice(&self, name: &str) -> String {
        self.check(name)["next"].to_string()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}
