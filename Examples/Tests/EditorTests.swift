import AnnexHost
import AnnexTesting
import Foundation
import PictureEditing
import Testing

/// The picture editor in its sandbox, as the tests of any app run their extensions.
@Suite(.timeLimit(.minutes(20))) struct EditorTests {
    private let app: TestApp
    private let host: AnnexHost

    init() throws {
        let examples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        app = try TestApp(layout: examples.appending(path: "Pictures/Pictures.app").path)
        host = try AnnexHost.testing(app)
    }

    private func picture(_ bytes: [UInt8], _ userInfo: [String: ItemValue] = [:]) throws -> ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: try ItemContents(bytes: bytes), types: [.image])], userInfo: userInfo)
    }

    /// The answer in a session, which goes on.
    private func edit(_ item: ExtensionItem, in session: ExtensionSession) async throws -> [ExtensionItem] {
        try await session.request([item], accepting: .sealedMemory(count: 1, bytes: 1 << 20))
    }

    private func refusal(of item: ExtensionItem, in session: ExtensionSession) async throws -> String {
        do {
            return "edited: \(try await edit(item, in: session).count)"
        } catch HostError.cancelled(let error) {
            return error.localizedDescription
        }
    }

    private func session() async throws -> ExtensionSession { try await host.begin("com.example.pictures.editor") }

    @Test(arguments: [(TestPNG().bytes, TypeIdentifier.png), (TestJPEG.progressive, .jpeg)])
    func `the picture editor returns an edited picture of the same kind`(
        file: [UInt8], type: TypeIdentifier
    ) async throws {
        let session = try await session()
        for wanted in PictureEdit.allCases {
            let back = try await edit(picture(file, ["edit": .string(wanted.rawValue)]), in: session)
            let attachment = try #require(back.first?.attachments.first)
            #expect(attachment.registeredTypeIdentifiers == [type])
            let bytes = try await attachment.loadData(forType: type)
            let edited = try Picture(decoding: bytes)
            let original = try Picture(decoding: file)
            #expect(edited.width == original.width && edited.height == original.height && bytes != file)
        }
    }

    @Test(
        arguments: [
            ([], "the picture is empty: the file has no bytes"),
            (Array("text".utf8), "the file is neither a PNG nor a JPEG picture"),
            (Array(TestPNG().bytes.prefix(60)), "the PNG file ends in the middle"),
            (
                TestPNG(width: 30_000, height: 30_000).bytes,
                "the picture says it is 30000 x 30000 pixels, which is too large to edit"
            ),
        ] as [([UInt8], String)])
    func `a broken picture gives one clear error`(file: [UInt8], text: String) async throws {
        let session = try await session()
        #expect(try await refusal(of: picture(file), in: session) == text)
        #expect(try await !edit(picture(TestPNG().bytes), in: session).isEmpty, "the editor lives on")
        #expect(await session.complete().reason == .completed)
    }

    @Test func `an unknown edit is refused by name`() async throws {
        let text = try await refusal(of: picture(TestPNG().bytes, ["edit": "blur"]), in: session())
        #expect(text == "there is no such edit; there are: sepia, grayscale, invert")
    }
}
