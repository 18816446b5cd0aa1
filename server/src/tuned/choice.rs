//! A class of devices, values of parameters, and rewritings by laws.

use super::rewriting::Step;
use lift_analysis::parameters::{self, Entry, Settings, TargetName};
use lift_codegen::device::DeviceInfo;
use lift_codegen::target::Target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The program to compile, its target, and its parameters; by default the unchanged program, for the class that suits
/// the device, with default parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Choice {
    /// The name of a target, if not that which suits the device.
    target: Option<String>,
    /// Values of parameters by name.
    settings: BTreeMap<String, u32>,
    /// Applied to the program, in this order.
    #[serde(default)]
    laws: Vec<Step>,
}

/// Before a step in the text of a choice.
const LAW: &str = "law=";

impl Choice {
    pub fn for_target(name: &str) -> Choice {
        Choice { target: Some(name.to_owned()), ..Choice::default() }
    }

    /// Parses `law=split-join target=gpu rows.team=16`; the empty text is the default.
    pub fn parse(text: &str) -> Result<Choice, String> {
        let mut choice = Choice::default();
        for word in text.split_whitespace() {
            if let Some(name) = word.strip_prefix("target=") {
                name.parse::<Target>()?;
                choice.target = Some(name.to_owned());
                continue;
            }
            if let Some(step) = word.strip_prefix(LAW) {
                choice.laws.push(Step::parse(step)?);
                continue;
            }
            let (parameter, value) = parameters::parse(word)?;
            choice.settings.insert(parameter.entry().name.to_owned(), value);
        }
        Ok(choice)
    }

    #[must_use]
    pub fn with(&self, parameter: &str, value: u32) -> Choice {
        let mut choice = self.clone();
        choice.settings.insert(parameter.to_owned(), value);
        choice
    }

    /// With one more rewriting, after the others.
    #[must_use]
    pub fn then(&self, step: Step) -> Choice {
        let mut choice = self.clone();
        choice.laws.push(step);
        choice
    }

    /// This choice without its laws, for the unchanged program.
    #[must_use]
    pub fn without_laws(&self) -> Choice {
        Choice { laws: Vec::new(), ..self.clone() }
    }

    pub fn laws(&self) -> &[Step] {
        &self.laws
    }

    pub fn value(&self, parameter: &str) -> Option<u32> {
        self.settings.get(parameter).copied()
    }

    /// The settings of a `with` that makes this choice in a program.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::DEFAULT;
        settings.target = self.target.as_deref().and_then(TargetName::named);
        for (name, value) in &self.settings {
            if let Some(entry) = Entry::named(name) {
                settings.set(entry.parameter, *value);
            }
        }
        settings
    }

    /// For people: `((rows.team 16))`, and by which laws a program is rewritten.
    pub fn written(&self) -> String {
        let laws: Vec<String> = self.laws.iter().map(ToString::to_string).collect();
        match (laws.is_empty(), self.settings()) {
            (true, settings) => settings.written(),
            (false, Settings::DEFAULT) => format!("been rewritten by {}", laws.join(", ")),
            (false, settings) => format!("{}, and has been rewritten by {}", settings.written(), laws.join(", ")),
        }
    }

    /// The target on a device. An error if it promises more than the device.
    pub fn on(&self, device: &DeviceInfo) -> Result<Target, String> {
        self.of(Target::of(device)).ok_or_else(|| {
            format!(
                "code for `{}` may hang on {}, where work-groups must not wait for each other",
                self.target.as_deref().unwrap_or_default(),
                device.name
            )
        })
    }

    /// The target, from the one that suits the device; `None` if it promises more than that one.
    pub fn of(&self, own: Target) -> Option<Target> {
        let settings = self.settings();
        let mut target = match settings.target {
            Some(name) if Target::from(name).single_pass && !own.single_pass => return None,
            Some(name) => own.pinned(name),
            None => own,
        };
        for (entry, value) in settings.all() {
            target = target.with(entry.parameter, value);
        }
        Some(target)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let laws = self.laws.iter().map(|step| format!("{LAW}{step}"));
        let target = self.target.iter().map(|name| format!("target={name}"));
        let settings = self.settings.iter().map(|(name, value)| format!("{name}={value}"));
        f.write_str(&laws.chain(target).chain(settings).collect::<Vec<_>>().join(" "))
    }
}
