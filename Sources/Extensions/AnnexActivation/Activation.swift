/// The decision whether an extension is offered for items.
package enum Activation: Sendable, Hashable {
    case offered
    /// The extension is not offered. `why` is the reason in plain words.
    case notOffered(why: String)

    /// The reason; nil if the extension is offered.
    package var why: String? {
        if case .notOffered(let why) = self { why } else { nil }
    }
}

extension ActivationRule {
    /// Decides by this rule. The number of steps is bounded for every rule.
    package func decide(_ items: OfferedItems) -> Activation {
        mismatch(with: items).map { .notOffered(why: $0) } ?? .offered
    }

    private func mismatch(with items: OfferedItems) -> String? {
        switch self {
        case .dictionary(let rule): rule.mismatch(with: items)
        case .predicate(let predicate): Self.mismatch(of: predicate, with: items)
        case .photos(let images, let movies): Self.photoMismatch(images: images, movies: movies, with: items)
        case .none: "it has no NSExtensionActivationRule"
        case .faulty(let fault):
            "its rule cannot be used: \(fault.key.map { $0 + " " } ?? "it ")\(fault.what); \(fault.remedy)"
        }
    }

    private static func mismatch(of predicate: ActivationPredicate, with items: OfferedItems) -> String? {
        do throws(PredicateLimit) {
            return try predicate.holds(for: items) ? nil : "its rule, a predicate, does not match these items"
        } catch {
            return "its rule takes more than \(ActivationPredicate.mostSteps) steps to decide"
        }
    }

    private static func photoMismatch(images: Bool, movies: Bool, with items: OfferedItems) -> String? {
        guard items.attachmentCount == 1, let group = items.allAttachments.first else {
            return "it edits one picture or movie, not \(items.attachmentCount) attachments"
        }
        let ancestors = items.attachments[group.place].types.map { items.types[$0].ancestors }
        let isImage = ancestors.contains { $0.contains("public.image") }
        let isMovie = ancestors.contains { $0.contains("public.movie") }
        if images && isImage || movies && isMovie { return nil }
        let names = (images ? ["pictures"] : []) + (movies ? ["movies"] : [])
        return names.isEmpty
            ? "its \(ActivationRule.photoKey) names neither Image nor Video"
            : "it edits only \(names.joined(separator: " and "))"
    }
}
