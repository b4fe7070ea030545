internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The reason why no field can hold a property.
struct ShapeMistake: Error {
    let mistake: Mistake
    /// The part of the declaration that is wrong.
    let place: Syntax

    init(_ mistake: Mistake, at place: some SyntaxProtocol) {
        self.mistake = mistake
        self.place = Syntax(place)
    }

    /// The mistake with the changes that would correct it.
    /// - Parameter binding: the name, type and default of the property.
    func diagnostic(in binding: PatternBindingSyntax) -> Diagnostic {
        Diagnostic(node: place, message: mistake, fixIts: remedy(in: binding).map { [$0] } ?? [])
    }

    private func remedy(in binding: PatternBindingSyntax) -> FixIt? {
        switch mistake.name {
        case Mistake.noType.name: integerType(in: binding)
        case Mistake.noFixedWidth.name: fixedWidth()
        case Mistake.defaultOfOptional.name: withoutDefault(in: binding)
        case Mistake.defaultOfList.name: Remedy("emptyList", text: "Use []").replacing(place, with: "[]" as ExprSyntax)
        default: nil
        }
    }

    /// The change that adds a type. The type can be guessed only for an integer literal. Swift makes it an `Int`,
    /// which has 64 bits here, so the change adds `Int64`.
    private func integerType(in binding: PatternBindingSyntax) -> FixIt? {
        guard binding.initializer?.value.is(IntegerLiteralExprSyntax.self) ?? false else { return nil }
        let typed: PatternSyntax = "\(binding.pattern.trimmed): Int64"
        return Remedy("addType", text: "Add the type Int64").replacing(binding.pattern, with: typed)
    }

    private func fixedWidth() -> FixIt {
        let wide = place.trimmedDescription.hasSuffix("UInt") ? "UInt64" : "Int64"
        let type = place.trimmedDescription.hasPrefix("Swift.") ? "Swift.\(wide)" : wide
        return Remedy("fixedWidth", text: "Use \(type)").replacing(place, with: TypeSyntax(stringLiteral: type))
    }

    private func withoutDefault(in binding: PatternBindingSyntax) -> FixIt {
        Remedy("removeDefault", text: "Remove the default").replacing(binding, with: binding.with(\.initializer, nil))
    }
}
