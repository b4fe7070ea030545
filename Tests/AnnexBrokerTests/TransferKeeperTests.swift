import AnnexLinux
import AnnexNames
import AnnexPolicy
import AnnexPortalServer
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Synchronization
import Testing
import TransferWorlds

@testable import AnnexBroker

/// The keeper of the agent, with agents that are threads of this process.
@Suite(.timeLimit(.minutes(20))) struct TransferKeeperTests {
    private let folder: TemporaryFolder
    private let world: TransferWorld
    private let agents = ScriptedAgents()
    private let hook = StepHook()
    private let lookups = HeldLookups()
    private let grant = NamedGrant()
    private let cable = Cable()
    private let keeper: TransferKeeper

    init() throws {
        folder = try TemporaryFolder()
        world = try TransferWorld(in: folder.url.resolvingSymlinksInPath().path) { [hook] in hook.reach($0) }
        keeper = TransferKeeper(
            world.desk, on: try EventLoop.shared(),
            names: TransferNames(
                hosts: { [grant] _ in grant.rules },
                look: { [lookups] host in
                    lookups.run()
                    return [[192, 0, 2, 7]]
                }),
            starter: agents,
            network: TransferNetwork(on: try EventLoop.shared()) { [cable] in cable.isThere },
            log: BrokerLog())
        world.desk.connect(to: keeper, refusing: { _, _ in nil }) { _ in }
        try world.desk.recoverOnce()
    }

    private func begin(
        _ job: TransferJob, _ files: String..., of app: String = "com.example.todo"
    ) throws -> Int64 {
        for file in files where !job.work.isDownload { try world.write(file, to: file) }
        return try world.desk.begin(
            job, files: files, in: world.session(of: app), by: app + ".share", room: 1 << 20)
    }

    private func outcome(of number: Int64) async throws -> TaskOutcome {
        await eventually { (try? world.desk.book.task(number)?.state) == .ended }
        return try #require(try world.desk.book.task(number)?.outcome)
    }

    @Test func `an agent runs only while there is work, and moves the bytes of each task`() async throws {
        keeper.look()
        #expect(agents.started == 0)
        let form = try begin(TransferWorld.form, "one", "two")
        let film = try begin(TransferWorld.download, "film")
        #expect(try await outcome(of: form).answer?.body == Array("onetwo".utf8))
        #expect(try await outcome(of: film).answer?.status == 200)
        #expect(world.text("film") == TransferWorld.film && agents.started == 1)
        await eventually { agents.running == 0 && !keeper.hasWork }
    }

    @Test func `without a network no task begins, and the agent ends`() async throws {
        agents.setConduct(.waits)
        let task = try begin(TransferWorld.upload, "one")
        await eventually { agents.running == 1 }
        cable.set(isThere: false)
        let later = try begin(TransferWorld.upload, "two")
        try world.desk.end(#require(try world.desk.book.task(task)), as: .cancelled)
        await eventually { agents.running == 0 }
        #expect(try world.desk.book.task(later)?.state == .queued && agents.started == 1 && keeper.hasWork)
        cable.set(isThere: true)
        agents.setConduct(.works)
        keeper.look()
        #expect(try await outcome(of: later).answer?.status == 200)
    }

    @Test func `if an agent ends by itself, the next one gets the same tasks`() async throws {
        agents.setConduct(.dies)
        let task = try begin(TransferWorld.upload, "one")
        await eventually { agents.started > 0 && agents.running == 0 }
        agents.setConduct(.works)
        #expect(try await outcome(of: task).answer?.status == 200)
        #expect(try world.desk.book.task(task)?.key.attempt == 2 && agents.started == 2)
    }

    @Test func `an agent that breaks a rule is ended, and none of its news count`() async throws {
        agents.setConduct(.lies)
        let task = try begin(TransferWorld.upload, "one")
        await eventually { agents.started > 0 && agents.running == 0 }
        #expect(try world.desk.book.task(task)?.state != .ended)
        agents.setConduct(.works)
        #expect(try await outcome(of: task).failure == nil)
    }

    @Test func `an agent is told to stop a task, and a late outcome changes nothing`() async throws {
        agents.setConduct(.waits)
        let task = try begin(TransferWorld.upload, "one")
        await eventually { agents.orders.contains { if case .start = $0 { true } else { false } } }
        let running = try #require(try world.desk.book.task(task))
        try world.desk.end(running, as: .cancelled)
        await eventually { agents.orders.contains(.stop(running.key, .cancel)) }
        #expect(try await outcome(of: task).failure == "cancelled")
        await eventually { agents.running == 0 }
    }

    /// The tasks that the agents were told to begin, in order.
    private var begun: [UInt64] {
        agents.orders.compactMap { order in if case .start(let job) = order { job.key.task } else { nil } }
    }

    @Test func `the agent never has more than 64 tasks, and no more than 4 of one app`() async throws {
        agents.setConduct(.waits)
        for name in "abcdefghijklmno" {
            for _ in 0..<6 { _ = try begin(TransferWorld.upload, "one", of: "com.example.\(name)") }
        }
        await eventually { begun.count == 60 }
        // An app has its turn although tasks of others have waited for longer.
        for _ in 0..<6 { _ = try begin(TransferWorld.upload, "one", of: "com.example.p") }
        await eventually { begun.count == 64 }
        let running = try world.tasks().filter { $0.state == .running }
        #expect(Dictionary(grouping: running, by: \.session).values.map(\.count) == [Int](repeating: 4, count: 16))
        let stopped = try #require(running.first)
        try world.desk.end(stopped, as: .cancelled)
        await eventually { agents.orders.contains(.stop(stopped.key, .cancel)) && begun.count == 65 }
        let next = try #require(begun.last)
        #expect(try world.desk.book.task(Int64(next))?.session == stopped.session)
        keeper.end()
    }

    @Test func `the apps take turns, and discretionary tasks come last`() throws {
        keeper.end()
        for app in ["com.example.a", "com.example.b", "com.example.c"] { _ = try world.session(of: app) }
        let sessions = try world.desk.book.sessions()
        func waiting(_ number: Int64, of session: Int64, late: Bool = false) -> WaitingTask {
            WaitingTask(number: number, session: session, isDiscretionary: late)
        }
        let (a, b) = ((1...20).map { waiting($0, of: 1) }, (21...40).map { waiting($0, of: 2) })
        let turns = TransferTurns(sessions, held: [])
        #expect(turns.order(a + b).map(\.session) == (0..<20).flatMap { _ in [1, 2] as [Int64] })
        // An app that has tasks at the agent waits for the others.
        let next = TransferTurns(sessions, held: [1, 1, 1]).order(Array(a.dropFirst(3)) + b)
        #expect(next.prefix(5).map(\.session) == [2, 2, 2, 1, 2] && next.count == 37)
        // A discretionary task waits for all others, however early it began.
        let late = waiting(0, of: 3, late: true)
        #expect(turns.order([late] + a).last == late)
        // The agent may have more than it should.
        var full = TransferTurns(sessions, held: [Int64](repeating: 1, count: 80))
        #expect(!full.hasRoom(for: late))
        full = TransferTurns(sessions, held: [])
        for task in a.prefix(4) {
            #expect(full.hasRoom(for: task))
            full.take(task)
        }
        #expect(!full.hasRoom(for: a[4]) && full.hasRoom(for: b[0]))
    }

    @Test func `an upload whose staged file is gone ends without an attempt`() async throws {
        agents.setConduct(.waits)
        let task = try begin(TransferWorld.upload, "one")
        await eventually { !agents.orders.isEmpty }
        agents.setConduct(.dies)
        try world.desk.staging(of: #require(try world.desk.book.task(task)))?.remove()
        agents.killAll()
        #expect(try await outcome(of: task).failure == "bodyLost")
    }

    // MARK: The wrong moment

    @Test func `an upload that is suspended and resumed during its hand-over keeps its files`() async throws {
        hook.plan(at: .given) { [world] in
            guard let task = try? world.tasks().first else { return }
            try? world.desk.suspend(task)
            try? world.desk.resume(task)
        }
        let task = try begin(TransferWorld.upload, "one")
        #expect(try await outcome(of: task).answer?.body == Array("one".utf8))
        #expect(begun.count == 1)
    }

    @Test func `a task that is cancelled during its hand-over is not begun`() async throws {
        agents.setConduct(.waits)
        hook.plan(at: .given) { [world] in
            if let task = try? world.tasks().first { _ = try? world.desk.end(task, as: .cancelled) }
        }
        _ = try begin(TransferWorld.upload, "one")
        let next = try begin(TransferWorld.upload, "two")
        await eventually { !begun.isEmpty }
        #expect(begun == [UInt64(next)])
        keeper.end()
    }

    @Test func `a cancel at any moment of the hand-over reaches the agent`() async throws {
        agents.setConduct(.waits)
        for _ in 0..<100 {
            hook.plan(at: .given) { [world] in
                Thread.detachNewThread {
                    guard let task = try? world.tasks().first(where: { $0.state == .running }) else { return }
                    _ = try? world.desk.end(task, as: .cancelled)
                }
            }
            let task = try begin(TransferWorld.download, "film")
            #expect(try await outcome(of: task).failure == "cancelled")
            let key = try #require(try world.desk.book.task(task)?.key)
            await eventually { !keeper.holds(key) }
            #expect(!begun.contains(UInt64(task)) || agents.orders.contains(.stop(key, .cancel)))
            try world.desk.note([task], of: world.session().number)
        }
    }

    @Test func `a download whose files are gone begins anew`() async throws {
        agents.setConduct(.waits)
        let task = try begin(TransferWorld.download, "film")
        await eventually { !agents.orders.isEmpty }
        agents.setConduct(.works)
        try world.desk.staging(of: #require(try world.desk.book.task(task)))?.remove()
        agents.killAll()
        #expect(try await outcome(of: task).failure == nil)
        #expect(world.text("film") == TransferWorld.film)
    }

    @Test func `one answer of an attempt counts`() async throws {
        agents.setConduct(.waits)
        let task = try begin(TransferWorld.download, "film")
        await eventually { !begun.isEmpty }
        let key = try #require(try world.desk.book.task(task)?.key)
        for text in [#""first""#, #""second""#] { agents.respond(.entityTag(text), for: key) }
        // The answer to a question comes after the news before it.
        agents.ask([("example.org", 443)], for: key)
        await eventually { found == 1 }
        #expect(try world.desk.book.task(task)?.validator == .entityTag(#""first""#))
        keeper.end()
    }

    // MARK: A book that refuses changes

    @Test func `an end that cannot be written is written later, and nothing is sent twice`() async throws {
        let fault = try world.refuseChanges(when: "state = 6 AND number = 1")
        let task = try begin(TransferWorld.upload, "one")
        await eventually { keeper.hasUnwritten }
        let other = try begin(TransferWorld.upload, "two")
        #expect(try await outcome(of: other).failure == nil)
        #expect(try world.desk.book.task(task)?.state == .running)
        // The end of the agent changes nothing, because the task's own end is known.
        agents.killAll()
        try fault.mend()
        #expect(try await outcome(of: task).answer?.body == Array("one".utf8))
        #expect(begun == [UInt64(task), UInt64(other)])
    }

    @Test func `a download that cannot be placed is placed later`() async throws {
        let fault = try world.refuseChanges(when: "state = 6")
        let task = try begin(TransferWorld.download, "film")
        await eventually { (try? world.desk.book.task(task)?.state) == .placing }
        try fault.mend()
        #expect(try await outcome(of: task).failure == nil && world.text("film") == TransferWorld.film)
    }

    @Test func `a task that cannot be handed over keeps no other from the agent`() async throws {
        let fault = try world.refuseChanges(when: "state = 3 AND number = 1")
        let (task, other) = (try begin(TransferWorld.upload, "one"), try begin(TransferWorld.upload, "two"))
        #expect(try await outcome(of: other).failure == nil)
        #expect(try world.desk.book.task(task)?.state == .queued)
        try fault.mend()
        #expect(try await outcome(of: task).failure == nil)
    }

    @Test func `the tasks of an agent that has ended are given to the next one, even if the book refuses`() async throws
    {
        let fault = try world.refuseChanges(when: "state = 2 AND number = 1 AND attempt = 1")
        agents.setConduct(.waits)
        let (task, other) = (try begin(TransferWorld.upload, "one"), try begin(TransferWorld.upload, "two"))
        await eventually { begun.count == 2 }
        agents.setConduct(.works)
        agents.killAll()
        #expect(try await outcome(of: other).failure == nil)
        #expect(try world.desk.book.task(task)?.state == .running)
        try fault.mend()
        #expect(try await outcome(of: task).failure == nil)
    }

    @Test func `a task whose agent ended before its answer was written is given to the next one`() async throws {
        let fault = try world.refuseChanges(when: "validator IS NOT NULL")
        agents.setConduct(.waits)
        let task = try begin(TransferWorld.download, "film")
        await eventually { begun.count == 1 }
        agents.respond(.entityTag(#""first""#), for: try #require(try world.desk.book.task(task)).key)
        await eventually { keeper.state.withLock { !$0.unwritten.isEmpty } }
        agents.setConduct(.works)
        agents.killAll()
        try fault.mend()
        #expect(try await outcome(of: task).failure == nil)
    }

    @Test func `an agent that does not stop a task is ended, and the others go on`() async throws {
        agents.setConduct(.ignores)
        let early = Mutex<BookedTask?>(nil)
        hook.plan(at: .staged) { [world] in early.withLock { $0 = try? world.tasks().first } }
        _ = try begin(TransferWorld.upload, "one")
        let other = try begin(TransferWorld.upload, "two")
        await eventually { begun.count == 2 }
        // The broker has read the task before its present attempt.
        try world.desk.end(#require(early.withLock { $0 }), as: .cancelled)
        // This agent still ignores the order when it arrives.
        await eventually { agents.orders.contains { if case .stop = $0 { true } else { false } } }
        agents.setConduct(.works)
        #expect(try await outcome(of: other).failure == nil)
        #expect(agents.started == 2)
    }

    // MARK: Named machines

    /// The errors of the answers that the agents got.
    private var answers: [TransferError?] {
        agents.orders.compactMap { order in if case .found(let found) = order { found.error } else { nil } }
    }

    private var found: Int { agents.orders.count { if case .found = $0 { true } else { false } } }

    @Test func `a redirect leads to machines and ports that the grant names, and to no others`() async throws {
        grant.set(try ["example.org:443", "*.img.example"].map { try HostRule($0) })
        agents.setConduct(
            .asks([
                ("example.org", 443), ("a.img.example", 80), ("example.org", 80), ("evil.example", 443),
                ("img.example", 443), ("192.0.2.9", 443),
            ]))
        _ = try begin(TransferWorld.download, "film")
        await eventually { found == 6 }
        #expect(answers.compactMap(\.self) == [.refusedAddress, .refusedAddress, .refusedAddress, .refusedAddress])
        #expect(lookups.count == 2)
        keeper.end()
    }

    @Test func `a machine that is taken back is closed to the next question of a running transfer`() async throws {
        grant.set([try HostRule("example.org")])
        agents.setConduct(.asks([("example.org", 443)]))
        let task = try begin(TransferWorld.download, "film")
        await eventually { found == 1 }
        #expect(answers.compactMap(\.self).isEmpty)
        let booked = try #require(try world.desk.book.task(task))
        #expect(keeper.places(of: booked).map(\.rule.description) == ["example.org:443"])
        grant.set([try HostRule("other.example")])
        agents.ask([("example.org", 443)], for: booked.key)
        await eventually { found == 2 }
        #expect(answers.compactMap(\.self) == [.refusedAddress])
        grant.set([])
        agents.ask([("other.example", 443)], for: booked.key)
        await eventually { found == 3 }
        #expect(answers.compactMap(\.self) == [.refusedAddress, .refusedAddress])
        keeper.end()
    }

    @Test func `a machine that is taken back during its lookup is not told`() {
        let grant = NamedGrant()
        grant.set([HostRule(.address([192, 0, 2, 7]), port: nil)])
        let names = TransferNames(
            hosts: { _ in grant.rules },
            look: { _ in
                grant.set([])
                return [[192, 0, 2, 7]]
            })
        let key = TransferKey(task: 1, attempt: 1)
        let found = names.found(
            TransferQuestion(question: 5, key: key, host: "192.0.2.7", port: 443, redirects: 0), for: "a.b")
        #expect(found.error == .refusedAddress)
    }

    @Test(
        arguments: [
            ("https://example.org/a", "example.org:443"), ("HTTP://Example.ORG.?x", "example.org:80"),
            ("https://example.org:8443#f", "example.org:8443"), ("https://example.org:", "example.org:443"),
            ("http://192.0.2.7:80/", "192.0.2.7:80"), ("https://[2001:DB8::1]/", "[2001:db8::1]:443"),
            ("ftp://example.org/", nil), ("https://user@example.org/", nil), ("https:///x", nil), ("example.org", nil),
            ("https://example.org:0/", nil), ("https://example.org:65536/", nil), ("https://ex%61mple.org/", nil),
            ("https://a\\@b.example/", nil), ("https://example.org:443:80/", nil),
        ] as [(String, String?)])
    func `the machine of a URL is known before the agent reads the URL`(url: String, place: String?) {
        #expect(TransferPlace(url: url)?.rule.description == place)
    }

    // MARK: Questions without end

    @Test func `an agent with too many open questions is ended, and four lookups run at once at most`() async throws {
        lookups.hold()
        agents.setConduct(.floods((0..<3).map { ("\($0).example.org", 443) }))
        let task = try begin(TransferWorld.download, "film")
        await eventually { agents.started > 0 && agents.running == 0 }
        agents.setConduct(.works)
        #expect(try await outcome(of: task).failure == nil)
        lookups.release()
        #expect(lookups.mostAtOnce <= TransferLookups.atOnce)
    }

    @Test func `the open questions of all jobs together have a limit and share four threads`() async {
        let questions = TransferLookups()
        lookups.hold()
        var taken = 0
        for number in 0..<200 {
            let key = TransferKey(task: UInt64(number / 4), attempt: 1)
            if questions.add(for: key, { [lookups] in lookups.run() }) { taken += 1 }
        }
        #expect(taken == TransferLookups.most)
        await eventually { lookups.atOnce == TransferLookups.atOnce }
        questions.forgetAll()
        lookups.release()
        await eventually { lookups.atOnce == 0 }
        #expect(lookups.mostAtOnce == TransferLookups.atOnce && lookups.count == TransferLookups.atOnce)
        let isTaken = questions.add(for: TransferKey(task: 1, attempt: 1)) { [lookups] in lookups.run() }
        #expect(isTaken)
        await eventually { lookups.count == TransferLookups.atOnce + 1 }
    }

    // MARK: Names

    @Test func `the agent connects to the addresses that it was told for tasks it has, and to no others`() {
        let names = TransferNames(hosts: { _ in nil }, look: { _ in [[192, 0, 2, 7]] })
        let key = TransferKey(task: 1, attempt: 1)
        func includes(_ host: [UInt8], _ port: UInt16) -> Bool {
            names.named.include(InternetAddress(host: host, port: port))
        }
        #expect(!includes([192, 0, 2, 7], 443))
        _ = names.found(
            TransferQuestion(question: 5, key: key, host: "example.org", port: 443, redirects: 0), for: "a.b")
        #expect(includes([192, 0, 2, 7], 443) && !includes([192, 0, 2, 7], 80) && !includes([192, 0, 2, 8], 443))
        names.named.forget(TransferKey(task: 1, attempt: 2))
        #expect(includes([192, 0, 2, 7], 443))
        names.named.forget(key)
        #expect(!includes([192, 0, 2, 7], 443))
    }

    private func found(_ addresses: [[UInt8]]) -> TransferAddresses {
        TransferNames(hosts: { _ in nil }, look: { _ in addresses }).found(
            TransferQuestion(
                question: 5, key: TransferKey(task: 1, attempt: 1), host: "example.org", port: 443, redirects: 0),
            for: "com.example.todo.share")
    }

    @Test func `a name leads to no address of this machine, of the local link or of a metadata service`() {
        let own: [[UInt8]] = [
            [127, 0, 0, 1], [127, 9, 9, 9], [0, 0, 0, 0], [169, 254, 169, 254], [100, 100, 100, 200], [224, 0, 0, 1],
            [UInt8](repeating: 0, count: 15) + [1], [UInt8](repeating: 0, count: 16),
            [0xfe, 0x80] + [UInt8](repeating: 0, count: 13) + [1],
            [UInt8](repeating: 0, count: 10) + [0xff, 0xff, 127, 0, 0, 1],
        ]
        for address in own { #expect(found([address]).error == .refusedAddress, "\(address)") }
        #expect(found([]).error == .nameNotResolved && found([[1, 2, 3]]).error == .nameNotResolved)
        #expect(found([[127, 0, 0, 1], [192, 0, 2, 7]]).addresses == ["192.0.2.7"])
        let six: [UInt8] = [0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(found([six]).addresses == ["2001:db8:0:0:0:0:0:1"])
        #expect(found((0..<100).map { [192, 0, 2, $0] }).addresses.count == TransferLimits.addresses)
    }
}

extension TransferKeeper {
    fileprivate func holds(_ key: TransferKey) -> Bool { state.withLock { $0.held[key.task]?.key == key } }

    fileprivate var hasUnwritten: Bool { state.withLock { !$0.unwritten.isEmpty } }
}

/// The machines of a grant, which a test changes.
private final class Cable: Sendable {
    private let state = Mutex(true)

    var isThere: Bool { state.withLock { $0 } }

    func set(isThere: Bool) { state.withLock { $0 = isThere } }
}

private final class NamedGrant: Sendable {
    private let list = Mutex<[HostRule]?>(nil)

    var rules: [HostRule]? { list.withLock { $0 } }

    func set(_ rules: [HostRule]) { list.withLock { $0 = rules } }
}

/// Lookups that take as long as a test says.
private final class HeldLookups: Sendable {
    private struct State {
        var count = 0
        var atOnce = 0
        var mostAtOnce = 0
        var isHeld = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.count } }
    var atOnce: Int { state.withLock { $0.atOnce } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    func hold() { state.withLock { $0.isHeld = true } }

    func release() { state.withLock { $0.isHeld = false } }

    func run() {
        state.withLock { state in
            state.count += 1
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
        }
        while state.withLock({ $0.isHeld }) { MonotonicClock.pause() }
        state.withLock { $0.atOnce -= 1 }
    }
}

/// Agents that do what a test says.
private final class ScriptedAgents: TransferAgentStarter {
    enum Conduct: Sendable {
        case works, dies, waits
        /// Stops no task.
        case ignores
        /// Reports the outcome of a task that it does not have, and then sends bytes that are no message.
        case lies
        /// Asks for the addresses of machines, one after another.
        case asks([(host: String, port: UInt16)])
        /// Asks for the addresses of machines, without a wait for answers.
        case floods([(host: String, port: UInt16)])
    }

    private struct State {
        var conduct = Conduct.works
        var started = 0
        var running = 0
        var orders: [TransferOrder] = []
        var ends: [ScriptedAgent] = []
    }

    private let state = Mutex(State())

    var started: Int { state.withLock { $0.started } }
    var running: Int { state.withLock { $0.running } }
    var orders: [TransferOrder] { state.withLock { $0.orders } }

    func setConduct(_ conduct: Conduct) { state.withLock { $0.conduct = conduct } }

    func ask(_ places: [(host: String, port: UInt16)], for key: TransferKey) {
        state.withLock { $0.ends.last }?.ask(places, for: key)
    }

    func respond(_ validator: TransferValidator, for key: TransferKey) {
        state.withLock { $0.ends.last }?.respond(validator, for: key)
    }

    func killAll() { for agent in state.withLock({ $0.ends }) { agent.end() } }

    func start(
        _ socket: consuming Descriptor, onEnd: @escaping @Sendable (String) -> Void
    ) throws(AgentStartFailure) -> any RunningTransferAgent {
        let agent = ScriptedAgent(socket)
        state.withLock { state in
            state.started += 1
            state.running += 1
            state.ends.append(agent)
        }
        Thread.detachNewThread { [self] in
            run(agent)
            state.withLock { $0.running -= 1 }
            onEnd("its script is over")
        }
        return agent
    }

    private func run(_ agent: ScriptedAgent) {
        while let (order, files) = agent.next() {
            let conduct = state.withLock { state in
                state.orders.append(order)
                return state.conduct
            }
            switch (conduct, order) {
            case (.works, .start(let job)): agent.work(on: job, files)
            case (.dies, _): return agent.end()
            case (.lies, .start(let job)): agent.lie(about: job)
            case (.asks(let places), .start(let job)):
                agent.keep(files)
                agent.ask(places, for: job.key)
            case (.floods(let places), .start(let job)):
                agent.keep(files)
                for place in places { agent.ask([place], for: job.key) }
            case (_, .found): agent.askNext()
            case (.ignores, .stop): break
            case (_, .stop(let key, _)): agent.stop(key)
            default: agent.keep(files)
            }
        }
    }
}

private final class ScriptedAgent: RunningTransferAgent {
    private let socket: TransferAgentSocket
    private let kept = Mutex<[DescriptorBox]>([])
    private let questions = Mutex<[TransferQuestion]>([])

    init(_ socket: consuming Descriptor) { self.socket = TransferAgentSocket(owning: socket) }

    func end() { socket.socket.shutDown() }

    func next() -> (TransferOrder, DescriptorBox)? {
        while true {
            do {
                switch try socket.receive() {
                case .message(let order, let files): return (order, DescriptorBox(files))
                case .nothing: socket.socket.descriptor.waitUntilReadable(until: .max)
                case .end: return nil
                }
            } catch {
                return nil
            }
        }
    }

    func keep(_ files: DescriptorBox) { kept.withLock { $0.append(files) } }

    func work(on job: TransferJob, _ files: DescriptorBox) {
        var bytes: [UInt8] = []
        while let file = files.takeFirst() {
            if job.work.isDownload {
                try? file.writeAll(Array(TransferWorld.film.utf8))
            } else {
                bytes += (try? file.readAll(atMost: 1 << 20)) ?? []
            }
        }
        let answer = TransferAnswer(status: 200, headers: [], body: bytes)
        tell(job.key, answer: answer, error: nil)
    }

    func ask(_ places: [(host: String, port: UInt16)], for key: TransferKey) {
        questions.withLock { questions in
            questions += places.enumerated().map { number, place in
                TransferQuestion(
                    question: UInt64(number), key: key, host: place.host, port: place.port, redirects: 1)
            }
        }
        askNext()
    }

    func respond(_ validator: TransferValidator, for key: TransferKey) {
        try? socket.send(.response(TransferResponse(key: key, offset: 0, validator: validator, expected: nil)))
    }

    func askNext() {
        let next = questions.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let next { try? socket.send(.lookUp(next)) }
    }

    func stop(_ key: TransferKey) { tell(key, answer: nil, error: .cancelled) }

    func lie(about job: TransferJob) {
        let (task, attempt) = (job.key.task, job.key.attempt)
        for key in [TransferKey(task: task, attempt: attempt + 1), TransferKey(task: task + 1, attempt: attempt)] {
            tell(key, answer: TransferAnswer(status: 200, headers: []), error: nil)
        }
        try? socket.socket.send([1, 2, 3])
    }

    private func tell(_ key: TransferKey, answer: TransferAnswer?, error: TransferError?) {
        try? socket.send(
            .ended(
                TransferEnd(
                    key: key, sent: 0, received: 0, answer: answer, error: error, retry: .never, validator: nil)))
    }
}

/// Descriptors that go from one function to another.
private final class DescriptorBox: Sendable {
    private let list: Mutex<DescriptorList>

    init(_ list: consuming DescriptorList) { self.list = Mutex(list) }

    func takeFirst() -> Descriptor? { list.withLock { $0.takeFirst() } }
}
