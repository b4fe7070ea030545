import Dispatch
import Glibc
import Synchronization

/// Launches a hundred extensions at once, again and again, on a separate thread.
final class Crowds: Sendable {
    private let isOver = Atomic(false)
    private let end = DispatchSemaphore(value: 0)

    init(_ launcher: Launcher) {
        DispatchQueue(label: "crowds").async { [self] in
            while !isOver.load(ordering: .acquiring) { Crowd.launched(100, by: launcher).end() }
            end.signal()
        }
    }

    func stop() {
        isOver.store(true, ordering: .releasing)
        end.wait()
    }
}
