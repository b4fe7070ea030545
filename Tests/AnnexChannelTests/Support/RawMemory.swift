import AnnexLinux
import Glibc

/// What only a hostile peer would do to memory that it hands over.
enum RawMemory {
    private typealias Call = @convention(c) (Int32, Int32, Int, Int) -> Int32

    /// Gives a part its pages, behind the end too, without making the file any longer.
    static func fill(_ memory: borrowing Descriptor, from offset: Int, count: Int) -> Int32 {
        // Glibc's import lacks the name.
        guard let symbol = dlsym(nil, "fallocate") else { return -1 }
        let keepSize: Int32 = 1
        return unsafeBitCast(symbol, to: Call.self)(memory.number, keepSize, offset, count)
    }
}
