internal import AnnexLinux
package import AnnexMessages
internal import Glibc

/// The daemon that serves all users of a machine.
package enum MachineDaemon {
    package static let socket = "/run/annex/annexd.socket"
}

/// The first packet that a containing app sends to a daemon. The packet counts as the portal's first request. If the
/// daemon admits the app, the daemon answers with `MemberDescription`. From then on, the connection is a portal,
/// through which the app uses its app groups. If the daemon refuses the app, it answers with an error and ends the
/// connection.
package struct PortalHello: Message, Hashable {
    /// The value of the field that tells this packet from the packets of hosts. A host's packet has the same field,
    /// but never this value.
    package static let kind: UInt8 = 64
    /// The version of the portal's messages.
    package static let version: UInt64 = 1

    /// The bundle identifier that the app states; empty if the app cannot read its bundle.
    package let app: String

    package init(app: String) { self.app = app }

    /// The request number of the hello message, which counts as the portal's first request.
    package static let call: UInt64 = 1

    /// The only packet that the daemon sends to an app that it refuses.
    package static func refusal(_ error: PortalError) -> [UInt8]? {
        try? PortalDelivery(answer: call, error: error).encoded(within: PortalDelivery.limits)
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(Self.kind, as: 1)
        encoder.encode(Self.version, as: 2)
        encoder.encode(app, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        guard try decoder.decode(1, as: UInt8.self) == Self.kind else {
            throw decoder.failure(1, reason: .rejected("is not the kind of an app's hello"))
        }
        app = try decoder.decode(3)
    }
}

/// The daemon's answer to the hello of an app that it admits. The answer describes the app as the daemon knows it.
package struct MemberDescription: Message, Hashable {
    /// The bundle identifier.
    package let identifier: String
    package let groups: [String]
    /// The URL schemes that the app registers.
    package let schemes: [String]

    package init(identifier: String, groups: [String], schemes: [String]) {
        self.identifier = identifier
        self.groups = groups
        self.schemes = schemes
    }

    package func encode(into encoder: inout MessageEncoder) {
        encoder.encode(identifier, as: 1)
        encoder.encode(list: groups, as: 2)
        encoder.encode(list: schemes, as: 3)
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        identifier = try decoder.decode(1)
        groups = try decoder.decodeList(2)
        schemes = try decoder.decodeList(3)
    }
}

extension PortalClient {
    /// How long a connection waits for a daemon that is starting.
    private static let connectionPatience = Duration.seconds(5)
    /// How long a daemon may take to compare the app's program with the installed program.
    private static let admission = Duration.seconds(30)

    /// Connects a containing app to the daemon that serves the whole machine.
    /// - Parameters:
    ///   - path: the daemon's socket.
    ///   - app: the bundle identifier that the app states, as in `PortalHello`.
    /// - Returns: the portal and the daemon's description of the app; nil if no daemon listens at this socket. A new
    ///   thread reads the deliveries of the portal from now on.
    /// - Throws: the daemon's reason if the daemon refuses the app; `gone` if the daemon ends the connection without
    ///   a message.
    package static func connect(
        to path: String, app: String
    ) throws(PortalError) -> (portal: PortalClient, description: MemberDescription)? {
        guard let socket = try socket(at: path) else { return nil }
        let portal = PortalClient(socket, reader: .thread)
        do throws(SystemError) {
            _ = try WorkerThread("annex-portal") { portal.receiveUntilEnd() }
        } catch {
            throw PortalError(.system, what: "the portal cannot be read: \(error.cause)", remedy: error.remedy)
        }
        do throws(PortalError) {
            return (portal, try portal.call(PortalHello(app: app), within: admission).decoded())
        } catch {
            portal.close()
            throw error.code == .gone ? ended(path) : error
        }
    }

    private static func socket(at path: String) throws(PortalError) -> ControlSocket? {
        do throws(SystemError) {
            let socket = try LocalSocket.connect(to: path, patience: connectionPatience, forThread: true)
            let owner = try PeerCredentials(of: socket).user
            // A program of another user that listens at this socket could read what the app writes. Only root and
            // this user are trusted.
            guard owner == 0 || owner == geteuid() else {
                throw SystemError(
                    "connect", errno: EPERM, path: path, remedy: "user \(owner) listens there: name another socket")
            }
            return socket
        } catch {
            if [ENOENT, ECONNREFUSED, EACCES].contains(error.errno) { return nil }
            throw PortalError(.system, what: "the daemon cannot be reached: \(error.cause)", remedy: error.remedy)
        }
    }

    private static func ended(_ path: String) -> PortalError {
        PortalError(
            .gone, what: "the daemon at \(path) ended the connection: it is too old for apps, or at a limit of its own",
            remedy: "update annexd, or set ANNEX_PRIVATE to a folder of your own for groups without the daemon")
    }
}
