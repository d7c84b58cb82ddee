//! Random file: a file whose size is drawn from a distribution, such as those measured in data centres.

use super::{Extent, Offer, Released, Traffic, file};
use crate::data::{Counts, Sizes};
use crate::measure::{Bytes, Window};
use crate::rng::Stream;
use crate::time::Instant;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Number of sizes that stand for a distribution.
const FILES: u32 = 10_000;

crate::choice! {
    /// Unit of the sizes in a file.
    pub enum Unit {
        /// Bytes.
        Bytes = "bytes",
        /// Packets of 1460 bytes.
        Packets = "packets",
    }
}

crate::declare! {
    /// Hands over a file of random size at the start.
    pub struct RandomFileParams as "random-file" from "common practice" {
        /// Distribution of the file's size.
        sizes: Arc<Sizes>, show "web-search";
        /// Unit of the sizes: bytes, or packets of 1460 bytes; by columns, bytes if there are two, packets if there are three.
        unit: Option<Unit> = unset "by its columns";
    }
}

impl RandomFileParams {
    /// Unit of the sizes, if it is given.
    pub fn counts(&self) -> Option<Counts> {
        self.unit.map(|unit| match unit {
            Unit::Bytes => Counts::Bytes,
            Unit::Packets => Counts::Packets,
        })
    }
}

impl Offer for RandomFileParams {
    fn mean_size(&self, _: Bytes) -> Option<f64> {
        Some(self.sizes.mean(self.counts()))
    }
    fn files(&self, mss: Bytes) -> Vec<Extent> {
        let shares = (0..FILES).map(|at| (f64::from(at) + 0.5) / f64::from(FILES));
        let sizes = shares.map(|share| self.sizes.size(self.counts(), share));
        sizes.map(|size| Extent::of(size, mss)).collect()
    }
}

/// The file, once its size is drawn.
#[derive(Clone, Debug)]
pub struct RandomFile(file::File);

impl RandomFile {
    /// Before its start.
    pub fn new(params: &RandomFileParams, mss: Bytes, header: Bytes, mut stream: Stream) -> Self {
        let size = Window::Bytes(params.sizes.draw(params.counts(), &mut stream).0);
        let params = file::FileParams { size };
        Self(file::File::new(&params, mss, header, stream))
    }
}

impl Traffic for RandomFile {
    fn handle_start(&mut self, now: Instant) {
        self.0.handle_start(now);
    }
    fn handle_acknowledged(&mut self, now: Instant, segments: u64) -> Option<Instant> {
        self.0.handle_acknowledged(now, segments)
    }
    fn handle_timeout(&mut self, now: Instant) {
        self.0.handle_timeout(now);
    }
    fn poll_timeout(&self) -> Option<Instant> {
        self.0.poll_timeout()
    }
    fn released(&self) -> Released {
        self.0.released()
    }
    fn extent(&self) -> Option<Extent> {
        self.0.extent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Data, Format};

    #[test]
    fn a_size_per_stream() {
        let Ok(Data::Sizes(sizes)) = Format::Sizes.read("0 0\n100000 100", &|| ()) else {
            panic!("sizes")
        };
        let params = RandomFileParams { sizes, unit: None };
        assert_eq!(params.mean_size(Bytes(1000)), Some(50_000.0));
        let extent = |path| {
            let file = RandomFile::new(&params, Bytes(1000), Bytes(40), Stream::new(1, path));
            assert_eq!(file.released().segments, 0);
            file.extent().expect("an end")
        };
        assert_eq!(extent("a"), extent("a"));
        assert_ne!(extent("a"), extent("b"));
        let size = params.sizes.draw(None, &mut Stream::new(1, "a")).0;
        let Extent { segments, last } = extent("a");
        assert_eq!((segments - 1) * 1000 + last.0, size);
    }
}
