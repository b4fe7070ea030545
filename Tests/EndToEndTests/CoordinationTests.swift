import AnnexBroker
import AnnexModel
import AnnexTestSupport
import Foundation
import Testing

@testable import AnnexHost

/// Coordinated files of extensions, and members that misuse the underlying locks.
@Suite(.timeLimit(.minutes(20))) struct CoordinationTests {
    private let world: GroupWorld

    init() throws { world = try GroupWorld() }

    private func app(_ identifier: String = "com.example.shout", running name: String = "coordinates-inside")
        async throws
        -> SubstituteApp
    {
        try await world.app(identifier, running: name)
    }

    private func words(_ conduct: String, _ rest: String) -> String { "\(conduct) \(GroupWorld.ours) \(rest)" }

    @Test func `S3: extensions of two brokers take turns, and lose no update`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call"))
        let (here, there) = (try world.host(one, other), try world.host(one, other))
        async let first = world.ask(here, words("adds", "count 300"))
        async let second = world.ask(here, words("adds", "count 300"), of: "com.example.call")
        async let third = world.ask(there, words("adds", "count 300"), of: "com.example.call")
        _ = try await (first, second, third)
        #expect(try await world.ask(here, words("reads", "count")) == "900")
    }

    @Test func `S3: others learn which extension holds an item, and go on when it is killed`() async throws {
        let (one, other) = (try await app("com.example.holder"), try await app())
        let host = try world.host(one, other)
        let holder = try await host.begin("com.example.holder.loud")
        async let held = holder.request([ExtensionItem(contentText: words("holds", "list never"))])
        // Until the extension holds the item, other members can write it.
        var answer = ""
        while !answer.hasPrefix("timedOut: ") {
            try #require(holder.termination == nil)
            answer = try await world.ask(host, words("writes", "list new"))
        }
        #expect(answer.contains("list is still in use by com.example.holder.loud;"), "\(answer)")
        GroupWorld.killExtension(named: "com.example.holder.loud")
        _ = try? await held
        _ = await holder.untilEnd()
        #expect(try await world.ask(host, words("writes", "list new")) == "written")
        #expect(try await world.ask(host, words("reads", "list")) == "new")
    }

    @Test func `S3: a presenter in an extension hears of a change through another broker`() async throws {
        let (one, other) = (try await app(), try await app("com.example.call"))
        let (here, there) = (try world.host(one, other), try world.host(one, other))
        let session = try await here.begin("com.example.shout.loud")
        async let heard = session.request([ExtensionItem(contentText: words("presents", "list sign"))])
        while try await world.ask(there, words("reads", "sign"), of: "com.example.call") != "ready" {}
        #expect(try await world.ask(there, words("writes", "list new"), of: "com.example.call") == "written")
        #expect(try await heard.first?.contentText == "changed")
        _ = await session.complete()
    }

    // MARK: Hostile members

    @Test func `S3: a member that locks everything is named to the others`() async throws {
        let (bad, good) = (try await app("com.example.greedy", running: "takes-locks"), try await app())
        let host = try world.host(bad, good)
        let greedy = try await host.begin("com.example.greedy.loud")
        let answer = try await greedy.request([ExtensionItem(contentText: "all \(GroupWorld.ours)")])
        #expect(answer.first?.contentText == "locked")
        let refused = try await world.ask(host, words("writes", "list new"))
        #expect(refused.hasPrefix("timedOut: ") && refused.contains("com.example.greedy.loud"), "\(refused)")
        _ = await greedy.complete()
        #expect(try await world.ask(host, words("writes", "list new")) == "written")
    }

    @Test func `S3: locks are for the given descriptors alone, and no other file gets such a number`() async throws {
        let bad = try await app(running: "takes-locks")
        let host = try world.host(bad)
        #expect(try await world.ask(host, "other \(GroupWorld.ours)") == "errno \(EPERM)")
        #expect(try await world.ask(host, "waits \(GroupWorld.ours)") == "errno \(EPERM)")
        let copies = try await world.ask(host, "copies \(GroupWorld.ours)")
        #expect(copies == "errno \(EBADF) \(EINVAL)" || copies == "errno \(EPERM) \(EINVAL)", "\(copies)")
        // The file of locks is a pipe, so the written bytes take no disk space.
        #expect(try await world.ask(host, "writes \(GroupWorld.ours)") == "64 KiB")
    }

    @Test func `S3: a member that takes too many locks is ended, with the reason`() async throws {
        let bad = try await app(running: "takes-locks")
        let host = try world.host(bad)
        let session = try await host.begin("com.example.shout.loud")
        async let request = session.request([ExtensionItem(contentText: "many \(GroupWorld.ours)")])
        let end = try #require(await session.untilEnd())
        #expect("\(end.detail)".contains("more than 4096 locks in the app group \(GroupWorld.ours)"), "\(end)")
        _ = try? await request
    }
}
