internal import AnnexLinux
internal import Glibc

/// Decides about a `ptrace` call after which the traced process, if it is killed, waits until its tracer lets it go.
/// The call passes only if the traced process is a child of the tracer.
///
/// The kernel performs the call later than this check. Until then, the child may have ended, and a younger
/// process may have got its number. Even then, each tracer is older than the process that it traces. So tracers
/// form no circle, and the oldest tracer waits for no other tracer when it is killed.
struct TracerHandler: CallBoundHandler {
    private enum Stage {
        case new
        case taken
        /// These children were not looked at yet.
        case searching(ArraySlice<Int32>)
    }

    static let withoutThread = CallStep.deny(errno: EPERM)
    /// How many children one look reads. A process can have hundreds of children, and other sandboxes get their turns
    /// between two looks.
    private static let childrenAtOnce = 16

    private var stage = Stage.new

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        switch stage {
        case .new:
            stage = .taken
            return .again()
        case .taken: return search(Self.children(of: call.thread)[...], for: call)
        case .searching(let rest): return search(rest, for: call)
        }
    }

    private mutating func search(_ children: ArraySlice<Int32>, for call: HeldCall) -> CallStep {
        let traced = UInt32(truncatingIfNeeded: call.arguments[1])
        if children.prefix(Self.childrenAtOnce).contains(where: { Self.status(of: $0)?.innermost == traced }) {
            return .proceed
        }
        let rest = children.dropFirst(Self.childrenAtOnce)
        stage = .searching(rest)
        return rest.isEmpty ? .deny(errno: EPERM) : .again()
    }

    /// The children of a thread's process. The numbers are those that the broker sees. Empty if they cannot be listed.
    private static func children(of thread: UInt32) -> [Int32] {
        guard let parent = status(of: Int32(clamping: thread))?.process else { return [] }
        return (try? ProcessTree.children(of: Int32(clamping: parent))) ?? []
    }

    private static func status(of process: Int32) -> ProcessStatus? {
        ProcessText.read("/proc/\(process)/status").flatMap(ProcessStatus.read)
    }
}
