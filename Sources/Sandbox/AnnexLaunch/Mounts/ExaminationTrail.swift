internal import Synchronization

/// Where the examination of handed-over files is. A file system may never answer, for example one whose program (FUSE) or
/// server hangs. No call can be taken back then, so another thread reads the trail and can name the place.
package enum ExaminationTrail {
    /// A place, with the number of the places before it.
    package struct Mark: Sendable, Hashable {
        package let path: String
        let number: UInt64
    }

    private static let last = Mutex(Mark(path: "/", number: 0))

    /// The place that is examined now, or that was examined last.
    package static var mark: Mark { last.withLock { $0 } }

    static func enter(_ path: String) {
        last.withLock { $0 = Mark(path: path, number: $0.number &+ 1) }
    }
}
