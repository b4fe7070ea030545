import AnnexLinux
import Glibc

/// The channel resources that this process holds. The test counts them in a separate process, because other tests open
/// and close files at the same time.
struct Holdings {
    let descriptors: Int
    private let threads: Int
    /// Only mappings of memfds are counted, because the allocator's own mappings come and go.
    private let mappings: Int

    static func now() throws -> Holdings {
        let text = String(
            decoding: try Descriptor.open("/proc/self/maps", O_RDONLY).readAll(atMost: 1 << 24), as: UTF8.self)
        return Holdings(
            descriptors: try entries("fd").count, threads: try threads(),
            mappings: text.split(separator: "\n").filter { $0.contains("memfd:") }.count)
    }

    func isNoMore(than other: Holdings) -> Bool {
        descriptors <= other.descriptors && threads <= other.threads && mappings <= other.mappings
    }

    /// Waits until there are no more resources than in this count. Threads end some time after they are asked to end,
    /// and stay listed in `/proc` a little longer.
    /// - Throws: `Left` when the watchdog's time is over.
    func untilBack() throws {
        for _ in 0..<20_000 {
            if try Holdings.now().isNoMore(than: self) { return }
            usleep(10_000)
        }
        throw Left(before: self, after: try Holdings.now())
    }

    /// Repeats a body many times. It must leave no resource behind.
    static func areLeft(after rounds: Int = 20, _ body: (EventLoop) throws -> Void) async throws {
        try await prepare()
        let loop = try EventLoop()
        try body(loop)
        try rest(loop)
        let before = try Holdings.now()
        for _ in 0..<rounds {
            try body(loop)
            try rest(loop)
        }
        try before.untilBack()
        loop.shutDown()
    }

    /// Waits until the loop's thread holds no channel any more. The thread releases a channel and the channel's
    /// descriptors only after its handler has ended.
    private static func rest(_ loop: EventLoop) throws {
        let turn = try Gate()
        for _ in 0..<2 {
            loop.execute { turn.open() }
            try turn.wait()
        }
    }

    /// When the first task sleeps, the runtime creates its objects for sleeping tasks. So a task sleeps here before the
    /// first count. The event loop that all channels share exists from now on too: the lane that closes the peers'
    /// descriptors makes it when it first looks after a long job.
    static func prepare() async throws {
        _ = try EventLoop.shared()
        try await Task.sleep(for: .milliseconds(10))
    }

    struct Left: Error {
        let before: Holdings
        let after: Holdings
    }

    /// Counts the threads except those of libdispatch, which begin at any time and belong to no channel.
    private static func threads() throws -> Int {
        try entries("task").filter { thread in
            // A thread that has ended since then has no name.
            guard let file = try? Descriptor.open("/proc/self/task/\(thread)/comm", O_RDONLY),
                let name = try? file.readAll(atMost: 64)
            else { return false }
            return !String(decoding: name, as: UTF8.self).contains("qos")
        }.count
    }

    private static func entries(_ folder: String) throws -> [String] {
        guard let directory = opendir("/proc/self/\(folder)") else { throw SystemError("opendir", errno: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { name in
                    String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }
}
