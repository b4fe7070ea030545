import AnnexLinux
import AnnexPortal
import AnnexTestSupport
import Testing

@testable import AnnexGroups

/// The names of coordinated items, and their ranges in the file of locks.
@Suite(.timeLimit(.minutes(20))) struct ItemPathTests {
    private static let container = "/groups/group.com.example.todo"

    private func path(_ text: String) throws -> ItemPath { try ItemPath(text, in: Self.container) }

    @Test(arguments: [
        ("list.txt", "list.txt"), ("./a//b/.", "a/b"), ("", ""), (".", ""), ("/groups/group.com.example.todo", ""),
        ("/groups/group.com.example.todo/a", "a"), ("a/", "a"), (".hidden/..name", ".hidden/..name"),
    ]) func `S3: an item has one name`(text: String, name: String) throws {
        #expect(try path(text).text == name)
    }

    @Test(arguments: [
        "..", "a/../b", "/etc/passwd", "/groups/group.com.example.todolist/a", "a\0b", "/",
        String(repeating: "a", count: 5000),
    ]) func `S3: a path out of the container is refused`(text: String) {
        #expect(throws: PortalError.self) { try path(text) }
    }

    @Test func `S3: the range of a folder contains those of its items and no others`() throws {
        let names = ["", "a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e", "b", "b/a", "ab"]
        for one in names {
            for other in names {
                let (outer, inner) = (try path(one), try path(other))
                let isInside = outer.range.start <= inner.range.start && inner.range.end <= outer.range.end
                #expect(outer.contains(inner) == (one.isEmpty || one == other || other.hasPrefix(one + "/")))
                // Items in deeper folders share the range of the fourth name.
                let isDeep = one == "a/b/c/d/e" && other == "a/b/c/d"
                #expect(isInside == (outer.contains(inner) || isDeep), "\(one) \(other)")
                #expect(outer.range.overlaps(inner.range) == (outer.meets(inner)), "\(one) \(other)")
            }
        }
    }

    @Test func `S3: all ranges and gates are offsets of a file`() throws {
        var random = SeededRandom(seed: SeededRandom.fresh())
        for _ in 0..<1000 {
            let names = (0...Int.random(in: 0..<6, using: &random)).map { _ in
                String(UInt64.random(in: .min ... .max, using: &random))
            }
            let range = try path(names.joined(separator: "/")).range
            #expect(range.length > 0 && range.end <= ItemPath.firstGate && range.gate.end <= UInt64(Int64.max))
        }
    }

    @Test func `S3: an item moves with its folder`() throws {
        let moved = try path("a/b/c").moved(from: path("a"), to: path("x/y"))
        #expect(moved.text == "x/y/b/c")
        #expect(try path("a").moved(from: path("a"), to: path("b")).text == "b")
        #expect(try path("a/b").moved(from: path("a"), to: path("")).text == "b")
    }
}
