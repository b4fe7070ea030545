/// The principal object of an extension for the point `com.apple.photo-editing`.
public protocol PhotoEditingExtension: AppExtension {
    /// Whether the extension can continue an earlier edit. If not, it gets the rendered picture without the edit data.
    func canHandle(_ adjustmentData: AdjustmentData) -> Bool

    /// Reads the picture and edits it.
    func startContentEditing(with input: ContentEditingInput) throws

    /// Renders the result. Called once, after `startContentEditing`.
    func finishContentEditing() throws -> ContentEditingOutput

    /// Called if the host cancelled: release everything. No other call follows.
    func cancelContentEditing()

    /// Whether the user would lose work if the edit were cancelled now.
    var shouldShowCancelConfirmation: Bool { get }
}

extension PhotoEditingExtension {
    /// By default, no earlier edit can be continued.
    public func canHandle(_ adjustmentData: AdjustmentData) -> Bool { false }
    public func cancelContentEditing() {}
    public var shouldShowCancelConfirmation: Bool { false }

    /// Passes the first picture of the request through start and finish, and returns the result to the host.
    public func beginRequest(with context: ExtensionContext) {
        context.completeRequest {
            guard let input = ContentEditingInput(context.inputItems, canHandle: canHandle) else {
                throw ExtensionError(.noPicture, text: "The request holds no picture.")
            }
            try startContentEditing(with: input)
            if context.isCancelled {
                cancelContentEditing()
                throw ExtensionError.userCancelled
            }
            return [try finishContentEditing().item]
        }
    }
}

/// The picture that an extension is to edit.
public struct ContentEditingInput: Sendable {
    /// The picture: a read-only file. Its owner may change the file at any time.
    public let picture: ItemProvider
    /// The picture's type as the host knows it, for example `public.jpeg`.
    public let type: TypeIdentifier
    /// The earlier edit of the picture; nil if there is none or the extension cannot handle it. If it is set, `picture`
    /// is the unedited original.
    public let adjustmentData: AdjustmentData?
    /// Further values from the host, for example the name of the edit that it wants.
    public let userInfo: [String: ItemValue]

    /// The path of the app's `Frameworks`, as in `ExtensionContext`; nil if the app has none.
    public var frameworksDirectory: String? { Surroundings.frameworksDirectory }

    /// Reads the picture's bytes into memory of this process. Later changes of the file do not affect them.
    ///
    /// - Parameter limit: the most bytes to read. A longer file is an error.
    public func loadPicture(limit: Int = ItemContents.standardLimit) throws(ItemFailure) -> [UInt8] {
        try picture.contents.load(limit: limit)
    }
}

extension ContentEditingInput {
    /// Uses the first picture among the items; nil if no item has one.
    init?(_ items: [ExtensionItem], canHandle: (AdjustmentData) -> Bool) {
        for item in items {
            for provider in item.attachments {
                guard let type = provider.registeredTypeIdentifiers.first(where: { $0.conforms(to: .image) }) else {
                    continue
                }
                let earlier = item.userInfo[AdjustmentData.userInfoKey].flatMap(AdjustmentData.init)
                self.init(
                    picture: provider, type: type, adjustmentData: earlier.flatMap { canHandle($0) ? $0 : nil },
                    userInfo: item.userInfo)
                return
            }
        }
        return nil
    }
}

/// The edited picture, in sealed memory that no process can change any more.
public struct ContentEditingOutput: Sendable {
    /// The edited picture.
    public let renderedContent: ItemContents
    /// The type of the edited picture.
    public let type: TypeIdentifier
    /// How the picture was edited.
    public let adjustmentData: AdjustmentData

    /// Writes the picture straight into the memory that the host will get.
    ///
    /// - Parameters:
    ///   - type: the type of the edited picture.
    ///   - adjustmentData: how the picture was edited.
    ///   - write: receives the number of an open file. Write to it from its start, and do not close it.
    public init(
        type: TypeIdentifier, adjustmentData: AdjustmentData, writing write: (_ file: Int32) throws -> Void
    ) throws {
        renderedContent = try .sealing(write)
        self.type = type
        self.adjustmentData = adjustmentData
    }

    /// Copies a picture into the memory that the host will get.
    public init(type: TypeIdentifier, adjustmentData: AdjustmentData, bytes: [UInt8]) throws(ItemFailure) {
        renderedContent = try ItemContents(bytes: bytes)
        self.type = type
        self.adjustmentData = adjustmentData
    }
}

extension ContentEditingOutput {
    /// The item to send to the host.
    var item: ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: renderedContent, types: [type])],
            userInfo: [AdjustmentData.userInfoKey: adjustmentData.itemValue])
    }
}

/// How a picture was edited, so that an extension can continue the edit later.
///
/// The host keeps it beside the picture. An extension that knows the format reads it.
public struct AdjustmentData: Sendable, Hashable {
    /// The format of `data`, in reverse DNS. It tells an extension whether it can read the data.
    public let formatIdentifier: String
    /// The version of the format.
    public let formatVersion: String
    /// The edit in the format's own bytes. They travel in the message, so keep them to a few kilobytes.
    public let data: [UInt8]

    public init(formatIdentifier: String, formatVersion: String, data: [UInt8]) {
        self.formatIdentifier = formatIdentifier
        self.formatVersion = formatVersion
        self.data = data
    }
}

extension AdjustmentData {
    /// The key in an item's user info that holds the adjustment data.
    public static let userInfoKey = "adjustmentData"

    /// The adjustment data as a value for an item's user info.
    public var itemValue: ItemValue {
        [
            "formatIdentifier": .string(formatIdentifier), "formatVersion": .string(formatVersion),
            "data": .data(data),
        ]
    }

    /// Reads adjustment data from a value of an item's user info; nil if the value holds none.
    public init?(_ value: ItemValue) {
        guard let values = value.dictionary, let identifier = values["formatIdentifier"]?.string,
            let version = values["formatVersion"]?.string, let data = values["data"]?.data
        else { return nil }
        self.init(formatIdentifier: identifier, formatVersion: version, data: data)
    }
}
