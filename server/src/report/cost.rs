//! The cost of a kernel, as text and as JSON.

use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var, Writer};
use lift_codegen::cost::{Amount, Cost, LaunchCost, Unknown, Work};
use lift_codegen::report::Stored;
use lift_codegen::run::report::Place;
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    pub kernel: String,
    /// The class of devices.
    pub target: String,
    /// The sizes for which `value` is given.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, i64>,
    /// Number of launches in a run.
    pub launched: Counted,
    pub launches: Vec<CostOfLaunch>,
    pub total: Totals,
    /// Variables in the amounts that are not sizes of the kernel.
    pub unknown: Vec<UnknownNumber>,
    /// Results with memory of their own; the kernel's result is last.
    pub stored: Vec<StoredResult>,
    /// Parts that are far slower than the device allows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<SlowPart>,
}

#[derive(Debug, Serialize)]
pub struct SlowPart {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// An amount, symbolic and as a number.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counted {
    pub size: String,
    /// Whether every run has this amount; otherwise it is an upper bound.
    pub exact: bool,
    /// The number for the given sizes, if they determine it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i64>,
    /// Whether every run has this value; otherwise it is an upper bound.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact_value: bool,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub global_bytes_read: Counted,
    pub global_bytes_written: Counted,
    pub integer_operations: Counted,
    pub float_operations: Counted,
    pub special_operations: Counted,
    /// Barriers that work-groups pass, summed over all work-groups.
    pub barriers: Counted,
    /// Bytes per work-group; in a total, the maximum over the launches.
    pub local_memory: Counted,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostOfLaunch {
    pub label: String,
    /// `None`: the host clears a buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// Number of times in a run.
    pub times: Counted,
    /// Work-groups in each dimension.
    pub groups: Vec<Counted>,
    /// Work-items per group in each dimension.
    pub group: [u32; 3],
    /// Work of one launch.
    #[serde(flatten)]
    pub work: Totals,
    /// Whether work-groups wait for each other; their reads while waiting are not counted.
    pub waits: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnknownNumber {
    pub name: String,
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Counted>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

#[derive(Debug, Serialize)]
pub struct StoredResult {
    pub name: String,
    pub memory: String,
    pub bytes: Counted,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

impl CostReport {
    /// Makes the report. `numbers` is the cost at the given `sizes`, if there are any.
    pub fn new(
        cost: &Cost,
        numbers: Option<&Cost>,
        target: &str,
        sizes: &[(Var, i64)],
        place: &dyn Fn(&Origin) -> Option<Place>,
    ) -> CostReport {
        let writer = RefCell::new(Writer::to_read());
        let counted = |amount: &Amount, number: Option<&Amount>| Counted {
            size: writer.borrow_mut().node(&amount.size).to_string(),
            exact: amount.exact && !cost.is_guess(&amount.size),
            value: numbers.zip(number).and_then(|(numbers, number)| numbers.value(&number.size)),
            exact_value: numbers.zip(number).is_some_and(|(cost, n)| n.exact && !cost.is_guess(&n.size)),
        };
        let exactly = |size: &Size, number: Option<&Size>| {
            counted(&Amount::exactly(size.clone()), number.map(|n| Amount::exactly(n.clone())).as_ref())
        };
        let totals = |work: &Work, number: Option<&Work>, local_memory: Counted| Totals {
            global_bytes_read: counted(&work.read, number.map(|n| &n.read)),
            global_bytes_written: counted(&work.written, number.map(|n| &n.written)),
            integer_operations: counted(&work.integer, number.map(|n| &n.integer)),
            float_operations: counted(&work.float, number.map(|n| &n.float)),
            special_operations: counted(&work.special, number.map(|n| &n.special)),
            barriers: counted(&work.barriers, number.map(|n| &n.barriers)),
            local_memory,
        };
        // Those that are made at these sizes, in their order.
        let made = numbers.map_or(&[][..], |n| &n.launches);
        let mut next = 0;
        let launch = |l: &LaunchCost| {
            let number = made.get(next).filter(|n| n.function == l.function && n.label == l.label);
            next += usize::from(number.is_some());
            CostOfLaunch {
                label: l.label.clone(),
                function: l.function.clone(),
                place: l.origin.as_ref().and_then(place),
                times: exactly(&l.times, number.map(|n| &n.times)),
                groups: (0..3).map(|d| exactly(&l.groups[d], number.map(|n| &n.groups[d]))).collect(),
                group: l.items,
                work: totals(
                    &l.work,
                    number.map(|n| &n.work),
                    exactly(&l.local_memory, number.map(|n| &n.local_memory)),
                ),
                waits: l.waits,
            }
        };
        let unknown = |(i, u): (usize, &Unknown)| {
            let number = numbers.and_then(|n| n.unknown.get(i)).and_then(|n| n.at_most.as_ref());
            UnknownNumber {
                name: u.var.name.to_string(),
                what: u.what.name().to_owned(),
                at_most: u.at_most.as_ref().map(|most| exactly(most, number)),
                place: u.origin.as_ref().and_then(place),
            }
        };
        let stored = |(i, s): (usize, &Stored)| StoredResult {
            name: s.name.clone(),
            memory: s.memory.name().to_owned(),
            bytes: exactly(&s.bytes, numbers.and_then(|n| n.stored.get(i)).map(|n| &n.bytes)),
            place: place(&s.origin),
        };
        CostReport {
            kernel: cost.kernel.clone(),
            target: target.to_owned(),
            sizes: sizes.iter().map(|(var, n)| (var.name.to_string(), *n)).collect(),
            launched: exactly(&cost.launched(), numbers.map(Cost::launched).as_ref()),
            launches: cost.launches.iter().map(launch).collect(),
            total: totals(
                &cost.total(),
                numbers.map(Cost::total).as_ref(),
                exactly(&cost.local_memory(), numbers.map(Cost::local_memory).as_ref()),
            ),
            unknown: cost.unknown.iter().enumerate().map(unknown).collect(),
            stored: cost.stored.iter().enumerate().map(stored).collect(),
            slow: Vec::new(),
        }
    }

    /// Summarizes the cost for a hover, in Markdown that is also readable as plain text.
    pub fn summary(&self) -> String {
        let total = &self.total;
        let mut lines = vec![
            format!("Cost for {} devices: launches {}", self.target, self.launched),
            format!("- global bytes read: {}", total.global_bytes_read),
            format!("- global bytes written: {}", total.global_bytes_written),
            format!("- barriers: {}", total.barriers),
        ];
        lines.extend(
            (total.local_memory.size != "0")
                .then(|| format!("- local memory of a group: {} bytes", total.local_memory)),
        );
        if self.launches.iter().any(|l| l.waits) {
            lines.push("- reads of work-groups while they wait for each other are not counted".to_owned());
        }
        lines.extend(self.unknown.iter().map(|unknown| format!("- {unknown}")));
        let text = lines.join("\n");
        text.replace('*', "\u{b7}")
    }
}

/// Sizes are shortened to this number of characters.
const LONGEST: usize = 100;

impl Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_most = |exact| if exact { "" } else { "at most " };
        let is_long = self.size.chars().count() > LONGEST;
        match self.value {
            Some(value) if is_long || self.size == value.to_string() => {
                write!(f, "{}{value}", at_most(self.exact_value))
            }
            Some(value) if self.exact == self.exact_value => {
                write!(f, "{}{} = {value}", at_most(self.exact), self.size)
            }
            Some(value) => write!(f, "{}{}; {}{value}", at_most(self.exact), self.size, at_most(self.exact_value)),
            None if is_long => {
                let shown: String = self.size.chars().take(LONGEST).collect();
                write!(f, "{}{shown}…", at_most(self.exact))
            }
            None => write!(f, "{}{}", at_most(self.exact), self.size),
        }
    }
}

impl Display for UnknownNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.what)?;
        match &self.at_most {
            Some(most) => write!(f, ", at most {most}"),
            None => Ok(()),
        }
    }
}

