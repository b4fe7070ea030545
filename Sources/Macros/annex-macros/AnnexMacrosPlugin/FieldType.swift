internal import SwiftSyntax

/// The type of a property, as far as its text shows it.
///
/// A macro sees the text of a program, but not the types that its names stand for. So it treats an alias of a list or
/// of an optional as a value. The compiler then reports that the alias is not a `FieldValue`.
enum FieldType {
    case value
    case optional
    case list

    /// - Throws: an error that says why no field can hold a value of this type.
    init(_ type: TypeSyntax) throws(ShapeMistake) {
        switch TypeForm(type) {
        case .optional(let wrapped):
            guard case .value = try FieldType(wrapped) else { throw ShapeMistake(.optionalOfMany, at: type) }
            self = .optional
        case .list(let element):
            guard case .value = try FieldType(element) else { throw ShapeMistake(.listOfMany, at: type) }
            self = .list
        case .name(let name):
            if name == "Int" || name == "UInt" { throw ShapeMistake(.noFixedWidth, at: type) }
            self = .value
        case .bytes: self = .value
        case .other: throw ShapeMistake(.noFieldType, at: type)
        }
    }
}

/// The form of a type without syntactic sugar. `[T]` and `Array<T>` have the same form.
private enum TypeForm {
    case optional(TypeSyntax)
    case list(TypeSyntax)
    case bytes
    case name(String)
    case other

    init(_ type: TypeSyntax) {
        if let optional = type.as(OptionalTypeSyntax.self) {
            self = .optional(optional.wrappedType)
        } else if let list = type.as(ArrayTypeSyntax.self) {
            self = .init(listOf: list.element)
        } else if let tuple = type.as(TupleTypeSyntax.self) {
            self = .init(parentheses: tuple)
        } else if let named = type.as(IdentifierTypeSyntax.self) {
            self = .init(name: named.name.text, arguments: named.genericArgumentClause)
        } else if let member = type.as(MemberTypeSyntax.self) {
            let isSwift = member.baseType.trimmedDescription == "Swift"
            self = isSwift ? .init(name: member.name.text, arguments: member.genericArgumentClause) : .name("")
        } else {
            self = .other
        }
    }

    /// `[UInt8]` is one field with all bytes, and not a list.
    private init(listOf element: TypeSyntax) {
        if case .name("UInt8") = TypeForm(element) { self = .bytes } else { self = .list(element) }
    }

    private init(parentheses tuple: TupleTypeSyntax) {
        if tuple.elements.count == 1, let only = tuple.elements.first { self = .init(only.type) } else { self = .other }
    }

    private init(name: String, arguments: GenericArgumentClauseSyntax?) {
        let first = arguments?.arguments.first?.argument.as(TypeSyntax.self)
        switch (name, first) {
        case ("Optional", let wrapped?): self = .optional(wrapped)
        case ("Array", let element?): self = .init(listOf: element)
        case ("Dictionary", _?), ("Set", _?): self = .other
        default: self = .name(name)
        }
    }
}
