import Foundation

/// Files and folders of the kernel; empty if they are gone.
public enum ProcText {
    public static func lines(of file: String) -> [String] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    public static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Mounts here that a warden may have made: its own file systems, which name no source, and binds of folders of
    /// Annex. Mounts that the machine makes by itself on access do not count, nor those of the test about mounts below
    /// mounts.
    public static func mountsOfAnnex() -> [String] {
        lines(of: "/proc/self/mountinfo").filter { line in
            if line.contains("annex-inner") { return false }
            let isOfWarden = line.contains(" - tmpfs none ") || line.contains(" - proc none ")
            return line.contains("annex") || isOfWarden && !line.contains(" /run/")
        }
    }
}
