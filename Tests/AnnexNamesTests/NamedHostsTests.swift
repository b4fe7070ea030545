import AnnexLinux
import AnnexPolicy
import AnnexTestSupport
import Dispatch
import Synchronization
import Testing

@testable import AnnexNames

/// What a program with named hosts learns and reaches, with a resolver whose answers the test decides.
@Suite(.timeLimit(.minutes(20))) struct NamedHostsTests {
    /// What the resolver of a test answers, and what it was asked.
    private final class World: Sendable {
        let answers = Mutex<[String: NameLookup.Outcome]>([:])
        let asked = Mutex<[String]>([])
        let refused = Mutex<[HostRefusal]>([])

        func look(_ name: HostName) -> NameLookup.Outcome {
            asked.withLock { $0.append(name.text) }
            return answers.withLock { $0[name.text] } ?? .noSuchName
        }

        func set(_ name: String, _ addresses: [UInt8]...) { answers.withLock { $0[name] = .addresses(addresses) } }
    }

    private let world = World()

    private func hosts(_ rules: String...) throws -> NamedHosts {
        let made = try rules.map { try HostRule($0) }
        let hosts = NamedHosts(HostRules(made), resolver: NameResolver { [world] in world.look($0) })
        hosts.whenRefused { [world] refusal in world.refused.withLock { $0.append(refusal) } }
        return hosts
    }

    private func ask(_ hosts: NamedHosts, _ name: String, type: UInt8 = 1) async throws -> NameAnswer {
        var bytes: [UInt8] = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + Array(label.utf8) }
        let query = try NameQuery(bytes + [0, 0, type, 0, 1])
        return await withCheckedContinuation { task in hosts.answer(query) { task.resume(returning: $0) } }
    }

    private func address(_ host: [UInt8], port: UInt16 = 443) -> InternetAddress {
        InternetAddress(host: host, port: port)
    }

    private func refusal(_ destination: NamedHosts.Destination) -> HostRefusal? {
        if case .refused(let refusal) = destination { refusal } else { nil }
    }

    @Test func `a program reaches the addresses of its names at their ports alone`() async throws {
        world.set("code.example.org", [192, 0, 2, 7])
        let hosts = try hosts("code.example.org:443")
        #expect(refusal(hosts.destination(of: address([192, 0, 2, 7])))?.reason == .unknownAddress)
        #expect(try await ask(hosts, "Code.Example.org") == .addresses([[192, 0, 2, 7]]))
        #expect(hosts.destination(of: address([192, 0, 2, 7])) == .machine(address([192, 0, 2, 7]), .name))
        let other = try #require(refusal(hosts.destination(of: address([192, 0, 2, 7], port: 22))))
        #expect(other.reason == .port && other.rule?.description == "code.example.org:22")
        #expect(refusal(hosts.destination(of: address([192, 0, 2, 8])))?.rule?.description == "192.0.2.8:443")
        // The address of IPv4 in a socket of IPv6.
        let mapped = address([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 7])
        #expect(hosts.destination(of: mapped) == .machine(mapped, .name))
    }

    @Test func `a later bound takes machines away, and gives none that the rules lack`() async throws {
        world.set("a.example", [192, 0, 2, 7])
        world.set("b.example", [192, 0, 2, 8])
        let hosts = try hosts("a.example:443", "b.example:443")
        for name in ["a.example", "b.example"] { _ = try await ask(hosts, name) }
        let (first, second) = (address([192, 0, 2, 7]), address([192, 0, 2, 8]))
        #expect(hosts.permits(first) && hosts.permits(second))
        let kept = try [HostRule("b.example"), HostRule("c.example")]
        #expect(hosts.bound { kept } && !hosts.bound { kept })
        #expect(!hosts.permits(first) && hosts.permits(second))
        #expect(refusal(hosts.destination(of: first))?.rule?.description == "a.example:443")
        #expect(try await ask(hosts, "a.example") == .noSuchName)
        #expect(try await ask(hosts, "c.example") == .noSuchName)
        #expect(try !hosts.allows(.name(HostName("a.example")), port: 443))
        #expect(try hosts.allows(.name(HostName("b.example")), port: 443))
        #expect(try !hosts.allows(.name(HostName("b.example")), port: 80))
        #expect(hosts.bound { [] } && !hosts.permits(second))
        #expect(hosts.bound { nil } && hosts.permits(first) && hosts.permits(second))
    }

    @Test func `a name that no rule names is not resolved, and is reported`() async throws {
        world.set("evil.example", [192, 0, 2, 66])
        let hosts = try hosts("code.example.org:443")
        #expect(try await ask(hosts, "evil.example") == .noSuchName)
        #expect(world.asked.withLock { $0 }.isEmpty)
        let refused = world.refused.withLock { $0 }
        #expect(refused.count == 1 && refused[0].reason == .unnamed && refused[0].rule?.description == "evil.example")
        // Questions of other kinds, such as those for the settings of HTTPS, are neither resolved nor reported.
        #expect(try await ask(hosts, "evil.example", type: 65) == .noSuchName)
        #expect(try await ask(hosts, "code.example.org", type: 65) == .addresses([]))
        #expect(world.refused.withLock { $0.count } == 1)
    }

    @Test(
        arguments: [[127, 0, 0, 1], [169, 254, 169, 254], [0, 0, 0, 0], [224, 0, 0, 1], [100, 100, 100, 200]]
            as [[UInt8]])
    func `a name that leads to this machine, the link or a group leads nowhere`(host: [UInt8]) async throws {
        world.set("code.example.org", host)
        let hosts = try hosts("code.example.org")
        #expect(try await ask(hosts, "code.example.org") == .noSuchName)
        guard case .barred = world.refused.withLock({ $0.first?.reason }) else {
            Issue.record("\(world.refused.withLock { $0 })")
            return
        }
        if host[0] != 127, host[0] != 0 { #expect(refusal(hosts.destination(of: address(host))) != nil) }
    }

    @Test func `NET-16: an old address leads to where its name leads now`() async throws {
        world.set("code.example.org", [192, 0, 2, 7])
        let hosts = try hosts("code.example.org:80")
        _ = try await ask(hosts, "code.example.org")
        let old = address([192, 0, 2, 7], port: 80)
        #expect(hosts.destination(of: old) == .machine(old, .none))
        // The name leads elsewhere now, and the program learns of it.
        world.set("code.example.org", [192, 0, 2, 8])
        let name = try HostName("code.example.org")
        _ = await withCheckedContinuation { task in hosts.renew(name) { task.resume(returning: $0) } }
        #expect(hosts.destination(of: old) == .old(name))
        #expect(hosts.destination(of: old, isRenewed: true) == .machine(address([192, 0, 2, 8], port: 80), .none))
        // A name that leads to this machine now leads nowhere.
        for host in [[127, 0, 0, 1], [169, 254, 169, 254]] as [[UInt8]] {
            world.set("code.example.org", host)
            _ = await withCheckedContinuation { task in hosts.renew(name) { task.resume(returning: $0) } }
            for address in [old, address(host, port: 80)] where !address.isLoopback {
                let destination = hosts.destination(of: address, isRenewed: true)
                if case .machine(let machine, _) = destination { #expect(machine.host == [192, 0, 2, 8]) }
                #expect(destination != .machine(InternetAddress(host: host, port: 80), .none))
            }
        }
    }

    @Test func `a link-local address that a rule names is reached`() throws {
        let hosts = try hosts("169.254.169.254:80")
        let service = address([169, 254, 169, 254], port: 80)
        #expect(hosts.destination(of: service) == .machine(service, .none))
        #expect(refusal(hosts.destination(of: address([169, 254, 169, 254], port: 81))) != nil)
    }

    @Test func `a loopback address is the sandbox itself`() throws {
        let hosts = try hosts("code.example.org")
        for host in [[127, 0, 0, 1], [127, 9, 9, 9], [0, 0, 0, 0]] as [[UInt8]] {
            #expect(hosts.destination(of: address(host)) == .inside)
        }
    }

    @Test func `localhost is the sandbox, whatever the machine says`() async throws {
        world.set("localhost", [192, 0, 2, 7])
        let hosts = try hosts("code.example.org")
        for name in ["localhost", "db.localhost", "LOCALHOST"] {
            guard case .addresses(let found) = try await ask(hosts, name) else { continue }
            #expect(found.contains([127, 0, 0, 1]) && found.count == 2)
        }
    }

    @Test func `questions about one name at once share one lookup`() async throws {
        world.set("code.example.org", [192, 0, 2, 7])
        let hosts = try hosts("code.example.org")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for type: UInt8 in [1, 28, 1, 28] {
                group.addTask { _ = try await self.ask(hosts, "code.example.org", type: type) }
            }
            try await group.waitForAll()
        }
        #expect(world.asked.withLock { $0.count } == 1)
    }

    @Test func `a book forgets the oldest names and keeps the newest`() throws {
        var book = AddressBook()
        for number in 0..<(AddressBook.mostNames + 10) {
            book.learn(
                try HostName("n\(number).example"), at: [[10, 0, UInt8(number >> 8), UInt8(number & 0xFF)]], moment: 1)
        }
        #expect(book.names(at: [10, 0, 0, 0]).isEmpty)
        #expect(book.names(at: [10, 0, 4, 9]).map(\.text) == ["n1033.example"])
    }

    @Test func `an address that a name had is known as old`() throws {
        var book = AddressBook()
        let name = try HostName("code.example.org")
        book.learn(name, at: [[192, 0, 2, 7]], moment: 10)
        book.learn(name, at: [[192, 0, 2, 8]], moment: 20)
        #expect(book.names(at: [192, 0, 2, 7]) == [name] && book.names(at: [192, 0, 2, 8]) == [name])
        #expect(book.addresses(of: name, since: 20) == [[192, 0, 2, 8]] && book.addresses(of: name, since: 21) == nil)
    }

    @Test func `many names wait for few lookups, and too many get no answer`() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let resolver = NameResolver { _ in
            mayAnswer.wait()
            return .noSuchName
        }
        let outcomes = Mutex<[NameLookup.Outcome]>([])
        for number in 0..<(NameResolver.most + 5) {
            resolver.resolve(try HostName("n\(number).example")) { outcome in outcomes.withLock { $0.append(outcome) } }
        }
        #expect(outcomes.withLock { $0 } == Array(repeating: .failed, count: 5))
        for _ in 0..<NameResolver.most { mayAnswer.signal() }
        await eventually { outcomes.withLock { $0.count } == NameResolver.most + 5 }
    }

    @Test func `when a sandbox ends, the lookups that wait are not begun`() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let begun = Mutex(0)
        let resolver = NameResolver { _ in
            begun.withLock { $0 += 1 }
            mayAnswer.wait()
            return .noSuchName
        }
        let outcomes = Mutex<[NameLookup.Outcome]>([])
        for number in 0..<20 {
            resolver.resolve(try HostName("n\(number).example")) { outcome in outcomes.withLock { $0.append(outcome) } }
        }
        await eventually { begun.withLock { $0 } == NameResolver.mostAtOnce }
        resolver.close()
        #expect(outcomes.withLock { $0 } == Array(repeating: .failed, count: 20 - NameResolver.mostAtOnce))
        resolver.resolve(try HostName("late.example")) { outcome in outcomes.withLock { $0.append(outcome) } }
        #expect(outcomes.withLock { $0.count } == 21 - NameResolver.mostAtOnce)
        for _ in 0..<NameResolver.mostAtOnce { mayAnswer.signal() }
        await eventually { outcomes.withLock { $0.count } == 21 }
        #expect(begun.withLock { $0 } == NameResolver.mostAtOnce)
    }

    @Test func `a connection to a proxy goes to where its name leads now`() async throws {
        world.set("proxy.example", [10, 0, 0, 7])
        let hosts = NamedHosts(
            HostRules(), proxies: HostProxies(["http://proxy.example:3128"]),
            resolver: NameResolver { [world] in world.look($0) })
        _ = try await ask(hosts, "proxy.example")
        let old = address([10, 0, 0, 7], port: 3128)
        #expect(hosts.destination(of: old) == .machine(old, .proxy))
        world.set("proxy.example", [127, 0, 0, 9])
        let name = try HostName("proxy.example")
        _ = await withCheckedContinuation { task in hosts.renew(name) { task.resume(returning: $0) } }
        #expect(hosts.destination(of: old) == .old(name))
        let present = address([127, 0, 0, 9], port: 3128)
        #expect(hosts.destination(of: old, isRenewed: true) == .machine(present, .proxy))
    }

    @Test func `the addresses of a lookup are each named once`() {
        let text =
            "192.0.2.7       STREAM code.example.org\n192.0.2.7       DGRAM\n2001:db8::1 STREAM\nfe80::1%eth0 RAW\nrubbish\n"
        let found = NameLookup.addresses(in: Array(text.utf8))
        #expect(found.count == 3 && found[0] == [192, 0, 2, 7] && found[1].count == 16)
    }

    @Test func `this machine resolves its own name`() throws {
        try #require(NameLookup.program != nil, "getent is part of every Debian")
        guard case .addresses(let found) = NameLookup.look(up: try HostName("localhost")) else {
            Issue.record("localhost has no address")
            return
        }
        #expect(found.contains([127, 0, 0, 1]) || found.contains([UInt8](repeating: 0, count: 15) + [1]))
        #expect(NameLookup.look(up: try HostName("no-such-name.invalid")) != .addresses([]))
    }
}
