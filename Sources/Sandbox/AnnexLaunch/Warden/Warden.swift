package import AnnexLinux
internal import Glibc
internal import Synchronization

/// Represents the warden in the broker. The warden is a small process that makes and reaps every sandbox. If the broker
/// dies, the warden ends all sandboxes.
///
/// The warden is not a child of the host, so the host gets no SIGCHLD and no result of `wait` for it. Launches are
/// independent of one another. Their events arrive on the event loop's thread.
package final class Warden: Sendable {
    package typealias Handler = @Sendable (consuming LaunchEvent) -> Void

    struct Launch {
        let handler: Handler
        let subjects: LaunchSubjects
    }

    struct State: ~Copyable {
        var lastLaunch: UInt64 = 0
        var launches: [UInt64: Launch] = [:]
        /// Plans for which the socket had no room yet, in the order of sending.
        var backlog: [OutgoingPlan] = []
        var watches: [EventLoop.Watch] = []
        var isLost = false
    }

    let loop: EventLoop
    let socket: ControlSocket
    let process: WardenProcess
    /// The warden's process number, for diagnosis.
    package let number: Int32
    /// The program that runs as this warden.
    package let program: WardenProgram
    /// The controls against side channels that are in force in each sandbox with the layer `speculation`. They are
    /// all controls of this kind that this machine offers.
    let controls: SpeculationControls
    let state = Mutex(State())

    init(
        loop: EventLoop, socket: consuming ControlSocket, process: consuming ProcessHandle, number: Int32,
        program: WardenProgram, controls: SpeculationControls
    ) {
        self.loop = loop
        self.socket = socket
        self.process = WardenProcess(process)
        self.number = number
        self.program = program
        self.controls = controls
    }

    deinit {
        // The socket is closed when this object is destroyed. The warden then ends the remaining sandboxes and exits.
        lose()
    }

    /// Starts a warden and waits for its hello.
    /// - Parameters:
    ///   - programs: the programs to try, in order. The first program that answers in this library's version is used.
    ///   - patience: how long to wait for the hello of each program. The hello usually takes milliseconds. Without a
    ///     limit, a stopped warden would block the host for ever.
    package static func start(
        on loop: EventLoop, programs: [WardenProgram] = WardenProgram.standard, patience: Duration = .seconds(30)
    ) throws(SystemError) -> Warden {
        var others: ArraySlice<WardenProgram> = []
        let starting = try StartingWarden.first(of: programs, on: loop, others: &others)
        return try ready(starting, others: others, patience: patience)
    }

    /// - Parameter others: the programs to start if the starting warden sends no hello.
    static func ready(
        _ starting: consuming StartingWarden, others: ArraySlice<WardenProgram>, patience: Duration = .seconds(30)
    ) throws(SystemError) -> Warden {
        let loop = starting.loop
        do throws(SystemError) {
            return try starting.ready(within: patience)
        } catch {
            guard !others.isEmpty else { throw error }
            return try start(on: loop, programs: Array(others), patience: patience)
        }
    }
}

/// The warden's process. If no other process collects its exit status, this object does.
///
/// The warden's parent has ended by the time the warden runs, so the kernel gives the warden a new parent. In two
/// cases, this process is the new parent. It may be the first process of its pid namespace (a container's entry point),
/// or it may have asked for orphans (`PR_SET_CHILD_SUBREAPER`). A child that ended stays a zombie until its parent
/// collects its status.
final class WardenProcess: Sendable {
    let handle: ProcessHandle
    private let watch = Mutex<EventLoop.Watch?>(nil)

    init(_ handle: consuming ProcessHandle) {
        self.handle = handle
    }

    /// Calls `told` when the process has ended, and collects its exit status. The event loop keeps this object alive
    /// until then.
    func watchEnd(on loop: EventLoop, _ told: @escaping @Sendable () -> Void) throws(SystemError) {
        try watch.withLock { (watch) throws(SystemError) in
            watch = try loop.watch(handle.descriptor.number) { _ in
                told()
                self.finish()
            }
        }
    }

    /// Collects the status of a process that has ended, and ends its watch. On the loop's own thread this function
    /// does not wait. On any other thread this function first waits until a running callback of the watch has
    /// returned.
    func finish() {
        // The watch stays stored, so that a second call waits for the same cancellation.
        watch.withLock { $0 }?.cancelAndWait()
        var information = unsafe siginfo_t()
        let options = WEXITED | WNOHANG | Int32(bitPattern: UInt32(__WALL))
        // SAFETY: the call fills the structure and keeps nothing. It fails if the process is not a child of this
        // process.
        _ = unsafe waitid(Self.byHandle, id_t(handle.descriptor.number), &information, options)
    }

    /// The value of `P_PIDFD`.
    private static let byHandle = idtype_t(3)
}
