import AnnexHost
import CBenchDriver

/// A request of nine attachments whose loaders sleep. The extension loads all of them.
struct LoadsWay: TaskWay {
    let session: ExtensionSession
    /// In which form the extension loads.
    let form: String
    let answers: OwnAnswers

    private static let count = 9

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) async -> Int {
        do throws(HostError) {
            let answer = try await session.request([Self.item(form, taking: .seconds(1))])
            guard answer.first?.userInfo["bytes"]?.integer == Int64(Self.count) else {
                Complaint.print("the extension loaded something else")
                return 0
            }
            return answers.answer(request, into: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }

    static func item(_ form: String, taking time: Duration) -> ExtensionItem {
        let attachments = (0..<count).map { _ in
            ItemProvider(
                contents: .onDemand(timeout: time * 2) { _ in
                    try await Task.sleep(for: time)
                    return try ItemContents(bytes: [1])
                }, types: [.data])
        }
        return ExtensionItem(attributedContentText: AttributedText(form), attachments: attachments)
    }
}
