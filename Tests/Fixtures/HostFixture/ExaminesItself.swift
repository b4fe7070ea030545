// Examines the machine in a program that has its own signal handlers and children. It prints the signals and children
// that the program saw.
import AnnexDoctor
import Glibc
import Synchronization

/// SYNC: relaxed, because a handler only counts.
private let childrenToldOf = Atomic<Int>(0)

enum ExaminesItself {
    static func run() {
        signal(SIGCHLD) { _ in childrenToldOf.add(1, ordering: .relaxed) }
        let policies = Doctor.examine().policies.count
        let everyKind: Int32 = 0x4000_0000 | WNOHANG  // __WALL
        var status: Int32 = 0
        let found = waitpid(-1, &status, everyKind)
        let reason = errno
        print("policies=\(policies)")
        print("signals=\(childrenToldOf.load(ordering: .relaxed))")
        print("wait=\(found) \(reason == ECHILD ? "ECHILD" : "errno \(reason)")")
    }
}
