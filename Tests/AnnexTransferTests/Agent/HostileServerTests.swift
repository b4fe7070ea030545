import AnnexTestSupport
import AnnexTransferWire
import Foundation
import Testing

/// Servers that break rules, send without end or do not answer, and redirects that lead where they may not.
@Suite(.agentIsBuilt, .pythonIsThere, .timeLimit(.minutes(20))) struct HostileServerTests {
    @Test(arguments: [
        ("/garbage", TransferError.badAnswer, TransferRetry.later), ("/reset", .connectionLost, .later),
        ("/many-headers/100000", .headersTooLarge, .never), ("/endless-header", .headersTooLarge, .never),
        ("/interim-forever", .headersTooLarge, .never), ("/loop/0", .tooManyRedirects, .never),
        ("/two-places", .redirectRefused, .never),
    ])
    func `a server that breaks a rule ends the job by the name of the rule`(
        _ conduct: String, _ error: TransferError, _ retry: TransferRetry
    ) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.url(conduct)), [file])
        #expect(end.error == error && end.retry == retry && file.size == 0)
        #expect(agent.questions.count <= TransferLimits.redirects + 1)
        // The agent has not suffered.
        let next = try await agent.carryOut(TestJob.download(server.url("/file/10"), task: 2), [file])
        #expect(next.error == nil)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://example.org/a", "gopher://example.org/a", "http://user@example.org/",
        "http://user:word@example.org/", "http://", "//", "https://[fe80::1%25eth0]/", "http://b\u{fc}cher.example/",
        "http://example.org:0/", "http://example.org:99999/", "http://a\u{7f}b/",
    ])
    func `a redirect to another scheme, with credentials or to no server is refused`(_ target: String) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(server.redirect(to: target)), [file])
        #expect(end.error == .redirectRefused && end.retry == .never && end.answer?.status == 302)
        #expect(agent.questions.count == 1)
    }

    @Test(arguments: [
        "ftp://example.org/", "http://a:b@example.org/", "http:///", "example.org", "http://[::1", "file:///x",
    ])
    func `a job whose URL leads to no server by HTTP, or holds credentials, does not begin`(_ url: String) async throws
    {
        let (agent, file) = (try RunningAgent(), try TestFile())
        let end = try await agent.carryOut(TestJob.download(url), [file])
        #expect(end.error == .badURL && end.retry == .never && agent.news.count == 1)
    }

    @Test func `the body of a redirect is read to 64 KiB and no further`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let job = TestJob.download(server.redirect(to: "/file/10", more: "&body=3000000"))
        let end = try await agent.carryOut(job, [file])
        #expect(end.error == nil && file.contents == TestFile.bytes(10))
    }

    @Test func `the headers of the caller go to no other server, and not back`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let headers = [
            TransferHeader(name: "Authorization", value: "Bearer secret"),
            TransferHeader(name: "X-Key", value: "secret"),
            TransferHeader(name: "Accept", value: "text/plain"), TransferHeader(name: "X-Empty", value: ""),
        ]
        let own = server.url("/file/1")
        let back = server.redirect(to: own).replacingOccurrences(of: "example.org", with: "other.example")
        let other = server.redirect(to: back)
        let within = server.redirect(to: other)
        let end = try await agent.carryOut(TestJob.download(within, headers: headers), [file])
        #expect(end.error == nil)
        let requests = try server.requests()
        #expect(requests.map { $0.header("X-Key") } == ["secret", "secret", nil, nil])
        #expect(requests.map { $0.header("Authorization") != nil } == [true, true, false, false])
        #expect(requests.allSatisfy { $0.header("Accept") == "text/plain" })
        #expect(requests.map { $0.header("X-Empty") } == ["", "", nil, nil])
        #expect(agent.questions.map(\.host) == ["example.org", "example.org", "other.example", "example.org"])
    }

    @Test func `each name has one form before the broker is asked for it`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        for host in ["EXAMPLE.Org", "example.org.", "ex%61mple.org", "127.0.0.1", "2130706433", "0x7f.1"] {
            #expect(try await agent.carryOut(TestJob.download(server.url("/file/1", at: host)), [file]).error == nil)
        }
        #expect(
            agent.questions.map(\.host) == ["example.org", "example.org", "example.org"]
                + [String](repeating: "127.0.0.1", count: 3))
        #expect(agent.questions.allSatisfy { Int($0.port) == server.port })
    }

    @Test func `neither proxies, passwords, cookies nor settings of the user reach a server`() async throws {
        let (server, folder, file) = (try await TransferServer(), try TemporaryFolder(), try TestFile())
        for name in [".netrc", "_netrc"] {
            try "machine example.org login a password b\n".write(
                to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
        }
        try "header = \"X-Curl: a\"\n".write(
            to: folder.url.appending(path: ".curlrc"), atomically: true, encoding: .utf8)
        let proxies = ["http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy", "https_proxy"]
            .map { ($0, "http://127.0.0.1:1") }
        let environment = Dictionary(uniqueKeysWithValues: proxies).merging(["HOME": folder.url.path]) { $1 }
        let agent = try RunningAgent(environment: environment)
        #expect(try await agent.carryOut(TestJob.download(server.url("/file/10")), [file]).error == nil)
        let lines = try #require(try server.requests().first).lines
        #expect(
            lines.sorted() == [
                "Accept-Encoding: identity", "Accept: */*", "Host: example.org:\(server.port)",
                "User-Agent: annex-transfer",
            ])
    }
}

