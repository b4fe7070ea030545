internal import Synchronization

/// The last bytes that a program wrote to its standard error, or to its terminal. The program chose these bytes.
///
/// If the caller's standard output and standard error are the same file, these are the last bytes of both.
package final class LastWords: Sendable {
    private static let most = 8_192

    private let kept = Mutex<[UInt8]>([])

    package init() {}

    func add(_ bytes: [UInt8]) {
        kept.withLock { kept in
            kept.append(contentsOf: bytes.suffix(Self.most))
            if kept.count > 2 * Self.most { kept.removeFirst(kept.count - Self.most) }
        }
    }

    package var bytes: [UInt8] { kept.withLock { $0.suffix(Self.most) } }
}
