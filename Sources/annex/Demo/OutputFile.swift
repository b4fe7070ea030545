internal import AnnexLinux
internal import Glibc

/// The host's own name for a result: beside the original, never over an existing file.
struct OutputFile {
    let path: String

    /// Writes `bytes` as `<name>-edited.<ending>`, or with the first number that is free.
    static func write(_ bytes: [UInt8], beside original: String) throws -> OutputFile {
        for count in 1...999 {
            let path = name(beside: original, count: count)
            do {
                // O_EXCL: an existing file, also a planted link, is left alone.
                let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
                try file.writeAll(bytes)
                return OutputFile(path: path)
            } catch let error where error.errno == EEXIST {
                continue
            }
        }
        throw SystemError("open", errno: EEXIST, path: original, mend: "move some of the edited pictures away")
    }

    static func name(beside original: String, count: Int) -> String {
        let slash = original.lastIndex(of: "/").map { original.index(after: $0) } ?? original.startIndex
        let file = original[slash...]
        let dot = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 } ?? file.endIndex
        let number = count == 1 ? "" : "-\(count)"
        return original[..<slash] + file[..<dot] + "-edited\(number)" + file[dot...]
    }
}
