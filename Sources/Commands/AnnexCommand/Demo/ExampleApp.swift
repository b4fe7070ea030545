internal import Glibc

/// The app whose extensions the demo uses.
enum ExampleApp {
    static let editor = "com.example.pictures.editor"
    static let misbehaver = "com.example.pictures.misbehaver"
    static let silent = "com.example.pictures.silent"

    /// The path where `make demo` puts the bundle: beside this program.
    static var besideThisProgram: String { "\(folderOfThisProgram)/Pictures.app" }

    static var folderOfThisProgram: String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        let program = String(decoding: path.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { return "." }
        return String(program[..<slash])
    }
}
