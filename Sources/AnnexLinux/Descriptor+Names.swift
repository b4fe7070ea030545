internal import Glibc

extension Descriptor {
    /// Gives what has one name in this directory another one there, over whatever had that.
    package func rename(_ name: String, to other: String) throws(SystemError) {
        // SAFETY: both texts outlive the call, which keeps neither.
        _ = try SystemError.retrying("renameat", path: other) { unsafe renameat(number, name, number, other) }
    }

    /// Takes a name that is no directory's out of this directory.
    package func remove(_ name: String) throws(SystemError) {
        // SAFETY: the text outlives the call, which does not keep it.
        _ = try SystemError.retrying("unlinkat", path: name) { unsafe unlinkat(number, name, 0) }
    }

    /// Makes a directory and whatever is missing on the way to it.
    /// - Parameters:
    ///   - path: absolute; links on it are followed.
    ///   - mode: of what is made.
    package static func makeDirectories(_ path: String, mode: UInt32) throws(SystemError) {
        var place = ""
        for part in path.split(separator: "/") {
            place += "/" + part
            // SAFETY: the text outlives the call, which does not keep it.
            if unsafe mkdir(place, mode) == 0 || errno == EEXIST { continue }
            throw SystemError("mkdir", errno: errno, path: place)
        }
    }
}
