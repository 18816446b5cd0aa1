//! Parameters of the generated code: numbers that decide how fast it is, never what it computes.
//!
//! A target carries a value for each of them; [`TABLE`] has their names, defaults and candidates. `lift tune` tries the
//! candidates, and a program sets them by `with`. If a value is invalid for a device or a kernel, such as a group that
//! is too large, the compiler falls back on other rules; the code is correct for every value in the table.

use std::fmt;

macro_rules! parameters {
    ($($id:ident $name:literal = $default:literal [$($candidate:literal),*] $meaning:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Parameter { $($id),* }

        /// All parameters, in the order of [`Parameter`].
        pub const TABLE: &[Entry] = &[$(Entry {
            parameter: Parameter::$id,
            name: $name,
            default: $default,
            candidates: &[$($candidate),*],
            meaning: $meaning,
        }),*];
        const COUNT: usize = TABLE.len();
    };
}

/// A row of the table: one parameter.
#[derive(Debug)]
pub struct Entry {
    pub parameter: Parameter,
    pub name: &'static str,
    pub default: u32,
    /// The other values that are tried, ascending.
    pub candidates: &'static [u32],
    pub meaning: &'static str,
}

parameters! {
    Group "group" = 128 [32, 64, 256] "Work-items of a group, unless something else determines them.";
    PerItem "item.elements" = 1 [2, 4, 8, 16] "Elements that a work-item of a long map takes; 4 on a GPU unless set.";
    UnitItems "unit.items" = 256 [64, 128, 512, 1024] "Work-items for which a compute unit counts as busy.";
    MapPieces "map.pieces" = 8 [1, 2, 4, 16, 32] "Pieces of a map per compute unit of a processor.";
    MapLanes "map.lanes" = 256 [64, 1024] "Neighbouring elements of a map whose folds a processor computes together, step by step.";
    Pieces "chunks.unit" = 4 [1, 2, 8, 16] "Chunks of a reduce, scan or filter per compute unit of a processor.";
    ReduceGroups "reduce.groups" = 4 [1, 2, 8, 16] "Groups per compute unit that fold a long array in any order.";
    OrderedGroups "reduce.ordered" = 8 [2, 4, 16] "Groups per compute unit that fold a long array in its order.";
    ReduceLoads "reduce.loads" = 8 [2, 4, 16] "Elements that a work-item of a folding group loads at the same time.";
    FilterChunks "filter.chunks" = 1024 [128, 256, 512, 2048] "Maximum number of chunks whose kept elements are counted separately.";
    FilterTested "filter.tested" = 256 [64, 128, 512] "Elements that a work-item of a processor tests before it moves the kept ones.";
    FilterChunk "filter.least" = 1024 [256, 512, 2048, 4096] "Minimum elements of a chunk whose kept elements are counted separately.";
    KeyParts "keys.parts" = 4 [1, 2, 8] "Parts of a `reduceByKey` per compute unit, each with its tables.";
    KeyPart "keys.least" = 2048 [512, 1024, 4096, 8192] "Minimum elements of a part of a `reduceByKey`.";
    KeyCopies "keys.copies" = 32 [1, 4, 8, 16] "Maximum copies of a table in one group.";
    KeyMasked "keys.masked" = 256 [32, 64, 128, 512] "Minimum keys of a `reduceByKey` without atomic operations for which few work-items share a table without copies.";
    KeyRows "keys.rows" = 256 [1024, 8192, 32768] "Minimum comparisons of a row's elements with keys for which a table in local memory pays.";
    KeyGroup "keys.group" = 64 [16, 32, 128] "Minimum elements of a row that give a group enough work, if it folds the row by key.";
    KeyShort "keys.short" = 128 [32, 64, 256, 512] "Comparisons with keys that count as one in a row that gives a group too little work.";
    KeyTurns "keys.turns" = 4 [1, 2, 8] "Maximum passes over all elements for tables in local memory, if atomic operations in global memory, or rows sorted by key, are the alternative.";
    KeyPiece "keys.piece" = 32 [8, 16, 64, 128] "Maximum rows of one key that a work-item folds, for each column, if rows are sorted by key.";
    SortChunks "sort.chunks" = 8 [2, 4, 16] "Chunks of a radix sort per compute unit.";
    SortFew "sort.few" = 32 [8, 16] "Maximum elements that one work-item of a GPU sorts in registers.";
    SortRun "sort.run" = 32 [8, 16, 64] "Elements of a run that one work-item sorts before runs are merged.";
    SortThreads "sort.threads" = 12 [2, 4, 8, 24] "Minimum threads of a processor that merge runs together by searching.";
    SortFirst "sort.first" = 256 [64, 128, 512] "Work-items that keep the first elements of a part of a row each, if it is sorted for a few of them.";
    SortWhole "sort.whole" = 65536 [16384, 262144] "Minimum elements of an array at the top of a kernel of which a few are kept by parts instead of a sort.";
    SortParts "sort.parts" = 64 [32, 128, 256] "Elements of such an array of which a work-item keeps the first ones.";
    RowsEach "rows.each" = 16 [4, 8, 32, 64] "Elements of a row per work-item, if a team folds the row.";
    RowsTeam "rows.team" = 8 [2, 4, 16, 32] "Work-items per row, if there are many rows of unknown length.";
    RowsBusy "rows.busy" = 1024 [256, 512, 2048] "Work-items of teams that keep a compute unit busy.";
    RowsStarted "rows.started" = 8192 [2048, 4096, 32768] "Maximum work-items, per compute unit, that are started for rows in registers; if there are more rows, each has several.";
    RowsFew "rows.group" = 128 [32, 64, 256] "Work-items of a group whose teams fold a row each.";
    RowsColumns "rows.columns" = 32 [16, 64] "Adjacent columns of a group that folds columns.";
    RowsLoads "rows.loads" = 8 [2, 4, 16] "Elements of a column that a work-item loads at the same time.";
    RowsFlight "rows.flight" = 4 [1, 2, 8] "Elements of a row that a work-item of a team loads at the same time.";
    RowsGroups "rows.groups" = 4 [1, 2, 8, 16] "Groups per compute unit, if few rows are folded in parts.";
    RowsPart "rows.part" = 32 [8, 16, 64, 128] "Minimum elements per work-item of a part of a row, if few rows are folded in parts.";
    RowsWaiting "rows.waiting" = 16 [1, 4, 64] "Maximum rows that few work-items share each, as a multiple of the rows that keep the device busy.";
    RowsShared "rows.shared" = 16 [32, 64, 256] "Minimum elements of a row that several work-items share, if rows are many.";
    RowsNarrow "rows.narrow" = 1024 [256, 512, 2048, 4096] "Maximum elements of a row that few work-items share.";
    RowsLong "rows.long" = 16384 [4096, 65536] "Minimum elements of a row that several groups share, if there are few rows.";
    RowsUneven "rows.uneven" = 64 [32, 128, 256] "Work-items of a group that computes rows of different lengths.";
    RowsEnough "rows.enough" = 32 [8, 16, 64, 128] "Rows per compute unit that keep the device busy, if each is the work of one work-item.";
    RowsOrdered "rows.ordered" = 64 [32, 256, 1024] "Minimum elements of a row, folded or scanned in order, that a team reads for each of its work-items.";
    RowsThread "rows.thread" = 8 [1, 2, 4, 16, 32] "Minimum rows per thread of a processor for which one thread computes a whole row.";
    RowsShort "rows.short" = 8 [1, 2, 4, 16] "Maximum elements of a row that one work-item makes, if another map may make the row itself.";
    OrderedAhead "ordered.ahead" = 16 [1, 4, 8, 32] "Elements that a work-item of a GPU loads for the next steps of a loop in order, before it takes them.";
    TurnsRow "turns.row" = 65536 [16384, 262144] "Minimum elements of a row that gets the whole device.";
    TurnsEach "turns.each" = 16384 [2048, 65536] "Minimum elements of a row that gets the whole device, as a multiple of the number of rows.";
    TurnsUnits "turns.units" = 8 [2, 4, 16, 32] "Compute units per fold of an array that all elements of a map read; if there are more folds, a group computes each.";
    TurnsState "turns.state" = 512 [128, 2048] "Minimum elements of an accumulator row for which each step of a fold or scan is a launch.";
    LoopsWork "loops.work" = 32768 [1, 8192, 1048576] "Maximum elements of an iteration, per operator, for which one group runs a whole loop.";
    LoopsTest "loops.test" = 8 [1, 32] "Launches that take as long as the host's wait for the condition of an iteration.";
    LoopsState "loops.state" = 256 [64, 1024] "Maximum numbers of the state of a loop that stays the work of one work-item.";
    LoopsUnrolled "loops.unrolled" = 16 [4, 8, 32, 64] "Maximum iterations of an `iterate` whose launches are listed one by one; more are a loop of the host.";
    TransposeSide "transpose.side" = 64 [16, 32] "Side of a square that is transposed in local memory.";
    TransposeLeast "transpose.least" = 16 [4, 8, 32] "Minimum elements along each side of what is transposed in squares.";
    TransposeCode "transpose.code" = 64 [16, 256] "Maximum instructions of an element that is computed in squares.";
    MatrixItem "matrix.item" = 8 [4] "Rows and columns of results that a work-item of a matrix tile keeps.";
    MatrixDepth "matrix.depth" = 16 [8] "Steps of the k dimension of a matrix tile between two barriers.";
    MatrixGroups "matrix.groups" = 2 [1, 4, 8] "Groups per compute unit for few tiles whose k dimension is divided.";
    MatrixPart "matrix.part" = 512 [128, 256, 1024, 2048] "Minimum steps of a part of the k dimension, if it is divided.";
    MatrixLeast "matrix.least" = 8 [1, 16, 32, 64] "Minimum rows, and minimum columns, of a product that is computed as one of matrices, although its operands are windows or are spread over several maps.";
    MatrixCells "matrix.cells" = 2048 [1, 512, 8192] "Minimum results per compute unit of a product that is computed as one of matrices, although its operands are windows or are spread over several maps.";
    MatrixFours "matrix.fours" = 768 [1, 4096] "Maximum k dimension of a whole tile whose results are written four at a time.";
    FoldItem "fold.item" = 8 [4] "Maximum rows, and maximum columns, of a work-item in a tile, if the rows of a nest are folded.";
    MatrixSmall "matrix.small" = 4096 [512, 1024, 16384, 32768] "Maximum products of a matrix in a batch for which each result gets a work-item.";
    MatrixQuotients "matrix.quotients" = 16 [4, 8, 32] "Maximum quotients in the addresses of a tile that a work-item keeps in registers.";
    ColumnsCopied "columns.copied" = 64 [16, 32, 128, 256] "Minimum elements of a column for which a copy of the columns pays before each is a work-item's.";
    ColumnsTurns "columns.turns" = 8 [2, 4, 16, 32] "Minimum columns for which a copy of them pays if the host processes one at a time.";
    ColumnsWide "columns.wide" = 32 [8, 16, 64] "Minimum rows, and minimum columns, of a matrix that is copied in squares.";
    ColumnsMade "columns.made" = 64 [16, 32, 128, 256] "Minimum elements of a column that is made by rows.";
    ColumnsRows "columns.rows" = 8 [4, 16, 32] "Minimum elements of a column for which a copy of the columns pays before one work-item makes a row of each.";
    NestsRow "nests.row" = 17 [9, 33, 65] "Minimum elements of a row for which a nest whose result is folded may be stored first.";
    NestsMade "nests.made" = 16 [4, 8, 32, 64] "Minimum elements that a nest makes of each row, if its result may be stored before it is folded.";
    MapBlock "map.block" = 4 [1, 2, 8] "Neighbouring elements of a map that a work-item computes together if they read the same data; in at most two maps.";
    MapBlocks "map.blocks" = 128 [1, 32, 512] "Minimum blocks of neighbours per compute unit.";
    MapRounds "map.rounds" = 64 [1, 16, 256] "Minimum iterations of an element's loops for which a work-item computes it together with its neighbours.";
    MapApart "map.apart" = 256 [64, 128, 512] "Minimum elements along the dimension of neighbouring work-items that is divided into blocks.";
    MapLoads "map.loads" = 67 [50, 85] "Maximum loads of a block of neighbours, in percent of the loads of its elements computed separately.";
    PairsItems "pairs.items" = 256 [64, 128] "Work-items of a group in which all pairs meet, and elements of a chunk.";
    PairsUnrolled "pairs.unrolled" = 8 [2, 4, 16, 32] "Elements of a chunk whose code is unrolled, if all pairs meet in a group.";
    WindowsAcross "windows.across" = 32 [8, 16, 64] "Work-items of a block of windows, across.";
    WindowsDown "windows.down" = 4 [1, 2, 8, 16] "Work-items of a block of windows, down.";
    CoresDown "cores.down" = 128 [32, 64, 256] "Rows of a matrix tile on a processor.";
    CoresAcross "cores.across" = 32 [16, 64, 128] "Columns of a matrix tile on a processor.";
    CoresRounds "cores.rounds" = 128 [32, 64, 256] "Steps of the k dimension whose operands are copied for a matrix tile on a processor.";
    CoresBlock "cores.block" = 8 [2, 4] "Rows of a matrix tile on a processor whose results are in registers together.";
}

/// A class of devices for which code is generated, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TargetName {
    Portable,
    Gpu,
    Nvidia,
    Cpu,
}

