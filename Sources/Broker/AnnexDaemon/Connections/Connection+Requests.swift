internal import AnnexBroker
internal import AnnexBrokerAPI
internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel
internal import Synchronization

extension Connection {
    /// Passes a request to the user's lanes, which answer it.
    func begin(_ request: ServiceRequest, number: UInt64, handed: HandedOver) {
        // Descriptors stay open while their request waits in a lane. So unexpected descriptors are closed now.
        if handed.count != request.descriptors { handed.letGo() }
        switch request {
        case .install, .uninstall, .setEnabled, .setGranted, .pin, .trust, .open:
            beginChange(request, number: number, handed: handed)
        case .list, .terms, .icon, .attributes, .typeDeclarations, .transfer: beginQuery(request, number: number)
        case .claim(let launched):
            let handle = state.withLock { $0.extensions[launched]?.handle }
            answer(number) { () throws(BrokerError) in .claimed(isYours: handle?.claim() ?? false) }
        case .launch(let identifier, let point, let purpose, let limit, let origin, let counters):
            beginLaunch(number) { [self] () throws(BrokerError) in
                try launch(
                    identifier, as: point, for: purpose, timeLimit: limit, origin: origin, counters: counters,
                    number: number, handed: handed)
            }
        }
    }

    /// - Parameter request: a request that changes the user's store. Any other request is ignored.
    private func beginChange(_ request: ServiceRequest, number: UInt64, handed: HandedOver) {
        switch request {
        case .install(let name, let granting):
            change(number, logging: "installed") { [self] () throws(BrokerError) in
                try checkReserve(handed)
                let extensions = try user.install(handed, named: name, granting: granting)
                return (.extensions(extensions, isAll: true), extensions.first?.containingApp ?? name)
            }
        case .uninstall(let app):
            change(number, logging: "removed") { [self] () throws(BrokerError) in
                try user.remove(app: app)
                return (.done, app)
            }
        case .setEnabled(let isEnabled, let identifier):
            change(number, logging: isEnabled ? "switched on" : "switched off") { [self] () throws(BrokerError) in
                try user.setEnabled(isEnabled, for: identifier)
                return (.done, identifier)
            }
        case .setGranted(let isGranted, let entitlements, let hosts, let identifier):
            change(number, logging: isGranted ? "granted" : "revoked") { [self] () throws(BrokerError) in
                let one = try user.setGranted(
                    isGranted, entitlements: entitlements, hosts: hosts, for: identifier)
                return (.extensions([one], isAll: true), identifier)
            }
        case .pin(let app, let version):
            change(number, logging: version == nil ? "unpinned" : "pinned") { [self] () throws(BrokerError) in
                (.extensions(try user.pin(app: app, to: version), isAll: true), app)
            }
        case .trust(let key, let app):
            change(number, logging: "trusted a team") { [self] () throws(BrokerError) in
                let team = try user.ready().broker.trust(key: key, for: app)
                return (.trusted(team), app ?? team.identifier)
            }
        case .open(let url):
            change(number, logging: "opened") { [self] () throws(BrokerError) in
                let app = try user.ready().broker.open(url)
                return (.opened(app: app), app)
            }
        default: break
        }
    }

    /// - Parameter request: a request that reads the broker's list. Any other request is ignored.
    private func beginQuery(_ request: ServiceRequest, number: UInt64) {
        switch request {
        case .list(let last, let withDisabled, let languages):
            query(number) { broker throws(BrokerError) in
                // `most` extensions fit in one packet, even if their names and summaries have the longest allowed
                // length.
                let (page, isAll) = broker.list(
                    after: last, withDisabled: withDisabled, in: languages, most: languages == nil ? 40 : 20)
                return .extensions(page, isAll: isAll)
            }
        case .terms(let identifier):
            query(number) { broker throws(BrokerError) in .terms(try broker.terms(for: identifier)) }
        case .icon(let identifier, let offset):
            query(number) { broker throws(BrokerError) in .icon(try broker.iconPart(of: identifier, from: offset)) }
        case .attributes(let identifier):
            query(number) { broker throws(BrokerError) in .attributes(try broker.attributes(of: identifier)) }
        case .typeDeclarations(let identifier):
            query(number) { broker throws(BrokerError) in .attributes(try broker.typeDeclarations(of: identifier)) }
        case .transfer(let request):
            query(number) { broker throws(BrokerError) in .attributes(try broker.transfers(request)) }
        default: break
        }
    }

