import AnnexLinux
import Glibc

/// Writes files under names that the program chooses. An existing file is never overwritten.
enum NewFile {
    /// Writes to the first of the numbered names that is free.
    ///
    /// - Returns: that name.
    static func write(_ bytes: [UInt8], as name: (_ number: Int) -> String) throws(SystemError) -> String {
        for number in 1...999 where try write(bytes, to: name(number)) { return name(number) }
        throw SystemError("open", errno: EEXIST, path: name(1), remedy: "move some of the older files away")
    }

    /// - Returns: false if the file exists already.
    private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) -> Bool {
        guard let file = try create(path) else { return false }
        do throws(SystemError) {
            try file.writeAll(bytes)
            return true
        } catch {
            // Half a file could be mistaken for a whole one.
            unlink(path)
            throw SystemError("write", errno: error.errno, path: path, remedy: remedy(error.errno))
        }
    }

    private static func create(_ path: String) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            // O_EXCL: an existing file or link is left alone, even one that another user planted.
            return try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
        } catch {
            if error.errno == EEXIST { return nil }
            throw SystemError("open", errno: error.errno, path: path, remedy: remedy(error.errno))
        }
    }

    private static func remedy(_ errno: Int32) -> String? {
        switch errno {
        case EACCES, EPERM, EROFS: "choose a folder that you can write to"
        case ENOSPC, EDQUOT: "make room on that disk"
        case ENAMETOOLONG: "choose a shorter name"
        default: nil
        }
    }
}
