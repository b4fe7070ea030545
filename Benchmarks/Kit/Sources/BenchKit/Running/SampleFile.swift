internal import Foundation
package import Histogram

/// The driver's samples as the driver wrote them. Each phase has the calls in a sample, the number of samples, and the
/// nanoseconds of each sample. All values have 64 bits.
package enum SampleFile {
    /// An empty histogram of picoseconds, up to a thousand seconds.
    package static func histogram() -> Histogram<UInt64> {
        Histogram(
            lowestDiscernibleValue: 1, highestTrackableValue: 1_000_000_000_000_000,
            numberOfSignificantValueDigits: .three)
    }

    package static func read(_ path: String) throws -> (batched: Histogram<UInt64>?, single: Histogram<UInt64>?) {
        let data = try Data(contentsOf: URL(filePath: path))
        var batched: Histogram<UInt64>?
        var single: Histogram<UInt64>?
        try data.withUnsafeBytes { bytes in
            var words = bytes.bindMemory(to: UInt64.self)[...]
            while words.count >= 2 {
                let batch = words.removeFirst()
                let count = Int(words.removeFirst())
                guard count <= words.count, batch > 0 else { throw RunFailure("\(path): cut short") }
                var found = histogram()
                for sample in words.prefix(count) { found.record(max(1, sample * 1000 / batch)) }
                words = words.dropFirst(count)
                if batch == 1 { single = found } else { batched = found }
            }
        }
        return (batched, single)
    }
}
