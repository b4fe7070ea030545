import AnnexLinux
import AnnexPolicy
import Glibc

/// The paths that the options of `annex run` hand over. Each path is kept in two forms: as the user typed it, and with
/// its links resolved.
///
/// The links are resolved before the program runs. Later, the program could have replaced the files by links.
struct GivenPaths {
    typealias Pair = (typed: String, path: String)

    let read: [Pair]
    /// The directories that were handed over for reading without the places that hold credentials.
    let readAllBut: [Pair]
    let write: [Pair]
    private let execute: [Pair]
    let writeExecute: [Pair]
    /// The working directory of the program; nil if it cannot be found.
    let directory: String?
    /// The virtual environment of Python to which the program belongs; nil if the program is in none.
    let virtualEnvironment: String?
    /// The names of the variables that options set.
    let variables: Set<String>

    init(_ options: RunOptions) {
        func pairs(_ values: [String]) -> [Pair] {
            values.compactMap { value in
                // The launch follows no link on a path of a project file. So no link is followed here either.
                if options.namingFile?.names(value) == true { return (value, value) }
                return Self.resolved(value).map { (value, $0) }
            }
        }
        readAllBut = pairs(options.readAllBut)
        read = pairs(options.read) + readAllBut
        write = pairs(options.write)
        execute = pairs(options.execute)
        writeExecute = pairs(options.writeExecute)
        directory = Self.resolved(options.directory ?? ".")
        let program = options.program.first ?? ""
        // Outside, an activated environment comes first in PATH.
        let place = program.contains("/") ? program : CallersPath.first(program)
        virtualEnvironment = place.flatMap(Self.virtualEnvironment)
        variables = Set(options.env.map { String($0.prefix { $0 != "=" }) })
    }

    /// The program's own path may be a link out of the environment. So only the links of its directory are followed.
    /// If other users can write to a directory, they can make it look like an environment. So such a directory is not
    /// accepted.
    private static func virtualEnvironment(of program: String) -> String? {
        guard let slash = program.lastIndex(of: "/"),
            let place = resolved(String(program[..<slash]) + "/.."), access(place + "/bin/python3", F_OK) == 0,
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

    /// The paths that an option of this name handed over.
    func pairs(of option: String) -> [Pair] {
        switch option {
        case "--read": read
        case "--write": write
        case "--execute": execute
        default: writeExecute
        }
    }

    /// The paths that the program may change.
    var written: [Pair] { write + writeExecute }

    /// The last path that was handed over for writing and that contains this path, as the user typed it.
    func typedForWriting(_ path: String) -> String? { Self.typed(written, containing: path) }

    /// Whether any option hands the path over.
    func contain(_ path: String) -> Bool { Self.typed(all, containing: path) != nil }
}

/// The directories in which the caller's shell finds programs.
enum CallersPath {
    /// The most directories that are looked at.
    private static let most = 64

    /// The path of the first program of this name; nil if there is none. The path may be a link.
    /// - Parameter isSkipped: whether to look into the next directory instead.
    static func first(_ name: String, skipping isSkipped: (_ directory: String) -> Bool = { _ in false }) -> String? {
        guard !name.isEmpty, !name.contains("/") else { return nil }
        let directories = UserEnvironment.variable("PATH")?.split(separator: ":").prefix(most) ?? []
        for directory in directories.map(String.init) where directory.hasPrefix("/") && !isSkipped(directory) {
            let place = directory + "/" + name
            var status = stat()
            if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG, access(place, X_OK) == 0 { return place }
        }
        return nil
    }
}
