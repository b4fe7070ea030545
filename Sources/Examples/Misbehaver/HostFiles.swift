import AnnexModel
import CMisbehaver
import Glibc

/// Tries to read files that an extension must not read.
enum HostFiles {
    private static let paths = [
        "/etc/passwd", "/etc/shadow", "/root/.ssh", "/home", "/proc/1/environ", "/proc/1/root", "/sys/kernel",
        "/../../etc/hostname",
    ]

    /// One item: every path with the kernel's answer, and how many files could be opened.
    static func read() -> [ExtensionItem] {
        let attempts = paths.map { path in
            let opened = unsafe misbehave_open(path)
            if opened >= 0 { close(opened) }
            return Attempt(path, opened)
        }
        let read = attempts.filter(\.succeeded).count
        return [
            ExtensionItem(
                attributedContentText: AttributedText(attempts.map(\.text).joined(separator: ", ")),
                userInfo: ["filesRead": .integer(Int64(read))])
        ]
    }
}
