import AnnexLinux
import Glibc

/// Files of the host's own naming: made new, never over an existing one.
enum NewFile {
    /// Writes under the first of the numbered names that is free.
    ///
    /// - Returns: the name.
    static func write(_ bytes: [UInt8], as name: (_ number: Int) -> String) throws(SystemError) -> String {
        for number in 1...999 where try write(bytes, to: name(number)) { return name(number) }
        throw SystemError("open", errno: EEXIST, path: name(1), remedy: "move some of the older ones away")
    }

    /// - Returns: false where there is a file already.
    private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) -> Bool {
        guard let file = try create(path) else { return false }
        do throws(SystemError) {
            try file.writeAll(bytes)
            return true
        } catch {
            // Half a picture would pass for a whole one.
            unlink(path)
            throw SystemError("write", errno: error.errno, path: path, remedy: remedy(error.errno))
        }
    }

    private static func create(_ path: String) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            // O_EXCL: an existing file, also a planted link, is left alone.
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
        } catch {
            if error.errno == EEXIST { return nil }
            throw SystemError("open", errno: error.errno, path: path, remedy: remedy(error.errno))
        }
    }

    private static func remedy(_ errno: Int32) -> String? {
        switch errno {
        case EACCES, EPERM, EROFS: "copy the picture into a folder that you may write, and name that copy"
        case ENOSPC, EDQUOT: "make room on that disk"
        case ENAMETOOLONG: "give the original a shorter name"
        default: nil
        }
    }

    /// `holiday.jpg` gives `holiday-edited.jpg`, then `holiday-edited-2.jpg`.
    static func edited(_ original: String, number: Int) -> String {
        let slash = original.lastIndex(of: "/").map { original.index(after: $0) } ?? original.startIndex
        let file = original[slash...]
        let dot = file.lastIndex(of: ".").flatMap { $0 == file.startIndex ? nil : $0 } ?? file.endIndex
        let suffix = number == 1 ? "" : "-\(number)"
        return original[..<slash] + file[..<dot] + "-edited\(suffix)" + file[dot...]
    }
}