/// Formats a start as `3:5`, from 1.
fn at(place: &Option<Place>) -> String {
    place.as_ref().map_or(String::new(), |p| format!("{}:{}", p.range.start.line + 1, p.range.start.character + 1))
}

fn table(f: &mut fmt::Formatter<'_>, work: &Totals) -> fmt::Result {
    let rows = [
        ("global bytes read", &work.global_bytes_read),
        ("global bytes written", &work.global_bytes_written),
        ("integer operations", &work.integer_operations),
        ("float operations", &work.float_operations),
        ("special operations", &work.special_operations),
        ("barriers", &work.barriers),
    ];
    for (name, counted) in rows {
        writeln!(f, "  {name:<22} {counted}")?;
    }
    writeln!(f, "  {:<22} {} bytes a group", "local memory", work.local_memory)
}

impl Display for CostReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
        let with = if sizes.is_empty() { String::new() } else { format!(", {}", sizes.join(", ")) };
        writeln!(f, "{} for {} devices{with}: launches {}", self.kernel, self.target, self.launched)?;
        for launch in &self.launches {
            let place = at(&launch.place);
            let place = if place.is_empty() { place } else { format!(" at {place}") };
            let times = if launch.times.size == "1" { String::new() } else { format!(", {} times", launch.times) };
            writeln!(f, "{}{place}{times}", launch.label)?;
            if launch.function.is_some() {
                let used: Vec<usize> =
                    (0..3).filter(|d| launch.groups[*d].size != "1" || launch.group[*d] != 1).collect();
                let shape = |part: &dyn Fn(usize) -> String| match used.as_slice() {
                    [] => "1".to_owned(),
                    used => used.iter().map(|d| part(*d)).collect::<Vec<_>>().join(" x "),
                };
                let groups = shape(&|d| launch.groups[d].to_string());
                writeln!(f, "  {:<22} {groups} groups of {}", "work-items", shape(&|d| launch.group[d].to_string()))?;
            }
            table(f, &launch.work)?;
            if launch.waits {
                writeln!(f, "  work-groups wait for each other: their reads meanwhile are not counted")?;
            }
        }
        if self.launches.len() > 1 {
            writeln!(f, "all together")?;
            table(f, &self.total)?;
        }
        for unknown in &self.unknown {
            writeln!(f, "{unknown}")?;
        }
        for stored in &self.stored {
            writeln!(f, "{:<10} {} bytes, {}", stored.name, stored.bytes, stored.memory)?;
        }
        for part in &self.slow {
            let place = at(&part.place);
            let place = if place.is_empty() { place } else { format!(" at {place}") };
            writeln!(f, "far slower than the device{place}: {}", part.message)?;
        }
        Ok(())
    }
}
