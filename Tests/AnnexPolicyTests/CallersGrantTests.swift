import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// Grants whose paths depend on the user who starts the program.
@Suite struct CallersGrantTests {
    private static func fragment(_ paths: String, more: String = "") throws(PolicyError) -> PolicyFragment {
        try PolicyFragment(
            text: """
                allowance: odd
                name: a
                means: b
                paths:
                  grants:
                    - { reason: A test., rights: [read], paths: [\(paths)]\(more) }
                """, file: "allowances/odd.yaml")
    }

    private static func destination(
        _ pattern: String, kind: GrantedKind = .any, _ environment: [String: String] = [:]
    ) -> CallersGrant.Destination {
        CallersGrant(
            pattern: pattern, rights: .read, isOptional: false, kind: kind, reason: "A test.", stated: StatedPlace(nil)
        ).destination { environment[$0] }
    }

    @Test(arguments: [
        ("~", "it is the whole home"), ("~/", "double or trailing slash"), ("~other/x", "write `~/`"),
        ("~/a/../b", "`.` and `..`"), ("~/a*", "patterns are not supported"), ("$", "names no variable"),
        ("$home/x", "names no variable"), ("$LD_PRELOAD", "names no variable"), ("$1A", "names no variable"),
        ("$A/b$C", "a variable must be a whole part"), ("$A//b", "double or trailing slash"),
        ("'~/a$B'", "a variable must be a whole part"),
    ])
    func `a wrong path of the caller is an error at its place`(pattern: String, message: String) {
        let error = #expect(throws: PolicyError.self) { try Self.fragment(pattern) }
        #expect(error?.problem.contains(message) == true && error?.place?.line == 6, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("$DISPLAY/x", ", kind: x11", "the path is one variable"), ("/srv/x", ", kind: socket", "`kind` is for paths"),
        ("$A", ", kind: pipe", "unknown kind `pipe`"), ("$A, $A", "", "is already granted in line 6"),
    ])
    func `a wrong group of such paths is an error`(paths: String, more: String, message: String) {
        let error = #expect(throws: PolicyError.self) { try Self.fragment(paths, more: more) }
        #expect(error?.problem.contains(message) == true, "\(String(describing: error))")
    }

    @Test func `the home and variables lead to paths`() {
        #expect(Self.destination("~/.a/b", ["HOME": "/home/u/"]) == .path("/home/u/.a/b"))
        #expect(Self.destination("$A", ["A": "/run//x"]) == .path("/run/x"))
        #expect(Self.destination("$A/b", ["A": "/run"]) == .path("/run/b"))
        #expect(Self.destination("$A/$B", ["A": "/run", "B": "w-0"]) == .path("/run/w-0"))
        for (name, value) in [("A", "/run"), ("A", "run"), ("C", "")] {
            #expect(Self.destination("$A/$B", [name: value, "B": "/srv/w"]) == .path("/srv/w"))
        }
        #expect(Self.destination("$A/$B", ["B": "w-0"]) == .missing("the variable A is not set"))
        for environment in [[:], ["A": ""]] as [[String: String]] {
            #expect(Self.destination("$A", environment) == .missing("the variable A is not set"))
        }
        #expect(Self.destination("~/x") == .missing("the variable HOME is not set"))
        for value in ["relative", "../x"] {
            #expect(Self.destination("$A", ["A": value]) == .unusable("the variable A holds no absolute path"))
        }
        for value in ["/a/../b", "/a/./b", "/a\nb", "/a*", "/a\0\u{E9}"] {
            guard case .unusable = Self.destination("$A", ["A": value]) else {
                Issue.record("\(value.debugDescription) is a path")
                continue
            }
        }
        guard case .unusable = Self.destination("$A/$B", ["A": "/run", "B": "../x"]) else {
            Issue.record("a part climbs")
            return
        }
    }

    @Test(arguments: [
        (":0", "/tmp/.X11-unix/X0"), (":12.3", "/tmp/.X11-unix/X12"), ("unix:7", "/tmp/.X11-unix/X7"),
        ("host:0", nil), ("localhost:10.0", nil), (":", nil), (":a", nil), (":0/../../x", nil), (":1.2.3", nil),
        (":123456", nil), ("0", nil), (":0.", nil),
    ])
    func `the name of a display leads to its socket file`(name: String, path: String?) {
        switch Self.destination("$DISPLAY", kind: .x11, ["DISPLAY": name]) {
        case .path(let found): #expect(found == path)
        case .missing: #expect(path == nil)
        case .unusable(let reason): Issue.record("\(reason)")
        }
    }

    @Test func `a policy with such grants keeps them in its text, and names them in its explanation`() throws {
        let fragment = try Self.fragment("~/a, '$B/c'", more: ", missing: skip, kind: socket")
        let policy = try Policy.shipped(named: "tool+git").joined(with: [fragment])
        #expect(policy.paths.repositories == .git && policy.paths.callersGrants.count > 5)
        let named = policy.joinedText.replacing("policy: tool+git+odd", with: "policy: other")
        let again = try PolicyLibrary(texts: ["other": named]).policy(named: "other")
        let pairs = { (policy: Policy) in
            policy.paths.callersGrants.map { "\($0.pattern) \($0.kind) \($0.isOptional)" }
        }
        #expect(pairs(again) == pairs(policy) && again.paths.repositories == .git)
        #expect(pairs(again).contains("$B/c socket true"))
        let explained = policy.facts.flatMap(\.items)
        #expect(explained.contains { $0.hasPrefix("~/.gitconfig [read]: ") })
        #expect(explained.contains { $0.contains("main repositories of their worktrees") })
    }

    @Test func `paths that were found take the place of the grants, and a wider grant does not widen them`() throws {
        let grant = { PathGrant(path: $0, rights: $1, isOptional: false, reason: "", place: nil) }
        let policy = try Policy.shipped(named: "tool+git").finding([grant("/srv/w/.git", .read)])
            .granting([grant("/srv/w", [.read, .write])])
        #expect(policy.paths.callersGrants.isEmpty && policy.paths.repositories == .none)
        #expect(!policy.verdict(path: "/srv/w/.git", rights: .write).isAllowed)
        #expect(policy.verdict(path: "/srv/w/x", rights: .write).isAllowed)
    }

    @Test func `no entitlement names places of the caller`() {
        for text in ["grants: [{ reason: A., rights: [read], paths: [~/x] }]", "repositories: git"] {
            #expect(throws: PolicyError.self) {
                try PolicyFragment(
                    text: "entitlement: a.b\nname: a\nmeans: b\npaths: { \(text) }\n", file: "entitlements/a.b.yaml")
            }
        }
    }

    @Test func `an allowance for places of the caller is no remedy for calls, and is not missing where it was given`()
        throws
    {
        let tool = try Policy.shipped(named: "tool")
        let number = try #require(SystemCall(named: "socket")).number
        let use = CallUse(number: number, arguments: [1, 1, 0, 0, 0, 0])
        #expect(Allowances(beside: tool).allowing(use).map(\.identifier) == ["sockets"])
        let found = try Policy.shipped(named: "tool+git").finding([])
        #expect(!Allowances(beside: found).isMissing("git") && Allowances(beside: tool).isMissing("git"))
    }
}
