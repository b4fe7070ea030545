internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// Reads the stored properties of a struct, and collects all mistakes in them.
struct StructReader {
    private let message: StructDeclSyntax
    private var tags: TagBook
    private var mistakes: [Diagnostic] = []
    private(set) var fields: [MessageField] = []

    /// - Parameters:
    ///   - message: the struct.
    ///   - attribute: the attribute `@Message` of the struct.
    init(_ message: StructDeclSyntax, attribute: AttributeSyntax) {
        self.message = message
        tags = TagBook(attribute: attribute, used: message.memberBlock.members.flatMap(\.decl.fieldTags))
    }

    /// All mistakes, in the order of the source.
    var diagnostics: [Diagnostic] { (tags.diagnostics + mistakes).sorted { $0.position < $1.position } }

    /// Reads all members of the struct.
    mutating func read() {
        for member in message.memberBlock.members {
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                read(variable)
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                refuseStoredProperties(in: condition)
            } else if let tag = member.decl.fieldTags.first {
                report(.tagNeedsStoredProperty("no property"), at: tag)
            }
        }
    }

    private mutating func read(_ variable: VariableDeclSyntax) {
        let attributes = DeclSyntax(variable).fieldTags
        if let kind = variable.unstoredKind {
            guard let tag = attributes.first else { return }
            report(.tagNeedsStoredProperty(kind), at: tag, remedy: variable.removing(tag))
        } else if variable.has(.lazy) {
            report(.lazy, at: variable, remedy: variable.removingLazy())
        } else if variable.bindings.count > 1 || !variable.hasName {
            report(.severalProperties, at: variable.bindings)
        } else if let binding = variable.bindings.first {
            read(variable, binding: binding, attributes: attributes)
        }
    }

    /// Reads a stored property with one name.
    private mutating func read(
        _ variable: VariableDeclSyntax, binding: PatternBindingSyntax, attributes: [AttributeSyntax]
    ) {
        let name = binding.pattern.trimmedDescription
        if let second = attributes.dropFirst().first {
            report(.secondTag, at: second, remedy: variable.removing(second))
        }
        if variable.bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
            report(.constantWithDefault(name), at: variable.bindingSpecifier, remedy: variable.usingVar())
        }
        guard let first = attributes.first else {
            let remedy = tags.reserve().map { variable.adding(tag: $0) }
            return report(.noTag(of: name), at: binding.pattern, remedy: remedy)
        }
        let (tag, shape) = (tags.tag(in: first, of: name), shape(of: binding))
        if let tag, let shape { fields.append(MessageField(name: name, tag: tag, shape: shape)) }
    }

    private mutating func shape(of binding: PatternBindingSyntax) -> FieldShape? {
        do throws(ShapeMistake) {
            return try FieldShape(of: binding)
        } catch {
            mistakes.append(error.diagnostic(in: binding))
            return nil
        }
    }

    /// Reports stored properties in `#if`. The condition may hold for the program on only one side of a channel. The
    /// program on the other side would then not know the field.
    private mutating func refuseStoredProperties(in condition: IfConfigDeclSyntax) {
        for case .decls(let members)? in condition.clauses.map(\.elements) {
            for member in members {
                if let inner = member.decl.as(IfConfigDeclSyntax.self) { refuseStoredProperties(in: inner) }
                guard let variable = member.decl.as(VariableDeclSyntax.self), variable.unstoredKind == nil else {
                    continue
                }
                report(.conditional, at: variable)
            }
        }
    }

    private mutating func report(_ mistake: Mistake, at place: some SyntaxProtocol, remedy: FixIt? = nil) {
        mistakes.append(Diagnostic(node: place, message: mistake, fixIts: remedy.map { [$0] } ?? []))
    }
}

extension DeclSyntax {
    /// The attributes `@FieldTag` of the declaration.
    fileprivate var fieldTags: [AttributeSyntax] {
        asProtocol((any WithAttributesSyntax).self)?.attributes.named("FieldTag") ?? []
    }
}
