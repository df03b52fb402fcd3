//! The modules of Darshan and the names of their counters.

use crate::columns::Word;
use std::ops::Range;
use std::sync::OnceLock;

/// Define the modules, each with Darshan's word for it.
macro_rules! modules {
    ($($module:ident $word:literal,)*) => {
        /// A module, by its slot in the header of format 3.41; the last is the one kind of record of formats before
        /// 3.00.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Module {
            $($module,)*
        }

        impl Module {
            /// All of them, in the order of their codes.
            pub const ALL: &[Module] = &[$($module,)*];
        }

        impl Word for Module {
            const WORDS: &'static [&'static str] = &[$($word,)*];

            fn code(self) -> i32 {
                self as i32
            }
        }
    };
}

modules! {
    Null "NULL",
    Posix "POSIX",
    MpiIo "MPI-IO",
    H5f "H5F",
    H5d "H5D",
    PnetcdfFile "PNETCDF_FILE",
    PnetcdfVar "PNETCDF_VAR",
    Bgq "BG/Q",
    Lustre "LUSTRE",
    Stdio "STDIO",
    DxtPosix "DXT_POSIX",
    DxtMpiio "DXT_MPIIO",
    Mdhim "MDHIM",
    Apxc "APXC",
    Apmpi "APMPI",
    Heatmap "HEATMAP",
    Dfs "DFS",
    Daos "DAOS",
    Cp "CP",
}

use Module::*;

impl Module {
    /// The module of a slot; None for slots of modules that are not known.
    pub fn of_slot(slot: usize) -> Option<Module> {
        Module::ALL.get(slot).copied().filter(|&module| module != Cp)
    }

    /// Whether its records are of files, and not of a rank, router or machine.
    pub fn is_of_files(self) -> bool {
        !matches!(self, Bgq | Apxc | Apmpi | Heatmap)
    }
}

/// Parts of names, which lists repeat.
const PARTS: &[(&str, &str)] = &[
    (
        "$B",
        "{0_100,100_1K,1K_10K,10K_100K,100K_1M,1M_4M,4M_10M,10M_100M,100M_1G,1G_PLUS}",
    ),
    ("$R", "FASTEST_RANK,FASTEST_RANK_BYTES,SLOWEST_RANK,SLOWEST_RANK_BYTES"),
    ("$T", "{$U,VARIANCE_RANK_TIME,VARIANCE_RANK_BYTES}"),
    (
        "$U",
        "{OPEN_START,READ_START,WRITE_START,CLOSE_START,OPEN_END,READ_END,WRITE_END,CLOSE_END}_TIMESTAMP,\
         READ_TIME,WRITE_TIME,META_TIME,MAX_READ_TIME,MAX_WRITE_TIME,FASTEST_RANK_TIME,SLOWEST_RANK_TIME",
    ),
    (
        "$M",
        "{CALL_COUNT,TOTAL_BYTES,MSG_SIZE_AGG_0_256,MSG_SIZE_AGG_256_1K,MSG_SIZE_AGG_1K_8K,MSG_SIZE_AGG_8K_256K,\
         MSG_SIZE_AGG_256K_1M,MSG_SIZE_AGG_1M_PLUS}",
    ),
    (
        "$P",
        "{SEND,SSEND,RSEND,BSEND,RECV,SENDRECV,SENDRECV_REPLACE,ISEND,ISSEND,IRSEND,IBSEND,IRECV}",
    ),
    (
        "$W",
        "{PROBE,IPROBE,TEST,TESTANY,TESTALL,TESTSOME,WAIT,WAITANY,WAITALL,WAITSOME,BARRIER,IBARRIER}",
    ),
    (
        "$C",
        "{BCAST,GATHER,GATHERV,SCATTER,SCATTERV,SCAN,EXSCAN,ALLGATHER,ALLGATHERV,REDUCE,ALLREDUCE,REDUCE_SCATTER,\
         ALLTOALL,ALLTOALLV,ALLTOALLW}",
    ),
    ("$O", "{PUT,GET,ACCUMULATE,GET_ACCUMULATE}"),
    (
        "$S",
        "{FETCH_AND_OP,COMPARE_AND_SWAP,WIN_FENCE,WIN_START,WIN_COMPLETE,WIN_POST,WIN_WAIT,WIN_TEST,WIN_LOCK,\
         WIN_UNLOCK,WIN_UNLOCK_ALL,WIN_FLUSH,WIN_FLUSH_ALL,WIN_FLUSH_LOCAL,WIN_FLUSH_LOCAL_ALL,WIN_SYNC}",
    ),
];

