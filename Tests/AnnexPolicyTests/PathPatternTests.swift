import Testing

@testable import AnnexPolicy

/// Patterns of what is hidden and protected.
@Suite(.timeLimit(.minutes(20))) struct PathPatternTests {
    private func matches(_ pattern: String, _ path: String) throws -> Bool {
        try PathPattern(pattern, home: nil).matches(PathText.parts(path).map { Array($0.utf8) })
    }

    @Test(arguments: [
        (".env", ".env"), (".env", "a/b/.env"), ("*.pem", "a/x.pem"), ("*.pem", ".pem"), ("secrets/", "a/secrets"),
        ("a?c", "x/aäc"), ("a*b*c", "axxbxxbc"), ("config/*.key", "config/x.key"), ("**/k/*.txt", "k/x.txt"),
        ("**/k/*.txt", "a/b/k/x.txt"), ("a/**/b", "a/b"), ("a/**/b", "a/x/y/b"), ("a/**", "a/x/y"), ("*", "é"),
    ])
    func `a pattern matches`(pattern: String, path: String) throws {
        #expect(try matches(pattern, path))
    }

    @Test(arguments: [
        (".env", "a/.env.local"), ("*.pem", "a/x.pem.old"), ("*.pem", "x.pem/y"), ("config/*.key", "a/config/x.key"),
        ("config/*.key", "config/a/x.key"), ("a?c", "ac"), ("a?c", "abbc"), ("a/**/b", "x/a/b"), (".env", "ENV"),
        ("a*b*c", "axxbxx"),
    ])
    func `a pattern does not match`(pattern: String, path: String) throws {
        #expect(try !matches(pattern, path))
    }

    @Test(arguments: [
        ("", "is empty"), ("../x", "no `.` and no `..`"), ("a/../b", "no `.` and no `..`"), ("./x", "no `.`"),
        ("a//b", "empty part"), ("//a", "empty part"), ("!x", "no exceptions"), ("[ab]", "have no meaning"),
        ("a\\*", "have no meaning"), ("/a/*.pem", "names one place"), ("~/x", "stands for no directory"),
        ("**", "matches everything"), ("/", "contains every file"), ("a\nb", "control characters"),
        (String(repeating: "a", count: 5_000), "shorter than"),
    ])
    func `a text that is no pattern is refused with its cause`(text: String, cause: String) {
        let mistake = #expect(throws: PathPattern.Mistake.self) { try PathPattern(text, home: nil) }
        #expect(mistake?.description.contains(cause) == true, "\(String(describing: mistake))")
    }

    @Test func `a tilde stands for the home of the caller and of no other user`() throws {
        #expect(try PathPattern("~/.ssh/", home: "/home/a").form == .place("/home/a/.ssh"))
        #expect(throws: PathPattern.Mistake.self) { try PathPattern("~b/x", home: "/home/a") }
    }

    @Test func `only patterns that name no single place need a search`() throws {
        #expect(try PathPattern("config/key", home: nil).plainPath == "config/key")
        #expect(try !PathPattern("/a/b", home: nil).needsSearch && !PathPattern("config/key/", home: nil).needsSearch)
        #expect(try PathPattern(".env", home: nil).needsSearch && PathPattern("a/*", home: nil).needsSearch)
    }

    /// The time of a match grows with the product of the lengths, and not with their power.
    @Test func `a hostile name does not make a match slow`() throws {
        let name = String(repeating: "a", count: 255)
        let deep = (0..<255).map { _ in "a" }.joined(separator: "/")
        #expect(try !matches(String(repeating: "*a", count: 1_000) + "b", name))
        #expect(try !matches((0..<500).map { _ in "**/a" }.joined(separator: "/") + "/b", deep))
    }

    @Test func `the shipped lists can be read, and each row has a reason and a plain path`() throws {
        for list in [try ShippedParts.protected(), try ShippedParts.credentials()] {
            #expect(list.count > 30)
            for part in list {
                #expect(part.reason.hasSuffix(".") && part.parts.allSatisfy { $0 != ".." && $0 != "." }, "\(part)")
            }
            #expect(Set(ShippedParts.groups(of: list)).count == ShippedParts.groups(of: list).count)
        }
        #expect(try ShippedParts.protected().allSatisfy { !$0.path.hasPrefix("/") && !$0.path.hasPrefix("~") })
        #expect(try ShippedParts.credentials().allSatisfy { $0.path.hasPrefix("/") || $0.path.hasPrefix("~/") })
    }
}
