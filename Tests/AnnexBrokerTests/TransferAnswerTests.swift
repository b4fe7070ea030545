import AnnexBrokerAPI
import AnnexLinux
import AnnexModel
import AnnexPortalServer
import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing
import TransferWorlds

@testable import AnnexBroker

/// What a broker answers to requests of the user about transfers.
@Suite(.timeLimit(.minutes(20))) struct TransferAnswerTests {
    private let folder: TemporaryFolder
    private let world: TransferWorld

    init() throws {
        folder = try TemporaryFolder()
        world = try TransferWorld(in: folder.url.resolvingSymlinksInPath().path)
    }

    private func begin() throws -> Int64 {
        try world.desk.begin(
            TransferWorld.download, files: ["film"], in: world.session(), by: "com.example.todo.share", room: 1 << 20)
    }

    private func refusal(_ request: TransferRequest) -> StoreError? {
        do throws(StoreError) {
            _ = try world.desk.answer(request)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a transfer that cannot be cancelled at the moment says so`() throws {
        let whole = try begin()
        let waiting = try #require(try world.desk.book.task(whole))
        let taken = try #require(try world.desk.take(waiting, boot: "boot"))
        let outcome = TaskOutcome(nil, answer: TransferAnswer(status: 200, headers: []))
        #expect(try world.desk.book.markWhole(taken.key, with: outcome, after: TaskProgress()))
        #expect(refusal(.cancel(UInt64(whole)))?.what.contains("goes to its place") == true)

        let staging = try world.desk.book.add(
            TransferWorld.upload, files: ["one"], to: world.session(), by: "com.example.todo.share", at: .now())
        #expect(refusal(.cancel(UInt64(staging)))?.what.contains("being taken over") == true)
        #expect(try world.desk.book.task(staging)?.state == .staging)

        let queued = try begin()
        for _ in 0..<2 {
            let answer = try #require(try world.desk.answer(.cancel(UInt64(queued))))
            #expect(answer["failure"] == .string("cancelled"))
        }
    }

    @Test func `a transfer that waits says why its last attempt failed, until it has ended`() throws {
        let number = UInt64(try begin())
        func tried(_ error: TransferError?, _ answer: TransferAnswer?, _ retry: TransferRetry) throws -> ItemValue? {
            let waiting = try #require(try world.desk.book.task(Int64(number)))
            let taken = try #require(try world.desk.take(waiting, boot: "boot"))
            try world.desk.ended(
                TransferEnd(
                    key: taken.key, sent: 0, received: 0, answer: answer, error: error, retry: retry, validator: nil))
            return try world.desk.answer(.show(number))?["lastFailure"]
        }
        #expect(try tried(.nameNotResolved, nil, .later) == .string("nameNotResolved"))
        let busy = TransferAnswer(status: 503, headers: [])
        #expect(try tried(nil, busy, .later) == .string("status 503"))
        #expect(try tried(.badURL, nil, .never) == nil)
        #expect(try world.desk.answer(.show(number))?["failure"] == .string("badURL"))
    }

    @Test func `a list comes in pages of 64 transfers`() throws {
        for number in 0..<2 {
            let session = try world.desk.book.openSession(
                SessionWish(
                    group: world.group.key, identifier: "com.example.s\(number)", app: "com.example.todo",
                    seconds: 60, isDiscretionary: false))
            for _ in 0..<40 {
                _ = try world.desk.begin(
                    TransferWorld.download, files: ["film"], in: session, by: "com.example.todo.share", room: 1 << 20)
            }
        }
        var (counts, last): ([Int], UInt64) = ([], 0)
        while counts.last != 0, counts.count < 5 {
            guard case .list(let page)? = try world.desk.answer(.list(after: last))?["transfers"] else { break }
            counts.append(page.count)
            guard case .dictionary(let value)? = page.last, case .integer(let number)? = value["number"] else { break }
            #expect(value["session"] == .string(number <= 40 ? "com.example.s0" : "com.example.s1"))
            last = UInt64(number)
        }
        #expect(counts == [64, 16, 0])
    }
}