impl TargetName {
    /// Where `with` sets the class instead of a parameter, its name.
    pub const WORD: &str = "target";
    pub const MEANING: &str = "The class of devices for which a kernel is compiled, on every device.";
    pub const ALL: [TargetName; 4] = [TargetName::Portable, TargetName::Gpu, TargetName::Nvidia, TargetName::Cpu];

    pub const fn as_str(self) -> &'static str {
        match self {
            TargetName::Portable => "portable",
            TargetName::Gpu => "gpu",
            TargetName::Nvidia => "nvidia",
            TargetName::Cpu => "cpu",
        }
    }

    pub fn named(name: &str) -> Option<TargetName> {
        TargetName::ALL.into_iter().find(|target| target.as_str() == name)
    }
}

/// A class of devices and values of parameters; the others have their defaults.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings {
    pub target: Option<TargetName>,
    /// Zero is not set: no parameter may be zero.
    values: [u32; COUNT],
}

impl Settings {
    pub const DEFAULT: Settings = Settings { target: None, values: [0; COUNT] };

    /// These settings inside others, which hold where these set nothing.
    #[must_use]
    pub fn inside(mut self, outer: &Settings) -> Settings {
        self.target = self.target.or(outer.target);
        for (value, outer) in self.values.iter_mut().zip(outer.values) {
            if *value == 0 {
                *value = outer;
            }
        }
        self
    }

