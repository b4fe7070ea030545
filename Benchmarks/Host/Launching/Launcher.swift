import AnnexChannel
import AnnexEmbedded
import AnnexHost
import CBenchDriver
import Glibc

/// Starts extensions in their full sandbox, as any host would, on the processors that the plan states.
struct Launcher: @unchecked Sendable {
    private let host: AnnexHost
    // SAFETY: no code writes to the plan after it is parsed.
    private let plan: Plan
    private let identifier: String

    init(_ plan: Plan, identifier: String, isSigned: Bool = false) throws {
        self.plan = plan
        self.identifier = identifier
        // The warden and its children stay on the processors on which this process was when it started the warden.
        guard bench_pin_all(plan.server) else { throw Failure.notPinned }
        host = try AnnexHost.embedded(apps: [Self.app(isSigned: isSigned)], instances: 4096)
        guard bench_pin_all(plan.client) else { throw Failure.notPinned }
    }

    func launch() throws -> ExtensionSession {
        try host.beginAndWait(identifier) { configuration in
            configuration.waiting = plan.waiting
            let largest = UInt32(clamping: max(plan.request, plan.reply))
            configuration.largestMessage = max(configuration.largestMessage, largest)
            // The limits that the library uses without a policy. These scenes measure the channel, and not the bounds of a policy.
            (configuration.hostArena, configuration.extensionArena) = (2 << 20, 2 << 20)
        }
    }

    /// - Returns: nil if the launch failed. The error is printed.
    func launchInTask() async -> ExtensionSession? {
        do throws(HostError) {
            return try await host.begin(identifier)
        } catch {
            Complaint.print("\(error)")
            return nil
        }
    }

    /// Opens the compose sheet of the extension. Its channel waits in the usual way, because a host cannot choose another way.
    /// - Parameter items: the items that the extension gets.
    func compose(_ items: [ExtensionItem] = []) async throws -> ComposeSession {
        try await host.compose(items, with: identifier)
    }

    /// Launches the extensions ahead, one after the other.
    func standby() throws -> Standby {
        let waiting = plan.waiting
        return try host.standbyAndWait(for: identifier, keeping: 1...1) { $0.waiting = waiting }
    }

    /// Idle extensions. They live as long as the returned value.
    func launchIdle(_ count: Int) throws -> [ExtensionSession] {
        guard count > 0 else { return [] }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return try (0..<count).map { _ in try host.beginAndWait("com.example.bench.adapting") }
    }

    /// `make bench` lays out the bundle beside this program. It also puts a signed copy into a folder there.
    private static func app(isSigned: Bool) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return program[...(program.lastIndex(of: "/") ?? program.startIndex)]
            + (isSigned ? "Signed/Bench.app" : "Bench.app")
    }

    enum Failure: Error, CustomStringConvertible {
        case notPinned

        var description: String { "this process cannot run on the processors that were asked for" }
    }
}
