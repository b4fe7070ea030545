import AnnexPolicy
import Glibc

/// The paths that the options of `annex run` hand over. Each path is kept in two forms: as the user typed it, and with
/// its links resolved.
///
/// The links are resolved before the program runs. Later, the program could have replaced the files by links.
struct GivenPaths {
    typealias Pair = (typed: String, path: String)

    let read: [Pair]
    let write: [Pair]
    private let execute: [Pair]
    let writeExecute: [Pair]
    /// The working directory of the program; nil if it cannot be found.
    let directory: String?
    /// The virtual environment of Python to which the program belongs; nil if the program is in none.
    let virtualEnvironment: String?

    init(_ options: RunOptions) {
        func pairs(_ values: [String]) -> [Pair] {
            values.compactMap { value in
                // The launch follows no link on a path of a project file. So no link is followed here either.
                if options.namingFile?.names(value) == true { return (value, value) }
                return Self.resolved(value).map { (value, $0) }
            }
        }
        read = pairs(options.read)
        write = pairs(options.write)
        execute = pairs(options.execute)
        writeExecute = pairs(options.writeExecute)
        directory = Self.resolved(options.directory ?? ".")
        virtualEnvironment = options.program.first.flatMap(Self.virtualEnvironment)
    }

    /// The program's own path may be a link out of the environment. So only the links of its directory are followed.
    /// If other users can write to a directory, they can make it look like an environment. So such a directory is not
    /// accepted.
    private static func virtualEnvironment(of program: String) -> String? {
        guard let slash = program.lastIndex(of: "/"),
            let place = resolved(program[..<slash] + "/.."), access(place + "/bin/python3", F_OK) == 0,
            isOwn(place), isOwn(place + "/pyvenv.cfg")
        else { return nil }
        return place
    }

    private static func isOwn(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return [0, geteuid()].contains(status.st_uid) && status.st_mode & 0o002 == 0
    }

    /// The absolute path without links; nil if there is no such file.
    static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// The last given path that contains this path, as the user typed it.
    static func typed(_ pairs: [Pair], containing path: String) -> String? {
        pairs.last { PathText.isPath(path, within: $0.path) }?.typed
    }

    var all: [Pair] { read + written + execute }
    /// The paths that the program may change.
    var written: [Pair] { write + writeExecute }

    /// Whether any option hands the path over.
    func contain(_ path: String) -> Bool { Self.typed(all, containing: path) != nil }
}
