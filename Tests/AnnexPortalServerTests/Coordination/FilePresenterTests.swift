import AnnexGroups
import AnnexPortal
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexPortalServer

/// The notifications that presenters get about changes by coordinators.
@Suite(.timeLimit(.minutes(20))) struct FilePresenterTests {
    private let fixture: GroupFixture

    init() throws { fixture = try GroupFixture() }

    /// Records its notifications, with paths relative to the container.
    private final class Notes: FilePresenter {
        let presentedItemPath: String
        private let container: String
        private let heard = Mutex<[String]>([])
        let isBlocked = Mutex(false)

        init(_ path: String, in container: String) {
            presentedItemPath = path
            self.container = container
        }

        private func note(_ words: String...) async {
            let plain = words.map { $0.hasPrefix(container + "/") ? String($0.dropFirst(container.count + 1)) : $0 }
            heard.withLock { $0.append(plain.joined(separator: " ")) }
            while isBlocked.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(1)) }
        }

        func presentedItemDidChange() async { await note("changed") }
        func presentedItemDidMove(to path: String) async { await note("moved", path) }
        func presentedItemWasDeleted() async { await note("deleted") }
        func presentedSubitemDidChange(at path: String) async { await note("changed", path) }
        func presentedSubitem(at path: String, didMoveTo target: String) async { await note("moved", path, target) }
        func presentedSubitemWasDeleted(at path: String) async { await note("deleted", path) }

        var all: [String] { heard.withLock { $0 } }

        func await(_ expected: [String]) async throws {
            while all.count < expected.count { try await Task.sleep(for: .milliseconds(1)) }
            #expect(all == expected)
        }
    }

    private func notes(on path: String, in group: AppGroup) throws -> Notes {
        let notes = Notes(path, in: fixture.container)
        try FileCoordinator.addFilePresenter(notes, in: group)
        return notes
    }

    @Test func `S3: a presenter hears of writes, moves and deletes by others, in their order`() async throws {
        let (here, there) = (try fixture.group(), try fixture.group())
        let (item, folder) = (try notes(on: "folder/list", in: here), try notes(on: "folder", in: here))
        let coordinator = FileCoordinator(there)
        try await coordinator.coordinate(writingItemAt: "folder/list") { _ in }
        try await coordinator.coordinate(writingItemAt: "elsewhere") { _ in }
        try await coordinator.coordinate(movingItemAt: "folder/list", to: "folder/new") { _, _ in }
        try await coordinator.coordinate(writingItemAt: "folder/new") { _ in }
        try await coordinator.coordinate(movingItemAt: "folder", to: "other") { _, _ in }
        try await coordinator.coordinate(writingItemAt: "other", for: .deleting) { _ in }
        try await item.await(["changed", "moved folder/new", "changed", "moved other/new", "deleted"])
        try await folder.await([
            "changed folder/list", "moved folder/list folder/new", "changed folder/new", "moved other", "deleted",
        ])
    }

    @Test func `S3: a presenter hears nothing of its own changes and of reads`() async throws {
        let group = try fixture.group()
        let (own, other) = (try notes(on: "list", in: group), try notes(on: "list", in: group))
        let coordinator = FileCoordinator(group, presenter: own)
        try await coordinator.coordinate(writingItemAt: "list") { _ in }
        try await coordinator.coordinate(readingItemAt: "list") { _ in }
        try await other.await(["changed"])
        try await FileCoordinator(group).coordinate(writingItemAt: "list", for: .deleting) { _ in }
        try await other.await(["changed", "deleted"])
        try await own.await(["deleted"])
    }

    @Test func `S3: a coordinator with its presenter does not wait for it, and neither does another`() async throws {
        let (here, there) = (try fixture.group(), try fixture.group())
        let presenter = try notes(on: "list", in: here)
        presenter.isBlocked.withLock { $0 = true }
        try await FileCoordinator(there).coordinate(writingItemAt: "list") { _ in }
        try await presenter.await(["changed"])
        // The presenter's method is still running.
        try await FileCoordinator(here, presenter: presenter).coordinate(writingItemAt: "list") { _ in }
        try await FileCoordinator(there).coordinate(writingItemAt: "list", for: .deleting) { _ in }
        presenter.isBlocked.withLock { $0 = false }
        try await presenter.await(["changed", "deleted"])
    }

    @Test func `S3: a removed presenter hears nothing, and one that comes later nothing of before`() async throws {
        let (here, there) = (try fixture.group(), try fixture.group())
        let (removed, stays) = (try notes(on: "list", in: here), try notes(on: "list", in: here))
        FileCoordinator.removeFilePresenter(removed, in: here)
        try await FileCoordinator(there).coordinate(writingItemAt: "list") { _ in }
        try await stays.await(["changed"])
        let late = try notes(on: "list", in: here)
        try await FileCoordinator(there).coordinate(writingItemAt: "list", for: .deleting) { _ in }
        try await stays.await(["changed", "deleted"])
        try await late.await(["deleted"])
        #expect(removed.all == [])
    }

    @Test func `S3: uncoordinated changes and bodies that fail to move are not told`() async throws {
        struct Fault: Error {}
        let (here, there) = (try fixture.group(), try fixture.group())
        let presenter = try notes(on: "", in: here)
        let coordinator = FileCoordinator(there)
        try Data("new".utf8).write(to: URL(filePath: fixture.container + "/plain"))
        await #expect(throws: Fault.self) {
            try await coordinator.coordinate(movingItemAt: "plain", to: "other") { _, _ in throw Fault() }
        }
        try await coordinator.coordinate(writingItemAt: "last") { _ in }
        try await presenter.await(["changed last"])
    }

    @Test func `S3: a change that a full disk keeps out of the journal is told as one of any item`() async throws {
        let here = try fixture.group()
        let presenter = try notes(on: "elsewhere", in: here)
        let writer = try ChildProcess(
            ChildProcess.executable("coordinates-files"),
            arguments: [fixture.folder.url.path, fixture.key.team, fixture.key.identifier, "full"])
        #expect(await writer.ended() == .exited(0))
        try await presenter.await(["changed"])
        // The presenter gets later notifications as usual.
        try await FileCoordinator(fixture.group()).coordinate(writingItemAt: "elsewhere", for: .deleting) { _ in }
        try await presenter.await(["changed", "deleted"])
    }

    @Test func `S3: a presenter that misses news hears that its item may have changed`() async throws {
        let (here, there) = (try fixture.group(), try fixture.group())
        let presenter = try notes(on: "list", in: here)
        presenter.isBlocked.withLock { $0 = true }
        let coordinator = FileCoordinator(there)
        try await coordinator.coordinate(writingItemAt: "list") { _ in }
        try await presenter.await(["changed"])
        // The queue of a presenter holds 1,000 events.
        for number in 0..<1200 {
            let purpose: WritingPurpose = number % 2 == 0 ? .deleting : .changing
            try await coordinator.coordinate(writingItemAt: "list", for: purpose) { _ in }
        }
        try await FileCoordinator(there).coordinate(movingItemAt: "list", to: "end") { _, _ in }
        presenter.isBlocked.withLock { $0 = false }
        while presenter.all.last != "moved end" { try await Task.sleep(for: .milliseconds(1)) }
        #expect(presenter.all.count < 1202)
    }
}
