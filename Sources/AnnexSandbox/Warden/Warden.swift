package import AnnexLinux
internal import AnnexWarden
internal import CAnnexLinux
internal import Glibc
internal import Synchronization

/// The broker's end of its warden: one small process that makes, reaps and, should the broker die, ends every sandbox.
///
/// The host notices nothing of it: no SIGCHLD, no result of its own `wait`. Launches are independent of one another;
/// what is told about them arrives on the event loop's thread.
package final class Warden: Sendable {
    package typealias Handler = @Sendable (consuming LaunchEvent) -> Void

    struct Launch {
        let handler: Handler
        let subjects: LaunchSubjects
    }

    struct State: ~Copyable {
        var lastLaunch: UInt64 = 0
        var launches: [UInt64: Launch] = [:]
        /// Plans for which the socket had no room yet, in order.
        var backlog: [OutgoingPlan] = []
        var watches: [EventLoop.Watch] = []
        var isLost = false
    }

    let loop: EventLoop
    let socket: ControlSocket
    let process: WardenProcess
    /// The warden's number, for diagnosis.
    package let number: Int32
    /// Which program runs.
    package let program: WardenProgram
    let state = Mutex(State())

    private init(
        loop: EventLoop, socket: consuming ControlSocket, process: consuming ProcessHandle, number: Int32,
        program: WardenProgram
    ) {
        self.loop = loop
        self.socket = socket
        self.process = WardenProcess(process)
        self.number = number
        self.program = program
    }

    deinit {
        // The socket closes with this object: the warden then ends what is left, and itself.
        lose()
    }

    /// Starts a warden and waits for its first word.
    /// - Parameters:
    ///   - programs: tried in order; the first that answers in this library's version is used.
    ///   - patience: for the first word of each, which takes milliseconds: whoever stops a warden stops no host.
    package static func start(
        on loop: EventLoop, programs: [WardenProgram] = WardenProgram.standard, patience: Duration = .seconds(30)
    ) throws(SystemError) -> Warden {
        var last = SystemError("warden", errno: ENOENT)
        for program in programs {
            do throws(SystemError) {
                let warden = try start(program, on: loop, patience)
                try warden.beginListening()
                return warden
            } catch {
                last = error
            }
        }
        throw last
    }

    private static func start(
        _ program: WardenProgram, on loop: EventLoop, _ patience: Duration
    ) throws(SystemError) -> Warden {
        let executable = try program.open()
        var own: Int32 = -1
        var other: Int32 = -1
        // SAFETY: the call writes one number through each pointer and keeps neither.
        _ = try SystemError.check("socketpair", unsafe annex_socket_pair(&own, &other))
        let socket = ControlSocket(owning: Descriptor(owning: own))
        // Closed here once the warden has it: its death before the first word shows as the end of the socket.
        let started = try execute(executable, socket: Descriptor(owning: other))
        let number = started.number
        do throws(SystemError) {
            try hearHello(on: socket, within: patience)
        } catch {
            // It may be stopped, and would stay when nobody needs it any more.
            let process = WardenProcess(started.takeProcess())
            try? process.handle.sendSignal(SIGKILL)
            try? process.watchEnd(on: loop) {}
            throw error
        }
        return Warden(
            loop: loop, socket: socket, process: started.takeProcess(), number: number, program: program)
    }

    private struct Started: ~Copyable {
        let process: ProcessHandle
        let number: Int32

        consuming func takeProcess() -> ProcessHandle { process }
    }

    private static func execute(
        _ executable: borrowing Descriptor, socket: consuming Descriptor
    ) throws(SystemError) -> Started {
        let broker = try ProcessHandle(process: getpid())
        let given = [socket.number, broker.descriptor.number]
        var pidfd: Int32 = -1
        // SAFETY: the list and the number outlive the call, which returns when the program runs.
        let number = unsafe given.withUnsafeBufferPointer { list in
            unsafe annex_start_helper(executable.number, "annex-warden", list.baseAddress, UInt32(list.count), &pidfd)
        }
        _ = try SystemError.check("execveat of the warden", number)
        return Started(process: ProcessHandle(owning: Descriptor(owning: pidfd)), number: number)
    }

    private static func hearHello(
        on socket: borrowing ControlSocket, within patience: Duration
    ) throws(SystemError) {
        guard socket.descriptor.isReadable(within: patience) else {
            throw SystemError("warden", errno: ETIMEDOUT, mend: "something stopped it, or the machine is overloaded")
        }
        guard case .message(let message) = try socket.receive(atMost: WardenAnswer.size, waiting: true),
            let answer = WardenAnswer(message.bytes), answer.kind == .hello
        else { throw SystemError("warden", errno: EPROTO, mend: "it ended before its first word") }
        guard answer.version == ANNEX_WARDEN_VERSION else {
            throw SystemError(
                "warden", errno: EPROTO, mend: "it is of version \(answer.version); \(ANNEX_WARDEN_VERSION) is needed")
        }
        guard answer.error == 0 else {
            throw SystemError("start of the warden (\(answer.beginning))", errno: answer.error)
        }
    }
}
