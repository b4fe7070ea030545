internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexLinux
internal import AnnexPortal
internal import Glibc
internal import Synchronization

/// A connection of a containing app. Its first packet turns the connection into a portal, a socket for the app's
/// requests to its broker. The portal reads all later packets.
extension Connection {
    /// Runs on the event loop's thread.
    func becomePortal(of app: String) {
        let watch = state.withLock { state -> EventLoop.Watch? in
            guard state.phase.isAwaitingHello else { return nil }
            state.phase = .portal(nil)
            return state.socketWatch.take()
        }
        guard let watch else {
            return reject("the host sent the hello of an app after its own")
        }
        // The app's requests wait in the socket until the portal reads them.
        watch.cancel()
        guard user.acquire(\.openRequests, most: limits.openRequests) else {
            let error = user.overQuota("\(limits.openRequests) open requests")
            return refuse(PortalError(.full, what: error.what, remedy: error.remedy))
        }
        user.lane.run { [self] in
            defer { user.giveBack(\.openRequests) }
            do throws(PortalError) {
                try attach(opened(for: app))
            } catch {
                refuse(error)
            }
        }
    }

    private func opened(for app: String) throws(PortalError) -> AppPortal {
        let broker = try broker()
        let program = try program()
        return try broker.openPortal(ofApp: app, running: program, over: duplicateSocket()) { [weak self] in
            self?.close("the app closed its portal")
        }
    }

    private func broker() throws(PortalError) -> Broker {
        do throws(BrokerError) {
            return try user.readyForApps()
        } catch {
            throw PortalError(.system, what: error.what, remedy: error.remedy)
        }
    }

    /// The file that the client executes.
    private func program() throws(PortalError) -> Descriptor {
        do throws(SystemError) {
            guard number > 0 else { throw SystemError("open", errno: ESRCH, path: "/proc/PID/exe") }
            let program = try Descriptor.open("/proc/\(number)/exe", O_RDONLY)
            // If the process has not ended by now, the number still belonged to the client when its program was opened.
            guard !process.hasEnded else { throw SystemError("open", errno: ESRCH) }
            return program
        } catch {
            throw PortalError(.system, what: "the app's program cannot be read: \(error.cause)", remedy: error.remedy)
        }
    }

    private func duplicateSocket() throws(PortalError) -> ControlSocket {
        do throws(SystemError) {
            return try socket.duplicate()
        } catch {
            throw PortalError(
                .system, what: "the app's connection cannot be kept: \(error.cause)", remedy: error.remedy)
        }
    }

    private func attach(_ portal: AppPortal) {
        let isClosed = state.withLock { state in
            guard !state.phase.isClosed else { return true }
            state.phase = .portal(portal)
            return false
        }
        if isClosed { portal.end() }
    }

    /// Answers the app's first request with an error, and ends the connection.
    private func refuse(_ error: PortalError) {
        if let bytes = PortalHello.refusal(error) { try? socket.send(bytes) }
        close("an app was refused: \(error.what)")
    }
}