impl Module {
    /// The names of its counters that are whole numbers, and of those that are real numbers, in the order of its newest
    /// records, as the shell's braces.
    fn lists(self) -> (&'static str, &'static str) {
        match self {
            Null | DxtPosix | DxtMpiio => ("", ""),
            Posix => (
                "POSIX_{OPENS,FILENOS,DUPS,READS,WRITES,SEEKS,STATS,MMAPS,FSYNCS,FDSYNCS,RENAME_SOURCES,\
                 RENAME_TARGETS,RENAMED_FROM,MODE,BYTES_READ,BYTES_WRITTEN,MAX_BYTE_READ,MAX_BYTE_WRITTEN,\
                 CONSEC_READS,CONSEC_WRITES,SEQ_READS,SEQ_WRITES,RW_SWITCHES,MEM_NOT_ALIGNED,MEM_ALIGNMENT,\
                 FILE_NOT_ALIGNED,FILE_ALIGNMENT,MAX_READ_TIME_SIZE,MAX_WRITE_TIME_SIZE,SIZE_READ_$B,SIZE_WRITE_$B,\
                 STRIDE{1..4}_STRIDE,STRIDE{1..4}_COUNT,ACCESS{1..4}_ACCESS,ACCESS{1..4}_COUNT,$R}",
                "POSIX_F_$T",
            ),
            MpiIo => (
                "MPIIO_{INDEP_OPENS,COLL_OPENS,INDEP_READS,INDEP_WRITES,COLL_READS,COLL_WRITES,SPLIT_READS,\
                 SPLIT_WRITES,NB_READS,NB_WRITES,SYNCS,HINTS,VIEWS,MODE,BYTES_READ,BYTES_WRITTEN,RW_SWITCHES,\
                 MAX_READ_TIME_SIZE,MAX_WRITE_TIME_SIZE,SIZE_READ_AGG_$B,SIZE_WRITE_AGG_$B,ACCESS{1..4}_ACCESS,\
                 ACCESS{1..4}_COUNT,$R}",
                "MPIIO_F_$T",
            ),
            Stdio => (
                "STDIO_{OPENS,FDOPENS,READS,WRITES,SEEKS,FLUSHES,BYTES_WRITTEN,BYTES_READ,MAX_BYTE_READ,\
                 MAX_BYTE_WRITTEN,$R}",
                "STDIO_F_{META,WRITE,READ}_TIME STDIO_F_{OPEN,CLOSE,WRITE,READ}_START_TIMESTAMP \
                 STDIO_F_{OPEN,CLOSE,WRITE,READ}_END_TIMESTAMP \
                 STDIO_F_{FASTEST_RANK_TIME,SLOWEST_RANK_TIME,VARIANCE_RANK_TIME,VARIANCE_RANK_BYTES}",
            ),
            H5f => (
                "H5F_{OPENS,FLUSHES,USE_MPIIO}",
                "H5F_F_{OPEN_START_TIMESTAMP,CLOSE_START_TIMESTAMP,OPEN_END_TIMESTAMP,CLOSE_END_TIMESTAMP,META_TIME}",
            ),
            H5d => (
                "H5D_{OPENS,READS,WRITES,FLUSHES,BYTES_READ,BYTES_WRITTEN,RW_SWITCHES,REGULAR_HYPERSLAB_SELECTS,\
                 IRREGULAR_HYPERSLAB_SELECTS,POINT_SELECTS,MAX_READ_TIME_SIZE,MAX_WRITE_TIME_SIZE,SIZE_READ_AGG_$B,\
                 SIZE_WRITE_AGG_$B,ACCESS{1..4}_{ACCESS,LENGTH_D{1..5},STRIDE_D{1..5}},ACCESS{1..4}_COUNT,\
                 DATASPACE_NDIMS,DATASPACE_NPOINTS,DATATYPE_SIZE,CHUNK_SIZE_D{1..5},USE_MPIIO_COLLECTIVE,\
                 USE_DEPRECATED,$R}",
                "H5D_F_$T",
            ),
            PnetcdfFile => (
                "PNETCDF_FILE_{CREATES,OPENS,REDEFS,INDEP_WAITS,COLL_WAITS,SYNCS,BYTES_READ,BYTES_WRITTEN,\
                 WAIT_FAILURES}",
                "PNETCDF_FILE_F_{OPEN_START_TIMESTAMP,CLOSE_START_TIMESTAMP,WAIT_START_TIMESTAMP,\
                 OPEN_END_TIMESTAMP,CLOSE_END_TIMESTAMP,WAIT_END_TIMESTAMP,META_TIME,WAIT_TIME}",
            ),
            PnetcdfVar => (
                "PNETCDF_VAR_{OPENS,INDEP_READS,INDEP_WRITES,COLL_READS,COLL_WRITES,NB_READS,NB_WRITES,BYTES_READ,\
                 BYTES_WRITTEN,RW_SWITCHES,PUT_VAR{,1,A,S,M,N,D},GET_VAR{,1,A,S,M,N,D},IPUT_VAR{,1,A,S,M,N},\
                 IGET_VAR{,1,A,S,M,N},BPUT_VAR{,1,A,S,M,N},MAX_READ_TIME_SIZE,MAX_WRITE_TIME_SIZE,\
                 SIZE_READ_AGG_$B,SIZE_WRITE_AGG_$B,ACCESS{1..4}_{ACCESS,LENGTH_D{1..5},STRIDE_D{1..5}},\
                 ACCESS{1..4}_COUNT,NDIMS,NPOINTS,DATATYPE_SIZE,IS_RECORD_VAR,$R}",
                "PNETCDF_VAR_F_$T",
            ),
            Bgq => (
                "BGQ_{CSJOBID,NNODES,RANKSPERNODE,DDRPERNODE,INODES,ANODES,BNODES,CNODES,DNODES,ENODES,TORUSENABLED}",
                "BGQ_F_TIMESTAMP",
            ),
            // the totals of OSTs and MDTs and the offset are of version 1; components are numbered in names
            Lustre => ("LUSTRE_{OSTS,MDTS,STRIPE_OFFSET,NUM_COMPONENTS,NUM_STRIPES}", ""),
            Mdhim => (
                "MDHIM_{PUTS,GETS,PUT_MAX_SIZE,GET_MAX_SIZE,SERVERS}",
                "MDHIM_F_{PUT_TIMESTAMP,GET_TIMESTAMP,PUT_MAX_DURATION,GET_MAX_DURATION}",
            ),
            Apxc => (
                "APXC_AR_RTR_{0..4}_{0..7}_INQ_PRF_{INCOMING_FLIT_VC{0..7},ROWBUS_STALL_CNT} \
                 APXC_AR_RTR_PT_5_{0..7}_INQ_PRF_{INCOMING_FLIT_VC0,INCOMING_FLIT_VC4,REQ_ROWBUS_STALL_CNT,\
                 RSP_ROWBUS_STALL_CNT} APXC_ROUTER_{GROUP,CHASSIS,BLADE,NODE} \
                 APXC_{BLADES,CHASSIS,GROUPS,MEMORY_MODE,CLUSTER_MODE,APPLICATION_ID}",
                "",
            ),
            Apmpi => (
                "MPI_$P_$M MPI_$W_CALL_COUNT MPI_{,I}$C_$M MPI_$O_$M MPI_$S_CALL_COUNT APMPI_SYNC_FLAG",
                "MPI_{$P,$W,$C,I$C,$O,$S}_{TOTAL,MIN,MAX}_TIME MPI_{BARRIER,$C}_TOTAL_SYNC_TIME \
                 MPI_TOTAL_COMM_{TIME,SYNC_TIME} APMPI_F_VARIANCE_TOTAL_{MPITIME,MPISYNCTIME}",
            ),
            Heatmap => ("HEATMAP_BINS", "HEATMAP_F_BIN_WIDTH_SECONDS"),
            Dfs => (
                "DFS_{OPENS,GLOBAL_OPENS,LOOKUPS,DUPS,READS,READXS,WRITES,WRITEXS,NB_READS,NB_WRITES,GET_SIZES,\
                 PUNCHES,REMOVES,STATS,BYTES_READ,BYTES_WRITTEN,RW_SWITCHES,MAX_READ_TIME_SIZE,MAX_WRITE_TIME_SIZE,\
                 SIZE_READ_$B,SIZE_WRITE_$B,ACCESS{1..4}_ACCESS,ACCESS{1..4}_COUNT,CHUNK_SIZE,$R}",
                "DFS_F_{$U}",
            ),
            Daos => (
                "DAOS_{OBJ_{OPENS,FETCHES,UPDATES,PUNCHES,DKEY_PUNCHES,AKEY_PUNCHES,DKEY_LISTS,AKEY_LISTS,\
                 RECX_LISTS},ARRAY_{OPENS,READS,WRITES,GET_SIZES,SET_SIZES,STATS,PUNCHES,DESTROYS},\
                 KV_{OPENS,GETS,PUTS,REMOVES,LISTS,DESTROYS},NB_OPS,BYTES_READ,BYTES_WRITTEN,RW_SWITCHES,\
                 MAX_READ_TIME_SIZE,MAX_WRITE_TIME_SIZE,SIZE_READ_$B,SIZE_WRITE_$B,ACCESS{1..4}_ACCESS,\
                 ACCESS{1..4}_COUNT,OBJ_OTYPE,ARRAY_CELL_SIZE,ARRAY_CHUNK_SIZE,$R}",
                "DAOS_F_{$U}",
            ),
            Cp => (
                "CP_{INDEP_OPENS,COLL_OPENS,INDEP_READS,INDEP_WRITES,COLL_READS,COLL_WRITES,SPLIT_READS,SPLIT_WRITES,\
                 NB_READS,NB_WRITES,SYNCS,POSIX_{READS,WRITES,OPENS,SEEKS,STATS,MMAPS,FREADS,FWRITES,FOPENS,FSEEKS,\
                 FSYNCS,FDSYNCS},INDEP_NC_OPENS,COLL_NC_OPENS,HDF5_OPENS,COMBINER_{NAMED,DUP,CONTIGUOUS,VECTOR,\
                 HVECTOR_INTEGER,HVECTOR,INDEXED,HINDEXED_INTEGER,HINDEXED,INDEXED_BLOCK,STRUCT_INTEGER,STRUCT,\
                 SUBARRAY,DARRAY,F90_REAL,F90_COMPLEX,F90_INTEGER,RESIZED},HINTS,VIEWS,MODE,BYTES_READ,\
                 BYTES_WRITTEN,MAX_BYTE_READ,MAX_BYTE_WRITTEN,CONSEC_READS,CONSEC_WRITES,SEQ_READS,SEQ_WRITES,\
                 RW_SWITCHES,MEM_NOT_ALIGNED,MEM_ALIGNMENT,FILE_NOT_ALIGNED,FILE_ALIGNMENT,MAX_READ_TIME_SIZE,\
                 MAX_WRITE_TIME_SIZE,SIZE_READ_$B,SIZE_WRITE_$B,SIZE_READ_AGG_$B,SIZE_WRITE_AGG_$B,EXTENT_READ_$B,\
                 EXTENT_WRITE_$B,STRIDE{1..4}_STRIDE,STRIDE{1..4}_COUNT,ACCESS{1..4}_ACCESS,ACCESS{1..4}_COUNT,\
                 DEVICE,SIZE_AT_OPEN,$R}",
                "CP_F_{OPEN_TIMESTAMP,READ_START_TIMESTAMP,WRITE_START_TIMESTAMP,CLOSE_TIMESTAMP,\
                 READ_END_TIMESTAMP,WRITE_END_TIMESTAMP,POSIX_READ_TIME,POSIX_WRITE_TIME,POSIX_META_TIME,\
                 MPI_META_TIME,MPI_READ_TIME,MPI_WRITE_TIME,MAX_READ_TIME,MAX_WRITE_TIME,FASTEST_RANK_TIME,\
                 SLOWEST_RANK_TIME,VARIANCE_RANK_TIME,VARIANCE_RANK_BYTES}",
            ),
        }
    }
}

