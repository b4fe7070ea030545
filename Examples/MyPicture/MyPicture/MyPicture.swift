import AnnexExtension
import AnnexGroups
import Glibc
import MyPictureKit

/// An extension that posts up to nine pictures to a category, with a text of up to 200 characters. After the post it
/// begins one upload and ends. The daemon carries the upload on, and starts the app when it has ended.
@main
final class MyPicture: ShareExtension {
    let placeholder = "Say something about the pictures"

    private static let longest = 200
    private static let categories = ["Everyday", "Holiday", "Work"]

    private var category = 0
    /// The text that the user posts. The task of the sheet waits for it.
    private let (posts, post) = AsyncStream.makeStream(of: String.self)

    private func pictures(of sheet: ComposeSheet) -> [ItemProvider] {
        sheet.context.inputItems.flatMap(\.attachments).filter { $0.hasItemConforming(to: .image) }
    }

    func isContentValid(in sheet: ComposeSheet) -> Bool {
        sheet.charactersRemaining = Self.longest - sheet.contentText.count
        return sheet.contentText.count <= Self.longest
    }

    func configurationItems(in sheet: ComposeSheet) -> [ConfigurationItem] {
        [
            ConfigurationItem(title: "Category", value: Self.categories[category], options: { Self.categories }) {
                [self] option in
                if Self.categories.indices.contains(option) { category = option }
            },
            ConfigurationItem(title: "Pictures", value: "\(pictures(of: sheet).count)"),
        ]
    }

    /// The task of the sheet: it loads the pictures side by side while the user types, waits for the post, and hands the
    /// post on.
    func presentationAnimationDidFinish(in sheet: ComposeSheet) async {
        do {
            let pictures = try await load(pictures(of: sheet))
            for await text in posts {
                return sheet.context.completeRequest(returning: [try await answer(text, pictures, sheet.context)])
            }
        } catch {
            sheet.context.cancelRequest(with: error)
        }
    }

    func didSelectPost(in sheet: ComposeSheet) { post.yield(sheet.contentText) }

    // MARK: Pictures

    private struct Picture {
        let contents: ItemContents
        let type: TypeIdentifier
    }

    private func load(_ all: [ItemProvider]) async throws -> [Picture] {
        try await withThrowingTaskGroup(of: (Int, Picture).self) { group in
            for (number, picture) in all.enumerated() {
                group.addTask {
                    let type = picture.registeredTypeIdentifiers.first { $0.conforms(to: .image) } ?? .image
                    return (number, Picture(contents: try await picture.loadItem(forType: type), type: type))
                }
            }
            var pictures: [Int: Picture] = [:]
            for try await (number, picture) in group { pictures[number] = picture }
            return pictures.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    // MARK: The upload

    private func answer(
        _ text: String, _ pictures: [Picture], _ context: ExtensionContext
    ) async throws -> ExtensionItem {
        var item = ExtensionItem(contentText: text)
        item.userInfo = [
            "category": .string(Self.categories[category]), "pictures": .integer(Int64(pictures.count)),
            "bytes": .integer(Int64(try pictures.reduce(0) { $0 + (try $1.contents.count) })),
        ]
        // A broker inside a host carries nothing on. The answer then only shows what would be uploaded.
        guard context.capabilities.canTransfer else {
            item.userInfo["upload"] = .string("none: it needs annexd, and the grants of the network and of the group")
            return item
        }
        item.userInfo[TransferReceipt.key] = try await upload(text, pictures).value
        item.userInfo["upload"] = .string("begun")
        return item
    }

    /// Begins one upload with everything. When this function returns, the daemon has the upload, and the extension can
    /// end.
    private func upload(_ text: String, _ pictures: [Picture]) async throws -> TransferReceipt {
        let album = try Album()
        guard let server = album.server else {
            throw PortalError(.notFound, what: "no server takes the pictures", remedy: "MyPicture server URL names one")
        }
        let name = Post.newSession()
        let session = try await BackgroundSession(identifier: name, sharedContainerIdentifier: Album.group)
        let files = try pictures.enumerated().map { number, picture in
            try file(picture, numbered: number + 1, for: name)
        }
        // The upload takes the files out of the group. Files are left only if it cannot begin.
        defer { files.forEach { unlink($0.path) } }
        let task = try await session.upload(
            to: server,
            parts: [.text(text, named: "text"), .text(Self.categories[category], named: "category")]
                + files.map(\.part))
        do {
            try await album.change(name) { post in
                (post.text, post.category, post.pictures) = (text, Self.categories[category], pictures.count)
            }
        } catch {
            // The user is told that the post failed, so it must not go on.
            try await task.cancel()
            throw error
        }
        let receipt = try await task.receipt()
        try await session.invalidate()
        return receipt
    }

    private func file(
        _ picture: Picture, numbered number: Int, for session: String
    ) throws -> (path: String, part: UploadPart) {
        let name = "\(number).\(picture.type.preferredFilenameExtension ?? "picture")"
        let path = "\(try AppGroup(Album.group).path)/\(session)-\(name)"
        try picture.contents.write(to: path)
        let types: [TypeIdentifier: String] = [.png: "image/png", .jpeg: "image/jpeg", .gif: "image/gif"]
        return (path, .file(path, named: "picture", fileName: name, type: types[picture.type]))
    }
}
