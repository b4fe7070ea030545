internal import CAnnexLinux
internal import Glibc

extension Descriptor {
    /// Whether the file lies on tmpfs, as every memfd of ordinary pages does. Memory of huge pages does not: there a
    /// page can be missing although the file is long enough.
    package var isPlainSharedMemory: Bool {
        annex_is_on_tmpfs(number) == 1
    }

    /// `SEEK_HOLE`. Glibc's import lacks the name; the number is the same on every architecture.
    private static let seekHole: Int32 = 4

    /// The offset of the first hole: the file's size if there is none, less than 0 if it cannot be determined. Moves
    /// the file's offset.
    package var firstHole: Int64 {
        Int64(lseek(number, 0, Descriptor.seekHole))
    }
}
