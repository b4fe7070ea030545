import AnnexHost
import CBenchDriver

/// An edit of the text in a compose sheet, as after each keystroke. Its extension counts the characters.
struct KeystrokeWay: TaskWay {
    let sheet: ComposeSession
    let answers: OwnAnswers

    /// Two texts of 64 characters: each edit changes the text.
    private static let texts = ["a", "b"].map { String(repeating: $0, count: 64) }

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) async -> Int {
        guard request.first == UInt8(bench_wants_reply) else { return answers.answer(request, into: reply) }
        do throws(HostError) {
            let text = Self.texts[sheet.state.contentText.first == "a" ? 1 : 0]
            guard try await sheet.edit(text).charactersRemaining == 200 - 64 else {
                Complaint.print("the extension counted wrong")
                return 0
            }
            return answers.answer(request, into: reply)
        } catch {
            Complaint.print("\(error)")
            return 0
        }
    }
}

/// Answers the driver's questions about the other side in this process.
struct OwnWay: Way {
    let answers: OwnAnswers

    func call(_ request: UnsafeRawBufferPointer, into reply: UnsafeMutableRawBufferPointer) -> Int {
        answers.answer(request, into: reply)
    }
}
