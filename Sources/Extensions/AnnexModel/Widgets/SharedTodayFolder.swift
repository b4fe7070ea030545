package import AnnexLinux
internal import Glibc

/// The folder that a user's Today views share with each other and with the user's apps.
///
/// If an app says that its widget has no content, the app leaves a file, the mark, below this folder. The mark has
/// the name of the widget. Any program of the user can make a mark, just as it can change the snapshots of the views.
/// Extensions cannot make marks, because the folder is not in their sandbox.
package struct SharedTodayFolder: Sendable {
    private static let marks = "without-content"

    package let path: String

    /// - Parameter path: the path of the folder. If the folder is missing, the call makes it for this user alone.
    /// - Throws: an error if the folder cannot be made, or if other users could write into it.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        for folder in [path, path + "/" + Self.marks] {
            try Descriptor.makeDirectories(folder, mode: 0o700)
            // If other users could write into the folder, they could plant views there.
            try Descriptor.directory(folder).checkOwn(folder)
        }
    }

    /// The folder of this process's user. The variable `ANNEX_TODAY` can name another folder.
    /// - Throws: `ENOENT` if neither the environment nor the home directory names a folder.
    package static func standard() throws(SystemError) -> String {
        if let folder = UserEnvironment.path("ANNEX_TODAY") { return folder }
        if geteuid() == 0 { return "/var/lib/annex/today" }
        if let state = UserEnvironment.path("XDG_STATE_HOME") { return state + "/annex/today" }
        if let home = UserEnvironment.path("HOME") { return home + "/.local/state/annex/today" }
        throw SystemError("getenv", errno: ENOENT, path: "HOME", remedy: "set HOME, or name a folder with ANNEX_TODAY")
    }

    /// The identifier of a widget as the name of a file; nil if the text cannot be such an identifier.
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

    /// The folder of the marks. The entries of this folder change whenever an app says that a widget of the app now
    /// has content, or now has none.
    package var marks: String { path + "/" + Self.marks }

    /// False if the app of the widget has said that the widget has no content; otherwise true.
    package func hasContent(_ widget: String) -> Bool {
        guard let name = Self.fileName(of: widget), let folder = try? Descriptor.directory(marks) else { return true }
        return (try? folder.openBeneath(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)) == nil
    }

    /// - Throws: `EINVAL` if the text cannot be the identifier of a widget.
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
