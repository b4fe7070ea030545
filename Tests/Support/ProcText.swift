import Foundation

/// Files and folders of the kernel. The results are empty if the files are gone.
public enum ProcText {
    public static func lines(of file: String) -> [String] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    public static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    /// Mounts in this process's namespace that a warden may have made. These are its own file systems, which name no
    /// source, and binds of folders of Annex. Mounts that the machine makes by itself on access do not count. Mounts of
    /// the test about submounts do not count either.
    public static func mountsOfAnnex() -> [String] {
        lines(of: "/proc/self/mountinfo").filter { line in
            if line.contains("annex-inner") { return false }
            let isOfWarden = line.contains(" - tmpfs none ") || line.contains(" - proc none ")
            return line.contains("annex") || isOfWarden && !line.contains(" /run/")
        }
    }
}

/// The `/proc` of this machine.
public enum WholeProc {
    /// Whether the kernel lets a sandbox show all of `/proc`. It does so only for a process that sees a whole `/proc` itself.
    /// In most containers a part of `/proc` is hidden by another mount.
    public static let isPossible: Bool = {
        let mounts = ProcText.lines(of: "/proc/self/mountinfo")
        return !mounts.isEmpty
            && !mounts.contains { line in
                let place = line.split(separator: " ").dropFirst(4).first ?? ""
                return place.hasPrefix("/proc/") && place != "/proc/sys/fs/binfmt_misc"
            }
    }()
}
