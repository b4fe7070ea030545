internal import AnnexLinux
package import AnnexPolicy
internal import Synchronization

/// The machines to which one sandbox may connect: its rules, and the addresses of the names that its program asked for.
///
/// The program learns addresses from here alone. It connects to no address that it made up, and to none that a name had
/// long ago: such a connection goes to an address that the name has now.
package final class NamedHosts: Sendable {
    /// Where a connection leads.
    package enum Destination: Sendable, Hashable {
        /// To the sandbox itself.
        case inside
        /// To this address of another machine, which can differ from the address that the program named.
        case machine(InternetAddress, Check)
        /// The name must be resolved first, because its addresses are old.
        case old(HostName)
        /// Nowhere, because the name has no address of this kind any more.
        case lost
        case refused(HostRefusal)
    }

    /// What the broker reads of the beginning of a connection.
    package enum Check: Sendable, Hashable {
        case none
        /// The name that a TLS client calls.
        case name
        /// The request to a proxy, and what then goes through the proxy.
        case proxy
    }

    /// How long the addresses of a name are taken for its addresses of now. A program may use them as long.
    private static let lifetime = Duration.seconds(Int64(NameAnswer.lifetime))

    private let check: HostRules.Check
    private let rules: [HostRule]
    private let bound = Mutex(Bound())
    private let proxies: HostProxies
    private let resolver: NameResolver
    private let book = Mutex(AddressBook())
    /// A program that asks for names without end does not keep the broker busy with reports.
    private let reports = Mutex(TokenBucket(atOnce: 256, perSecond: 50))
    private let report: Mutex<@Sendable (HostRefusal) -> Void>
    private let requested = Mutex(RequestedHosts())

    /// A bound that was set later, in addition to the rules.
    private struct Bound {
        /// Nil for none.
        var rules: [HostRule]?
        var changes = 0
    }

    package init(_ rules: HostRules, proxies: HostProxies = HostProxies(), resolver: NameResolver = NameResolver()) {
        (self.rules, check, self.proxies) = (rules.list, rules.check, proxies)
        self.resolver = resolver
        report = Mutex { _ in }
    }

    /// Says what to do with refusals of names and of beginnings. Other refusals of connections are not reported here.
    package func whenRefused(_ report: @escaping @Sendable (HostRefusal) -> Void) {
        self.report.withLock { $0 = report }
    }

    /// The machines for which the program asked until now, in the order of its first questions.
    package var requestedHosts: [RequestedHosts.Host] { requested.withLock { $0.list } }

    /// Bounds the machines, in addition to the rules. This replaces an earlier bound.
    /// - Parameter read: reads the bound of now. Two changes at once cannot overtake each other between reading and
    /// noting.
    /// - Returns: whether it differs from the earlier one.
    package func bound(by read: () -> [HostRule]?) -> Bool {
        bound.withLock { bound in
            let present = read()
            guard bound.rules != present else { return false }
            bound = Bound(rules: present, changes: bound.changes + 1)
            return true
        }
    }

    /// How often the bound has changed. A decision stays right while this number stays.
    package var changes: Int { bound.withLock { $0.changes } }

    /// Ends the lookups that have not begun, because the program has ended.
    package func close() { resolver.close() }

    /// Whether the rules and the bound have an entry that allows it.
    private func isAllowed(_ allows: (HostRule) -> Bool) -> Bool {
        rules.contains(where: allows) && (bound.withLock { $0.rules }?.contains(where: allows) ?? true)
    }

    // MARK: - Questions

    /// Answers a question of the program.
    /// - Parameter reply: called once, on any thread. It must not wait.
    package func answer(_ query: NameQuery, then reply: @escaping @Sendable (NameAnswer) -> Void) {
        let name = query.name
        if Self.isLocal(name) { return reply(.addresses([[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]])) }
        let isAllowed = isAllowed { $0.allows(name) } || proxies.include(name)
        guard case .addresses = query.kind else { return reply(isAllowed ? .addresses([]) : .noSuchName) }
        requested.withLock { $0.note(.name(name), port: nil, isAllowed: isAllowed) }
        guard isAllowed else {
            refuse(HostRefusal(.name(name), reason: .unnamed))
            return reply(.noSuchName)
        }
        // Programs ask for both kinds of addresses, one after the other.
        let since = Self.moment(before: .seconds(2))
        if let known = book.withLock({ $0.addresses(of: name, since: since) }) { return reply(.addresses(known)) }
        renew(name, then: reply)
    }

    private static func moment(before duration: Duration) -> UInt64 {
        let (now, time) = (MonotonicClock.now(), MonotonicClock.nanoseconds(duration))
        return now > time ? now - time : 0
    }

    private static func isLocal(_ name: HostName) -> Bool {
        name.text == "localhost" || name.text.hasSuffix(".localhost")
    }

    /// Resolves a name, whose rule was checked, and notes its addresses.
    package func renew(_ name: HostName, then reply: @escaping @Sendable (NameAnswer) -> Void) {
        resolver.resolve(name) { [self] outcome in
            switch outcome {
            case .failed: reply(.failed)
            case .noSuchName: reply(.noSuchName)
            case .addresses(let found): reply(take(found, of: name))
            }
        }
    }

    /// Notes the addresses to which a connection may lead. A name that leads only to others is refused.
    private func take(_ found: [[UInt8]], of name: HostName) -> NameAnswer {
        var (open, barred) = ([[UInt8]](), HostRefusal?.none)
        for bytes in found {
            let address = InternetAddress(host: bytes, port: 0)
            if let barrier = Self.barrier(before: address), !isStated(address), !proxies.include(name) {
                barred = barred ?? HostRefusal(.name(name), reason: .barred(address, barrier))
            } else {
                open.append(bytes)
            }
        }
        if open.isEmpty, let barred {
            refuse(barred)
            return .noSuchName
        }
        // A machine without IPv6 has no use for addresses of IPv6, and some programs try only the first address.
        let routed = open.filter { OwnAddresses.haveRoute(to: InternetAddress(host: $0, port: 0)) }
        if !routed.isEmpty { open = routed }
        book.withLock { $0.learn(name, at: open, moment: MonotonicClock.now()) }
        return .addresses(open)
    }

    /// Whether the program learnt the address here. A library of such a program connects sockets of datagrams to
    /// compare addresses, and sends nothing.
    package func isKnown(_ address: InternetAddress) -> Bool {
        let bytes = HostAddress.plain(address.host)
        return book.withLock { !$0.names(at: bytes).isEmpty }
    }

    private func isStated(_ address: InternetAddress) -> Bool {
        isAllowed { $0.target == .address(HostAddress.plain(address.host)) }
    }

    private static func barrier(before address: InternetAddress) -> InternetAddress.Barrier? {
        address.barrier ?? (OwnAddresses.include(address) ? .machine : nil)
    }

    /// Reports a refusal.
    package func refuse(_ refusal: HostRefusal) {
        requested.withLock { $0.note(refusal.host, port: refusal.port, isAllowed: false) }
        guard reports.withLock({ $0.acquire(at: MonotonicClock.now()) }) else { return }
        report.withLock { $0 }(refusal)
    }

    // MARK: - Beginnings of connections

    /// Whether a TLS client, or a client of a proxy, may call a machine.
    package func allows(_ host: HostRefusal.Host, port: UInt16) -> Bool {
        switch host {
        case .name(let name): isAllowed { $0.allows(name, port: port) }
        case .address(let bytes): isAllowed { $0.allows(address: bytes, port: port) }
        }
    }

    /// Whether the name that a TLS client calls is read in a connection to a machine.
    package func checksName(of host: HostRefusal.Host, port: UInt16) -> Bool {
        if case .address = host { return false }
        return check.isForName(atPort: port)
    }

    /// The refusal of a connection whose beginning cannot be read.
    package func refusal(of address: InternetAddress, because greeting: HostRefusal.Greeting) -> HostRefusal {
        let bytes = HostAddress.plain(address.host)
        let name = book.withLock { $0.names(at: bytes).last }
        return HostRefusal(
            name.map { .name($0) } ?? .address(bytes), port: address.port, reason: .greeting(greeting))
    }

    // MARK: - Connections

    /// Whether a connection to an address may go on.
    package func permits(_ address: InternetAddress) -> Bool {
        if case .refused = findDestination(of: address, isRenewed: true) { return false }
        return true
    }

    /// Where a connection to an address leads.
    /// - Parameter isRenewed: whether the name of an old address has just been resolved.
    package func destination(of address: InternetAddress, isRenewed: Bool = false) -> Destination {
        let destination = findDestination(of: address, isRenewed: isRenewed)
        switch destination {
        case .machine:
            let bytes = HostAddress.plain(address.host)
            let name = book.withLock { $0.names(at: bytes).last { allows(.name($0), port: address.port) } }
            let host = name.map { HostRefusal.Host.name($0) } ?? .address(bytes)
            requested.withLock { $0.note(host, port: address.port, isAllowed: true) }
        case .refused(let refusal):
            requested.withLock { $0.note(refusal.host, port: refusal.port, isAllowed: false) }
        case .inside, .old, .lost: break
        }
        return destination
    }

    private func findDestination(of address: InternetAddress, isRenewed: Bool) -> Destination {
        let (bytes, port) = (HostAddress.plain(address.host), address.port)
        if let proxy = proxies.find(address, named: book.withLock { $0.names(at: bytes) }) {
            return destination(ofProxy: proxy, at: InternetAddress(host: bytes, port: port), isRenewed: isRenewed)
        }
        if address.isLoopback { return .inside }
        if isAllowed({ $0.allows(address: bytes, port: port) }) {
            return .machine(address, .none)
        }
        let names = book.withLock { $0.names(at: bytes) }
        guard let last = names.last else {
            return .refused(HostRefusal(.address(bytes), port: port, reason: .unknownAddress))
        }
        let allowed = names.filter { name in isAllowed { $0.allows(name, port: port) } }
        guard let name = allowed.last else { return .refused(HostRefusal(.name(last), port: port, reason: .port)) }
        if let name = allowed.last(where: { present($0)?.contains(bytes) == true }) {
            return checked(address, of: name)
        }
        guard isRenewed else { return .old(name) }
        let other = present(name)?.first { $0.count == bytes.count }
        return other.map { checked(address.replacingHost($0), of: name) } ?? .lost
    }

    /// The addresses of now that a name has; nil if they are not known.
    private func present(_ name: HostName) -> [[UInt8]]? {
        book.withLock { $0.addresses(of: name, since: Self.moment(before: Self.lifetime)) }
    }

    /// Where a connection to a proxy leads. The caller may have a proxy anywhere.
    private func destination(
        ofProxy host: HostRefusal.Host, at address: InternetAddress, isRenewed: Bool
    ) -> Destination {
        guard case .name(let name) = host, present(name)?.contains(address.host) != true else {
            return .machine(address, .proxy)
        }
        guard isRenewed else { return .old(name) }
        let other = present(name)?.first { $0.count == address.host.count }
        return other.map { .machine(InternetAddress(host: $0, port: address.port), .proxy) } ?? .lost
    }

    private func checked(_ address: InternetAddress, of name: HostName) -> Destination {
        guard let barrier = Self.barrier(before: address) else {
            return .machine(address, check.isForName(atPort: address.port) ? .name : .none)
        }
        return .refused(HostRefusal(.name(name), port: address.port, reason: .barred(address, barrier)))
    }
}
