import AnnexLinux
import Glibc

/// Changes to handed-over memory that only a hostile peer would make.
enum RawMemory {
    private typealias Call = @convention(c) (Int32, Int32, Int, Int) -> Int32
    private typealias Making = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32

    /// Allocates pages for a part of the file, even behind its end, without making the file longer.
    static func fill(_ memory: borrowing Descriptor, from offset: Int, count: Int) -> Int32 {
        // Swift's import of the C library lacks this function.
        guard let symbol = dlsym(nil, "fallocate") else { return -1 }
        let keepSize: Int32 = 1
        return unsafeBitCast(symbol, to: Call.self)(memory.number, keepSize, offset, count)
    }

    /// New memory of huge pages, none of which is allocated yet; nil if the kernel has no huge pages.
    static func huge(_ name: String, pages: Int64) throws -> Descriptor? {
        guard let symbol = dlsym(nil, "memfd_create") else { return nil }
        // The flag states the size 2^21, because the default size differs between machines.
        let (closesOnExec, sealable, hugePages) = (1, 2, 4 | 21 << 26) as (UInt32, UInt32, UInt32)
        let number = unsafeBitCast(symbol, to: Making.self)(name, closesOnExec | sealable | hugePages)
        guard number >= 0 else { return nil }
        let memory = Descriptor(owning: number)
        _ = try SystemError.check("ftruncate", ftruncate(number, Int(pages << 21)))
        return memory
    }
}
