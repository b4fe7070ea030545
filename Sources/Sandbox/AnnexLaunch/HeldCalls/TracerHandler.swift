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
        /// These children of the tracer's process were not looked at yet.
        case searching(ArraySlice<Int32>, of: UInt32)
    }

    static let withoutThread = CallStep.deny(errno: EPERM)
    /// How many children one look reads. A process can have hundreds of children, and other sandboxes get their turns
    /// between two looks.
    private static let childrenAtOnce = 16

    private var stage = Stage.new

    init() {}

    /// A handler that has listed the children of a tracer already.
    init(looking children: [Int32], of tracer: UInt32) { stage = .searching(children[...], of: tracer) }

    mutating func handle(_ call: HeldCall, on listener: borrowing Descriptor) -> CallStep {
        switch stage {
        case .new:
            stage = .taken
            return .again()
        case .taken:
            guard let tracer = Self.status(of: ProcNumber.listed(Int32(clamping: call.thread)))?.process else {
                return .deny(errno: EPERM)
            }
            // The numbers are those that the broker sees. There are none if they cannot be listed.
            let children = (try? ProcessTree.children(of: Int32(clamping: tracer))) ?? []
            return search(children[...], of: tracer, for: call)
        case .searching(let rest, let tracer): return search(rest, of: tracer, for: call)
        }
    }

    private mutating func search(_ children: ArraySlice<Int32>, of tracer: UInt32, for call: HeldCall) -> CallStep {
        let traced = UInt32(truncatingIfNeeded: call.arguments[1])
        // Another process may have got the number of a listed child since.
        let isFound = children.prefix(Self.childrenAtOnce).contains { child in
            Self.status(of: child).map { $0.innermost == traced && $0.parent == tracer } ?? false
        }
        if isFound { return .proceed }
        let rest = children.dropFirst(Self.childrenAtOnce)
        stage = .searching(rest, of: tracer)
        return rest.isEmpty ? .deny(errno: EPERM) : .again()
    }

    /// - Parameter process: the number that `/proc` gives to the process.
    private static func status(of process: Int32) -> ProcessStatus? {
        ProcessText.read("/proc/\(process)/status").flatMap(ProcessStatus.read)
    }
}
