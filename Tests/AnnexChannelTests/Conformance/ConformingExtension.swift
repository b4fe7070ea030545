import AnnexLinux
import AnnexTestSupport
import Conducts
import Foundation

@testable import AnnexChannel

/// The same small extension, `ConformingConduct`, in several languages and over several transports.
enum ConformingExtension: String, CaseIterable, Sendable {
    /// Swift, in a thread of this process, over rings.
    case inProcess
    /// Swift, in a separate process, over rings.
    case ring
    /// Swift, in a thread of this process, in packets over a socket.
    case packets
    /// Python, in a separate process, over a socket.
    case python
    /// C, in a separate process, over rings. It polls before it sleeps.
    case c
    /// The same C program, but it sleeps between any two messages.
    case cAsleep
    /// The same C program, compiled so that it ends itself if a sanitizer finds an error.
    case cSanitized

    /// The reason why this kind cannot run here; nil if it can.
    var missing: String? {
        self == .python && Self.find("python3") == nil ? "python3 is not installed" : nil
    }

    /// Starts the extension at the other end of a new channel.
    func start(_ handlers: ChannelHandlers) throws -> (HostEndpoint, any RunningExtension) {
        switch self {
        case .inProcess:
            let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
            return (ends.host, ExtensionThread(ends.descriptors) { try ConformingConduct.serve($0) })
        case .ring:
            return try Self.start(ChildProcess.executable("conforms"), [], handlers)
        case .packets:
            let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
            let peer = PacketPeer(try ends.socket.duplicate())
            return (ends.host, ExtensionThread(raw: { peer.serve() }))
        case .c: return try Self.start(CProgram.conforms.get(), [], handlers)
        case .cAsleep: return try Self.start(CProgram.conforms.get(), ["0"], handlers)
        case .cSanitized: return try Self.start(CProgram.sanitized.get(), [], handlers)
        case .python:
            let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
            let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Languages/Python/conforms.py").path
            return (ends.host, try ExtensionProcess([Self.find("python3") ?? "python3", script], socket: ends.socket))
        }
    }

    /// A program at the other end of two rings.
    static func start(
        _ program: URL, _ arguments: [String], _ handlers: ChannelHandlers
    ) throws -> (HostEndpoint, any RunningExtension) {
        let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
        return (ends.host, try ExtensionProcess([program.path] + arguments, ends.descriptors))
    }

    private static func find(_ program: String) -> String? {
        (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}

/// A running extension. A test can wait for its end.
protocol RunningExtension {
    func join()
    /// Whether the extension ended in the requested way. A test must first wait for the end.
    var hasEndedWell: Bool { get }
}

extension ExtensionThread: RunningExtension {
    /// For a thread, any end is the requested way.
    var hasEndedWell: Bool { true }
}
