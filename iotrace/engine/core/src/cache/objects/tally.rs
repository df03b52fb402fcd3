//! Requests and their bytes, hit and in all, by tenant.

/// Requests, and the bytes of their objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    pub requests: u64,
    pub bytes: u64,
}

impl Count {
    #[inline(always)]
    pub fn add(&mut self, bytes: u64) {
        self.requests += 1;
        self.bytes += bytes;
    }

    fn plus(self, other: Count) -> Count {
        Count { requests: self.requests + other.requests, bytes: self.bytes + other.bytes }
    }
}

/// A count for each tenant.
#[derive(Debug, Clone, Default)]
pub struct Hits(Vec<Count>);

impl Hits {
    /// Count a request.
    #[inline(always)]
    pub fn count(&mut self, tenant: u32, bytes: u64) {
        let tenant = tenant as usize;
        if tenant >= self.0.len() {
            self.extend(tenant);
        }
        self.0[tenant].add(bytes);
    }

    /// A tenant's count.
    pub fn of(&self, tenant: usize) -> Count {
        self.0.get(tenant).copied().unwrap_or_default()
    }

    #[cold]
    fn extend(&mut self, tenant: usize) {
        self.0.resize(tenant + 1, Count::default());
    }
}

/// Counts for each tenant and place in a list of sizes.
#[derive(Debug)]
pub struct Tally {
    places: usize,
    counts: Vec<Count>,
    all: Hits,
}

impl Tally {
    /// Counts for this many sizes.
    pub fn new(sizes: usize) -> Self {
        Tally { places: sizes + 1, counts: Vec::new(), all: Hits::default() }
    }

    /// Count a request that hits from a place on; `None` if it hits nowhere.
    #[inline(always)]
    pub fn count(&mut self, tenant: u32, bytes: u64, place: Option<usize>) {
        self.all.count(tenant, bytes);
        if let Some(place) = place {
            self.count_hit(tenant, bytes, place);
        }
    }

    /// Count only that a request hits from a place on.
    #[inline(always)]
    pub fn count_hit(&mut self, tenant: u32, bytes: u64, place: usize) {
        let index = tenant as usize * self.places + place;
        if index >= self.counts.len() {
            self.extend(tenant as usize);
        }
        self.counts[index].add(bytes);
    }

    #[cold]
    fn extend(&mut self, tenant: usize) {
        self.counts.resize((tenant + 1) * self.places, Count::default());
    }

    /// All requests.
    pub fn all(&self) -> &Hits {
        &self.all
    }

    /// Tenants so far: their numbers are below this.
    pub fn tenants(&self) -> usize {
        self.all.0.len()
    }

    /// A tenant's hits at each size.
    pub fn hits(&self, tenant: usize) -> Vec<Count> {
        let from = (tenant * self.places).min(self.counts.len());
        let counts = self.counts[from..].iter().take(self.places - 1);
        let mut sum = Count::default();
        let mut hits: Vec<Count> = counts
            .map(|count| {
                sum = sum.plus(*count);
                sum
            })
            .collect();
        hits.resize(self.places - 1, Count::default());
        hits
    }

    /// Every tenant's hits at the size at a place.
    pub fn hits_at(&self, place: usize) -> Hits {
        Hits((0..self.tenants()).map(|tenant| self.hits(tenant)[place]).collect())
    }
}
