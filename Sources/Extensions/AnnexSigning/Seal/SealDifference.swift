/// One difference between an app's files and its seal, or one reason why a file cannot be sealed.
package struct SealDifference: Sendable, Hashable {
    /// The kind of difference.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case missing, added, changed, otherKind, madeExecutable, notExecutable, retargeted, hardLinked, writable
    }

    /// The path beneath the app.
    package let path: SealPath
    package let kind: Kind
}

extension SealDifference: CustomStringConvertible {
    package var description: String { "\(path.shown): \(words)" }

    private var words: String {
        switch kind {
        case .missing: "is missing"
        case .added: "is not part of the signed app"
        case .changed: "has other contents"
        case .otherKind: "is another kind of file"
        case .madeExecutable: "may be executed, unlike the signed file"
        case .notExecutable: "may not be executed, unlike the signed file"
        case .retargeted: "is a link to another place"
        case .hardLinked: "has a second name, under which it could be changed"
        case .writable: "can be changed by other users"
        }
    }
}

/// The differences between the list of a seal and the files of an app.
package enum SealDifferences {
    /// The most differences that an error lists. The error only counts further differences.
    package static let most = 100

    /// Compares two lists, which are both sorted by path.
    static func between(sealed: [SealEntry], found: [SealEntry]) -> [SealDifference] {
        var differences: [SealDifference] = []
        var (here, there) = (sealed[...], found[...])
        while let wanted = here.first, let got = there.first {
            if wanted.path < got.path {
                differences.append(SealDifference(path: wanted.path, kind: .missing))
                here.removeFirst()
            } else if got.path < wanted.path {
                differences.append(SealDifference(path: got.path, kind: .added))
                there.removeFirst()
            } else {
                if let kind = kind(of: got.content, against: wanted.content) {
                    differences.append(SealDifference(path: got.path, kind: kind))
                }
                here.removeFirst()
                there.removeFirst()
            }
        }
        differences += here.map { SealDifference(path: $0.path, kind: .missing) }
        differences += there.map { SealDifference(path: $0.path, kind: .added) }
        return differences
    }

    private static func kind(
        of found: SealEntry.Content, against wanted: SealEntry.Content
    ) -> SealDifference.Kind? {
        switch (wanted, found) {
        case _ where wanted == found: nil
        case (.file(let size, let digest, let isExecutable), .file(let foundSize, let foundDigest, _)):
            if size != foundSize || digest != foundDigest {
                .changed
            } else {
                isExecutable ? .notExecutable : .madeExecutable
            }
        case (.link, .link): .retargeted
        default: .otherKind
        }
    }
}
