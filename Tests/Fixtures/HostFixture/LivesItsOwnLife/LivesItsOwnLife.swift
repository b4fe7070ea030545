// A multithreaded host with a SIGCHLD handler, a thread that waits for any child, and its own children. At the same
// time it launches extensions, all from one thread. It prints each effect of Annex that it noticed. If all is well,
// there is none. Arguments: the app's bundle, the extension's identifier, the number of launches.
import AnnexEmbedded
import AnnexHost
import AnnexTestSupport
import CFixtures
import Glibc
import Synchronization

enum LivesItsOwnLife {
    static func run() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let launches = Int(arguments[3]) else {
            print("usage: lives-its-own-life APP IDENTIFIER LAUNCHES")
            exit(64)
        }

        signal(SIGCHLD, countSignal)
        let dumpable = host_dumpable()
        let inheritableBefore = inheritable()
        var maskBefore = sigset_t()
        sigprocmask(SIG_BLOCK, nil, &maskBefore)

        // A child that lives until the end of its input. As long as this child lives, the thread below waits for any child.
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { exit(71) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        startChild("/bin/cat", input: ends[0])

        var waiter = pthread_t()
        pthread_create(&waiter, nil, waitForAnybody, nil)

        let host = try AnnexHost.embedded(apps: [arguments[1]], patience: .patience)
        for _ in 0..<launches {
            startChild("/bin/true")
            let session = try host.beginAndWait(arguments[2])
            _ = session.cancelAndWait()
        }
        // When the join returns, every ended child has been reaped. The signal of each child was sent before that.
        close(ends[1])
        pthread_join(waiter, nil)
        close(ends[0])
        print("children \(Tally.own.load(ordering: .relaxed)) reaped \(Tally.reaped.load(ordering: .relaxed))")
        print(
            "signals no more than children: \(Tally.signals.load(ordering: .relaxed) <= Tally.own.load(ordering: .relaxed))"
        )
        print("dumpable as before: \(host_dumpable() == dumpable)")
        var maskAfter = sigset_t()
        sigprocmask(SIG_BLOCK, nil, &maskAfter)
        let masks = withUnsafeBytes(of: maskBefore) { before in
            withUnsafeBytes(of: maskAfter) { before.elementsEqual($0) }
        }
        print("signal mask as before: \(masks)")
        print("descriptors that a child would inherit, more than before: \(inheritable() - inheritableBefore)")
    }

    /// Starts a program and counts it as a child of the host.
    /// - Parameter input: the standard input of the program; nil for the host's.
    private static func startChild(_ path: String, input: Int32? = nil) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
        var child: pid_t = 0
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
        if posix_spawn(&child, path, &actions, nil, &arguments, environ) == 0 { Tally.own.add(1, ordering: .relaxed) }
        free(arguments[0])
    }

    /// The number of descriptors without close-on-exec. A host may have inherited some from its own parent.
    private static func inheritable() -> Int {
        (3..<1024).count { number in
            let flags = fcntl(Int32(number), F_GETFD)
            return flags >= 0 && flags & FD_CLOEXEC == 0
        }
    }
}
