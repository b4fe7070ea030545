import AnnexLinux
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
    private let keeper: TransferKeeper

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.url.resolvingSymlinksInPath().path
        for name in ["groups", "book"] {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        world = try TransferWorld(groups: path + "/groups", book: path + "/book")
        keeper = TransferKeeper(
            world.desk, on: try EventLoop.shared(), names: TransferNames(look: { _ in [[192, 0, 2, 7]] }),
            starter: agents,
            log: BrokerLog())
        world.desk.connect(to: keeper) { _ in }
    }

    private func begin(_ job: TransferJob, _ files: String...) throws -> Int64 {
        for file in files where !job.work.isDownload { try world.write(file, to: file) }
        return try world.desk.begin(
            job, files: files, in: world.session(), by: "com.example.todo.share", room: 1 << 20)
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

    @Test func `the agent never has more than 64 tasks, and discretionary ones come last`() async throws {
        agents.setConduct(.waits)
        for _ in 0..<64 { _ = try begin(TransferWorld.download, "film") }
        await eventually { agents.orders.count == 64 }
        #expect(try world.tasks().filter { $0.state == .running }.count == 64)
        let first = try #require(try world.tasks().first)
        try world.desk.end(first, as: .cancelled)
        await eventually { agents.orders.contains(.stop(first.key, .cancel)) }
        keeper.end()
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

    // MARK: Names

    private func found(_ addresses: [[UInt8]]) -> TransferAddresses {
        TransferNames(look: { _ in addresses }).found(
            TransferQuestion(
                question: 5, key: TransferKey(task: 1, attempt: 1), host: "example.org", port: 443, redirects: 0))
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

/// Agents that do what a test says.
private final class ScriptedAgents: TransferAgentStarter {
    enum Conduct: Sendable {
        case works, dies, waits
        /// Reports the outcome of a task that it does not have, and then sends bytes that are no message.
        case lies
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
            case (_, .stop(let key, _)): agent.stop(key)
            default: agent.keep(files)
            }
        }
    }
}

private final class ScriptedAgent: RunningTransferAgent {
    private let socket: TransferAgentSocket
    private let kept = Mutex<[DescriptorBox]>([])

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
