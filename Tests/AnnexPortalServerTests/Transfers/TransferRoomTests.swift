import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing
import TransferWorlds

@testable import AnnexPortalServer

/// The room of a group, which its container, its transfers and its running downloads share.
@Suite(.timeLimit(.minutes(20))) struct TransferRoomTests {
    private let place: TransferPlace
    private let world: TransferWorld
    private static let most = GroupLimits.bytes
    private static let size: UInt64 = 10 << 20

    init() throws {
        place = try TransferPlace()
        world = place.world
    }

    private func task(_ number: Int64, in world: TransferWorld? = nil) throws -> BookedTask {
        try #require(try (world ?? self.world).desk.book.task(number))
    }

    private func take(_ number: Int64, in world: TransferWorld? = nil) throws -> BookedTask? {
        let world = world ?? self.world
        return try world.desk.take(task(number, in: world), boot: "boot")
    }

    private func answer(_ task: BookedTask, size: UInt64?) throws {
        try world.desk.answered(TransferResponse(key: task.key, offset: 0, validator: nil, expected: size))
    }

    private func endTooLarge(_ task: BookedTask) throws {
        try world.desk.ended(
            TransferEnd(
                key: task.key, sent: 0, received: 0, answer: nil, error: .tooLarge, retry: .never, validator: nil))
    }

    /// Makes a file without blocks.
    private func writeHole(_ size: Int64, to name: String) throws {
        try world.group.container.openBeneath(name, O_WRONLY | O_CREAT, mode: 0o600).resize(to: size)
    }

    private func refusal(_ body: () throws -> Void) -> PortalError? {
        do {
            try body()
            return nil
        } catch {
            return error as? PortalError
        }
    }

    @Test func `downloads share the room of their group, and one without others has all of it`() throws {
        let lone = try place.begin(TransferWorld.download, "film")
        let first = try #require(try take(lone))
        #expect(first.promised == Self.most)
        try world.desk.end(first, as: .cancelled)
        let all = try (0..<8).map { _ in try place.begin(TransferWorld.download, "film") }
        let running = try all.compactMap { try take($0) }
        #expect(running.map { $0.promised >> 20 } == [128, 64, 32, 16, 16])
        // The others wait for room, and have made no attempt.
        for number in all.dropFirst(5) { #expect(try task(number).state == .queued && task(number).key.attempt == 0) }
        // When the size of one is known, the next one has room.
        try answer(running[0], size: Self.size)
        #expect(try task(all[0]).promised == Self.size)
        #expect(try take(all[5])?.promised == (128 << 20 - Self.size) / 2)
        // The agent cannot raise what was promised.
        try answer(running[0], size: nil)
        try answer(running[0], size: Self.most)
        #expect(try task(all[0]).promised == Self.size)
    }

    @Test func `bytes that have arrived count once`() throws {
        let (one, two) = (
            try place.begin(TransferWorld.download, "one"), try place.begin(TransferWorld.download, "two")
        )
        let first = try #require(try take(one))
        try answer(first, size: Self.size)
        let file = try #require(try world.desk.staging(of: first)).destination(keeping: false)
        try file.writeAll([UInt8](repeating: 7, count: 1 << 20))
        try file.synchronize()
        #expect(try take(two)?.promised == (Self.most - Self.size) / 2)
    }

    @Test func `a promise outlives the broker, and ends when its task does not run`() throws {
        let one = try place.begin(TransferWorld.download, "one")
        let first = try #require(try take(one))
        let two = try place.begin(TransferWorld.download, "two")
        let next = try place.again()
        #expect(try take(two, in: next) == nil)
        try next.desk.suspend(first)
        let second = try #require(try take(two, in: next))
        #expect(second.promised == Self.most)
        try next.desk.resume(first)
        #expect(try take(one, in: next) == nil)
        try next.desk.end(second, as: .cancelled)
        #expect(try take(one, in: next)?.promised == Self.most)
    }

    @Test func `a download that had no room because of others tries again, and one that had it all ends`() throws {
        let (one, two) = (
            try place.begin(TransferWorld.download, "one"), try place.begin(TransferWorld.download, "two")
        )
        let first = try #require(try take(one))
        try endTooLarge(#require(try take(two)))
        #expect(try task(two).state == .queued && task(two).failures == 1 && task(two).needed == 128 << 20)
        #expect(try take(two)?.promised == 128 << 20)
        try endTooLarge(task(two))
        // Now it needs more than is left, and waits until the other one has ended.
        #expect(try take(two) == nil)
        try world.desk.end(first, as: .cancelled)
        try endTooLarge(#require(try take(two)))
        #expect(try task(two).outcome?.failure == "tooLarge")
    }

    @Test func `a download that goes on later is promised what it needs`() throws {
        let (one, two) = (
            try place.begin(TransferWorld.download, "one"), try place.begin(TransferWorld.download, "two")
        )
        let first = try #require(try take(one))
        try answer(first, size: 200 << 20)
        // The answer has said more than was promised at first, so the next attempt is promised more.
        try world.desk.giveBack(first.key, after: .zero)
        #expect(try take(one)?.promised == 200 << 20)
        #expect(try take(two)?.promised == 28 << 20)
    }

    @Test func `an upload takes no room that is used or promised`() throws {
        try world.write(String(repeating: "a", count: 600 << 10), to: "whole")
        try writeHole(600 << 10, to: "hole")
        let refused = refusal { _ = try place.begin(TransferWorld.upload, "hole", room: 1 << 20) }
        #expect(refused?.code == .full)
        // The bytes of a file without holes are there already.
        _ = try place.begin(TransferWorld.upload, "whole", room: 1 << 20)
        #expect(refusal { _ = try place.begin(TransferWorld.upload, "hole", room: 1 << 20) }?.code == .full)
        #expect(try world.group.container.openBeneath("hole", O_RDONLY).status().size == 600 << 10)

        let film = try #require(try take(place.begin(TransferWorld.download, "film")))
        try world.write("small", to: "small")
        try writeHole(1 << 20, to: "large")
        _ = try place.begin(TransferWorld.upload, "small")
        #expect(refusal { _ = try place.begin(TransferWorld.upload, "large") }?.code == .full)
        try answer(film, size: Self.size)
        _ = try place.begin(TransferWorld.upload, "large")
    }

    // MARK: Grants

    @Test func `an upload without its grant goes back, or is revoked if it waits already`() throws {
        let denied = PortalError(.notAllowed, what: "no network", remedy: nil)
        func begin(allowed most: Int) -> PortalError? {
            var asked = 0
            return refusal {
                try world.write("one", to: "one")
                _ = try world.desk.begin(
                    TransferWorld.upload, files: ["one"], in: world.session(), by: "com.example.todo.share",
                    room: Self.most
                ) { () throws(PortalError) in
                    asked += 1
                    if asked > most { throw denied }
                }
            }
        }
        #expect(begin(allowed: 0) == denied)
        #expect(try world.text("one") == "one" && world.tasks().isEmpty)
        #expect(begin(allowed: 1) == denied)
        #expect(try world.tasks().map(\.outcome) == [TaskOutcome(.revoked)])
        #expect(try world.text("one") == nil && world.group.transfers.entries(atMost: 10).isEmpty)
        #expect(begin(allowed: 2) == nil)
    }

    @Test func `if files cannot go back at once, the next start puts them back`() throws {
        try world.write("one", to: "one")
        let session = try world.session()
        let transfers = try world.group.transfers.path()
        let moved = { () throws(PortalError) in
            // The folder of the session is no folder any more.
            guard rename("\(transfers)/\(session.identifier)", "\(transfers)/away") == 0,
                symlink("away", "\(transfers)/\(session.identifier)") == 0
            else { return }
            throw PortalError(.notAllowed, what: "no network", remedy: nil)
        }
        let refused = refusal {
            _ = try world.desk.begin(
                TransferWorld.upload, files: ["one"], in: session, by: "com.example.todo.share", room: Self.most,
                check: moved)
        }
        #expect(refused?.code == .notAllowed && world.text("one") == nil)
        #expect(try world.tasks().map(\.state) == [.staging])
        #expect(try world.desk.recover().count == 1 && world.tasks().map(\.state) == [.staging])
        #expect(unlink("\(transfers)/\(session.identifier)") == 0)
        #expect(rename("\(transfers)/away", "\(transfers)/\(session.identifier)") == 0)
        #expect(try world.desk.recover().isEmpty && world.tasks().isEmpty && world.text("one") == "one")
    }
}
