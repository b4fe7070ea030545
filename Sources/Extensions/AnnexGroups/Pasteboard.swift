internal import AnnexPortal

/// A pasteboard of an app group: data that the user cuts or copies in one member and pastes in another member. No
/// program outside of the group can read a pasteboard. Apple's counterpart is `UIPasteboard` with a name.
///
/// ```swift
/// let board = Pasteboard(of: try AppGroup("group.com.example.todo"))
/// try board.set("buy milk", lasting: .seconds(120))
/// ```
///
/// The contents of a pasteboard must be a little smaller than 96 KiB, because one request of at most 96 KiB carries
/// all contents. At most 16 pasteboards of a group may have contents at the same time.
public struct Pasteboard: Sendable {
    /// The type of plain text.
    public static let text = "public.utf8-plain-text"

    public let name: String
    private let group: JoinedGroup

    /// - Parameters:
    ///   - group: the group that the pasteboard belongs to.
    ///   - name: a text of 1 to 64 bytes. Members that use the same name share the pasteboard.
    public init(of group: AppGroup, name: String = "general") {
        self.group = group.joined
        self.name = name
    }

    /// One item in one or several forms. Each form has its own type.
    public struct Item: Sendable, Hashable {
        /// The forms, with the best form first. Each form has a uniform type identifier and bytes.
        public var forms: [(type: String, bytes: [UInt8])] { entry.forms.map { ($0.type, $0.bytes) } }

        let entry: PasteboardEntry

        public init(_ forms: [(type: String, bytes: [UInt8])]) {
            entry = PasteboardEntry(forms: forms.map { PasteboardForm(type: $0.type, bytes: $0.bytes) })
        }
    }

    // MARK: Writing

    /// Replaces the contents.
    /// - Parameters:
    ///   - items: the new contents. An empty list clears the pasteboard.
    ///   - lifetime: how long the contents last. If this parameter is nil, the contents last until they are replaced.
    /// - Returns: the new change count.
    /// - Throws: `full` if a limit would be exceeded; the call then changes nothing.
    @discardableResult
    public func set(_ items: [Item], lasting lifetime: Duration? = nil) throws(PortalError) -> UInt64 {
        let contents = PasteboardContents(
            board: name, entries: items.map(\.entry), lifetime: lifetime.map(Self.milliseconds))
        return try group.ask(PasteboardMethod.set, with: contents).decoded(as: PasteboardState.self).changeCount
    }

    /// The duration in milliseconds. The result is at least 1, so that contents with a negative lifetime expire too.
    private static func milliseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0 else { return 1 }
        let (scaled, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
        return isTooLong ? .max : max(1, scaled &+ UInt64(attoseconds / 1_000_000_000_000_000))
    }

    /// Replaces the contents by a text.
    @discardableResult
    public func set(_ text: String, lasting lifetime: Duration? = nil) throws(PortalError) -> UInt64 {
        try set([Item([(Self.text, Array(text.utf8))])], lasting: lifetime)
    }

    /// Removes the contents.
    public func clear() throws(PortalError) { try set([]) }

    // MARK: Reading

    /// A number that grows with each change, and also if the contents expire.
    public var changeCount: UInt64 {
        get throws(PortalError) { try state().changeCount }
    }

    /// The bundle identifier of the member that set the contents; empty if there are no contents.
    public var writer: String {
        get throws(PortalError) { try state().writer }
    }

    /// The types of each item, with the best form first.
    public var types: [[String]] {
        get throws(PortalError) { try state().types.map(\.names) }
    }

    /// The bytes of one form of an item; nil if there is no such form.
    /// - Parameters:
    ///   - type: a uniform type identifier.
    ///   - item: the number of the item, counted from 0.
    public func data(_ type: String, ofItem item: Int = 0) throws(PortalError) -> [UInt8]? {
        guard let number = UInt32(exactly: item) else { return nil }
        return try group.ask(PasteboardMethod.read, with: PasteboardQuestion(board: name, item: number, type: type))
            .decoded(as: PasteboardData.self).bytes
    }

    /// The text of the first item; nil if that item has no text.
    public func string() throws(PortalError) -> String? {
        try data(Self.text).map { String(decoding: $0, as: UTF8.self) }
    }

    private func state() throws(PortalError) -> PasteboardState {
        try group.ask(PasteboardMethod.look, with: PasteboardQuestion(board: name)).decoded()
    }
}
