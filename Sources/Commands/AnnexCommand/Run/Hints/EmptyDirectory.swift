import AnnexLaunch
import AnnexLinux
import AnnexPolicy
import Glibc

/// Tells that the program looked at its working directory, which was empty because it was not handed over. An empty answer
/// looks like a true one.
struct EmptyDirectory {
    let hint: RunHint

    /// - Returns: nil if the program did not look, or if the directory is empty outside too.
    init?(_ kept: KeptScratch, of program: [String], given: GivenPaths) {
        guard kept.wasWorkingDirectoryListed, let directory = given.directory, Self.hasEntries(directory),
            let name = program.first?.split(separator: "/").last, !Self.looksAlways(name)
        else { return nil }
        let line = "the program looked at its working directory, which is empty for it because it was not handed over"
        guard PathText.danger(directory, rights: .read) == nil else {
            hint = RunHint(line: line + ": hand over what it needs")
            return
        }
        let choice = RunChoice("--read", ".")
        hint = RunHint(line: line + ": add \(choice.shown)", choices: [choice])
    }

    /// Python looks for its modules there.
    private static func looksAlways(_ name: Substring) -> Bool { name.hasPrefix("python") }

    private static func hasEntries(_ path: String) -> Bool {
        guard let directory = try? Descriptor.directory(path) else { return false }
        // A directory with more than one entry is not listed to its end.
        guard let entries = try? directory.kinds(atMost: 1) else { return true }
        return !entries.isEmpty
    }
}
