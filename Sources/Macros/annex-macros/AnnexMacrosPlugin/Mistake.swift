internal import SwiftDiagnostics
internal import SwiftSyntax

/// A mistake in the declaration of a message, as text. The compiler shows it at the place of the mistake.
struct Mistake: DiagnosticMessage {
    let name: String
    let message: String
    let severity = DiagnosticSeverity.error

    var diagnosticID: MessageID { MessageID(domain: "AnnexMacros", id: name) }

    private init(_ name: String, text: String) {
        self.name = name
        message = text
    }
}

/// Mistakes of the whole declaration.
extension Mistake {
    static func notAStruct(_ declaration: some DeclGroupSyntax) -> Mistake {
        let kind = declaration.introducer.text
        let more =
            kind == "enum" ? " An enum with raw values needs no macro: declare that it conforms to FieldValue." : ""
        return Mistake("notAStruct", text: "@Message makes a message of a struct, and this is \(article(kind)).\(more)")
    }

    private static func article(_ kind: String) -> String {
        "aeiou".contains(kind.first ?? " ") ? "an \(kind)" : "a \(kind)"
    }

    static let tagOutsideMessage = Mistake(
        "tagOutsideMessage",
        text: "@FieldTag has no effect here. It belongs to a stored property of a struct with @Message.")
    static let hidden = Mistake(
        "hidden", text: "The code of @Message cannot name a struct that is private to another type. Use 'fileprivate'.")
    static let conditional = Mistake(
        "conditional", text: "A stored property of a message cannot stand in #if, because both sides must have it.")
}

/// Mistakes of tags.
extension Mistake {
    static func noTag(of property: String) -> Mistake {
        Mistake(
            "noTag", text: "The stored property '\(property)' has no tag. Each stored property of a message has one.")
    }

    static func repeatedTag(_ tag: Int, of property: String, and other: String) -> Mistake {
        Mistake("repeatedTag", text: "The properties '\(other)' and '\(property)' have the same tag \(tag).")
    }

    static func tagOutOfRange(_ text: String) -> Mistake {
        Mistake("tagOutOfRange", text: "The tag \(text) is not between 1 and 65535.")
    }

    static func tagIsRetired(_ tag: Int) -> Mistake {
        Mistake("tagIsRetired", text: "The tag \(tag) is retired. Older programs still give it its old meaning.")
    }

    static func retiredTwice(_ tag: Int) -> Mistake {
        Mistake("retiredTwice", text: "The tag \(tag) stands twice in the list of retired tags.")
    }

    static let tagIsNoLiteral = Mistake(
        "tagIsNoLiteral", text: "A tag is a number such as 3 in the source, because a macro cannot compute values.")
    static let secondTag = Mistake("secondTag", text: "The property has two tags. A property has one tag only.")

    /// - Parameter kind: the kind of declaration that has the tag instead of a stored property.
    static func tagNeedsStoredProperty(_ kind: String) -> Mistake {
        Mistake("tagNeedsStoredProperty", text: "A tag belongs to a stored property, and this is \(kind).")
    }
}

/// Mistakes of stored properties.
extension Mistake {
    static let lazy = Mistake("lazy", text: "A lazy property cannot be part of a message.")
    static let severalProperties = Mistake(
        "severalProperties", text: "A declaration in a message has one property, so that each property has its own tag."
    )

    static func constantWithDefault(_ property: String) -> Mistake {
        Mistake(
            "constantWithDefault",
            text: "The constant '\(property)' always has its default, so no message can set it. Use 'var'.")
    }

    static let noType = Mistake(
        "noType", text: "The property needs a type in the source, because a macro cannot infer it.")
    static let noFixedWidth = Mistake(
        "noFixedWidth", text: "Int and UInt have no fixed width. Use a type such as Int64 or UInt32.")
    static let optionalOfMany = Mistake(
        "optionalOfMany", text: "An optional cannot hold a list or another optional. A missing list is an empty list.")
    static let listOfMany = Mistake(
        "listOfMany", text: "A list cannot hold lists or optionals. Put each element into a message of its own.")
    static let noFieldType = Mistake(
        "noFieldType", text: "A message cannot have a property of this type. A struct with @Message can replace it.")
    static let defaultOfOptional = Mistake(
        "defaultOfOptional", text: "An optional has the default nil only, because nil is a missing field.")
    static let defaultOfList = Mistake(
        "defaultOfList", text: "A list has the default [] only, because an empty list has no field.")
}

/// The text of a Fix-It. A Fix-It is a change that the compiler or the editor offers.
struct Remedy: FixItMessage {
    let name: String
    let message: String

    var fixItID: MessageID { MessageID(domain: "AnnexMacros", id: name) }

    /// - Parameters:
    ///   - name: a stable name, for programs that choose Fix-Its.
    ///   - text: a description of the change, for people.
    init(_ name: String, text: String) {
        self.name = name
        message = text
    }

    /// The change in the form that the compiler needs. The spaces and comments around the old text stay.
    func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol) -> FixIt {
        let placed = new.with(\.leadingTrivia, old.leadingTrivia).with(\.trailingTrivia, old.trailingTrivia)
        return FixIt(message: self, changes: [.replace(oldNode: Syntax(old), newNode: Syntax(placed))])
    }
}
