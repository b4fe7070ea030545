internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Facts about the declaration of a property.
extension VariableDeclSyntax {
    /// The kind of a property that is not stored in each value; nil for a stored property.
    var unstoredKind: String? {
        if has(.static) || has(.class) { return "a static property" }
        return bindings.contains(where: \.isComputed) ? "a computed property" : nil
    }

    func has(_ modifier: Keyword) -> Bool {
        modifiers.contains { $0.name.tokenKind == .keyword(modifier) }
    }

    /// Whether the declaration names its property. If not, it takes a tuple apart.
    var hasName: Bool { bindings.first?.pattern.is(IdentifierPatternSyntax.self) ?? false }
}

extension PatternBindingSyntax {
    /// Whether the property has a getter. Observers such as `didSet` belong to stored properties.
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let list):
            list.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        }
    }
}

/// The changes that correct the declaration of a property.
extension VariableDeclSyntax {
    func adding(tag: Int) -> FixIt {
        let changed: DeclSyntax = "@FieldTag(\(raw: tag)) \(trimmed)"
        return Remedy("addTag", text: "Add @FieldTag(\(tag))").replacing(self, with: changed)
    }

    func removing(_ attribute: AttributeSyntax) -> FixIt {
        var changed = self
        changed.attributes = attributes.filter { $0.id != attribute.id }
        return Remedy("removeTag", text: "Remove the tag").replacing(self, with: changed)
    }

    func removingLazy() -> FixIt {
        var changed = self
        changed.modifiers = modifiers.filter { $0.name.tokenKind != .keyword(.lazy) }
        return Remedy("removeLazy", text: "Remove 'lazy'").replacing(self, with: changed)
    }

    func usingVar() -> FixIt {
        let keyword = bindingSpecifier.with(\.tokenKind, .keyword(.var))
        return Remedy("useVar", text: "Use 'var'").replacing(bindingSpecifier, with: keyword)
    }
}
