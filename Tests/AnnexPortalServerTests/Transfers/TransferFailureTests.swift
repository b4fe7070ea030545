import AnnexLinux
import AnnexModel
import AnnexPortal
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Synchronization
import Testing
import TransferWorlds

@testable import AnnexPortalServer

/// A desk whose book refuses changes, whose apps are removed, and whose members act at the wrong moment.
@Suite(.timeLimit(.minutes(20))) struct TransferFailureTests {
    private let folder: TemporaryFolder
    private let world: TransferWorld
    private let hook = StepHook()
    private let mover = RecordingMover()
    private let woken = Names()

    init() throws {
        folder = try TemporaryFolder()
        world = try TransferWorld(in: folder.url.resolvingSymlinksInPath().path) { [hook] in hook.reach($0) }
        world.desk.connect(to: mover, refusing: { _, _ in nil }) { [woken] in woken.add($0.app) }
        try world.desk.recoverOnce()
    }

    @discardableResult
    private func begin(_ job: TransferJob, _ file: String, of app: String = "com.example.todo") throws -> BookedTask {
        if !job.work.isDownload { try world.write(file, to: file) }
        let number = try world.desk.begin(
            job, files: [file], in: world.session(of: app), by: app + ".share", room: 1 << 20)
        return try #require(try world.desk.book.task(number))
    }

    private func state(_ task: BookedTask) throws -> TaskState? { try world.desk.book.task(task.number)?.state }

    private func settle(unless isHeld: Bool = false) throws -> [StoreError] {
        try world.desk.settle { _ in isHeld }
    }

    private func end(_ task: BookedTask) throws {
        let taken = try #require(try world.desk.take(task, boot: "boot"))
        if task.job.work.isDownload {
            try world.desk.staging(of: taken)?.destination(keeping: false).writeAll(Array(TransferWorld.film.utf8))
        }
        try world.desk.ended(
            TransferEnd(
                key: taken.key, sent: 1, received: 1, answer: TransferAnswer(status: 200, headers: []), error: nil,
                retry: .never, validator: nil))
    }

    // MARK: Beginning

    @Test func `a task that is removed while its files are taken is not begun`() throws {
        hook.plan(at: .taken) { [world] in try? world.desk.book.withdraw(1) }
        #expect(throws: PortalError.self) { try begin(TransferWorld.upload, "one") }
        #expect(try world.tasks().isEmpty && world.text("one") == "one")
    }

    @Test func `a task that is being begun is none that an earlier broker left`() throws {
        hook.plan(at: .taken) { [world] in
            let tasks = (try? world.tasks()) ?? []
            #expect(tasks.count == 1 && (try? world.desk.settle { _ in false }) == [])
        }
        #expect(try state(begin(TransferWorld.upload, "one")) == .queued)
    }

    @Test func `the work of an earlier broker is finished once, and not again for each request`() throws {
        let task = try begin(TransferWorld.upload, "one")
        _ = try world.desk.take(task, boot: "boot")
        #expect(try world.desk.recoverOnce().isEmpty && state(task) == .running)
    }

    // MARK: Settling

    @Test func `a task that the agent does not have is queued again, and one that it has is not`() throws {
        let task = try begin(TransferWorld.upload, "one")
        _ = try world.desk.take(task, boot: "boot")
        #expect(try settle(unless: true) == [] && state(task) == .running)
        let fault = try world.refuseChanges(when: "state = 2")
        #expect(try settle().count == 1 && state(task) == .running)
        try fault.mend()
        #expect(try settle() == [] && state(task) == .queued && settle() == [])
    }

    @Test func `a download whose end could not be written is placed later`() throws {
        let (film, other) = (try begin(TransferWorld.download, "film"), try begin(TransferWorld.download, "other"))
        let fault = try world.refuseChanges(when: "state = 6 AND number = \(film.number)")
        #expect(throws: StoreError.self) { try end(film) }
        #expect(try state(film) == .placing && settle().count == 1)
        try end(other)
        #expect(try state(other) == .ended)
        try fault.mend()
        #expect(try settle() == [] && state(film) == .ended && world.text("film") == TransferWorld.film)
    }

    @Test func `one task that cannot be ended does not keep others from their end`() throws {
        let (one, other) = (try begin(TransferWorld.upload, "one"), try begin(TransferWorld.upload, "other"))
        let fault = try world.refuseChanges(when: "state = 6 AND number = \(one.number)")
        #expect(throws: StoreError.self) { try world.desk.review { _, _ in false } }
        #expect(try state(one) == .queued && state(other) == .ended)
        let third = try begin(TransferWorld.upload, "third")
        #expect(throws: StoreError.self) { _ = try world.desk.expire(at: WallClock(microseconds: .max)) }
        #expect(try state(third) == .ended)
        try fault.mend()
        #expect(try world.desk.expire(at: WallClock(microseconds: .max)) == nil && state(one) == .ended)
    }

    // MARK: Removed apps

    @Test func `the sessions of a removed app go, with their outcomes and files`() throws {
        let app = "com.example.gone"
        let done = try begin(TransferWorld.upload, "done", of: app)
        let running = try #require(try world.desk.take(begin(TransferWorld.upload, "two", of: app), boot: "boot"))
        try world.desk.end(done, as: .cancelled)
        let receipt = try world.desk.book.addReceipt(for: running)
        let own = try begin(TransferWorld.upload, "own")
        try world.desk.review(isRemoved: { $0 == app }) { _, _ in true }
        #expect(try world.desk.book.sessions().map(\.app) == ["com.example.todo"])
        #expect(try world.tasks().map(\.number) == [own.number])
        #expect(mover.stops.contains(.init(key: running.key, stop: .cancel)))
        #expect(try world.group.transfers.entries(atMost: 10).count == 1)
        #expect(try world.desk.report(of: receipt)?.outcome == .failed && woken.list.isEmpty)
    }

    // MARK: Starts of apps

    @Test func `an app is started ten times in a minute at most, and the rest is owed`() throws {
        for _ in 0..<10 {
            let task = try begin(TransferWorld.download, "film")
            try end(task)
            // Without a session, the count of its starts is gone too.
            try world.desk.note([task.number], of: task.session)
        }
        #expect(woken.list.count == 10 && !world.desk.owesWakes)
        try end(begin(TransferWorld.download, "film"))
        #expect(woken.list.count == 10 && world.desk.owesWakes)
        #expect(world.desk.wakeOwed().isEmpty && woken.list.count == 10 && world.desk.owesWakes)
        try end(begin(TransferWorld.download, "film", of: "com.example.other"))
        #expect(woken.list.last == "com.example.other")
    }
}

/// Names that a closure collects.
private final class Names: Sendable {
    private let names = Mutex<[String]>([])

    var list: [String] { names.withLock { $0 } }

    func add(_ name: String) { names.withLock { $0.append(name) } }
}