    /// As a `with` has them: `((target gpu) (rows.team 16))`.
    pub fn written(&self) -> String {
        let target = self.target.map(|target| format!("({} {})", TargetName::WORD, target.as_str()));
        let values = self.all().map(|(entry, value)| format!("({} {value})", entry.name));
        format!("({})", target.into_iter().chain(values).collect::<Vec<_>>().join(" "))
    }

    /// The value, if it is set.
    pub fn get(&self, parameter: Parameter) -> Option<u32> {
        Some(self.values[parameter as usize]).filter(|value| *value > 0)
    }

    pub fn set(&mut self, parameter: Parameter, value: u32) {
        self.values[parameter as usize] = value;
    }

    /// The set parameters, in the order of the table.
    pub fn all(&self) -> impl Iterator<Item = (&'static Entry, u32)> {
        TABLE.iter().filter_map(|entry| Some((entry, self.get(entry.parameter)?)))
    }
}

/// Formats as `target=gpu rows.team=16`.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let target = self.target.map(|target| format!("{}={}", TargetName::WORD, target.as_str()));
        let values = self.all().map(|(entry, value)| format!("{}={value}", entry.name));
        f.write_str(&target.into_iter().chain(values).collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl Parameter {
    pub fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }
}

impl Entry {
    pub fn named(name: &str) -> Option<&'static Entry> {
        TABLE.iter().find(|entry| entry.name == name)
    }

    /// The default and the candidates, ascending.
    pub fn values(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.candidates.iter().copied().chain([self.default]).collect();
        all.sort_unstable();
        all
    }

    /// Why this parameter cannot have this value; `Ok` if it can.
    pub fn allows(&self, value: u32) -> Result<(), String> {
        if value == self.default || self.candidates.contains(&value) {
            return Ok(());
        }
        let all: Vec<String> = self.values().iter().map(u32::to_string).collect();
        Err(format!("`{}` cannot be {value}; it is one of {}", self.name, all.join(", ")))
    }
}