/// The number of a counter that has a place in the lists of its module.
pub type Code = u32;

/// All counters of all modules: of each, the whole numbers before the real ones.
#[derive(Debug)]
pub struct Catalogue {
    names: Vec<String>,
    is_real: Vec<bool>,
    /// Of each module, where its whole and its real numbers are.
    places: Vec<(Range<Code>, Range<Code>)>,
}

impl Catalogue {
    pub fn get() -> &'static Catalogue {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| {
            let mut made = Catalogue { names: Vec::new(), is_real: Vec::new(), places: Vec::new() };
            for module in Module::ALL {
                let (whole, real) = module.lists();
                let places = (made.add(whole, false), made.add(real, true));
                made.places.push(places);
            }
            made
        })
    }

    fn add(&mut self, list: &str, is_real: bool) -> Range<Code> {
        let first = self.names.len() as Code;
        let mut list = list.to_owned();
        for (part, names) in PARTS {
            list = list.replace(part, names);
        }
        self.names.extend(list.split_whitespace().flat_map(expanded));
        self.is_real.resize(self.names.len(), is_real);
        first..self.names.len() as Code
    }

    /// How many counters there are.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    pub fn name(&self, code: Code) -> &str {
        &self.names[code as usize]
    }

    /// Whether a counter is a real number.
    pub fn is_real(&self, code: Code) -> bool {
        self.is_real[code as usize]
    }

    /// The codes of a module's whole numbers.
    pub fn whole(&self, module: Module) -> Range<Code> {
        self.places[module as usize].0.clone()
    }

    /// The codes of a module's real numbers.
    pub fn real(&self, module: Module) -> Range<Code> {
        self.places[module as usize].1.clone()
    }

    /// The names of a module's counters, each with whether it is a real number.
    pub fn of(&self, module: Module) -> impl Iterator<Item = (&str, bool)> {
        let (whole, real) = &self.places[module as usize];
        whole.clone().chain(real.clone()).map(|code| (self.name(code), self.is_real(code)))
    }
}

