import AnnexLinux
import AnnexModel
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Synchronization
import Testing
import TransferWorlds

@testable import AnnexPortalServer

/// The book of transfers: its limits, its damage, and reads that load a part of it.
@Suite(.timeLimit(.minutes(20))) struct TransferBookTests {
    private let folder: TemporaryFolder
    private let book: TransferBook
    private let reported = Reported()
    private let group = GroupKey(team: String(repeating: "ab", count: 32), identifier: "group.com.example.todo")

    private final class Reported: Sendable {
        let errors = Mutex<[StoreError]>([])
    }

    init() throws {
        folder = try TemporaryFolder()
        book = try TransferBook(in: folder.url.resolvingSymlinksInPath().path) { [reported] error in
            reported.errors.withLock { $0.append(error) }
        }
    }

    private func session(_ identifier: String, app: String = "com.example.todo") throws -> BookedSession {
        try book.openSession(
            SessionWish(group: group, identifier: identifier, app: app, seconds: 3600, isDiscretionary: false))
    }

    private func add(
        _ job: TransferJob = TransferWorld.download, to session: BookedSession, isQueued: Bool = true
    ) throws -> Int64 {
        let number = try book.add(job, files: ["film"], to: session, by: "com.example.todo.share", at: .now())
        if isQueued { try book.staged(number, as: job) }
        return number
    }

    private func discretionary() -> TransferJob {
        TransferJob(
            key: TransferKey(task: 0, attempt: 0), method: .get, url: "https://example.org/", isDiscretionary: true,
            work: .download(TransferDownload(mostBytes: 1)))
    }

    private func failure(_ body: () throws -> Void) -> StoreError? {
        do {
            try body()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    @Test func `of each app, as many tasks wait as an agent can have`() throws {
        let (one, two) = (try session("com.example.one"), try session("com.example.two"))
        let other = try session("com.example.other", app: "com.example.other")
        var first: [Int64] = [try add(discretionary(), to: one)]
        for _ in 0..<50 { first.append(try add(to: one)) }
        for _ in 0..<50 { first.append(try add(to: two)) }
        let last = try add(to: other)
        let waiting = try book.waiting(at: .now())
        #expect(waiting.due.count == TransferLimits.jobs + 1 && waiting.hasWork && waiting.next == nil)
        #expect(waiting.due.map(\.number) == Array(first[1...TransferLimits.jobs] + [last]))
        #expect(waiting.due.last?.session == other.number && waiting.due.allSatisfy { !$0.isDiscretionary })
    }

    @Test func `the answers of one app do not fill the book, and each outcome keeps its status`() throws {
        let whole = TransferAnswer(
            status: 500, headers: [UInt8](repeating: 0x41, count: 16 << 10),
            body: [UInt8](repeating: 1, count: 64 << 10))
        let room = Int(TransferQuota.answersOfApp) / (80 << 10)
        var sessions: [BookedSession] = []
        for number in 0...(room / 64) { sessions.append(try session("com.example.s\(number)")) }
        var last: Int64 = 0
        for number in 0...room {
            last = try add(to: sessions[number / 64])
            #expect(try book.end(last, with: TaskOutcome(nil, answer: whole)))
        }
        let cut = try #require(try book.task(last)?.outcome?.answer)
        #expect(cut.status == 500 && cut.body.isEmpty && cut.bodyWasCut)
        let first = try #require(try book.tasks(after: 0, atMost: 1).first)
        #expect(first.outcome?.answer == whole)
        // Another app has room of its own.
        let other = try add(to: session("com.example.other", app: "com.example.other"))
        #expect(try book.end(other, with: TaskOutcome(nil, answer: whole)))
        #expect(try book.task(other)?.outcome?.answer == whole)
    }

    @Test func `a waiting task says whether it is discretionary, and a later task states its time`() throws {
        let one = try session("com.example.one")
        let (late, now) = (try add(discretionary(), to: one), try add(to: one))
        let taken = try #require(try book.take(now, boot: "boot", promising: 1))
        let first = WaitingTask(number: late, session: one.number, isDiscretionary: true)
        #expect(try book.waiting(at: .now()).due == [first])
        let time = WallClock(microseconds: WallClock.now().microseconds + 60_000_000)
        try book.giveBack(taken.key, until: time, failed: true)
        #expect(try book.waiting(at: .now()) == WaitingTasks(due: [first], next: time, hasWork: true))
        #expect(try book.waiting(at: time).due.map(\.number) == [late, now])
        for number in [late, now] { #expect(try book.end(number, with: TaskOutcome(.cancelled))) }
        #expect(try book.waiting(at: .now()) == WaitingTasks())
    }

    @Test func `a list is read page by page, and a session by its number`() throws {
        let session = try session("com.example.one")
        let all = try (0..<10).map { _ in try add(to: session) }
        var listed: [Int64] = []
        while true {
            let page = try book.tasks(after: listed.last ?? 0, atMost: 4).map(\.number)
            #expect(page.count <= 4)
            if page.isEmpty { break }
            listed += page
        }
        #expect(listed == all)
        #expect(try book.session(session.number) == session && book.session(session.number + 1) == nil)
        #expect(try book.summaries(of: session.number).map(\.number) == all)
        #expect(try book.summaries(of: session.number).allSatisfy { $0.isDownload && $0.state == .queued })
    }

    @Test func `a note takes at most as many tasks as a session has`() throws {
        let session = try session("com.example.one")
        let task = try add(to: session)
        #expect(try book.end(task, with: TaskOutcome(.cancelled)))
        try book.note((1...64).map { task + $0 } + (1...64).map { task - $0 }, of: session.number)
        #expect(try book.task(task) != nil)
        // Of more numbers than a session can have tasks, the greater ones are left out.
        try book.note([task] + (1...64).map { task - $0 }, of: session.number)
        #expect(try book.task(task) != nil)
        try book.note([Int64](repeating: task, count: 10_000), of: session.number)
        #expect(try book.task(task) == nil)
    }

    @Test func `the texts of all tasks of a group have at most 8 MiB`() throws {
        let text = String(repeating: "t", count: TransferLimits.textBytes)
        let job = TransferJob(
            key: TransferKey(task: 0, attempt: 0), method: .post, url: "https://example.org/",
            work: .form([TransferPart(name: "text", text: text)]))
        let sessions = try (0..<3).map { try session("com.example.s\($0)") }
        var count = 0
        let refused = failure {
            for session in sessions {
                for _ in 0..<50 {
                    _ = try add(job, to: session, isQueued: false)
                    count += 1
                }
            }
        }
        #expect(refused?.kind == .full && refused?.remedy?.contains("note of outcomes") == true, "\(count)")
        #expect(count == Int(TransferQuota.bytesOfGroup) / (TransferLimits.textBytes + 100))
        // Another group has room of its own.
        let other = try book.openSession(
            SessionWish(
                group: GroupKey(team: group.team, identifier: "group.com.example.other"),
                identifier: "com.example.one", app: "com.example.other", seconds: 60, isDiscretionary: false))
        _ = try add(job, to: other)
        // Room that is free again can be used.
        try book.withdraw(#require(try book.tasks(of: sessions[0].number).first).number)
        _ = try add(job, to: sessions[2])
    }

    // MARK: Receipts

    @Test func `a task has four receipts, and an app 512`() throws {
        let session = try session("com.example.one")
        let task = try #require(try book.task(add(to: session)))
        let receipts = try (0..<4).map { _ in try book.addReceipt(for: task) }
        #expect(failure { _ = try book.addReceipt(for: task) }?.kind == .full)
        for receipt in receipts { #expect(try book.task(of: receipt)?.task == task) }
        let next = try #require(try book.task(add(to: session)))
        try fill(508, of: "com.example.todo")
        #expect(failure { _ = try book.addReceipt(for: next) }?.what.contains("512") == true)
        // Another app is not concerned.
        let other = try self.session("com.example.other", app: "com.example.other")
        _ = try book.addReceipt(for: #require(try book.task(add(to: other))))
    }

    /// Stores receipts of tasks that are gone.
    private func fill(_ count: Int, of app: String) throws {
        try book.transact { (database) throws(StoreError) in
            for number in 0..<count {
                try database.run(
                    "INSERT INTO receipt (token, task, app, expires) VALUES (?1, ?2, ?3, ?4)",
                    with: [.text("\(number)"), .number(Int64(1_000_000 + number)), .text(app), .number(.max)])
            }
        }
    }

    // MARK: Damage

    private func damage(_ number: Int64) throws {
        try book.transact { (database) throws(StoreError) in
            try database.run("UPDATE task SET job = x'ff00' WHERE number = ?1", with: [.number(number)])
        }
    }

    @Test func `a damaged row is reported once and left out, and the others are read`() throws {
        let session = try session("com.example.one")
        let all = try (0..<3).map { _ in try add(to: session) }
        try damage(all[1])
        for _ in 0..<3 {
            #expect(try book.tasks(of: session.number).map(\.number) == [all[0], all[2]])
            #expect(try book.tasks(after: 0, atMost: 10).map(\.number) == [all[0], all[2]])
            #expect(try book.task(all[1]) == nil)
        }
        let errors = reported.errors.withLock { $0 }
        #expect(errors.count == 1 && errors.first?.kind == .damaged)
        #expect(errors.first?.what.contains("task \(all[1])") == true)
    }
}

/// What a desk does with damaged rows.
@Suite(.timeLimit(.minutes(20))) struct TransferDamageTests {
    @Test func `the next start ends a damaged task, so that its app is started`() throws {
        let place = try TransferPlace()
        let world = place.world
        let woken = Mutex<[String]>([])
        final class Mover: TransferMover {
            func look() {}
            func stop(_ key: TransferKey, as stop: TransferStop) {}
        }
        let mover = Mover()
        world.desk.connect(to: mover, refusing: { _, _ in nil }) { session in woken.withLock { $0.append(session.app) }
        }
        try world.write("one", to: "one")
        let task = try place.begin(TransferWorld.upload, "one")
        try world.desk.book.transact { (database) throws(StoreError) in
            try database.run("UPDATE task SET job = x'ff00', state = 99 WHERE number = ?1", with: [.number(task)])
        }
        #expect(try world.desk.recover().isEmpty)
        let ended = try #require(try world.desk.book.task(task))
        #expect(ended.state == .ended && ended.outcome == TaskOutcome(.damaged))
        #expect(woken.withLock { $0 } == ["com.example.todo"])
        #expect(try world.group.transfers.entries(atMost: 10).isEmpty)
        try world.desk.note([task], of: world.session().number, isLast: true)
        #expect(try !world.desk.book.hasWork() && world.desk.book.sessions().isEmpty)
    }
}

/// A world of transfers in a folder of its own.
struct TransferPlace {
    let folder: TemporaryFolder
    let path: String
    let world: TransferWorld

    init() throws {
        folder = try TemporaryFolder()
        path = folder.url.resolvingSymlinksInPath().path
        world = try TransferWorld(in: path)
    }

    /// The same files and the same book, as the next start of the broker finds them.
    func again() throws -> TransferWorld { try TransferWorld(groups: path + "/groups", book: path + "/book") }

    func begin(_ job: TransferJob, _ files: String..., room: UInt64 = GroupLimits.bytes) throws -> Int64 {
        try world.desk.begin(job, files: files, in: world.session(), by: "com.example.todo.share", room: room)
    }
}
