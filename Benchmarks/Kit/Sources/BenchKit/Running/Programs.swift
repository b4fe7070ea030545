internal import Glibc

/// The paths of the contenders' programs.
public struct Programs: Sendable {
    private let folders: [String]

    /// - Parameter folder: the folder of the programs that `make bench` built. The programs of the peers lie in its
    ///   subfolder `peers`.
    public init(folder: String) {
        folders = [folder, folder + "/peers"]
    }

    /// The programs beside this program.
    public static var besideThis: Programs {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return Programs(folder: String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)]))
    }

    /// nil if the program is not built.
    func path(of contestant: Contestant) -> String? {
        folders.map { "\($0)/\(contestant.program)" }.first { access($0, X_OK) == 0 }
    }

    public func has(_ contestant: Contestant) -> Bool {
        path(of: contestant) != nil && contestant.tool.map { Self.isInstalled($0.name) } != false
    }

    private static func isInstalled(_ tool: String) -> Bool {
        (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").contains {
            access("\($0)/\(tool)", X_OK) == 0
        }
    }
}
