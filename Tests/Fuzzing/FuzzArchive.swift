import AnnexBrokerAPI
import AnnexLinux

/// The archive that a host sends to a daemon for an installation. The reader's results must stay within the archive and
/// below the app's folder.
enum FuzzArchive {
    static func main() {
        Fuzzer.run { start, count in
            FuzzArchive.read(Fuzzer.bytes(start, count))
            return 0
        }
    }

    private static func read(_ bytes: [UInt8]) {
        guard let memory = try? memory(bytes), var reader = try? BundleArchiveReader(checking: memory) else {
            return Fuzzer.expect(false, "sealed memory was not taken")
        }
        guard let measured = try? reader.measure() else { return }
        var sum: Int64 = 0
        while let entry = try? reader.next() {
            check(entry, within: bytes.count)
            let contents = try? reader.contents(of: entry, from: 0, atMost: bytes.count)
            Fuzzer.expect(contents?.count == Int(entry.size), "contents that are not all there")
            sum += entry.size + 4096
        }
        Fuzzer.expect(sum == measured, "another measure than the entries'")
    }

    private static func check(_ entry: BundleArchive.Entry, within size: Int) {
        Fuzzer.expect(entry.offset >= 0 && entry.size >= 0, "a place before the archive")
        Fuzzer.expect(entry.offset + entry.size <= Int64(size), "contents beyond the archive")
        Fuzzer.expect(!entry.path.hasPrefix("/") && !entry.path.contains("\0"), "a path of another kind")
        let names = entry.path.split(separator: "/", omittingEmptySubsequences: false)
        Fuzzer.expect(!names.contains("..") && !names.contains("."), "a path that leads elsewhere")
    }

    private static func memory(_ bytes: [UInt8]) throws(SystemError) -> Descriptor {
        let memory = try Descriptor.memfd("annex-fuzz", size: 0)
        try memory.writeAll(bytes)
        try memory.addSeals(.immutable)
        return memory
    }
}
