import AnnexGroups
import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexPortalServer

/// File coordination between members that serve themselves. Each member has its own portal, like a process.
@Suite(.timeLimit(.minutes(20))) struct FileCoordinatorTests {
    private let fixture: GroupFixture

    init() throws { fixture = try GroupFixture() }

    private func coordinator(_ member: String = "com.example.todo") throws -> FileCoordinator {
        FileCoordinator(try fixture.group(member))
    }

    private static let brief = Duration.milliseconds(30)

    @Test func `S3: many read an item at the same time, and one writes it`() async throws {
        let (one, other) = (try coordinator(), try coordinator())
        try await one.coordinate(readingItemAt: "list") { _ in
            let path = try await other.coordinate(readingItemAt: "list", within: Self.brief) { $0 }
            #expect(path == fixture.container + "/list")
            await #expect(throws: PortalError.self) {
                try await other.coordinate(writingItemAt: "list", within: Self.brief) { _ in }
            }
        }
        try await one.coordinate(writingItemAt: "list") { _ in
            await #expect(throws: PortalError.self) {
                try await other.coordinate(readingItemAt: "list", within: Self.brief) { _ in }
            }
            try await other.coordinate(writingItemAt: "other", within: Self.brief) { _ in }
        }
        try await other.coordinate(writingItemAt: "list", within: Self.brief) { _ in }
    }

    @Test func `S3: a folder stands for everything in it`() async throws {
        let (one, other) = (try coordinator(), try coordinator())
        try await one.coordinate(writingItemAt: "folder/deep/item") { _ in
            for path in ["", "folder", "folder/deep", "folder/deep/item/below"] {
                await #expect(throws: PortalError.self, "\(path)") {
                    try await other.coordinate(readingItemAt: path, within: Self.brief) { _ in }
                }
            }
            try await other.coordinate(writingItemAt: "folder/deep/other", within: Self.brief) { _ in }
        }
    }

    @Test func `S3: a call waits until it may go on`() async throws {
        let (one, other) = (try coordinator(), try coordinator())
        let order = Order()
        let second = try await one.coordinate(writingItemAt: "list") { _ in
            let second = Task {
                try await other.coordinate(writingItemAt: "list") { _ in order.numbers.withLock { $0.append(2) } }
            }
            try await Task.sleep(for: Self.brief)
            order.numbers.withLock { $0.append(1) }
            return second
        }
        try await second.value
        #expect(order.numbers.withLock { $0 } == [1, 2])
    }

    @Test func `S3: a writer that waits is not overtaken for ever by readers`() async throws {
        let (one, other, writer) = (try coordinator(), try coordinator(), try coordinator())
        let isWritten = Flag()
        // One of the two readers always reads.
        let reading = [one, other].map { reader in
            Task {
                while !isWritten.value.load(ordering: .relaxed) {
                    try await reader.coordinate(readingItemAt: "list") { _ in
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
            }
        }
        try await writer.coordinate(writingItemAt: "list", within: .seconds(600)) { _ in }
        isWritten.value.store(true, ordering: .relaxed)
        for reader in reading { try await reader.value }
    }

    private final class Order: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    @Test func `S3: a coordinator does not wait for itself, but another of its process does`() async throws {
        let group = try fixture.group()
        let (one, other) = (FileCoordinator(group), FileCoordinator(group))
        try await one.coordinate(writingItemAt: "folder") { _ in
            try await one.coordinate(writingItemAt: "folder/item", within: Self.brief) { _ in }
            try await one.coordinate(readingItemAt: "folder", within: Self.brief) { _ in }
            await #expect(throws: PortalError.self) {
                try await other.coordinate(readingItemAt: "folder/item", within: Self.brief) { _ in }
            }
        }
    }

    @Test func `S3: after the time limit the caller learns which member holds the item`() async throws {
        let (one, other) = (try coordinator("com.example.slow"), try coordinator())
        try await one.coordinate(writingItemAt: "folder/list") { _ in
            do {
                try await other.coordinate(readingItemAt: "folder", within: Self.brief) { _ in }
                Issue.record("the item was free")
            } catch let error as PortalError {
                #expect(error.code == .timedOut && error.what.contains("folder is still in use by"), "\(error)")
                // This process serves both members, but with two brokers. A broker names only the members that it serves.
                #expect(error.what.contains("another member"), "\(error)")
            }
        }
    }

    @Test func `S3: a member learns neither the number nor the name of a process that holds the item`() async throws {
        let other = try coordinator()
        let holder = try holder()
        defer { holder.signal(SIGKILL) }
        do {
            try await other.coordinate(writingItemAt: "list", within: Self.brief) { _ in }
            Issue.record("the item was free")
        } catch let error as PortalError {
            #expect(error.code == .timedOut && error.what.contains("still in use by another member"), "\(error)")
            #expect(!error.what.contains("\(holder.number)") && !error.what.contains("sleep"), "\(error)")
        }
    }

    /// A process that is no member and has locked all items of the group.
    private func holder() throws -> ChildProcess {
        let file = try LockFile.open(in: Descriptor.directory("\(fixture.container)/.."))
        #expect(try file.lock(FileRange(start: 0, length: UInt64(Int64.max) - 1), as: .exclusive))
        // The lock belongs to the open file, which the process gets as its input.
        let input = FileHandle(fileDescriptor: dup(file.number), closeOnDealloc: true)
        return try ChildProcess(URL(filePath: "/bin/sleep"), arguments: ["3000"], input: .file(input))
    }

    @Test func `S3: cancel ends the waiting of a coordinator, and a cancelled task stops waiting`() async throws {
        let (one, other) = (try coordinator(), try coordinator())
        func waits() async throws -> PortalError.Code? {
            do {
                try await other.coordinate(writingItemAt: "list") { _ in }
                return nil
            } catch let error as PortalError { return error.code }
        }
        try await one.coordinate(writingItemAt: "list") { _ in
            async let code = waits()
            try await Task.sleep(for: Self.brief)
            other.cancel()
            #expect(try await code == .cancelled)
            let task = Task { try await waits() }
            try await Task.sleep(for: Self.brief)
            task.cancel()
            #expect(try await task.value == .cancelled)
        }
        try await other.coordinate(writingItemAt: "list", within: Self.brief) { _ in }
    }

    @Test func `S3: a body that throws ends its access`() async throws {
        struct Fault: Error {}
        let (one, other) = (try coordinator(), try coordinator())
        await #expect(throws: Fault.self) { try await one.coordinate(writingItemAt: "list") { _ in throw Fault() } }
        try await other.coordinate(writingItemAt: "list", within: Self.brief) { _ in }
    }

    @Test func `S3: items that two coordinators take in two orders do not block them`() async throws {
        let (one, other) = (try coordinator(), try coordinator())
        try await withThrowingTaskGroup { group in
            for (coordinator, source, target) in [(one, "a", "b"), (other, "b", "a")] {
                group.addTask {
                    for _ in 0..<50 {
                        try await coordinator.coordinate(movingItemAt: source, to: target, within: .seconds(600)) {
                            _, _ in
                            await Task.yield()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `S3: an access without others makes no request`() async throws {
        let portal = try fixture.portal()
        let coordinator = FileCoordinator(AppGroup(try JoinedGroup.join(GroupFixture.identifier, through: portal)))
        portal.close()
        // The broker is gone, so a request would fail.
        try await coordinator.coordinate(writingItemAt: "list") { _ in }
        try coordinator.coordinateAndWait(readingItemAt: "list") { _ in }
    }
}
