import Glibc

/// A thousand extensions on disk, in twenty apps of fifty. The extensions are never launched, so each contains a
/// program that does nothing. The files lie beside this program as long as this object lives.
final class ManyExtensions {
    static let count = 1000
    private static let perApp = 50

    private let folder: String
    /// The bytes of the program that is copied into each extension.
    private let program: [UInt8]
    /// The paths of all files and folders that were made, in this order.
    private var made: [String] = []
    private(set) var apps: [String] = []
    /// The identifiers of the extensions that are offered for the fixture's items.
    private(set) var offered: Set<String> = []

    init() throws {
        let place = try Self.place()
        program = try Self.bytes(of: place + "annex-bench-nothing")
        folder = place + "offered-\(getpid())"
        try renew()
    }

    deinit { clear() }

    /// Makes all files anew, so that no host has read them yet.
    func renew() throws {
        clear()
        try directory(folder)
        for app in 0..<Self.count / Self.perApp { try add(app: app) }
    }

    private func clear() {
        for path in made.reversed() { _ = remove(path) }
        (made, apps, offered) = ([], [], [])
    }

    private func add(app number: Int) throws {
        let identifier = "com.example.offered\(number)"
        let app = "\(folder)/\(number).app"
        try bundle(app, keys: Self.keys(identifier, kind: "APPL"))
        try directory(app + "/PlugIns")
        for place in 0..<Self.perApp {
            let rule = OfferedFixture.rules[(number * Self.perApp + place) % OfferedFixture.rules.count]
            let name = "\(identifier).part\(place)"
            if rule.isOffered { offered.insert(name) }
            try bundle("\(app)/PlugIns/\(place).appex", keys: Self.keys(name, kind: "XPC!") + Self.point(rule))
        }
        apps.append(app)
    }

    private static func keys(_ identifier: String, kind: String) -> String {
        """
        <key>CFBundleIdentifier</key><string>\(identifier)</string><key>CFBundleName</key><string>Offered</string>
        <key>CFBundleExecutable</key><string>Program</string><key>CFBundlePackageType</key><string>\(kind)</string>
        <key>CFBundleVersion</key><string>1</string>
        """
    }

    private static func point(_ rule: OfferedFixture.Rule) -> String {
        """
        <key>NSExtension</key><dict><key>NSExtensionPointIdentifier</key><string>com.apple.ui-services</string>
        <key>NSExtensionPrincipalClass</key><string>Part</string><key>NSExtensionAttributes</key><dict>
        <key>NSExtensionActivationRule</key>\(rule.text)</dict></dict>
        """
    }

    private func bundle(_ path: String, keys: String) throws {
        try directory(path)
        let list = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>\(keys)</dict></plist>"
        try file(path + "/Info.plist", holding: Array(list.utf8), mode: 0o644)
        try file(path + "/Program", holding: program, mode: 0o755)
    }

    private func directory(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 else { throw Failure(path: path, number: errno) }
        made.append(path)
    }

    private func file(_ path: String, holding bytes: [UInt8], mode: mode_t) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw Failure(path: path, number: errno) }
        made.append(path)
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count else { throw Failure(path: path, number: errno) }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(path: path, number: errno) }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { throw Failure(path: path, number: errno) }
        return Array(bytes.prefix(count))
    }

    /// The folder of this program.
    private static func place() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count - 1)
        guard length > 0 else { throw Failure(path: "/proc/self/exe", number: errno) }
        let program = String(decoding: path.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return String(program[...(program.lastIndex(of: "/") ?? program.startIndex)])
    }

    struct Failure: Error, CustomStringConvertible {
        let path: String
        let number: CInt

        var description: String { "\(path): \(String(cString: strerror(number)))" }
    }
}