    /// Changes the user's store, on the lane for changes, and logs which program asked for the change.
    private func change(
        _ number: UInt64, logging what: String,
        _ body: @escaping @Sendable () throws(BrokerError) -> (answer: ServiceAnswer, identifier: String)
    ) {
        user.changes.run { [self] in
            answer(number) { () throws(BrokerError) in
                guard user.mayChange() else {
                    throw user.overQuota("\(limits.changesPerMinute) changes in a minute")
                }
                let (answer, identifier) = try body()
                record(what, for: identifier)
                return answer
            }
        }
    }

    /// Answers a request for data about the installed extensions, on the lane for queries.
    private func query(
        _ number: UInt64, _ body: @escaping @Sendable (Broker) throws(BrokerError) -> ServiceAnswer
    ) {
        user.lane.run { [self] in
            answer(number) { () throws(BrokerError) in try body(user.ready().broker) }
        }
    }

    /// Performs a request and answers it. If its connection has been closed meanwhile, the request is not performed.
    private func answer(_ number: UInt64, _ body: () throws(BrokerError) -> ServiceAnswer) {
        guard state.withLock({ $0.phase.isOpen }) else { return user.giveBack(\.openRequests) }
        let answer: ServiceAnswer
        do throws(BrokerError) {
            answer = try body()
        } catch {
            answer = .failed(error)
        }
        user.giveBack(\.openRequests)
        send(.answer(number, answer))
    }

    // MARK: Launches

    private func beginLaunch(_ number: UInt64, _ launch: @escaping @Sendable () throws(BrokerError) -> Void) {
        state.withLock { $0.extensions[number] = Launched() }
        user.lane.run { [self] in
            answer(number) { () throws(BrokerError) in
                do throws(BrokerError) {
                    try launch()
                    return .done
                } catch {
                    _ = state.withLock { $0.extensions.removeValue(forKey: number) }
                    throw error
                }
            }
        }
    }

    private func launch(
        _ identifier: String, as point: String?, for purpose: LaunchPurpose, timeLimit limit: Duration?,
        origin: String?, counters: UInt64, number: UInt64, handed: HandedOver
    ) throws(BrokerError) {
        try checkReserve(handed)
        guard user.acquire(\.running, most: limits.running) else {
            throw user.overQuota("\(limits.running) running extensions")
        }
        do throws(BrokerError) {
            let broker = try user.ready().broker
            let channel = try ExtensionDescriptors.checked(handed, for: identifier)
            let kept = try kept(channel.control, for: identifier)
            let host = HostEnd.remote(identity(), counters: counters)
            let handle = try broker.launch(
                identifier, as: point, for: purpose, timeLimit: limit, origin: origin, channel: channel, of: host
            ) { [self] event in
                switch event {
                case .ready, .ended: kept.letGo()
                default: break
                }
                deliver(event, number: number)
            }
            attach(handle, number: number)
        } catch {
            user.giveBack(\.running)
            throw error
        }
    }

    /// Checks that enough descriptors are left. Each connection of a user takes descriptors of the daemon. Each
    /// descriptor that a user's host sends is one more. The last free descriptors are kept for root.
    private func checkReserve(_ handed: HandedOver) throws(BrokerError) {
        if let rejection = user.descriptors.rejection(of: handed.highest, from: user.number) { throw rejection }
    }

    /// The client's identity, which `annex top` uses to read the channel's counts. This function must not run on the
    /// event loop's thread: a query about an ending process may have to free the memory of that process.
    private func identity() -> ProcessIdentity? {
        let identity = ProcessIdentity(number, of: user.number)
        // The check comes after the reading. If the client's process has not ended by now, the number still belonged to
        // it when the identity was read.
        return process.hasEnded ? nil : identity
    }

    /// Keeps a duplicate of the control socket until the extension is ready or has ended. The last close of a socket
    /// frees all unread messages in it, and that may take long. A launch that waits for a slot may end on the event
    /// loop. Because of the duplicate, the last close never happens on the event loop.
    private func kept(
        _ control: borrowing Descriptor, for identifier: String
    ) throws(BrokerError) -> HandedOver {
        do throws(SystemError) {
            return HandedOver(DescriptorList(try control.duplicate()), closing: user.closing)
        } catch {
            throw BrokerError(.system, what: "\(error)", place: identifier)
        }
    }

