import Foundation

/// Statistics of this process's allocator.
struct Heap {
    /// The memory that all threads have allocated and not freed, in KiB. A leak makes this number grow. Pages that the
    /// allocator keeps for later do not count.
    let allocated: Double
    /// The number of arenas.
    let arenas: Int

    /// The arenas of a host under load.
    private static let mostArenas: Int32 = 2

    /// Calls `mallopt(3)`. If a thread finds the other arenas in use, the allocator makes a new one, up to eight for each
    /// processor, and keeps it with its free pages. Such a step may come after many minutes, and would look like a leak.
    static func bound() {
        typealias Option = @convention(c) (Int32, Int32) -> Int32
        guard let found = dlsym(nil, "mallopt") else { return }
        let arenaMaximum: Int32 = -8
        _ = unsafeBitCast(found, to: Option.self)(arenaMaximum, mostArenas)
    }

    static func now() -> Heap {
        let text = report()
        // The sums over all arenas come last.
        let size = { (kind: String) in
            text.components(separatedBy: "<\(kind)").last?.components(separatedBy: "size=\"").dropFirst().first
                .flatMap { Double($0.prefix { $0 != "\"" }) } ?? 0
        }
        let free = size("total type=\"fast\"") + size("total type=\"rest\"")
        return Heap(
            allocated: (size("system type=\"current\"") + size("total type=\"mmap\"") - free) / 1024,
            arenas: text.components(separatedBy: "<heap ").count - 1)
    }

    /// Calls `malloc_trim(3)`. It returns the free pages of every arena, so that all remaining pages are in use.
    static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let found = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(found, to: Trim.self)(0)
    }

    /// Calls `malloc_info(3)`. Swift's import of the C library lacks <malloc.h>.
    private static func report() -> String {
        typealias Info = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        guard let found = dlsym(nil, "malloc_info"), let file = tmpfile() else { return "" }
        defer { fclose(file) }
        _ = unsafeBitCast(found, to: Info.self)(0, file)
        rewind(file)
        var text = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&text, 1, text.count, file)
        return String(decoding: text.prefix(count), as: UTF8.self)
    }
}
