import AnnexHost
import AnnexLinux
import AnnexPolicy
import Glibc

/// The outcome of one request: the answer with its stored attachments, and the extension's end.
struct RequestOutcome {
    /// An item of the answer.
    struct Item {
        let title: String?
        let text: String?
        let info: [String: ItemValue]
        let attachments: [Stored]
        /// The file with the adjustment data of an edited picture; nil if the item has none.
        let adjustments: String?
    }

    /// An attachment that was stored in its own file.
    struct Stored {
        let file: String
        let types: [TypeIdentifier]
        let bytes: Int
    }

    private(set) var items: [Item] = []
    private(set) var end: Termination?
    /// Why the request failed, in one line; nil if it succeeded.
    private(set) var failure: String?

    /// The most attachments of an answer, and the most bytes of all its attachments together.
    private static let mostAttachments = 16
    private static let mostBytes = 256 << 20

    /// The attachments that the answer of a request may carry.
    static let acceptance = Acceptance.sealedMemory(count: mostAttachments, bytes: mostBytes)

    /// - Parameters:
    ///   - folder: the folder that receives the attachments of the answer.
    ///   - work: makes the request, and returns the answer and the extension's end.
    init(
        storingIn folder: String, of work: () async throws -> (answer: [ExtensionItem], end: Termination?)
    ) async {
        do {
            let done = try await work()
            end = done.end
            items = try AnswerFolder(folder).store(done.answer)
        } catch {
            failure = Self.text(of: error)
            if case HostError.ended(let value) = error { end = value }
        }
    }

    private static func text(of error: any Error) -> String {
        switch error {
        case HostError.ended(let end): "ended: \(end)"
        case let error as SystemError: "the answer cannot be stored: \(error)"
        default: "\(error)"
        }
    }
}

extension RequestOutcome {
    func printLines() {
        for item in items {
            for text in [item.title, item.text].compactMap(\.self) {
                for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
                    print(Escaped(String(line), limit: 65_536))
                }
            }
            for (key, value) in item.info.sorted(by: { $0.key < $1.key }) { print("\(Escaped(key)): \(value.shown)") }
            for stored in item.attachments {
                let types = stored.types.map(\.description).joined(separator: ", ")
                print("\(PlainText.shown(stored.file))  \(types)  \(stored.bytes) bytes")
            }
            if let file = item.adjustments { print("\(PlainText.shown(file))  adjustment data") }
        }
    }

    var json: JSON {
        .object([
            .init("items", value: .list(items.map(\.json))),
            .init("end", value: .optional(end?.reason.rawValue)),
            .init("detail", value: .optional(end.map { "\($0.detail)" })),
            .init("error", value: .optional(failure)),
        ])
    }
}

extension RequestOutcome.Item {
    fileprivate var json: JSON {
        .object([
            .init("title", value: .optional(title)), .init("text", value: .optional(text)),
            .init("info", value: .object(info.sorted { $0.key < $1.key }.map { .init($0.key, value: $0.value.json) })),
            .init("attachments", value: .list(attachments.map(\.json))),
            .init("adjustments", value: .optional(adjustments)),
        ])
    }
}

extension RequestOutcome.Stored {
    fileprivate var json: JSON {
        .object([
            .init("file", value: .text(file)),
            .init("types", value: .texts(types.map { Escaped($0.rawValue, limit: 255).plain })),
            .init("bytes", value: .number(bytes)),
        ])
    }
}

/// The folder that receives the attachments of an answer. This program chooses the names of the files. The extension
/// has no influence on them.
struct AnswerFolder {
    private let path: String
    /// The most bytes of one attachment.
    private static let largest = 256 << 20

    init(_ path: String) {
        self.path = path
    }

    /// Writes each attachment to a new file. The folder is created with the first attachment.
    func store(_ answer: [ExtensionItem]) throws -> [RequestOutcome.Item] {
        if answer.contains(where: { !$0.attachments.isEmpty || $0.adjustmentData != nil }) { try make() }
        return try answer.map { item in
            var info = item.userInfo
            let adjustments = item.adjustmentData
            if adjustments != nil { info[AdjustmentData.userInfoKey] = nil }
            return RequestOutcome.Item(
                title: item.attributedTitle?.string, text: item.contentText, info: info,
                attachments: try item.attachments.map(store), adjustments: try adjustments.map(store))
        }
    }

    private func store(_ adjustments: AdjustmentData) throws -> String {
        try NewFile.write(try adjustments.archived()) { number in "\(prefix)answer-\(number).adjustments" }
    }

    private func make() throws(SystemError) {
        guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
        throw SystemError("mkdir", errno: errno, path: path, remedy: "choose a folder that you can write to: --out")
    }

    private func store(_ attachment: ItemProvider) throws -> RequestOutcome.Stored {
        let bytes = try attachment.contents.load(limit: Self.largest)
        let types = attachment.registeredTypeIdentifiers
        let ending = types.lazy.compactMap(\.preferredFilenameExtension).first ?? "bin"
        let file = try NewFile.write(bytes) { number in "\(prefix)answer-\(number).\(ending)" }
        return RequestOutcome.Stored(file: file, types: types, bytes: bytes.count)
    }

    private var prefix: String { path == "." ? "" : path.hasSuffix("/") ? path : path + "/" }
}

extension ExtensionItem {
    /// The adjustment data of an edited picture; nil if the item has none.
    fileprivate var adjustmentData: AdjustmentData? {
        userInfo[AdjustmentData.userInfoKey].flatMap(AdjustmentData.init)
    }
}
