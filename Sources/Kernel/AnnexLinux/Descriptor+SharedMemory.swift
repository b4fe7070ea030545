internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// Whether the file lies in ordinary shared memory (tmpfs, which every memfd of ordinary pages is on). Memory of
    /// huge pages does not: there a page can be missing although the file is long enough.
    package var isPlainSharedMemory: Bool {
        annex_is_on_tmpfs(number) == 1
    }

    /// `SEEK_HOLE`: Glibc's import lacks the name; the number is the same on every architecture.
    private static let seekHole: Int32 = 4

    /// Where the first hole lies: the size where there is none, less than 0 where it cannot be told. Moves the offset.
    package var firstHole: Int64 {
        Int64(lseek(number, 0, Descriptor.seekHole))
    }
}
