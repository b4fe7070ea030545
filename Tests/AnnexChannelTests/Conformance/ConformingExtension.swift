import AnnexLinux
import ConformingConduct
import Foundation

@testable import AnnexChannel

/// The same small extension, `ConformingConduct`, in other languages and over other transports.
enum ConformingExtension: String, CaseIterable, Sendable {
    /// Swift, in a thread of this process, over rings.
    case inProcess
    /// Swift, a process of its own, over rings.
    case ring
    /// Swift, in a thread of this process, in packets over a socket.
    case packets
    /// Python, a process of its own, over a socket.
    case python

    /// Why this one cannot run here; nil where it can.
    var missing: String? {
        self == .python && Self.find("python3") == nil ? "python3 is not installed" : nil
    }

    /// Starts it at the other end of a new channel.
    func start(_ handlers: ChannelHandlers) throws -> (HostEndpoint, any RunningExtension) {
        switch self {
        case .inProcess:
            let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
            return (ends.host, ExtensionThread(ends.descriptors) { try ConformingConduct.serve($0) })
        case .ring:
            let ends = try HostEndpoint.make(configuration: .patient, handlers: handlers)
            return (ends.host, try ExtensionProcess([ExtensionProcess.path(of: "conforms")], ends.descriptors))
        case .packets:
            let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
            let peer = PacketPeer(try ends.socket.duplicate())
            return (ends.host, ExtensionThread(raw: { peer.serve() }))
        case .python:
            let ends = try HostEndpoint.makeOverSocket(configuration: .patient, handlers: handlers)
            let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
                .appending(path: "Languages/Python/conforms.py").path
            return (ends.host, try ExtensionProcess([Self.find("python3") ?? "python3", script], socket: ends.socket))
        }
    }

    private static func find(_ program: String) -> String? {
        (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}

/// An extension that runs and can be waited for.
protocol RunningExtension {
    func join()
}

extension ExtensionThread: RunningExtension {}
