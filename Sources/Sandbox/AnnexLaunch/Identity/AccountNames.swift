internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// The names of a user and a group, as the program in a sandbox sees them.
struct AccountNames: Sendable, Hashable {
    let user: String
    let group: String

    private init(named user: String, _ group: String) {
        (self.user, self.group) = (user, group)
    }

    /// The names that stand for numbers without a name.
    static func unknown(_ own: OwnNumbers) -> AccountNames {
        AccountNames(named: usersNames[own.user] ?? "\(own.user)", groupsNames[own.group] ?? "\(own.group)")
    }

    private static let usersNames: [UInt32: String] = [
        0: "root", OwnNumbers.hidden.user: "nobody", OwnNumbers.programs.user: "annex",
    ]
    private static let groupsNames: [UInt32: String] = [
        0: "root", OwnNumbers.hidden.group: "nogroup", OwnNumbers.programs.group: "annex",
    ]

    /// The names that this machine's files give to the calling user and group.
    ///
    /// A user of a directory on the network has no line in these files. A search in the directory could wait for the
    /// network, so the user's name is then the value of `USER`, with which the login began. If neither exists, the
    /// number is the name.
    init(user: UInt32, group: UInt32) {
        let unknown = Self.unknown(OwnNumbers(user: user, group: group))
        let users = AccountFile("/etc/passwd")
        let name = users.name(of: user) ?? users.nameOfLogin
        let groupName = AccountFile("/etc/group").name(of: group)
        self.user = name.flatMap { Self.isUsual($0, of: user) ? $0 : nil } ?? unknown.user
        self.group = groupName.flatMap { Self.isUsual($0, of: group) ? $0 : nil } ?? unknown.group
    }

    /// Whether a name can stand in a line of these files, and is no name that the sandbox's files give to another number.
    private static func isUsual(_ name: String, of number: UInt32) -> Bool {
        if number != 0, name == "root" { return false }
        if number != OwnNumbers.hidden.user, name == "nobody" || name == "nogroup" { return false }
        let usual = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@$".utf8)
        return !name.isEmpty && name.utf8.count <= 64 && !name.hasPrefix("-") && name.utf8.allSatisfy(usual.contains)
    }
}

/// A user's line of `/etc/passwd`.
package struct Account: Sendable {
    package let group: UInt32
    package let home: String

    /// The line of this user; nil if the file has no such line.
    package init?(_ user: UInt32) {
        guard let fields = AccountFile("/etc/passwd").fields(of: user, count: 7), let group = UInt32(fields[3]),
            fields[5].hasPrefix("/")
        else { return nil }
        self.group = group
        home = fields[5]
    }
}

/// A file with a line for each user or group. The C library's own search loads libraries, which a static program must
/// not do, and may ask a directory on the network.
private struct AccountFile {
    /// The largest file that is read, in bytes.
    private static let largest = 4 << 20

    private let lines: [ArraySlice<UInt8>]

    /// A file that cannot be read has no lines.
    init(_ path: String) {
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY
        let bytes = (try? Descriptor.open(path, flags).readAll(atMost: Self.largest)) ?? []
        lines = bytes.split(separator: UInt8(ascii: "\n"))
    }

    private static func fields(_ line: ArraySlice<UInt8>) -> [String] {
        line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The fields of the first line about a number.
    func fields(of number: UInt32, count: Int) -> [String]? {
        // Most lines do not contain the number's digits, so they are not divided into fields.
        let wanted = Array(":\(number):".utf8)
        return lines.lazy.filter { Self.contains($0, part: wanted) }.map(Self.fields)
            .first { $0.count == count && UInt32($0[2]) == number }
    }

    func name(of number: UInt32) -> String? {
        (fields(of: number, count: 7) ?? fields(of: number, count: 4))?.first
    }

    /// The value of `USER`, unless a line gives this name to some user.
    var nameOfLogin: String? {
        guard let bytes = OwnEnvironment.bytes(of: "USER"), !bytes.isEmpty else { return nil }
        let start = bytes + [UInt8(ascii: ":")]
        return lines.contains { $0.starts(with: start) } ? nil : String(validating: bytes, as: UTF8.self)
    }

    private static func contains(_ line: ArraySlice<UInt8>, part: [UInt8]) -> Bool {
        line.indices.contains { line[$0] == part[0] && line[$0...].starts(with: part) }
    }
}
