//! Instances and the configs they inherit from.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::DEFAULT;
use crate::policy_builder::PolicyBuilder;
use crate::reader::Reader;
use crate::value::{Read, Value};
use steadfast::__private::nearest;
use steadfast::duration;
use steadfast::file::Problem;

/// The longest chain of `baseConfig`.
const MAX_CONFIG_CHAIN: usize = 16;

const BASE_CONFIG: &str = "baseConfig";

/// The supported settings of an instance or a config.
pub(super) struct Section<'t> {
    pub(super) value: Value<'t>,
    settings: HashMap<&'static str, Value<'t>>,
}

/// `resilience4j.retry` or `resilience4j.circuitbreaker`.
#[derive(Default)]
pub(super) struct Module<'t> {
    instances: Vec<(&'t str, Section<'t>)>,
    indexes: HashMap<&'t str, usize>,
    configs: HashMap<&'t str, Section<'t>>,
    used: RefCell<HashSet<String>>,
}

impl<'t> Module<'t> {
    pub(super) fn read(
        reader: &mut Reader<'_>,
        value: Option<&Value<'t>>,
        settings: &[&'static str],
        others: &[(&str, &str)],
    ) -> Self {
        let mut module = Self::default();
        let Some(mut fields) = value.and_then(|value| reader.fields(value)) else {
            return module;
        };
        let mut sections = |value: Option<Value<'t>>| {
            let value = value.filter(|value| reader.fields(value).is_some());
            let entries = value.map_or_else(Vec::new, |value| value.entries());
            let read =
                |value| Some((section_name(&value), section(reader, value, settings, others)?));
            entries.into_iter().filter_map(read).collect::<Vec<_>>()
        };
        module.configs = sections(fields.take("configs")).into_iter().collect();
        module.instances = sections(fields.take("instances"));
        module.instances.extend(sections(fields.take("backends")));
        module.indexes = module.instances().zip(0..).collect();
        reader.report_remaining(
            fields,
            &[
                ("retryAspectOrder", "aspect order is not related to retries"),
                ("circuitBreakerAspectOrder", "aspect order is not related to retries"),
                ("metrics", "metrics settings cannot be imported"),
                ("tags", "metrics settings cannot be imported"),
            ],
        );
        module
    }

    pub(super) fn has_default(&self) -> bool {
        self.configs.contains_key(DEFAULT)
    }

    pub(super) fn instances(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.instances.iter().map(|(name, _)| *name)
    }

    /// An instance and the configs it inherits from, the instance first; empty if there is none.
    pub(super) fn layers(&self, reader: &mut Reader<'_>, name: &str) -> Vec<&Section<'t>> {
        let own = self.indexes.get(name).and_then(|index| self.instances.get(*index));
        let Some(own) =
            own.map(|(_, own)| own).or_else(|| self.configs.get(name).filter(|_| name == DEFAULT))
        else {
            return Vec::new();
        };
        let mut layers = vec![own];
        let mut bottom = own;
        while let Some(base) = self.base_of(reader, bottom, name) {
            let again = layers.iter().any(|layer| layer.value.path == base.value.path);
            if again || layers.len() >= MAX_CONFIG_CHAIN {
                let hint = "remove one of the baseConfig entries";
                reader.invalid_with_hint(&bottom.value, "circular baseConfig", hint);
                break;
            }
            layers.push(base);
            bottom = base;
        }
        layers
    }

    fn base_of(
        &self,
        reader: &mut Reader<'_>,
        of: &Section<'t>,
        name: &str,
    ) -> Option<&Section<'t>> {
        let Some(base) = of.settings.get(BASE_CONFIG) else {
            self.used.borrow_mut().insert(DEFAULT.to_owned());
            let default = self.configs.get(DEFAULT).filter(|_| name != DEFAULT)?;
            return (default.value.path != of.value.path).then_some(default);
        };
        let wanted = reader.text(base)?;
        self.used.borrow_mut().insert(wanted.to_owned());
        let found = self.configs.get(wanted);
        if found.is_none() {
            let message = format!("unknown config {}", base.describe());
            let problem = Problem::at(reader.source, base.node.span, message).field(&base.path);
            reader.add_problem(problem.did_you_mean(nearest(wanted, self.configs.keys().copied())));
        }
        found
    }

    /// Reports the configs that no instance uses.
    pub(super) fn report_unused(&self, reader: &mut Reader<'_>) {
        let used = self.used.borrow();
        for (name, config) in &self.configs {
            if *name != DEFAULT && !used.contains(*name) {
                reader.unsupported(&config.value, "no instance uses this config");
            }
        }
    }
}

/// The name of a section, without the brackets that Spring requires around dots.
fn section_name<'t>(value: &Value<'t>) -> &'t str {
    let inner = value.key.strip_prefix('[').and_then(|key| key.strip_suffix(']'));
    inner.unwrap_or(value.key)
}

fn section<'t>(
    reader: &mut Reader<'_>,
    value: Value<'t>,
    settings: &[&'static str],
    others: &[(&str, &str)],
) -> Option<Section<'t>> {
    let mut fields = reader.fields(&value)?;
    let taken = settings.iter().chain([&BASE_CONFIG]);
    let settings = taken.filter_map(|name| Some((*name, fields.take(name)?))).collect();
    reader.report_remaining(fields, others);
    Some(Section { value, settings })
}

/// An instance in conversion to a policy.
pub(super) struct Conversion<'c, 's, 't> {
    pub(super) reader: &'c mut Reader<'s>,
    /// The instance and the configs it inherits from, the instance first.
    pub(super) layers: &'c [&'c Section<'t>],
    pub(super) policy: &'c mut PolicyBuilder,
}

impl<'s, 't> Conversion<'_, 's, 't> {
    /// The value of a setting in the first layer that has it.
    pub(super) fn find(&self, name: &str) -> Option<Value<'t>> {
        self.layers.iter().find_map(|section| section.settings.get(name)).cloned()
    }

    pub(super) fn read_or<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&mut Reader<'s>, &Value<'t>) -> Option<T>,
        default: T,
    ) -> Read<'t, T> {
        self.reader.read_or(self.find(name), read, default)
    }

    pub(super) fn is_on(&mut self, name: &str) -> bool {
        self.read_or(name, Reader::bool, false).value
    }

    pub(super) fn unsupported(&mut self, names: &[&str], reason: &str) {
        for name in names {
            if let Some(value) = self.find(name) {
                self.reader.unsupported(&value, reason);
            }
        }
    }

    pub(super) fn unsupported_if_on(&mut self, name: &str, reason: &str) {
        if self.is_on(name) {
            self.unsupported(&[name], reason);
        }
    }
}

/// A duration in Spring's notation: `500ms`, `PT0.5S`, or a number of milliseconds.
pub(super) fn spring_duration(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<Duration> {
    match value.as_text() {
        Some(text) if text.trim().parse::<f64>().is_err() => {
            let read = duration::parse(text).ok();
            if read.is_none() {
                reader.not_a_duration(value, "write a duration like 500ms, 2s or PT0.5S");
            }
            read
        }
        _ => reader.scaled(value, 0.001, "milliseconds"),
    }
}
