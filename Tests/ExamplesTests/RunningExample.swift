import AnnexChannel
import AnnexLinux
import AnnexModel
import AnnexTestSupport
import Foundation
import Synchronization

/// An example extension in a separate process, with a real channel but no sandbox.
final class RunningExample {
    let host: HostEndpoint
    private let process: pid_t
    private let violation: Noted<ChannelViolation>
    private var ended: Int32?

    init(_ name: String) throws {
        let violation = Noted<ChannelViolation>()
        self.violation = violation
        var handlers = ChannelHandlers()
        handlers.onViolation = { violation.note($0) }
        // The owner acts as a broker does. If the extension is gone, no caller must wait for its answer.
        let owner = Owner()
        handlers.onPeerClosed = { owner.end() }
        var configuration = ChannelConfiguration()
        configuration.sendLimit = .patience
        let ends = try HostEndpoint.make(configuration: configuration, handlers: handlers)
        host = ends.host
        owner.own(ends.host)
        process = try Self.spawn(Example.program(name), ends.descriptors)
    }

    deinit {
        kill(process, SIGKILL)
        _ = wait()
    }

    /// Sends a request as a host does. The result is the items or the extension's error.
    func request(_ items: [ExtensionItem], timeout: Duration = .patience) throws -> [ExtensionItem] {
        var contents = ContentsList()
        let payload = try RequestMessage(items, collecting: &contents).encoded()
        let reply = try host.callAndWait(
            Request(
                method: RequestMessage.method, payload: payload, descriptors: contents.readOnlyDescriptors(),
                accepts: DescriptorAllowance(pieces: 1, bytes: 1 << 28)), timeout: timeout)
        return try ReplyMessage(decoding: reply.payload).result(with: ContentsList(reply.sealed)).get()
    }

    /// Waits for the rule that the extension broke.
    func brokenRule() -> ChannelViolation { violation.wait() }

    /// Sends the extension the goodbye.
    func sayGoodbye() throws {
        try host.sendAndWait(ChannelEvent(method: LifeEvent.goodbye))
    }

    /// Waits for the end of the process, and returns its wait status.
    func wait() -> Int32 {
        if let ended { return ended }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        ended = status
        return status
    }

    private static func spawn(_ program: String, _ ends: consuming ExtensionDescriptors) throws -> pid_t {
        // The descriptors first move above the numbers that they will get in the new process.
        let control = try ends.control.duplicate(atLeast: 20)
        let hostRegion = try ends.hostRegion.duplicate(atLeast: 20)
        let extensionRegion = try ends.extensionRegion.duplicate(atLeast: 20)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, control.number, ChannelDescriptor.control)
        posix_spawn_file_actions_adddup2(&actions, hostRegion.number, ChannelDescriptor.hostRegion)
        posix_spawn_file_actions_adddup2(&actions, extensionRegion.number, ChannelDescriptor.extensionRegion)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        let name = strdup(program)
        defer { free(name) }
        let failure = posix_spawn(&process, program, &actions, nil, [name, nil], [nil])
        guard failure == 0 else { throw SystemError("posix_spawn", errno: failure, path: program) }
        return process
    }
}

/// Ends a channel when its extension is gone. This works even if the loss is reported before the owner knows the
/// channel.
private final class Owner: Sendable {
    private let state = Mutex<(host: HostEndpoint?, isOver: Bool)>((nil, false))

    func own(_ host: HostEndpoint) {
        let isOver = state.withLock { state in
            if !state.isOver { state.host = host }
            return state.isOver
        }
        if isOver { host.end(with: "the example has ended") }
    }

    func end() {
        let host = state.withLock { state in
            state.isOver = true
            defer { state.host = nil }
            return state.host
        }
        host?.end(with: "the example has ended")
    }
}
