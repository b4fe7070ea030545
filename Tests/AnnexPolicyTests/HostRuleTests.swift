import Testing

@testable import AnnexPolicy
@testable import AnnexPolicyTools

/// Rules of `network: hosts`: which machines a text names, and which names it does not.
@Suite struct HostRuleTests {
    @Test(
        arguments: [
            ("code.example.org:443", "code.example.org:443"), ("Code.Example.ORG.", "code.example.org"),
            ("*.Packages.example:443", "*.packages.example:443"), ("localmachine", "localmachine"),
            ("b\u{fc}cher.example", "xn--bcher-kva.example"),
            ("B\u{dc}CHER.example:8443", "xn--bcher-kva.example:8443"),
            ("\u{4f8b}\u{3048}.\u{30c6}\u{30b9}\u{30c8}", "xn--r8jz45g.xn--zckzah"),
            ("XN--R8JZ45G.xn--zckzah", "xn--r8jz45g.xn--zckzah"),
            ("192.0.2.7", "192.0.2.7"), ("192.0.2.7:80", "192.0.2.7:80"), ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:DB8:0::1", "2001:db8::1"), ("[2001:db8::1]:443", "[2001:db8::1]:443"),
            ("a_b.example", "a_b.example"),
        ])
    func `a rule is one text, however it was spelled`(given: String, text: String) throws {
        let rule = try HostRule(given)
        #expect(rule.description == text)
        #expect(try HostRule(text) == rule)
    }

    @Test(
        arguments: [
            ("", "is empty"), ("*", "names every machine"), ("*:443", "names every machine"),
            ("a*.example", "first parts"),
            ("*example.org", "first parts"), ("a.*.example", "first parts"), ("a..example", "empty part"),
            (".example", "empty part"),
            ("-a.example", "other signs"), ("a b.example", "other signs"), ("1.2.3", "neither"),
            ("999.1.1.1:80", "neither"),
            ("https://code.example.org/x", "name its host alone, `code.example.org`"),
            ("10.0.0.0/8", "no path or range"),
            ("a.example:0", "from 1 to 65535"), ("0x7f000001", "neither"), ("127.0.0.0x1", "neither"),
            ("localhost:80", "--allow-port"), ("db.localhost", "--allow-port"), ("a.example:65536", "from 1 to 65535"),
            ("a.example:https", "from 1 to 65535"),
            ("a.example:", "from 1 to 65535"), ("[::1", "closed by"), ("[2001:db8::1]443", "closed by"),
            ("127.0.0.1:80", "--allow-port"), ("::1", "--allow-port"), ("0.0.0.0", "--allow-port"),
            ("255.255.255.255", "no single machine"), ("ff02::1", "no single machine"), ("u\u{308}.example", "U+308"),
            (String(repeating: "a", count: 64) + ".example", "more than 63 bytes"),
            (String(repeating: "abcdefgh.", count: 32) + "example", "longer than 253 bytes"),
        ])
    func `a text that names no machine is refused with its reason`(given: String, reason: String) {
        let error = #expect(throws: PolicyError.self) { try HostRule(given) }
        #expect(error?.problem.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `a rule allows its machine at its port alone`() throws {
        let (name, other) = (try HostName("code.example.org"), try HostName("evil.example.org"))
        let rule = try HostRule("code.example.org:443")
        #expect(
            rule.allows(name) && rule.allows(name, port: 443) && !rule.allows(name, port: 80) && !rule.allows(other))
        #expect(try HostRule("code.example.org").allows(name, port: 80))
    }

    @Test(
        arguments: [
            ("a.packages.example", true), ("a.b.packages.example", true), ("packages.example", false),
            ("evilpackages.example", false), ("packages.example.evil", false),
        ])
    func `a rule for all names below a name does not name that name`(name: String, isAllowed: Bool) throws {
        let rule = try HostRule("*.packages.example:443")
        #expect(try rule.allows(HostName(name)) == isAllowed)
    }

    @Test func `a name of letters that look like others shows both forms`() throws {
        // Cyrillic letters that look like those of apple.com.
        let rule = try HostRule("\u{430}\u{440}\u{440}\u{4cf}\u{435}.com:443")
        #expect(rule.description == "xn--80ak6aa92e.com:443")
        #expect(rule.words == "xn--80ak6aa92e.com (\u{430}\u{440}\u{440}\u{4cf}\u{435}.com):443")
        #expect(try !rule.allows(HostName("apple.com")))
        #expect(try HostName("apple.com").words == "apple.com")
    }

    @Test func `no bytes behind the prefix of punycode trap its reader`() throws {
        for tail in ["", "-", "--", "a", "99999999999999999999", "zzzzzzzzzzzzzzzzzzzzzz", "a-b-c", "maana-pta", "0"] {
            guard let name = try? HostName("xn--\(tail)x.example") else { continue }
            #expect(name.words.hasPrefix("xn--"))
        }
    }

    @Test func `a policy states hosts, and its joined text gives the same policy again`() throws {
        let text = """
            allow:
              - reason: Connections to them.
                bounded: hosts
                calls: [connect]
            network: { hosts: ["Code.Example.org:443", "*.packages.example", "[2001:db8::1]:80"], check: sni }
            """
        let policy = try PolicySamples.policy(text)
        #expect(policy.network == .hosts && policy.hosts.check == .sni)
        let hosts = ["code.example.org:443", "*.packages.example", "[2001:db8::1]:80"]
        #expect(policy.hosts.list.map(\.description) == hosts)
        let again = try PolicyLibrary(texts: ["test": policy.joinedText]).policy(named: "test")
        #expect(again.hosts == policy.hosts && again.network == .hosts)
        #expect(try PolicyDifference(between: policy, and: again).isEmpty)
        let fewer = try PolicySamples.policy(text.replacing(", \"*.packages.example\"", with: ""))
        let facts = try PolicyDifference(between: policy, and: fewer).facts
        #expect(facts.map(\.title) == ["host *.packages.example"] && facts.first?.wider == .first)
    }

    @Test(
        arguments: [
            ("network: { check: sni }", "state `hosts:`"), ("network: { hosts: x }", "must be a list"),
            ("network: { hosts: [a/b] }", "has a `/`"),
            ("network: { hosts: [a.example], check: tls }", "unknown check `tls`"),
            ("network: { hosts: [a.example], ports: [1] }", "unknown key `ports`"),
            ("network: none\nallow: [{ reason: a, bounded: hosts, calls: [connect] }]", "needs the hosts"),
            (
                "network: hosts\nallow: [{ reason: a, calls: [{ call: connect, when: { size: 16 } }] }]",
                "is allowed without conditions"
            ),
        ])
    func `a mistake about hosts in a policy is told with its place`(text: String, reason: String) {
        let error = PolicySamples.error(text)
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