/// Parses `rows.team=16`.
pub fn parse(text: &str) -> Result<(Parameter, u32), String> {
    let wrong = || format!("`{text}` is not a setting of a parameter, such as `rows.team=16`");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value: u32 = value.parse().map_err(|_| wrong())?;
    let entry = Entry::named(name).ok_or_else(|| format!("there is no parameter `{name}`"))?;
    entry.allows(value)?;
    Ok((entry.parameter, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_values_are_not_zero() {
        for (n, entry) in TABLE.iter().enumerate() {
            assert_eq!(entry.parameter as usize, n, "{}", entry.name);
            assert!(entry.default > 0 && entry.candidates.iter().all(|c| *c > 0 && *c != entry.default));
            assert!(entry.candidates.is_sorted(), "{}", entry.name);
        }
    }

    #[test]
    fn settings_are_text() {
        let mut settings = Settings::DEFAULT;
        settings.set(Parameter::RowsTeam, 16);
        settings.set(Parameter::Group, 64);
        assert_eq!(settings.to_string(), "group=64 rows.team=16");
        assert_eq!(parse("rows.team=16"), Ok((Parameter::RowsTeam, 16)));
        assert_eq!(parse("rows.team=3"), Err("`rows.team` cannot be 3; it is one of 2, 4, 8, 16, 32".to_owned()));
        assert_eq!(parse("rows.teams=4"), Err("there is no parameter `rows.teams`".to_owned()));
        assert!(parse("rows.team").is_err() && parse("rows.team=-1").is_err());
    }
}