    /// This function is called when the broker has begun the launch. It passes on the reports that arrived earlier. If
    /// the host is gone, it ends the extension.
    private func attach(_ handle: any ExtensionHandle, number: UInt64) {
        let (isClosed, waiting) = state.withLock { state in
            let waiting = state.extensions[number]?.waiting ?? []
            // Later counts go straight to the handle. These older counts are passed on inside the lock, so that they
            // cannot overwrite the later counts.
            if let counts = state.extensions[number]?.counts { handle.counted(counts) }
            if state.extensions[number] != nil {
                state.extensions[number]?.handle = handle
                state.extensions[number]?.waiting = []
            }
            return (state.phase.isClosed, waiting)
        }
        if isClosed { return Broker.end(ofGoneHost: handle) }
        for notice in waiting { apply(notice, number: number, to: handle) }
    }

    private func deliver(_ event: ExtensionEvent, number: UInt64) {
        if case .ended = event {
            let ended = state.withLock { $0.extensions.removeValue(forKey: number) }
            withExtendedLifetime(ended) {}
            user.giveBack(\.running)
            user.sweep()
        }
        send(.event(number, event))
        if case .ping = event { acknowledgeForOldHost(number) }
    }

    /// A host of an older version passes pings on, but sends no report about this. So the daemon itself records that
    /// the ping was passed on.
    private func acknowledgeForOldHost(_ number: UInt64) {
        let handle = state.withLock { state in
            state.version < ServiceWire.firstWithPings ? state.extensions[number]?.handle : nil
        }
        handle?.passedPingOn()
    }

    // MARK: Notices

    func apply(_ notice: ExtensionNotice, number: UInt64, to handle: any ExtensionHandle) {
        switch notice {
        case .saidHello: handle.saidHello()
        case .requestBegan(let request): requestBegan(request, number: number, handle: handle)
        case .requestEnded(let request): requestEnded(request, number: number, handle: handle)
        case .answered: handle.answered()
        case .overstayed: handle.overstayed()
        case .gaveSign: handle.gaveSign()
        case .pingPassedOn: handle.passedPingOn()
        case .activityBegan(let reason): handle.activityBegan(reason)
        case .activityEnded: handle.activityEnded()
        case .userActed: handle.userActed()
        case .violated(let violation): handle.violated(violation.escaped)
        case .channelClosed: handle.channelClosed()
        case .parked: handle.park()
        case .dismissed(let dismissal): handle.dismiss(for: dismissal)
        }
    }

    private func requestBegan(_ request: UInt64, number: UInt64, handle: any ExtensionHandle) {
        let isAllowed = state.withLock { state in
            // The extension may have ended before its host knows of the end.
            guard let requests = state.extensions[number]?.requests else { return true }
            guard requests.count < ServiceWire.mostOpenRequests else { return false }
            return state.extensions[number]?.requests.insert(request).inserted ?? true
        }
        guard isAllowed else { return reject("the host reported a request that is already open, or too many requests") }
        handle.requestBegan(request)
    }

    private func requestEnded(_ request: UInt64, number: UInt64, handle: any ExtensionHandle) {
        let wasOpen = state.withLock { $0.extensions[number]?.requests.remove(request) != nil }
        if wasOpen { handle.requestEnded(request) }
    }
}

extension ProtocolViolation {
    /// The text comes from a host. The text of a budget violation goes into a report unchanged, so the text is escaped
    /// here.
    fileprivate var escaped: ProtocolViolation {
        isBudget ? ProtocolViolation("\(Escaped(text))", isBudget: true) : self
    }
}

extension DaemonUser {
    func overQuota(_ what: String) -> BrokerError {
        let (isLeaving, hasRoom) = state.withLock { ($0.isLeaving, hasDescriptors($0)) }
        let what = hasRoom ? what : "about \(descriptors.ofOneUser) descriptors"
        return isLeaving
            ? BrokerError(.unreachable, what: "the daemon is shutting down", place: "annexd", remedy: "connect again")
            : BrokerError(
                .overQuota, what: "user \(number) has reached a limit: \(what)", place: "annexd",
                remedy: "end sessions that you do not need, or try again later")
    }
}
