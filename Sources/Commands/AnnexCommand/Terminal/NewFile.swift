import AnnexLinux
import Glibc

/// Writes files under names that the program chooses. An existing file is never overwritten.
enum NewFile {
    /// Writes to the first numbered name that is free.
    ///
    /// - Returns: the name of the new file.
    static func write(_ bytes: [UInt8], as name: (_ number: Int) -> String) throws(SystemError) -> String {
        for number in 1...999 where try write(bytes, to: name(number)) { return name(number) }
        throw SystemError("open", errno: EEXIST, path: name(1), remedy: "move some of the older files away")
    }

    /// - Returns: false if the file already exists.
    private static func write(_ bytes: [UInt8], to path: String) throws(SystemError) -> Bool {
        guard let file = try create(path) else { return false }
        do throws(SystemError) {
            try file.writeAll(bytes)
            return true
        } catch {
            // An incomplete file could be mistaken for a complete file.
            unlink(path)
            throw SystemError("write", errno: error.errno, path: path, remedy: remedy(error.errno))
        }
    }

    private static func create(_ path: String) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            // With O_EXCL, the call does not touch an existing file or link, even if another user has placed it there.
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
