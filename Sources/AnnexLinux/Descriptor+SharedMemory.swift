internal import CAnnexLinux

extension Descriptor {
    /// Whether the file lies in ordinary shared memory (tmpfs, which every memfd of ordinary pages is on). Memory of
    /// huge pages does not: there a page can be missing although the file is long enough.
    package var isPlainSharedMemory: Bool {
        annex_is_on_tmpfs(number) == 1
    }
}
