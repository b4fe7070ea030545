import AnnexTestSupport
import Foundation
import Testing

/// Grants of the network that name machines: an extension reaches these machines, and no others. A far machine in a
/// network of the test's own notes what reaches it.
@Suite(
    .timeLimit(.minutes(20)),
    .enabled(if: FarMachine.isPossible, "the tests of named hosts need /usr/bin/python3, curl and ip (iproute2)"))
struct GrantedHostTests {
    private static let client = "com.apple.security.network.client"

    private let folder: TemporaryFolder
    private let app: SubstituteApp

    init() throws {
        folder = try TemporaryFolder()
        app = try SubstituteApp(running: "reaches-out")
        try app.setEntitlements([Self.client])
    }

    /// The lines that a script prints in a network with a far machine and a daemon with the app.
    private func lines(_ script: String) async throws -> [String] {
        let whole = """
            id, client = '\(SubstituteApp.identifier)', '\(Self.client)'
            server = daemon()
            assert tool('install', '\(app.path)').returncode == 0
            def hosts(*names): return [word for name in names for word in ('--host', name)]
            def ask(text): return tool('request', id, '--text', text)
            def state():
                listed = json.loads(tool('list', '--json').stdout)['extensions'][0]['entitlements'][0]
                return listed['inForce'], listed['hosts']
            try:
            \(script.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n"))
            finally:
                server.terminate()
                server.wait()
            """
        let run = try await FarMachine.run(whole, in: folder, as: 1000)
        try #require(run.status == 0, "\(run.output)\n\(run.errors)")
        return run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test func `NET-13: a granted extension reaches its named machines and no others`() async throws {
        let said = try await lines(
            """
            granted = tool('grant', id, client, *hosts('Code.Example.org.:80', '*.packages.example'))
            print(granted.returncode, granted.stderr.strip())
            print(*state())
            for place in ['code.example.org 80', 'www.packages.example 81', 'six.packages.example 80',
                          'code.example.org 81', 'evil.example 80', '10.77.0.3 81', 'own.packages.example 80',
                          '127.0.0.1 80', '::1 80']:
                print(ask('fetches ' + place).stdout.strip())
            print([one['port'] for one in reached()])
            """)
        #expect(
            said[0]
                == "0 annex: \(SubstituteApp.identifier) may connect to code.example.org:80, *.packages.example")
        #expect(said[1] == "True ['code.example.org:80', '*.packages.example']")
        #expect(said[2..<5].allSatisfy { $0 == "HTTP/1.1 200 OK" }, "\(said)")
        #expect(said[5] == "denied" && said[6].hasPrefix("no address") && said[7] == "denied", "\(said)")
        #expect(said[8].hasPrefix("no address"), "\(said)")
        // The sandbox's own loopback has no server but its resolver.
        #expect(said[9] == "errno \(ECONNREFUSED)" && said[10] == said[9], "\(said)")
        #expect(said[11] == "[80, 81, 80]")
    }

