package import AnnexPolicy

/// What a launch hides and protects besides the parts that the policy and the caller name by patterns.
package struct PartRules: Sendable {
    /// The parts that are protected in each directory that the caller hands over for writing.
    package var protected: [ShippedPart] = []
    /// The places that are hidden in the directories of `allBut`.
    package var credentials: [ShippedPart] = []
    /// The directories that the caller hands over for reading without their credentials.
    package var allBut: [String] = []
    /// Is told in one sentence what the caller should know before the program starts, such as a pattern that matches
    /// nothing.
    package var note: (@Sendable (String) -> Void)?

    package init() {}
}

/// A file or directory of the host that is to be hidden or protected.
struct FoundPart {
    /// Why it is.
    enum Cause {
        case pattern(PathPart)
        case group(String)
        case credentials
    }

    let kind: PathPart.Kind
    let cause: Cause
    /// The path without links.
    let path: String
    let isDirectory: Bool
    /// The number of names (hard links).
    let links: UInt64
    let device: UInt64
    let inode: UInt64

    /// The group of the shipped list of protected parts.
    var group: String? { if case .group(let name) = cause { name } else { nil } }
}

extension FoundPart.Cause: CustomStringConvertible {
    var description: String {
        switch self {
        case .pattern(let part): "the pattern `\(part.pattern.text)` (\(part.kind.rawValue))"
        case .group(let name): "the protection `\(name)`"
        case .credentials: "the list of places that hold credentials"
        }
    }

    /// How to do without it.
    var surrender: String {
        switch self {
        case .pattern: "leave the pattern out"
        case .group(let name): "give this protection up (--unprotect \(name))"
        case .credentials: "hand over the needed files by themselves"
        }
    }
}
