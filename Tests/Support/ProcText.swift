import Foundation

/// Files and folders of the kernel's; nothing where they are gone.
public enum ProcText {
    public static func lines(of file: String) -> [String] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    public static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// What is mounted here that a warden may have mounted: its own file systems, which name no source, and binds of
    /// folders of Annex's. What the machine mounts by itself when somebody looks is none of its doing, nor is what a test
    /// about mounts below mounts makes.
    public static func mountsOfAnnex() -> [String] {
        lines(of: "/proc/self/mountinfo").filter { line in
            if line.contains("annex-inner") { return false }
            let isOfWarden = line.contains(" - tmpfs none ") || line.contains(" - proc none ")
            return line.contains("annex") || isOfWarden && !line.contains(" /run/")
        }
    }
}
