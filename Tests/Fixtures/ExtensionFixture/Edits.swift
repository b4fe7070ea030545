// A photo editor that reverses bytes as often as the user wants. The user info of the picture says what the extension
// does.
import AnnexExtension
import Glibc

final class Edits: PhotoEditingExtension {
    private static let format = "com.example.edits"
    private var bytes: [UInt8] = []
    private var start = ""
    private var turns = 0
    private var conduct = ""
    private var input: ContentEditingInput?

    func canHandle(_ adjustmentData: AdjustmentData) -> Bool {
        if adjustmentData.formatVersion == "hang" { while true {} }
        return adjustmentData.formatIdentifier == Self.format
    }

    func startContentEditing(with input: ContentEditingInput) throws {
        self.input = input
        conduct = input.userInfo["conduct"]?.string ?? ""
        if conduct == "hang at the start" { while true {} }
        bytes = try input.loadPicture(limit: 1 << 20)
        guard !bytes.isEmpty else {
            throw ExtensionError(code: 5, domain: "com.example", localizedDescription: "empty")
        }
        let earlier = input.adjustmentData.map { String(decoding: $0.data, as: UTF8.self) } ?? "none"
        let placeholder = try input.placeholder.map { "\(try $0.loadData(forType: .png).count)" } ?? "none"
        start = "earlier \(earlier), placeholder \(placeholder)"
    }

    var view: ContentNode? {
        switch conduct {
        case "no view": nil
        case "too large": .text(String(repeating: "x", count: 1 << 20))
        default: [.text("\(start), turns \(turns)"), .button("Turn", action: "turn")]
        }
    }

    func perform(_ action: ContentAction) {
        if action.identifier == "hang" { while true {} }
        if action.identifier == "crash" { fatalError("as told") }
        turns += 1
    }

    func finishContentEditing() throws -> ContentEditingOutput {
        if conduct == "hang at the end" { while true {} }
        while conduct == "works until cancelled", input?.isCancelled == false { usleep(1_000) }
        if conduct == "fail at the end" {
            throw ExtensionError(code: 6, domain: "com.example", localizedDescription: "no result")
        }
        let recipe = AdjustmentData(
            formatIdentifier: Self.format, formatVersion: "1", data: Array("\(turns)".utf8))
        return try ContentEditingOutput(
            type: .png, adjustmentData: recipe, bytes: turns.isMultiple(of: 2) ? bytes : bytes.reversed())
    }

    func cancelContentEditing() {
        if conduct == "linger" { while true {} }
    }

    var shouldShowCancelConfirmation: Bool { turns > 0 }
}
