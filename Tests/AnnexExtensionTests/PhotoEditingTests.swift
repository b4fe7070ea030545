import AnnexModel
import Testing

@testable import AnnexExtension

@Suite(.timeLimit(.minutes(20))) struct PhotoEditingTests {
    private func picture(_ bytes: [UInt8], _ userInfo: [String: ItemValue] = [:]) throws -> ExtensionItem {
        ExtensionItem(
            attachments: [ItemProvider(contents: try ItemContents(bytes: bytes), types: [.png])], userInfo: userInfo)
    }

    private func note(_ item: ExtensionItem?) -> String? {
        let value = item?.userInfo[AdjustmentData.userInfoKey]
        return value.flatMap(AdjustmentData.init).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test func `a picture goes through start and finish of its editor`() throws {
        let conversation = try Conversation(TurningAround.self)
        let edited = try conversation.request([picture([1, 2, 3])]).first
        #expect(try edited?.attachments.first?.loadData(forType: .png) == [3, 2, 1])
        #expect(note(edited) == "new")
    }

    private func item(editedAs format: String) throws -> ExtensionItem {
        let earlier = AdjustmentData(formatIdentifier: format, formatVersion: "2", data: [])
        return try picture([1], [AdjustmentData.userInfoKey: earlier.itemValue])
    }

    @Test func `an earlier edit reaches only an editor that can handle its format`() throws {
        let conversation = try Conversation(TurningAround.self)
        #expect(try note(conversation.request([item(editedAs: "com.example.turning")]).first) == "again after 2")
        let error = try conversation.error([item(editedAs: "com.example.other")])
        #expect(error?.code == ExtensionError.AnnexCode.unknownEdit.rawValue, "its result would lose the earlier edit")
    }

    @Test func `an error of the editor or a missing picture cancels the request`() throws {
        let conversation = try Conversation(TurningAround.self)
        let failure = try conversation.error([picture([])])
        #expect(failure?.code == 5 && failure?.domain == "com.example")
        let empty = try conversation.error([ExtensionItem(contentText: "no picture")])
        #expect(empty?.code == ExtensionError.AnnexCode.noPicture.rawValue)
    }

    @Test func `invalid adjustment data gives nil`() {
        #expect(AdjustmentData("text") == nil)
        #expect(AdjustmentData(["formatIdentifier": "a", "formatVersion": 2, "data": .data([])]) == nil)
    }
}
