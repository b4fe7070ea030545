import AnnexGroups
import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Synchronization
import Testing
import TransferWorlds

@testable import AnnexPortalServer

/// Background sessions, from the interface of members to the book.
@Suite(.timeLimit(.minutes(20))) struct BackgroundSessionTests {
    private let fixture: GroupFixture
    private let broker: TransferBroker

    init() throws {
        fixture = try GroupFixture()
        broker = try TransferBroker(fixture)
    }

    private func configuration(_ identifier: String = "com.example.todo.sync") -> BackgroundSession.Configuration {
        BackgroundSession.Configuration(identifier: identifier, sharedContainerIdentifier: GroupFixture.identifier)
    }

    private func session(
        _ member: TransferMember, _ identifier: String = "com.example.todo.sync"
    ) async throws -> BackgroundSession {
        try await BackgroundSession(configuration(identifier), in: member.group, through: member.portal)
    }

    private func refusal(_ body: () async throws -> Void) async -> PortalError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? PortalError
        }
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: fixture.container + "/" + name))
    }

    private func exists(_ name: String) -> Bool { access(fixture.container + "/" + name, F_OK) == 0 }

    // MARK: Sessions

    @Test func `a session belongs to one process at a time, and the other learns which one holds it`() async throws {
        let (one, other) = (try broker.member(), try broker.member("com.example.todo"))
        let held = try await session(one)
        let refusal = await refusal { _ = try await session(other) }
        #expect(refusal?.code == .busy && refusal?.what.contains("com.example.todo.share") == true)
        try await held.invalidate()
        _ = try await session(other)
        // The end of a process frees its sessions too.
        other.portal.close()
        await eventually { broker.desk.holders.isEmpty }
        _ = try await session(one)
    }

    @Test func `a broker without a daemon says by name what transfers need`() async throws {
        let embedded = try TransferBroker(fixture, keepsTransfers: false)
        let member = try embedded.member()
        let refusal = await refusal { _ = try await session(member) }
        #expect(refusal?.code == .unavailable && refusal?.remedy?.contains("annexd") == true)
        withExtendedLifetime(embedded) {}
    }

    @Test func `an extension that may not use the network transfers nothing`() async throws {
        let member = try broker.member { false }
        let refusal = await refusal { _ = try await session(member) }
        #expect(refusal?.code == .notAllowed && refusal?.remedy?.contains("network.client") == true)
    }

    @Test(arguments: [
        "", "sync", "com..sync", "../com.sync", "com/sync", "com.sync\n", String(repeating: "a.", count: 80),
    ])
    func `a text that is no identifier opens no session`(identifier: String) async throws {
        let member = try broker.member()
        #expect(await refusal { _ = try await session(member, identifier) }?.code == .invalid)
    }

    @Test func `a group has sixteen sessions, and a session 64 tasks`() async throws {
        let member = try broker.member()
        var sessions: [BackgroundSession] = []
        for number in 1...16 { sessions.append(try await session(member, "com.example.s\(number)")) }
        #expect(await refusal { _ = try await session(member, "com.example.more") }?.code == .full)
        for number in 1...64 { _ = try await sessions[0].download(from: "https://example.org/\(number)", to: "f") }
        let refusal = await refusal { _ = try await sessions[0].download(from: "https://example.org/", to: "f") }
        #expect(refusal?.code == .full)
        // A session that is let go without a task leaves its place.
        try await sessions[15].invalidate()
        _ = try await session(member, "com.example.more")
    }

    @Test func `another app of the group does not take over a session`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/", to: "film")
        try await session.invalidate()
        let stranger = try broker.member("com.example.other")
        #expect(await refusal { _ = try await self.session(stranger) }?.code == .invalid)
        let own = try broker.member("com.example.todo")
        #expect(try await self.session(own).tasks().count == 1)
    }

    // MARK: Tasks

    @Test func `an upload takes its files before the answer, and its outcome is delivered once`() async throws {
        let session = try await session(broker.member())
        try write("picture", to: "one.png")
        let task = try await session.upload(
            to: "https://example.org/album",
            parts: [.text("Summer", named: "title"), .file(fixture.container + "/one.png", named: "picture")])
        #expect(!exists("one.png"))
        #expect(try await task.originalURL() == "https://example.org/album")
        #expect(try await task.outcome() == nil)
        #expect(try await session.tasks().map(\.id) == [task.id])
        var events = session.events.makeAsyncIterator()
        let taken = try broker.take()
        #expect(taken.job.work.descriptors == 1 && broker.mover.looks > 0)
        broker.desk.note(TaskProgress(sent: 3, expected: 7), of: taken)
        let moved = try await events.next()
        guard case .progress(_, let progress)? = moved else { throw Missing("progress") }
        #expect(progress.sent == 3 && progress.received == 0 && progress.expected == 7)
        try broker.end(taken, status: 201, body: "made")
        let last = try await events.next()
        guard case .ended(let ended, let outcome)? = last else { throw Missing("end") }
        #expect(ended.id == task.id && outcome.status == 201 && outcome.isSuccess)
        #expect(outcome.body == Array("made".utf8) && outcome.headers == ["HTTP/1.1 201", "X: y"])
        #expect(outcome.files == ["one.png"])
        // The loop takes note of the outcome when it asks for the next event.
        #expect(try broker.desk.book.tasks().count == 1)
        let next = Task { [events] in
            var events = events
            return try await events.next()
        }
        await eventually { (try? broker.desk.book.tasks().isEmpty) ?? false }
        try await session.invalidate()
        #expect(try await next.value == nil)
        #expect(try broker.desk.book.sessions().isEmpty)
    }

    @Test func `numbers of bytes at their limits are delivered as they are`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/film", to: "film")
        var events = session.events.makeAsyncIterator()
        broker.desk.note(TaskProgress(sent: .max, received: .max, expected: .max), of: try broker.take())
        guard case .progress(_, let progress)? = try await events.next() else { throw Missing("progress") }
        #expect(progress.sent == .max && progress.received == .max && progress.expected == .max)
    }

    @Test func `a grant that is revoked while files are staged begins no upload`() async throws {
        let asked = Mutex(0)
        // The broker asks when the session is opened, when the upload begins, and when its files are staged.
        let member = try broker.member {
            asked.withLock { count in
                count += 1
                return count < 3
            }
        }
        let session = try await session(member)
        try write("picture", to: "one.png")
        let refusal = await refusal { _ = try await session.upload(to: "https://example.org/", fromFile: "one.png") }
        #expect(refusal?.code == .notAllowed && asked.withLock { $0 } == 3)
        #expect(exists("one.png"))
        #expect(try broker.desk.book.tasks().isEmpty)
    }

    @Test func `a member that is told to wait changes nothing of the session`() async throws {
        let held = try await session(broker.member())
        try await held.download(from: "https://example.org/", to: "film")
        var other = configuration()
        other.timeoutIntervalForResource = .seconds(5)
        other.isDiscretionary = true
        let member = try broker.member("com.example.todo")
        let refusal = await refusal { _ = try await BackgroundSession(other, in: member.group, through: member.portal) }
        #expect(refusal?.code == .busy)
        let booked = try #require(try broker.desk.book.sessions().first)
        #expect(booked.seconds == TransferLimits.longestSeconds && !booked.isDiscretionary)
        // Another app learns that the session is not its own, and not which member holds it.
        let stranger = try broker.member("com.example.other")
        #expect(await self.refusal { _ = try await session(stranger) }?.code == .invalid)
    }

    @Test func `an outcome that no loop took note of is delivered to the next holder`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/film", to: "film")
        let taken = try broker.take()
        try broker.desk.staging(of: taken)?.destination(keeping: false).writeAll(Array("film".utf8))
        try broker.end(taken, status: 200)
        #expect(exists("film"))
        var events = session.events.makeAsyncIterator()
        let last = try await events.next()
        guard case .ended? = last else { throw Missing("end") }
        try await session.invalidate()
        let again = try await self.session(broker.member("com.example.todo"))
        let outcome = try await again.tasks().first?.outcome()
        #expect(outcome?.isSuccess == true && outcome?.files == ["film"])
        try await again.finishEvents()
        #expect(try broker.desk.book.tasks().isEmpty)
    }

    @Test func `an outcome of a task that ends after the list was read is noted too`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/film", to: "film")
        let task = try #require(try await session.tasks().first)
        #expect(try await task.outcome() == nil)
        try broker.end(broker.take(), status: 404)
        #expect(try await task.outcome()?.status == 404)
        try await session.finishEvents()
        #expect(try broker.desk.book.tasks().isEmpty)
    }

    @Test func `a task is suspended, resumed and cancelled, and ends once`() async throws {
        let session = try await session(broker.member())
        let task = try await session.download(from: "https://example.org/film", to: "film")
        let taken = try broker.take()
        try await task.suspend()
        #expect(broker.mover.stops == [.init(key: taken.key, stop: .suspend)])
        try await task.resume()
        try await task.retry()
        try await task.cancel()
        try await task.cancel()
        #expect(try await task.outcome()?.failure == "cancelled")
        // What the agent reports afterwards changes nothing.
        try broker.end(taken, status: 200)
        #expect(try await task.outcome()?.failure == "cancelled" && !exists("film"))
        #expect(try broker.desk.book.tasks().count == 1)
    }

    @Test func `a session can be let go with all its tasks`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/film", to: "film")
        let taken = try broker.take()
        try await session.invalidateAndCancel()
        #expect(broker.mover.stops == [.init(key: taken.key, stop: .cancel)])
    }

    @Test func `a transfer that breaks a rule is refused, and its files stay in the container`() async throws {
        let session = try await session(broker.member())
        try write("picture", to: "one.png")
        for url in ["", "https://exa mple.org", "https://b\u{fc}cher.example", String(repeating: "x", count: 9000)] {
            #expect(await refusal { _ = try await session.upload(to: url, fromFile: "one.png") }?.code == .invalid)
        }
        for path in ["../secret", "/etc/passwd", "missing", ""] {
            let refusal = await refusal { _ = try await session.upload(to: "https://example.org", fromFile: path) }
            #expect(refusal != nil, "\(path)")
        }
        for headers in [["Host": "x"], ["a b": "c"], ["A": "b\r\nC: d"]] {
            let refusal = await refusal {
                _ = try await session.upload(to: "https://example.org", fromFile: "one.png", headers: headers)
            }
            #expect(refusal?.code == .invalid)
        }
        #expect(exists("one.png"))
        #expect(try broker.desk.book.tasks().isEmpty)
    }

    @Test func `a transfer to a machine that no grant names is refused before it has a number`() async throws {
        let session = try await session(broker.member())
        try write("picture", to: "one.png")
        let refusal = await refusal {
            _ = try await session.upload(to: "https://unnamed.example/", fromFile: "one.png")
        }
        #expect(refusal?.code == .notAllowed && exists("one.png"))
        #expect(try broker.desk.book.tasks().isEmpty)
    }

    @Test func `nine pictures are staged before the answer`() async throws {
        let session = try await session(broker.member())
        var parts: [UploadPart] = [.text("Summer", named: "title")]
        for number in 1...9 {
            let name = "\(number).jpg"
            try Data(repeating: UInt8(number), count: 2 << 20).write(to: URL(filePath: fixture.container + "/" + name))
            parts.append(.file(name, named: "picture"))
        }
        let begun = MonotonicClock.now()
        try await session.upload(to: "https://example.org/album", parts: parts)
        print("nine pictures of 2 MiB were staged in \((MonotonicClock.now() - begun) / 1000) µs")
        let task = try #require(try broker.desk.book.tasks().first)
        for index in 0..<9 {
            let file = try #require(try broker.desk.staging(of: task)).file(index, size: 2 << 20)
            #expect(try file.readAll(atMost: 2 << 20) == Array(repeating: UInt8(index + 1), count: 2 << 20))
        }
    }

    // MARK: Waking

    @Test func `the app is started once, when all tasks have ended and no process holds the session`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/1", to: "one")
        try await session.download(from: "https://example.org/2", to: "two")
        try broker.end(broker.take(), status: 404)
        try await session.invalidate()
        #expect(broker.woken.isEmpty)
        try broker.end(broker.take(), status: 404)
        #expect(broker.woken == ["com.example.todo com.example.todo.sync"])
        // The app takes no note, and lets the session go.
        let app = try await self.session(broker.member("com.example.todo"))
        try await app.invalidate()
        #expect(broker.woken.count == 1)
        // The next change starts it again, and three times at most.
        for _ in 0..<4 { #expect(try broker.desk.recover().isEmpty) }
        #expect(broker.woken.count == 3)
        let last = try await self.session(broker.member("com.example.todo"))
        #expect(try await last.tasks().count == 2)
        try await last.finishEvents()
        try await last.invalidate()
        #expect(try broker.desk.recover().isEmpty && broker.woken.count == 3 && broker.desk.book.sessions().isEmpty)
    }

    @Test func `only the app itself ends the count of its starts`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/1", to: "one")
        try broker.end(broker.take(), status: 404)
        try await session.invalidate()
        for _ in 0..<5 {
            let again = try await self.session(broker.member())
            try await again.finishEvents()
            try await again.invalidate()
            #expect(try broker.desk.recover().isEmpty)
        }
        #expect(broker.woken.count == 3)
    }

    @Test func `an extension that lets its session go after the end of all tasks starts the app`() async throws {
        let session = try await session(broker.member())
        try await session.download(from: "https://example.org/1", to: "one")
        try broker.end(broker.take(), status: 404)
        #expect(broker.woken.isEmpty)
        try await session.invalidate()
        #expect(broker.woken.count == 1)
    }

    @Test func `tasks whose grant is revoked end as revoked, and their files go`() async throws {
        let session = try await session(broker.member())
        try write("picture", to: "one.png")
        let task = try await session.upload(to: "https://example.org/", fromFile: "one.png")
        let taken = try broker.take()
        try broker.desk.review { _, task in task.member != "com.example.todo.share" }
        #expect(try await task.outcome()?.failure == "revoked")
        #expect(broker.mover.stops == [.init(key: taken.key, stop: .cancel)])
        let staging = try #require(try broker.desk.staging(of: taken))
        #expect(throws: SystemError.self) { _ = try staging.file(0, size: 7).status() }
    }

    @Test func `a task whose time is over ends as expired`() async throws {
        var short = configuration()
        short.timeoutIntervalForResource = .seconds(100)
        let member = try broker.member()
        let session = try await BackgroundSession(short, in: member.group, through: member.portal)
        let task = try await session.download(from: "https://example.org/", to: "film")
        let now = WallClock.now()
        let next = try broker.desk.expire(at: now)
        #expect((next?.microseconds ?? 0) - now.microseconds <= 100_000_000)
        #expect(try broker.desk.expire(at: WallClock(microseconds: now.microseconds + 101_000_000)) == nil)
        #expect(try await task.outcome()?.failure == "expired")
    }

    // MARK: Hostile members

    @Test func `raw requests of a hostile member are answered with errors`() async throws {
        let member = try RawMember(of: fixture.openGroup(), at: broker.server)
        let long = [UInt8](repeating: 7, count: 50_000)
        for number in UInt16(0)...40 {
            for body in [[], [1], [0xff, 0xff, 0xff], long] {
                try await member.send(
                    PortalMethod(.transfers, number: number), call: 1, body: body)
                let answer = try #require(try await member.answer())
                #expect(answer.error != nil || number == 12, "\(number)")
            }
        }
        try await member.send(BackgroundMethod.open, call: 2, group: "", body: [])
        #expect(try await member.answer()?.error?.code == .invalid)
        #expect(member.violations.isEmpty)
        #expect(try broker.desk.book.sessions().isEmpty)
    }
}

