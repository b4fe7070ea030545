// This module also exports the protocols and types that the macros' code uses. So a file with messages needs only this
// import.
@_exported public import AnnexChannel

/// Turns a struct into a message.
///
/// A message is a value that a host and an extension can send to each other. Each stored property has a tag, the number
/// by which the other side knows the property:
///
/// ```swift
/// @Message struct Fade {
///     @FieldTag(1) var level: Int64
///     @FieldTag(2) var name: String?
///     @FieldTag(3) var frames: [Frame]
///     @FieldTag(4) var speed: Double = 1
/// }
/// ```
///
/// The macro adds an extension with the conformance to `Message` and its two requirements, `encode(into:)` and
/// `init(from:)`. A person would write the same code by hand, and the message has the same bytes as with that code. The
/// properties are written in the order of their tags.
///
/// - A property of the type `T` is required.
/// - A property of the type `T?` may be missing. The property is nil if its field is missing.
/// - A property of the type `[T]` is a list: one field for each element. `[UInt8]` is an exception: its bytes are one
///   field.
/// - A property with a default may be missing. The property has its default if its field is missing.
///
/// The type `T` is a `FieldValue`. It is a number of fixed width, `Bool`, `Double`, `Float`, `String`, `[UInt8]`,
/// another message, or an enumeration with raw values of these types.
///
/// The struct of a request itself states its protocol, its method and its response. The struct of a notice states its
/// protocol and its method:
///
/// ```swift
/// @Message struct Count: ChannelRequest {
///     static let method: UInt16 = 10
///     typealias Response = Counted
///
///     @FieldTag(1) var word: String
/// }
/// ```
///
/// The compiler reports an error for each mistake in the tags, such as a tag that two properties have.
///
/// - Parameter retired: the tags of properties that the struct no longer has. If a property uses a retired tag, the
///   compiler reports an error, because older programs still give the tag its old meaning.
@attached(extension, conformances: Message, names: named(encode(into:)), named(init(from:)))
public macro Message(retired: Int...) = #externalMacro(module: "AnnexMacrosPlugin", type: "MessageMacro")

// The name is not `Tag`, because Swift Testing has a type with that name. In a file that imports both modules, the
// compiler would mistake `@Tag(1)` for a property wrapper.

/// Gives a stored property of a message its tag. The tag is the number by which the other side knows the property.
///
/// The struct must have the attribute `@Message`. The attribute `@FieldTag` itself adds no code.
///
/// - Parameter number: the tag, written as a number from 1 to 65535. Each property of a struct has a different tag. A
///   tag must never get another meaning, because older programs would misread it.
@attached(peer)
public macro FieldTag(_ number: Int) = #externalMacro(module: "AnnexMacrosPlugin", type: "FieldTagMacro")
