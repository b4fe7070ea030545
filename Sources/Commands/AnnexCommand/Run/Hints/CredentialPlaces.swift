import AnnexLaunch
import AnnexLinux
import AnnexPolicy

/// The shipped list of places that hold credentials. No hint has an option that hands one over, because what a program
/// prints leads to hints, and tools apply their options.
enum CredentialPlaces {
    /// What a message about such a place adds.
    static let remark = ". It holds credentials: name it by itself only if the program must have them"

    /// Whether a path is such a place, or lies in one.
    static func hold(_ path: String) -> Bool {
        let names = PathText.parts(path).map { Array($0.utf8) }
        return ((try? ShippedParts.credentials()) ?? []).contains { part in
            var parts = part.parts
            if parts.first == "~" {
                guard let home = UserEnvironment.path("HOME") else { return false }
                parts = PathText.parts(home) + parts.dropFirst()
            }
            return parts.count <= names.count
                && zip(parts, names).allSatisfy { PathPattern.glob(Array($0.utf8), name: $1) }
        }
    }
}
