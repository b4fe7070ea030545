import AnnexTestSupport
import Glibc
import Synchronization

/// This process's wardens. They are searched for only once, because a search through all processes takes longer than a
/// launch.
final class OwnWardens: Sendable {
    private let found = Mutex<Set<Int32>>([])

    var numbers: Set<Int32> {
        found.withLock { found in
            // After a warden has ended, its number may belong to any process.
            if found.isEmpty || !found.allSatisfy({ ProcessTable.isWarden($0, of: getpid()) }) {
                found = ProcessTable.wardens(of: getpid())
            }
            return found
        }
    }

    /// The extensions that exist now.
    var children: Set<Int32> {
        numbers.reduce(into: []) { children, warden in
            let text = ProcText.lines(of: "/proc/\(warden)/task/\(warden)/children").joined()
            children.formUnion(text.split(separator: " ").compactMap { Int32($0) })
        }
    }
}
