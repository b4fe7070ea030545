import AnnexTestSupport
import Foundation
import Testing

/// Background transfers from an extension to a server with TLS and back, with the real agent in its sandbox.
@Suite(.agentIsBuilt, .farMachineIsPossible, .opensslIsThere, .timeLimit(.minutes(20)))
struct CarriedTransferTests {
    /// A daemon with the app. After the script, nothing of the daemon is left.
    private func lines(_ script: String) async throws -> [String] {
        try await CarriedWorld().lines(
            """
            server, url = start_server()
            adopt_orphans()
            daemon = start_daemon('--limit', 'idle=1')
            try:
                install()
            \(script.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n"))
            finally:
                stop(daemon)
                wait_for(lambda: set(family()) <= {machine.pid, server.pid})
                server.kill()
            """)
    }

    @Test func `T1: an upload, a form and a download go on after their extension, in a sandbox`() async throws {
        let said = try await lines(
            """
            print(ask('transfers', GROUP, url, '?', 300000, 'one'))
            wait_for(lambda: len(lines('outcomes')) == 3)
            print(*sorted(lines('outcomes')), sep=' | ')
            for upload in sorted(notes('kept'), key=lambda one: one['target']):
                print(upload['target'], *((part['size'], part['isFile'], part['text']) for part in upload['parts']))
            print(is_right('got-one', 300000), sorted(os.listdir(group_folder('container'))), lines('starts'))
            wait_for(lambda: not (transfers() or agents()))
            print(staged(), daemon.poll())
            wait_for(lambda: set(family()) == {machine.pid, server.pid, daemon.pid})
            print(ask('transfers', GROUP, url, '?', 1000, 'two'))
            """)
        try #require(said.count == 7, "\(said)")
        #expect(said[0] == "begun 1 2 3")
        #expect(said[1] == "1 200 - kept | 2 200 - kept | 3 200 - ")
        #expect(said[2] == "/form/one (6, False, 'Summer') (300000, True, '')")
        #expect(said[3] == "/put/one (300000, True, '')")
        #expect(said[4] == "True ['got-one', 'outcomes', 'starts'] ['started 3']")
        #expect(said[5] == "[] None")
        // When the book was empty, no process but the daemon was left. It takes the next transfers all the same.
        #expect(said[6] == "begun 4 5 6")
    }

    @Test func `T1: transfers wait for a network, and begin when the kernel tells of one`() async throws {
        let said = try await lines(
            """
            command('ip', 'link', 'set', 'v0', 'down')
            print(ask('transfers', GROUP, url, '?', 1000, 'one'))
            begun = notes('requests')
            command('ip', 'link', 'set', 'v0', 'up')
            wait_for(lambda: len(lines('outcomes')) == 3)
            print(begun, *sorted(lines('outcomes')), sep=' | ')
            """)
        try #require(said.count == 2, "\(said)")
        #expect(said[0] == "begun 1 2 3")
        #expect(said[1] == "[] | 1 200 - kept | 2 200 - kept | 3 200 - ")
    }

    @Test func `T2: the agent has the files of its jobs, no path to them, and the lowest priority`() async throws {
        let said = try await lines(
            """
            print(ask('transfers', GROUP, url, '?pause=1000', 300000, 'one'))
            def files():
                found = {}
                for agent in agents():
                    for number in os.listdir(f'/proc/{agent}/fd'):
                        path = os.readlink(f'/proc/{agent}/fd/{number}')
                        if '/transfers/' in path:
                            info = open(f'/proc/{agent}/fdinfo/{number}').read()
                            found[path.split('/transfers/')[1]] = int(re.search(r'flags:\\s*(\\d+)', info)[1], 8) & 3
                        # It opens the authorities again and again, when it begins a connection.
                        elif path.startswith('/') and path not in ['/dev/null', os.path.abspath('far.pem')]:
                            found[path] = 'strange'
                return found
            wait_for(lambda: len(files()) >= 3)
            print(sorted(files().items()))
            agent = agents()[0]
            print(os.path.exists(f'/proc/{agent}/root{os.path.abspath(group_folder("container"))}'),
                  os.path.exists(f'/proc/{agent}/root/usr/lib'))
            call = {'x86_64': 252, 'aarch64': 31}[os.uname().machine]
            print(os.getpriority(os.PRIO_PROCESS, agent), ctypes.CDLL(None).syscall(call, 1, agent, 0) >> 13)
            wait_for(lambda: not (transfers() or agents()))
            """)
        try #require(said.count == 4, "\(said)")
        #expect(
            said[1]
                == "[('com.example.shout.sync/1/0', 0), ('com.example.shout.sync/2/0', 0), ('com.example.shout.sync/3/body', 1)]"
        )
        #expect(said[2] == "False True")
        #expect(said[3] == "19 3")
    }

    @Test func `NET-20: a server leads no transfer to this machine or its neighbours`() async throws {
        let said = try await lines(
            """
            servers = [f'https://{place}/' for place in ['10.77.0.1', '127.0.0.1', '169.254.1.1', '[fd77::1]', 'near.packages.example',
                                                        'own.packages.example', 'meta.packages.example']]
            for number, place in enumerate(servers):
                # The app may hold the session for the outcomes of the transfers before.
                words = 'fetches', GROUP, url.replace('#', 'abcd'[number % 4]) + '/redirect?to=' + place, f'got{number}'
                while (said := ask(*words)).startswith('busy'): pass
                print(said)
            wait_for(lambda: len({line.split()[0] for line in lines('outcomes')}) == len(servers))
            print(*(line.split()[2] for line in lines('outcomes')))
            print([name for name in os.listdir(group_folder('container')) if name.startswith('got')])
            """)
        try #require(said.count == 9, "\(said)")
        #expect(said[7].split(separator: " ").allSatisfy { $0 == "refusedAddress" }, "\(said)")
        #expect(said[8] == "[]")
    }
}
