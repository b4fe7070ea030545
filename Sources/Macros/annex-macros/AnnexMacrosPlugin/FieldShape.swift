internal import SwiftSyntax

/// How often the field of a property occurs in a message.
enum FieldShape {
    /// Exactly once.
    case required
    /// Once or never. If the field is missing, the property keeps its default.
    case defaulted
    /// Once or never. If the field is missing, the property is nil.
    case optional
    /// Once for each element of a list.
    case list
}

extension FieldShape {
    /// Chooses the shape by the type and the default of a property.
    /// - Throws: an error that says why no field can hold the property.
    init(of binding: PatternBindingSyntax) throws(ShapeMistake) {
        let value = binding.initializer?.value
        guard let type = binding.typeAnnotation?.type else {
            guard let value, value.hasObviousType else { throw ShapeMistake(.noType, at: binding.pattern) }
            self = .defaulted
            return
        }
        switch try FieldType(type) {
        case .value: self = value == nil ? .required : .defaulted
        case .optional:
            if let value, !value.is(NilLiteralExprSyntax.self) { throw ShapeMistake(.defaultOfOptional, at: value) }
            self = .optional
        case .list:
            if let value, !value.isEmptyList { throw ShapeMistake(.defaultOfList, at: value) }
            self = .list
        }
    }
}

extension ExprSyntax {
    /// Whether the literal has a type that can be a field. The type of an integer literal is `Int`. `Int` cannot be a
    /// field, because its width varies.
    fileprivate var hasObviousType: Bool {
        if let signed = self.as(PrefixOperatorExprSyntax.self) {
            return signed.expression.is(FloatLiteralExprSyntax.self)
        }
        return self.is(FloatLiteralExprSyntax.self) || self.is(StringLiteralExprSyntax.self)
            || self.is(BooleanLiteralExprSyntax.self)
    }

    fileprivate var isEmptyList: Bool { self.as(ArrayExprSyntax.self)?.elements.isEmpty ?? false }
}
