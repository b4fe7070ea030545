import AnnexLinux
import AnnexTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnexLaunch

@Suite struct MemoryWatchTests {
    /// The test runs in a separate process, because other tests in this process allocate and free memory at the same
    /// time.
    @Test func `memory in a nameless file counts while the file is only held open`() async {
        await #expect(processExitsWith: .success) {
            let piece = [UInt8](repeating: 1, count: 1 << 20)
            let memory = try Descriptor.memfd("annex-test", size: 0)
            let before = try MemoryWatch.use(of: getpid())
            for _ in 0..<64 { try memory.writeAll(piece) }
            let after = try MemoryWatch.use(of: getpid())
            #expect(before > 1 << 20)
            #expect(after >= before + 64 << 20, "\(before), then \(after)")
        }
    }

    @Test func `a nameless file counts once on each device`() {
        var files = NamelessFiles()
        for _ in 0..<2 { files.add(device: 1, inode: 7, blocks: 2) }
        files.add(device: 2, inode: 7, blocks: 4)
        #expect(files.bytes == 6 * 512)
        files.add(device: 3, inode: 7, blocks: .max)
        #expect(files.bytes == .max)
    }

    @Test func `only files without a name are counted`() throws {
        var files = NamelessFiles()
        let program = try Descriptor.open("/proc/self/exe", O_RDONLY)
        files.add(link: "/proc/self/fd/\(program.number)")
        files.add(link: "/proc/self/fd/nobody")
        #expect(files.bytes == 0)
        let memory = try Descriptor.memfd("annex-test", size: 0)
        try memory.writeAll([UInt8](repeating: 1, count: 1 << 20))
        for _ in 0..<2 { files.add(link: "/proc/self/fd/\(memory.number)") }
        #expect(files.bytes == 1 << 20)
    }

    /// `tmpfile()` makes nameless files, and databases make them for a moment. A nameless file is memory only if its
    /// folder lies in memory.
    @Test func `a nameless file on a disk does not count as memory`() throws {
        let folder = try TemporaryFolder()
        let name = folder.url.path + "/gone"
        let file = try Descriptor.open(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        unlink(name)
        try file.writeAll([UInt8](repeating: 1, count: 1 << 20))
        try #require(fsync(file.number) == 0)
        var files = NamelessFiles.memory(mountedBy: [.max, getpid()])
        files.add(link: "/proc/self/fd/\(file.number)")
        #expect((files.bytes > 0) == file.isPlainSharedMemory)
        var removed = NamelessFiles()
        removed.add(link: "/proc/self/fd/\(file.number)")
        #expect(removed.bytes >= 1 << 20)
        let memory = try Descriptor.memfd("annex-test", size: 0)
        try memory.writeAll([UInt8](repeating: 1, count: 1 << 21))
        let before = files.bytes
        files.add(link: "/proc/self/fd/\(memory.number)")
        #expect(files.bytes == before + 1 << 21)
    }

    @Test func `the types of mounts tell which files may be memory`() {
        let mounts = MountTypes(
            """
            36 35 0:40 / / rw,relatime - overlay overlay rw,lowerdir=/a
            37 36 0:41 /sub /home rw shared:9 master:2 - btrfs /dev/sda rw
            38 36 0:42 / /tmp rw - tmpfs tmpfs rw,size=1k
            39 36 0:43 / /huge rw - hugetlbfs hugetlbfs rw
            40 36 0:44 / /cut rw -
            word 36 0:44 / /x rw - ext4 a rw
            """)
        #expect([36, 37].allSatisfy { !mounts.mayBeMemory($0) })
        #expect([38, 39, 40, 41, 0, .max].allSatisfy { mounts.mayBeMemory($0) })
        #expect(MountTypes(of: [.max]).mayBeMemory(36))
    }

    /// A child of `posix_spawn` shares its parent's memory until it executes a program. This child waits at a pipe
    /// before that.
    @Test func `a process that shares all memory with its parent counts as none`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let pipe = folder.url.path + "/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let memory = [UInt8](repeating: 1, count: 64 << 20)
            Thread.detachNewThread { Self.spawn("/bin/true", reading: pipe) }
            while try ProcessTree.members(of: getpid()).count < 2 { usleep(1000) }
            let members = try ProcessTree.members(of: getpid())
            #expect(AddressSpaces(of: members).processes == [getpid()])
            let limit = try MemoryWatch.use(of: getpid()) * 3 / 2
            let watch = MemoryWatch(of: getpid(), hasReaper: false, limit: limit) { _ in
                Issue.record("counted twice")
            }
            #expect(watch.check())
            close(open(pipe, O_WRONLY))
            #expect(memory.count == 64 << 20)
        }
    }

    @Test func `the reaper is left out of the sum and its child is counted`() async {
        await #expect(processExitsWith: .success) {
            let alone = MemoryWatch(of: getpid(), hasReaper: true, limit: 1) { _ in
                Issue.record("the reaper counted")
            }
            #expect(alone.check() && alone.use == 0)
            let program = try Self.sleeper("/bin/sleep")
            defer { program.signal(SIGKILL) }
            let watch = MemoryWatch(of: getpid(), hasReaper: true, limit: 1) { _ in }
            #expect(!watch.check() && watch.use > 0)
        }
    }

    private static func spawn(_ program: String, reading path: String) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDONLY, 0)
        var process = pid_t()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        posix_spawn(&process, program, &actions, nil, &arguments, nil)
        free(arguments[0])
    }

    @Test func `a process with memory of its own is counted`() throws {
        let program = try Self.sleeper("/bin/sleep")
        defer { program.signal(SIGKILL) }
        let processes = [getpid(), program.number, getpid()]
        #expect(Set(AddressSpaces(of: processes).processes) == Set(processes))
        #expect(AddressSpaces(of: processes).processes.count == 2)
        // If a process cannot be compared with others, the other processes are still counted.
        #expect(AddressSpaces(of: [.max, getpid(), .max, getpid()]).processes == [getpid(), .max, .max])
    }

    /// If a process executed an unreadable file, the kernel hides its memory from all users but root.
    @Test func `a process whose memory is hidden counts in full`() throws {
        let folder = try TemporaryFolder()
        let copy = folder.url.appending(path: "sleep")
        try FileManager.default.copyProgram(at: URL(filePath: "/bin/sleep").resolvingSymlinksInPath(), to: copy)
        try #require(chmod(copy.path, 0o111) == 0)
        let program = try Self.sleeper(copy.path)
        defer { program.signal(SIGKILL) }
        #expect(try MemoryWatch.share(of: program.number).own > 0)
    }

    private static func sleeper(_ path: String) throws -> ChildProcess {
        let program = try ChildProcess(URL(filePath: path), arguments: ["3600"])
        // The kernel resumes the caller of `posix_spawn` a moment before the child has its own memory.
        let name = "/proc/\(program.number)/comm"
        while try String(contentsOfFile: name, encoding: .utf8) != "sleep\n" { usleep(1_000) }
        return program
    }

    @Test func `a process that has ended uses no memory`() throws {
        #expect(try MemoryWatch.use(of: Int32.max) == 0)
        #expect(try ProcessTree.members(of: Int32.max) == [Int32.max])
    }

    @Test func `page tables and swapped memory count`() {
        let status =
            "Name:\tVmPTE: 9 kB\nVmPTE:\t   64 kB\nVmSwap:\t 32 kB\nRssAnon:\t  16 kB\nRssShmem:\t 8 kB\n"
        let alone = ProcessMemory(status: status)
        #expect(alone.own == 112 << 10 && alone.shared == 8 << 10)
        let shares = "Pss_Anon:  4 kB\nPss_Shmem:  2 kB\nSwap:  40 kB\nSwapPss: 20 kB\n"
        let shared = ProcessMemory(shares: shares, status: status)
        #expect(shared.own == 88 << 10 && shared.shared == 2 << 10)
        #expect(ProcessMemory(status: "VmPTE:\t99999999999999999999999 kB\nRssAnon:\t x\n").own == 0)
    }

    /// If the first thread of a process has ended, the kernel reports no memory for that thread.
    @Test func `a process whose first thread has ended is counted all the same`() async throws {
        let program = try ChildProcess(ChildProcess.executable("takes-much"), arguments: ["first-thread", "32"])
        defer { program.signal(SIGKILL) }
        let number = program.number
        await eventually {
            let status = TextFile.read("/proc/\(number)/status") ?? ""
            return !status.isEmpty && !ProcessMemory.isThere(in: status)
        }
        await eventually { ((try? MemoryWatch.use(of: number)) ?? 0) >= 32 << 20 }
        let watch = MemoryWatch(of: number, hasReaper: false, limit: 32 << 20) { _ in }
        #expect(!watch.check())
    }

    @Test func `a living process that cannot be read exceeds the limit at the second look`() {
        let found = Mutex<[WatchFinding]>([])
        func watch(isAlive: Bool) -> MemoryWatch {
            MemoryWatch(of: .max, hasReaper: false, limit: .max, isAlive: { isAlive }) { finding in
                found.withLock { $0.append(finding) }
            }
        }
        let gone = watch(isAlive: false)
        #expect(gone.check() && gone.check() && gone.check())
        let hidden = watch(isAlive: true)
        let (first, second) = (hidden.check(), hidden.check())
        #expect(first && !second)
        guard case .unseen(let cause) = found.withLock({ $0.first }) else {
            return #expect(Bool(false), "nothing found")
        }
        #expect(cause.contains("ENOENT"), "\(cause)")
    }

    /// The test runs in a separate process, which has no free descriptor numbers.
    @Test func `a watch without descriptors gives up and reports it`() async {
        await #expect(processExitsWith: .success) {
            let findings = Mutex<[WatchFinding]>([])
            let watch = MemoryWatch(of: getpid(), hasReaper: false, limit: .max) { finding in
                findings.withLock { $0.append(finding) }
            }
            try #require(watch.check())
            var none = rlimit(rlim_cur: 0, rlim_max: 4096)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
            let looks = (1...Sight.patienceWithHost).map { _ in watch.check() }
            let found = findings.withLock { $0 }
            none.rlim_cur = 256
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
            #expect(looks == [true, true, true, true, false])
            guard case .unseen(let cause) = found.first else { return #expect(Bool(false), "\(found)") }
            #expect(cause.contains("EMFILE"), "\(cause)")
        }
    }

    @Test func `a look that failed once is forgotten by the next`() {
        let sight = Sight { true }
        let failure = SystemError("open", errno: EACCES)
        for _ in 0..<3 {
            #expect(sight.check { () throws(SystemError) in throw failure } == nil)
            #expect(sight.check { nil } == nil)
        }
        #expect(sight.check { () throws(SystemError) in throw failure } == nil)
        #expect(sight.check { () throws(SystemError) in throw failure } == .unseen(failure.cause))
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM, EIO]) func `a shortage of the host itself may pass`(errno: Int32) {
        let sight = Sight { true }
        let shortage = SystemError("open", errno: errno)
        for _ in 1..<Sight.patienceWithHost {
            #expect(sight.check { () throws(SystemError) in throw shortage } == nil)
        }
        #expect(sight.check { () throws(SystemError) in throw shortage } == .unseen(shortage.cause))
    }

    /// If a program hides itself during a shortage of the host, it gains no time.
    @Test func `a failed look that the program could cause counts after a shortage too`() {
        let sight = Sight { true }
        let hidden = SystemError("open", errno: EACCES)
        #expect(sight.check { () throws(SystemError) in throw SystemError("open", errno: EMFILE) } == nil)
        #expect(sight.check { () throws(SystemError) in throw hidden } == .unseen(hidden.cause))
    }
}
