import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import Testing

@testable import AnnexGroups

/// Compares the kernel's locks of several processes with a reference that knows every access.
@Suite(.timeLimit(.minutes(20))) struct AccessModelTests {
    private let fixture: GroupFixture

    init() throws { fixture = try GroupFixture() }

    private struct Access {
        let process: Int
        let owner: UInt64
        let access: ItemAccess
    }

    private static let names = ["", "a", "a/b", "a/b/c", "a/c", "b", "b/c"]

    /// A coordinator does not exclude itself. A writer excludes all other coordinators, and they exclude a writer.
    private func isFree(_ wanted: Access, among held: [Access]) -> Bool {
        !held.contains { other in
            (other.process, other.owner) != (wanted.process, wanted.owner)
                && (other.access.isWriting || wanted.access.isWriting) && other.access.path.meets(wanted.access.path)
        }
    }

    @Test func `S3: random accesses of three processes are granted as a simple reference grants them`() throws {
        let seed = SeededRandom.fresh()
        var random = SeededRandom(seed: seed)
        let groups = try (0..<3).map { _ in
            try JoinedGroup.join(GroupFixture.identifier, through: fixture.portal())
        }
        let processes = groups.map { AccessLocks($0) }
        var held: [Access] = []
        var granted = 0
        for step in 0..<4000 {
            if !held.isEmpty, Int.random(in: 0..<5, using: &random) < 2 {
                let ended = held.remove(at: Int.random(in: 0..<held.count, using: &random))
                processes[ended.process].release([ended.access], of: ended.owner)
                continue
            }
            let path = try ItemPath(Self.names.randomElement(using: &random) ?? "", in: "/")
            let wanted = Access(
                process: Int.random(in: 0..<3, using: &random), owner: UInt64.random(in: 0..<2, using: &random),
                access: ItemAccess(path, isWriting: Bool.random(using: &random)))
            let isTaken = try processes[wanted.process].take([wanted.access], of: wanted.owner)
            try #require(isTaken == isFree(wanted, among: held), "seed \(seed), step \(step), \(wanted), \(held)")
            guard isTaken else { continue }
            held.append(wanted)
            granted += 1
        }
        #expect(granted > 500)
        for one in held { processes[one.process].release([one.access], of: one.owner) }
        for group in groups { #expect(try group.locks.heldRanges().isEmpty, "seed \(seed)") }
    }

    @Test func `S3: accesses that cannot all be taken leave no lock`() throws {
        let groups = try (0..<2).map { _ in try JoinedGroup.join(GroupFixture.identifier, through: fixture.portal()) }
        let (one, other) = (AccessLocks(groups[0]), AccessLocks(groups[1]))
        func access(_ name: String) throws -> ItemAccess { ItemAccess(try ItemPath(name, in: "/"), isWriting: true) }
        #expect(try one.take([access("b")], of: 1))
        #expect(try !other.take([access("a"), access("b")], of: 1))
        #expect(try groups[1].locks.heldRanges().isEmpty)
        one.release([try access("b")], of: 1)
        #expect(try other.take([access("a"), access("b")], of: 1))
        #expect(try groups[1].locks.heldRanges().count == 2)
    }
}