    @Test func `the report on a refused machine names the machine and the grant that allows it`() async throws {
        let said = try await lines(
            """
            tool('grant', id, client, *hosts('code.example.org:80'))
            ask('fetches code.example.org 81')
            ask('fetches evil.example 80')
            found = []
            while len(found) < 2:
                found = json.loads(subprocess.run([ANNEX, 'reports', '--json'], stdout=subprocess.PIPE).stdout)['reports']
            for report in found:
                for one in report['denials']: print(one['call'], *one['arguments'], one['remedy'])
            """)
        let grant = "annex grant \(SubstituteApp.identifier) \(Self.client)"
        #expect(
            said == [
                "resolve evil.example \(grant) --host evil.example --host code.example.org:80",
                "connect code.example.org:81 \(grant) --host code.example.org:81 --host code.example.org:80",
            ])
    }

    @Test func `a later grant replaces the machines, and says so`() async throws {
        let said = try await lines(
            """
            tool('grant', id, client, *hosts('code.example.org:80'))
            for words in [['grant', id, client, *hosts('code.example.org:81')], ['grant', id, client],
                          ['grant', id, client, *hosts('code.example.org:80', 'b.example')],
                          ['revoke', id, client, *hosts('b.example')], ['revoke', id, client, *hosts('c.example')],
                          ['revoke', id, client, *hosts('code.example.org:80')],
                          ['grant', id, client, *hosts('https://code.example.org/')], ['grant', id, client, *hosts('a b')]]:
                run = tool(*words)
                print(run.returncode, run.stderr.strip(), *state(), sep=' | ')
                print(ask('fetches code.example.org 80').stdout.strip() if run.returncode == 0 else '')
            """)
        let id = SubstituteApp.identifier
        #expect(
            said[0] == "0 | annex: \(id) may connect to code.example.org:81; before: code.example.org:80 | True | "
                + "['code.example.org:81']")
        #expect(said[1] == "denied", "\(said)")
        #expect(
            said[2] == "0 | annex: \(id) may connect to all other machines; before: code.example.org:81 | True | []")
        #expect(said[5] == "HTTP/1.1 200 OK" && said[7] == said[5], "\(said)")
        #expect(said[6].contains("before: code.example.org:80, b.example | True | ['code.example.org:80']"), "\(said)")
        #expect(said[8].hasPrefix("1 |") && said[8].contains("has no grant for c.example"), "\(said)")
        #expect(said[10].hasPrefix("0 |") && said[10].hasSuffix("may connect to no machine any more | False | []"))
        #expect(said[12].contains("is a URL: name its host alone") && said[14].hasPrefix("1 |"), "\(said)")
        #expect(said[12].hasSuffix("| False | []") && said[14].hasSuffix("| False | []"), "\(said)")
    }

    @Test func `NET-19: a working extension loses machines that are revoked, and its connections to them`() async throws
    {
        let said = try await lines(
            """
            for port, words in [(80, ['revoke', id, client]), (80, ['revoke', id, client, *hosts('old.packages.example')]),
                                (80, ['grant', id, client, *hosts('www.packages.example')]), (443, ['revoke', id, client])]:
                if port == 443 and not os.path.exists('far.pem'):
                    print('skipped: openssl is not installed')
                    continue
                tool('grant', id, client, *hosts('old.packages.example', 'www.packages.example'))
                working = subprocess.Popen([ANNEX, 'request', id, '--socket', 's', '--text', f'keeps old.packages.example {port}'],
                                           stdout=subprocess.PIPE, text=True)
                other = subprocess.Popen([ANNEX, 'request', id, '--socket', 's', '--text', 'keeps www.packages.example 80'],
                                         stdout=subprocess.PIPE, text=True)
                while not (connections('10.77.0.4', port) and connections('10.77.0.3', 80)):
                    pass
                changed = tool(*words).returncode
                said = working.communicate()[0].strip()
                stays = connections('10.77.0.3', 80)
                tool('revoke', id, client)
                print(changed, stays, said, other.communicate()[0].strip(), sep=' | ')
            """)
        #expect(said[0] == "0 | 0 | ended, then no address: -2 | ended, then no address: -2", "\(said)")
        #expect(said[1] == "0 | 1 | ended, then no address: -2 | ended, then no address: -2", "\(said)")
        #expect(said[2] == said[1], "\(said)")
        #expect(said[3].hasPrefix("skipped") || said[3] == said[0], "\(said)")
    }

    @Test func `the example Feed shows the headlines of its named machine`() async throws {
        let feed = try ExampleBundles.layOut("Feed", in: folder.url)
        let said = try await lines(
            """
            names(NAMES + '10.77.0.2 feed.example.org\\n')
            places = {name: os.path.abspath(name) for name in ['today', 'private']}
            for words in [[], ['--grant', client, *hosts('feed.example.org:80')], ['--grant', client, *hosts('a.example')]]:
                run = subprocess.run([ANNEX, 'today', '--once', '--app', '\(feed)'] + words, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     env=dict(os.environ, ANNEX_TODAY=places['today'], ANNEX_PRIVATE=places['private']))
                print(run.returncode, ' '.join(run.stdout.split()), run.stderr.strip(), sep=' | ')
            print(reached())
            """)
        #expect(said[0].contains("Feed may not use the network"), "\(said)")
        #expect(said[1].contains("hello 0"), "\(said)")
        // The headlines of the last update stay.
        #expect(said[2].contains("hello 0") && said[2].contains("feed.example.org is not found"), "\(said)")
        #expect(said[3].components(separatedBy: "GET /headlines.txt").count == 2, "\(said)")
    }
}
