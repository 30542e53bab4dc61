//! Files of numbered tasks, and the numbers found in a store.

#![allow(dead_code, reason = "no test needs all of it")]

use std::ops::Range;

use steadfast_store::{Filter, PageRequest, Store};

use crate::store::Folder;

/// A line for each number.
pub(crate) fn lines(numbers: Range<u64>) -> String {
    numbers.map(|number| format!("{{\"kind\":\"k\",\"payload\":{number}}}\n")).collect()
}

/// The numbers of the tasks in a folder's store, in submission order.
pub(crate) fn numbers_in(folder: &Folder) -> Vec<u64> {
    folder.change(async |store| numbers(&store).await)
}

/// The numbers of the tasks in a store, in submission order.
pub(crate) async fn numbers(store: &Store) -> Vec<u64> {
    let mut page = PageRequest { limit: 1000, ..PageRequest::default() };
    let mut numbers = Vec::new();
    loop {
        let found = store.tasks(&Filter::all(), &page).await.unwrap();
        numbers.extend(found.items.iter().filter_map(|task| task.payload.as_u64()));
        match found.next {
            Some(next) => page.after = Some(next),
            None => break,
        }
    }
    // The newest come first.
    numbers.reverse();
    numbers
}