/// Waits that end by a limit.
@Suite(.agentIsBuilt, .pythonIsThere, .timeLimit(.minutes(20))) struct TransferPatienceTests {
    static let second = TransferPatience(connecting: 600, idle: 1, whole: 3000)

    @Test(arguments: ["/silent", "/trickle"])
    func `a server that sends less than a byte a second is too slow`(_ conduct: String) async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let job = TestJob.download(server.url(conduct), patience: Self.second)
        let end = try await agent.carryOut(job, [file])
        #expect(end.error == .tooSlow && end.retry == .later)
    }

    @Test func `an attempt that takes longer than its whole time is timed out`() async throws {
        let (server, agent, file) = (try await TransferServer(), try RunningAgent(), try TestFile())
        let patience = TransferPatience(connecting: 600, idle: 600, whole: 1)
        let job = TestJob.download(server.url("/silent"), patience: patience)
        let end = try await agent.carryOut(job, [file])
        #expect(end.error == .timedOut && end.retry == .later)
    }

    @Test func `a question that the broker does not answer ends the job`() async throws {
        let (agent, file) = (try RunningAgent(), try TestFile())
        agent.addresses = { _ in nil }
        let patience = TransferPatience(connecting: 1, idle: 600, whole: 3000)
        let end = try await agent.carryOut(TestJob.download("http://example.org/", patience: patience), [file])
        #expect(end.error == .nameNotResolved && end.retry == .later)
    }

    @Test func `what the broker says of a name is the end of the job, and a closed port is no connection`() async throws
    {
        let (agent, file) = (try RunningAgent(), try TestFile())
        for (error, retry) in [(TransferError.nameNotResolved, TransferRetry.later), (.refusedAddress, .never)] {
            agent.addresses = { TransferAddresses(question: $0.question, error: error) }
            let end = try await agent.carryOut(TestJob.download("http://example.org/"), [file])
            #expect(end.error == error && end.retry == retry)
        }
        agent.addresses = { TransferAddresses(question: $0.question, addresses: ["127.0.0.1"]) }
        let end = try await agent.carryOut(TestJob.download("http://example.org:1/"), [file])
        #expect(end.error == .connectFailed && end.retry == .later)
    }
}

/// TLS, by an authority of the test.
@Suite(
    .agentIsBuilt, .pythonIsThere, .enabled(if: TestAuthority.isAvailable, "openssl is not installed"),
    .timeLimit(.minutes(20))) struct TransferTLSTests
{
    @Test func `a server with a certificate of a known authority is read`() async throws {
        let authority = try await TestAuthority()
        let server = try await TransferServer(authority: authority)
        let (agent, file) = (
            try RunningAgent(environment: ["SSL_CERT_FILE": authority.authorities.path]), try TestFile()
        )
        let end = try await agent.carryOut(TestJob.download(server.url("/file/3000000", scheme: "https")), [file])
        #expect(end.error == nil && file.contents == TestFile.bytes(3_000_000))
        let down = try await agent.carryOut(
            TestJob.download(
                server.redirect(to: server.url("/file/1")).replacingOccurrences(of: "http://e", with: "https://e")),
            [file])
        #expect(down.error == .redirectRefused && agent.questions.count == 2)
    }

    @Test func `an unknown authority and another name are refused`() async throws {
        let authority = try await TestAuthority()
        let server = try await TransferServer(authority: authority)
        let file = try TestFile()
        let job = TestJob.download(server.url("/file/10", scheme: "https"))
        let stranger = try await RunningAgent().carryOut(job, [file])
        #expect(stranger.error == .tlsFailed && stranger.retry == .never)
        let agent = try RunningAgent(environment: ["SSL_CERT_FILE": authority.authorities.path])
        let other = TestJob.download(server.url("/file/10", at: "other.example", scheme: "https"))
        let end = try await agent.carryOut(other, [file])
        #expect(end.error == .tlsFailed && end.retry == .never && file.size == 0)
        #expect(try await agent.carryOut(TestJob.download(server.url("/file/10")), [file]).error == .connectionLost)
    }
}
