import AnnexPolicy
import Testing

@testable import AnnexCommand

/// The machines that a program without a network named.
@Suite struct WantedHostsTests {
    @Test(
        arguments: [
            ("curl: (6) could not resolve host: example.org", [], ["example.org"]),
            ("curl: (6) could not resolve host: example.org", ["https://Example.org/x"], ["example.org:443"]),
            ("", ["http://user:pw@a.example:8080/x?y", "-o", "z"], ["a.example:8080"]),
            ("", ["ssh://git@code.example/x.git"], ["code.example:22"]),
            ("", ["http://[2001:db8::1]/"], ["[2001:db8::1]:80"]),
            (
                "get \"https://proxy.golang.org/x\": dial tcp: lookup proxy.golang.org on 127.0.0.1", [],
                ["proxy.golang.org:443"]
            ),
            ("error: getaddrinfo eai_again registry.example.org", [], ["registry.example.org"]),
            ("", ["http://localhost:3000/", "file:///etc/passwd", "http://127.0.0.1/", "x://y.example/"], []),
            ("could not resolve host: intranet", [], []),
        ])
    func `a text names a machine`(errors: String, arguments: [String], rules: [String]) {
        #expect(WantedHosts(errors: errors, arguments: arguments).rules.map(\.description) == rules)
    }
}