/// What the shell's braces in a pattern stand for, in order: `A{B,C}` for AB and AC, `A{1..3}` for A1, A2 and A3.
fn expanded(pattern: &str) -> Vec<String> {
    let Some(start) = pattern.find('{') else {
        return vec![pattern.to_owned()];
    };
    let mut depth = 0;
    let mut choices = Vec::new();
    let (mut from, mut end) = (start + 1, pattern.len());
    for (place, sign) in pattern.char_indices().skip(start) {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if (sign == ',' && depth == 1) || depth == 0 {
            choices.push(&pattern[from..place]);
            from = place + 1;
        }
        if depth == 0 {
            end = place + 1;
            break;
        }
    }
    let bounds = match choices[..] {
        [only] => only
            .split_once("..")
            .and_then(|(first, last)| Some((first.parse::<u32>().ok()?, last.parse::<u32>().ok()?))),
        _ => None,
    };
    let choices: Vec<String> = match bounds {
        Some((first, last)) => (first..=last).map(|number| number.to_string()).collect(),
        None => choices.into_iter().flat_map(expanded).collect(),
    };
    let tails = expanded(pattern.get(end..).unwrap_or(""));
    let head = &pattern[..start];
    choices.iter().flat_map(|choice| tails.iter().map(move |tail| format!("{head}{choice}{tail}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_those_of_the_shell() {
        assert_eq!(expanded("A{B,C{1..2}}_{D,E}"), ["AB_D", "AB_E", "AC1_D", "AC1_E", "AC2_D", "AC2_E"]);
        assert_eq!(expanded("X{,1}"), ["X", "X1"]);
        assert_eq!(expanded("plain"), ["plain"]);
    }

    #[test]
    fn lists_have_the_lengths_of_records() {
        let catalogue = Catalogue::get();
        let lengths = |module| (catalogue.whole(module).len(), catalogue.real(module).len());
        let expected = [
            (Posix, 69, 17),
            (MpiIo, 51, 17),
            (Stdio, 14, 15),
            (H5f, 3, 5),
            (H5d, 94, 17),
            (PnetcdfFile, 9, 8),
            (PnetcdfVar, 120, 17),
            (Bgq, 11, 1),
            (Mdhim, 5, 4),
            (Dfs, 52, 15),
            (Daos, 64, 15),
            (Cp, 144, 18),
            // with the header's
            (Apmpi, 396 + 1, 222 + 16 + 2 + 2),
            (Apxc, 392 + 4 + 6, 0),
        ];
        for (module, whole, real) in expected {
            assert_eq!(lengths(module), (whole, real), "{module:?}");
        }
    }

    #[test]
    fn no_two_counters_have_one_name() {
        let mut names = Catalogue::get().names.clone();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
