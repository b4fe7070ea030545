package import AnnexModel

/// The rule that decides for which items an extension is offered. It is the extension's `NSExtensionActivationRule`. If
/// a photo editing extension lacks this key, its `PHSupportedMediaTypes` gives the rule.
package enum ActivationRule: Sendable {
    case dictionary(DictionaryRule)
    case predicate(ActivationPredicate)
    /// The rule of a photo editing extension. Such an extension takes one picture, or one movie if its attributes say
    /// so.
    case photos(images: Bool, movies: Bool)
    /// The extension states no rule.
    case none
    /// The rule cannot be used, so the extension is never offered.
    case faulty(RuleFault)

    package static let key = "NSExtensionActivationRule"
    package static let photoKey = "PHSupportedMediaTypes"
    package static let photoPoint = "com.apple.photo-editing"

    /// Reads the rule of an extension.
    ///
    /// - Parameters:
    ///   - attributes: the extension's `NSExtensionAttributes`, which are not trusted.
    ///   - point: the extension's point.
    package init(attributes: [String: ItemValue], point: String) {
        switch attributes[Self.key] {
        case .dictionary(let values):
            let rule = DictionaryRule(values)
            self = rule.fault.map(Self.faulty) ?? .dictionary(rule)
        case .string(let text): self = Self.predicate(text)
        case nil: self = point == Self.photoPoint ? Self.photos(attributes[Self.photoKey]) : .none
        default:
            self = .faulty(
                RuleFault(what: "is neither a dictionary nor a predicate", remedy: "make it a dictionary"))
        }
    }

    /// The length of the rule's text in bytes if the rule is a predicate; 0 for all other rules.
    package var predicateBytes: Int {
        if case .predicate(let predicate) = self { predicate.bytes } else { 0 }
    }

    private static func predicate(_ text: String) -> ActivationRule {
        do throws(PredicateError) {
            return .predicate(try ActivationPredicate(text))
        } catch {
            return .faulty(RuleFault(what: "\(error.what) at column \(error.column)", remedy: error.remedy))
        }
    }

    /// Reads the value of `PHSupportedMediaTypes`. If the key is missing, the photo editing extension takes only
    /// pictures.
    private static func photos(_ value: ItemValue?) -> ActivationRule {
        guard let value else { return .photos(images: true, movies: false) }
        let names = value.list?.compactMap(\.string) ?? []
        return .photos(images: names.contains("Image"), movies: names.contains("Video"))
    }
}
