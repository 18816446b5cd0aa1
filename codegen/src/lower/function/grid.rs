//! The distribution of a function over work-items, and its requests to the host.

use crate::core::Level;
use crate::schedule::teams::Team;
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;

/// The dimensions of global work-items, of work-groups and of work-items of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dims {
    pub glb: [bool; 3],
    pub wrg: [bool; 3],
    pub lcl: [bool; 3],
}

impl Dims {
    pub fn any(&self) -> bool {
        self.glb.iter().chain(&self.wrg).chain(&self.lcl).any(|d| *d)
    }
    pub fn union(self, other: Dims) -> Dims {
        let or = |a: [bool; 3], b: [bool; 3]| [a[0] || b[0], a[1] || b[1], a[2] || b[2]];
        Dims { glb: or(self.glb, other.glb), wrg: or(self.wrg, other.wrg), lcl: or(self.lcl, other.lcl) }
    }
}

/// The useful numbers of work-items (of `mapGlb`) and groups (of `mapWrg`) in each dimension; requested from the host.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    pub glb: [Option<Size>; 3],
    pub wrg: [Option<Size>; 3],
    /// Maximum work-items of a group.
    pub group: Option<u32>,
}

/// The launch's dimensions and wishes. Invariant: the dimensions, the group size and the team are set before the first
/// statement; only [`Self::flatten`] changes them afterwards, with all loops over work-items.
pub struct Grid {
    used: Dims,
    /// The fixed number of work-items of a group, if a `mapLcl` relies on it.
    local_size: [Option<u32>; 3],
    /// The team of work-items that shares the function's work, if the schedule has one.
    team: Option<Team>,
    /// The number of elements that a group computes at a time, until they are assigned.
    rows_of_team: Option<u32>,
    /// Whether neighbouring work-items process neighbouring elements of the outer one of two maps, because then they
    /// read adjacent memory.
    across: bool,
    /// Whether a group has one work-item, because each does a large part of the work.
    alone_in_group: bool,
    /// Upper bounds of the trip counts of parallel loops, for the launch size; `None` if unknown.
    wishes: Wishes,
    /// The variables of loops over global work-items, and the lengths of the loops.
    loops: Vec<(Name, Size)>,
    /// The origin of the launch.
    origin: Origin,
}

impl Grid {
    pub(super) fn new(origin: &Origin) -> Grid {
        Grid {
            used: Dims::default(),
            local_size: [None; 3],
            team: None,
            rows_of_team: None,
            across: false,
            alone_in_group: false,
            wishes: Wishes::default(),
            loops: Vec::new(),
            origin: origin.clone(),
        }
    }

    // ---- before the first statement

    pub fn distribute_over(&mut self, used: Dims) {
        self.used = used;
    }
    pub fn rely_on_group(&mut self, local_size: [Option<u32>; 3]) {
        self.local_size = local_size;
    }
    pub fn lie_across(&mut self, across: bool) {
        self.across = across;
    }
    pub fn share_by(&mut self, team: Option<Team>) {
        self.rows_of_team = team.as_ref().map(|team| team.rows).filter(|rows| *rows > 1);
        self.team = team;
    }

    // ---- questions

    pub fn used(&self) -> Dims {
        self.used
    }
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
    pub fn across(&self) -> bool {
        self.across
    }
    pub fn alone_in_group(&self) -> bool {
        self.alone_in_group
    }
    pub fn wishes(&self) -> &Wishes {
        &self.wishes
    }
    /// The fixed number of work-items of a group in a dimension.
    pub fn group_in(&self, dimension: u8) -> Option<u32> {
        self.local_size.get(usize::from(dimension)).copied().flatten()
    }
    /// The attribute of the function.
    pub(super) fn group_size(&self) -> Option<[u32; 3]> {
        self.local_size.iter().any(Option::is_some).then(|| self.local_size.map(|d| d.unwrap_or(1)))
    }
    pub fn team(&self) -> Option<&Team> {
        self.team.as_ref()
    }
    /// Elements that a group computes at a time.
    pub fn rows_of_group(&self) -> i64 {
        self.team.as_ref().map_or(1, |team| i64::from(team.rows))
    }
    /// The length of a loop over global work-items.
    pub fn length_of_loop(&self, var: &Name) -> Option<&Size> {
        self.loops.iter().find(|(name, _)| name == var).map(|(_, n)| n)
    }

    // ---- while the body is written

    /// The number of elements that a group computes at a time, until they are assigned.
    pub fn unassigned_rows(&self) -> Option<u32> {
        self.rows_of_team
    }
    pub(super) fn take_rows(&mut self) -> Option<u32> {
        self.rows_of_team.take()
    }
    pub(super) fn restore_rows(&mut self, rows: Option<u32>) {
        self.rows_of_team = rows;
    }
    pub fn note_loop(&mut self, var: Name, n: Size) {
        self.loops.push((var, n));
    }
    pub fn one_item_per_group(&mut self) {
        self.alone_in_group = true;
    }
    /// At most this many work-items in a group.
    pub fn limit_group(&mut self, most: u32) {
        self.wishes.group = Some(most);
    }
    /// Sets the number of groups in dimension 0.
    pub fn ask_for_groups(&mut self, count: Size) {
        self.wishes.wrg[0] = Some(count);
    }
    /// Sets the number of work-items in dimension 0.
    pub fn ask_for_items(&mut self, count: Size) {
        self.wishes.glb[0] = Some(count);
    }
    /// At least as many work-items or groups, if the level has a number of them.
    pub fn ask_for(&mut self, level: Level, dimension: usize, useful: &Size) {
        let wish = match level {
            Level::Glb(_) => &mut self.wishes.glb[dimension],
            Level::Wrg(_) => &mut self.wishes.wrg[dimension],
            _ => return,
        };
        *wish = Some(wish.as_ref().map_or(useful.clone(), |w| Size::max(w, useful)));
    }
    /// At most this many groups in dimension 0, if a number is known.
    pub fn limit_groups(&mut self, most: &Size) {
        self.wishes.wrg[0] = self.wishes.wrg[0].take().map(|wish| Size::min(&wish, most));
    }
    /// At most this many work-items in dimension 0, if a number is known.
    pub fn limit_items(&mut self, most: &Size) {
        self.wishes.glb[0] = self.wishes.glb[0].take().map(|wish| Size::min(&wish, most));
    }
    /// Lets all loops over global work-items use dimension 0 only.
    pub fn flatten(&mut self) {
        self.used = Dims { glb: [true, false, false], ..Dims::default() };
        self.wishes.glb = Default::default();
    }
}