private struct Missing: Error {
    let what: String

    init(_ what: String) { self.what = what }
}

/// A broker that keeps transfers, and records what it asks of its mover and which apps it starts.
final class TransferBroker: Sendable {
    let server: PortalServer
    let desk: TransferDesk
    let mover = RecordingMover()
    private let group: OpenGroup
    private let starts = Mutex<[String]>([])
    /// Each portal has a thread, which ends with the portal.
    private let portals = Mutex<[PortalClient]>([])

    init(_ fixture: GroupFixture, keepsTransfers: Bool = true) throws {
        let book = fixture.folder.url.resolvingSymlinksInPath().path + "/book"
        try FileManager.default.createDirectory(
            atPath: book, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let group = try fixture.openGroup()
        self.group = group
        desk = TransferDesk(try TransferBook(in: book), counter: { TransferWorld.bytes(of: $0) }) { _ in group }
        let loop = try EventLoop.shared()
        server = PortalServer(
            loop: loop,
            services: [
                GroupService(loop: loop),
                BackgroundService(keepsTransfers ? .success(desk) : .failure(.transfersNeedDaemon), on: loop),
            ])
        desk.connect(
            to: mover,
            refusing: { url, _ in
                url.contains("unnamed.example") ? PortalError(.notAllowed, what: "unnamed", remedy: nil) : nil
            }
        ) { [weak self] session in
            self?.starts.withLock { $0.append("\(session.app) \(session.identifier)") }
        }
    }

    deinit {
        for portal in portals.withLock({ $0 }) { portal.close() }
    }

    var woken: [String] { starts.withLock { $0 } }

    func member(
        _ identifier: String = "com.example.todo.share", mayUseNetwork: @escaping @Sendable () -> Bool = { true }
    ) throws -> TransferMember {
        let container = group.containerPath
        let app = identifier.split(separator: ".").prefix(3).joined(separator: ".")
        let member = try PortalMember(
            identifier, ofApp: app, groups: [group], container: { _ in container },
            isAllowed: { $0 == PortalEntitlement.groups || mayUseNetwork() }, wake: {})
        let portal = PortalClient(try server.connect(member) { _ in }.takeSocket(), reader: .thread)
        _ = try WorkerThread("test-portal") { portal.receiveUntilEnd() }
        portals.withLock { $0.append(portal) }
        return TransferMember(
            portal: portal, group: try JoinedGroup.join(GroupFixture.identifier, through: portal))
    }

    /// Takes the first queued task, as the mover does.
    func take() throws -> BookedTask {
        let queued = try desk.book.tasks().first { $0.state == .queued }
        return try #require(try queued.flatMap { try desk.take($0, boot: "boot") })
    }

    func end(_ task: BookedTask, status: UInt16, body: String = "") throws {
        let headers = Array("HTTP/1.1 \(status)\r\nX: y\r\n".utf8)
        let answer = TransferAnswer(status: status, headers: headers, body: Array(body.utf8))
        try desk.ended(
            TransferEnd(
                key: task.key, sent: 0, received: 0, answer: answer, error: nil, retry: .never, validator: nil))
    }
}

/// A member with its portal.
struct TransferMember: Sendable {
    let portal: PortalClient
    let group: JoinedGroup
}

final class RecordingMover: TransferMover {
    struct Stop: Equatable {
        let key: TransferKey
        let stop: TransferStop
    }

    private let state = Mutex((looks: 0, stops: [Stop]()))

    var looks: Int { state.withLock { $0.looks } }
    var stops: [Stop] { state.withLock { $0.stops } }

    func look() { state.withLock { $0.looks += 1 } }

    func stop(_ key: TransferKey, as stop: TransferStop) {
        state.withLock { $0.stops.append(Stop(key: key, stop: stop)) }
    }
}
