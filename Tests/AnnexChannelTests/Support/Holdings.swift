import AnnexLinux
import Glibc

/// What this process has of what a channel takes. Counted in a process of its own: other tests open and close meanwhile.
struct Holdings {
    let descriptors: Int
    private let threads: Int
    /// Of memfds: the allocator's own come and go.
    private let mappings: Int

    static func now() throws -> Holdings {
        let text = String(
            decoding: try Descriptor.open("/proc/self/maps", O_RDONLY).readAll(atMost: 1 << 24), as: UTF8.self)
        return Holdings(
            descriptors: try entries("fd"), threads: try entries("task"),
            mappings: text.split(separator: "\n").filter { $0.contains("memfd:") }.count)
    }

    func isNoMore(than other: Holdings) -> Bool {
        descriptors <= other.descriptors && threads <= other.threads && mappings <= other.mappings
    }

    /// Waits until there is no more than this, for threads end some time after they are told to, and stand in their
    /// folder a little longer.
    /// - Throws: `Left` at a watchdog's end.
    func untilBack() throws {
        for _ in 0..<20_000 {
            if try Holdings.now().isNoMore(than: self) { return }
            usleep(10_000)
        }
        throw Left(before: self, after: try Holdings.now())
    }

    /// Does something again and again; nothing may be left of it.
    static func areLeft(after rounds: Int = 20, _ body: (EventLoop) throws -> Void) throws {
        let loop = try EventLoop()
        try body(loop)
        let before = try Holdings.now()
        for _ in 0..<rounds { try body(loop) }
        try before.untilBack()
        loop.shutDown()
    }

    struct Left: Error {
        let before: Holdings
        let after: Holdings
    }

    private static func entries(_ folder: String) throws -> Int {
        guard let directory = opendir("/proc/self/\(folder)") else { throw SystemError("opendir", errno: errno) }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }
}
