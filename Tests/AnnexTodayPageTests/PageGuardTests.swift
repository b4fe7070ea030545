import AnnexTestSupport
import Testing

@testable import AnnexTodayPage

/// The guard must recognize the requests that come from the page of the user.
@Suite(.timeLimit(.minutes(20))) struct PageGuardTests {
    private static let token = "0123456789abcdef0123456789abcdef"
    private let visitors = PageGuard(token: token)

    private func path(
        _ target: String, method: String = "GET", host: String? = "127.0.0.1:8420",
        _ headers: (name: String, value: String)...
    ) -> Result<String, PageGuard.Refusal> {
        let all = (host.map { [("Host", $0)] } ?? []) + headers
        return visitors.path(of: PageRequest(port: 8420, method: method, target: target, headers: all))
    }

    private let page = "/\(token)/"

    @Test(arguments: [
        ("", ""), ("cards", "cards"), ("picture/a.b/0?x1", "picture/a.b/0"), ("do#fragment", "do"), ("a//b", "a//b"),
    ])
    func `the path behind the token is the answer`(rest: String, expected: String) {
        #expect(path(page + rest) == .success(expected))
    }

    @Test(arguments: [
        "", "/", "/0123456789abcdef0123456789abcdef", "/0123456789abcdef0123456789abcdee/",
        "//0123456789abcdef0123456789abcdef/",
        "/0123456789ABCDEF0123456789ABCDEF/", "0123456789abcdef0123456789abcdef/",
        "/x/0123456789abcdef0123456789abcdef/",
        "/?/0123456789abcdef0123456789abcdef/", "http://127.0.0.1:8420/0123456789abcdef0123456789abcdef/", "*",
        "/0123456789abcdef0123456789abcdef0/", "/%30123456789abcdef0123456789abcdef/",
    ])
    func `a path without the token is refused`(target: String) {
        #expect(path(target) == .failure(.token))
    }

    @Test(arguments: [
        nil, "", "127.0.0.1", "127.0.0.1:80", "evil.example:8420", "127.0.0.1:8420.evil.example", "[::1]:8420",
        "127.1:8420",
        "localhost.:8420", "127.0.0.1:8420 ", "user@127.0.0.1:8420", "127.0.0.1:08420",
    ])
    func `a host that is not this server is refused`(host: String?) {
        #expect(path(page, host: host) == .failure(.host))
    }

    @Test func `both names of this machine are accepted, and not both at once`() {
        #expect(path(page, host: "LOCALHOST:8420") == .success(""))
        #expect(path(page, host: "localhost:8420", ("host", "localhost:8420")) == .failure(.host))
    }

    @Test func `the port of HTTP may be left out`() {
        func answer(_ host: String, at port: Int) -> Result<String, PageGuard.Refusal> {
            visitors.path(of: PageRequest(port: port, method: "GET", target: page, headers: [("Host", host)]))
        }
        #expect(answer("127.0.0.1", at: 80) == .success("") && answer("localhost:80", at: 80) == .success(""))
        #expect(answer("127.0.0.1", at: 8080) == .failure(.host) && answer("127.0.0.1:", at: 80) == .failure(.host))
    }

    @Test(arguments: [
        "null", "http://evil.example", "http://127.0.0.1:8421", "https://127.0.0.1:8420", "http://localhost:8420", "",
    ])
    func `another origin is refused`(origin: String) {
        #expect(path(page + "do", method: "POST", ("Origin", origin)) == .failure(.origin))
        #expect(path(page, ("Origin", origin)) == .failure(.origin))
    }

    @Test func `the own origin may act, and a request without one may read`() {
        let own = (name: "Origin", value: "http://127.0.0.1:8420")
        #expect(path(page + "do", method: "POST", own) == .success("do"))
        #expect(path(page + "do", method: "POST") == .failure(.origin))
        #expect(path(page + "do", method: "POST", own, own) == .failure(.origin))
        #expect(path(page) == .success(""))
    }

    @Test(arguments: ["GET", "POST"], ["cross-site", "same-site", "same-origin", "none", "other"])
    func `the site that the browser names counts`(method: String, site: String) {
        let found = path(
            page + "do", method: method, ("Origin", "http://127.0.0.1:8420"), ("Sec-Fetch-Site", site))
        let isAllowed = site == "same-origin" || site == "none" && method == "GET"
        #expect(found == (isAllowed ? .success("do") : .failure(.origin)))
    }

    @Test func `tokens have 128 random bits`() {
        let tokens = Set((0..<100).map { _ in PageGuard.newToken() })
        #expect(tokens.count == 100 && tokens.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }
}
