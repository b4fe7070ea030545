package import AnnexLinux
internal import Glibc

/// The folder that a user's Today views share with each other and with the user's apps.
///
/// An app that says that its widget has no content leaves a file there, the mark, which has the name of the widget. Any program of the user
/// can do so, as it could change the snapshots of the views. Extensions cannot: their sandbox does not have the folder.
package struct TodayPlace: Sendable {
    private static let marks = "without-content"

    package let path: String

    /// - Parameter path: made if it does not exist, for its user alone.
    /// - Throws: also if other users could write into the folder.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        for folder in [path, path + "/" + Self.marks] {
            try Descriptor.makeDirectories(folder, mode: 0o700)
            // Others could plant views there.
            try Descriptor.directory(folder).checkOwn(folder)
        }
    }

    /// The folder of this process's user. `ANNEX_TODAY` names another one.
    /// - Throws: `ENOENT` if neither the environment nor the home directory names a folder.
    package static func standard() throws(SystemError) -> String {
        if let folder = UserEnvironment.path("ANNEX_TODAY") { return folder }
        if geteuid() == 0 { return "/var/lib/annex/today" }
        if let state = UserEnvironment.path("XDG_STATE_HOME") { return state + "/annex/today" }
        if let home = UserEnvironment.path("HOME") { return home + "/.local/state/annex/today" }
        throw SystemError("getenv", errno: ENOENT, path: "HOME", remedy: "set HOME, or name a folder with ANNEX_TODAY")
    }

    /// The identifier as the name of a file; nil if it is none.
    package static func fileName(of identifier: String) -> String? {
        let isPlain = identifier.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let isName = isPlain && (1...200).contains(identifier.utf8.count) && identifier != "." && identifier != ".."
        return isName ? identifier : nil
    }

    // MARK: Content

    /// The folder of the marks. Its entries change whenever an app changes its mind.
    package var marks: String { path + "/" + Self.marks }

    /// Whether the app of a widget has not said that the widget is without content.
    package func hasContent(_ widget: String) -> Bool {
        guard let name = Self.fileName(of: widget), let folder = try? Descriptor.directory(marks) else { return true }
        return (try? folder.openBeneath(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)) == nil
    }

    /// - Throws: `EINVAL` if the identifier is none of a widget.
    package func setHasContent(_ hasContent: Bool, of widget: String) throws(SystemError) {
        guard let name = Self.fileName(of: widget) else {
            throw SystemError("setHasContent", errno: EINVAL, path: widget, remedy: "name the widget by its identifier")
        }
        let folder = try Descriptor.directory(marks)
        do throws(SystemError) {
            if hasContent {
                try folder.removeFile(name)
            } else {
                _ = try folder.openBeneath(name, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)
            }
        } catch {
            guard hasContent, error.errno == ENOENT else { throw error }
        }
    }
}
