import AnnexChannel
import AnnexModel
import Testing

@testable import AnnexHost

/// The error that a host gets for a failed call. Each error number names its origin.
@Suite struct AnswerTests {
    private func error(_ failure: CallFailure) -> HostError? {
        if case .error(let error) = DecodedAnswer(failure) { error } else { nil }
    }

    private func extensionError(_ failure: CallFailure) -> ExtensionError? {
        if case .cancelled(let error)? = error(failure) { error } else { nil }
    }

    @Test func `error codes of a handler stay apart from those of Annex`() {
        for code: UInt32 in [0, 1, 2, 7, 0xFFFF_FEFF] {
            let error = extensionError(.failed(code: code, text: "no"))
            #expect(error?.domain == ExtensionError.handlerDomain && error?.code == Int64(code))
            #expect(error != .userCancelled && error != .returnedWithoutAnswer)
        }
        for code in [HandlerFailure.unreadableCode, HandlerFailure.thrownCode, 0xFFFF_FF00] {
            #expect(extensionError(.failed(code: code, text: "no"))?.domain == ExtensionError.annexDomain)
        }
    }

    @Test func `an unknown method and a cancelled task are errors of their own`() {
        guard case .unknownMethod? = error(.failed(code: HandlerFailure.unknownMethodCode, text: "x")) else {
            Issue.record("another error for an unknown method")
            return
        }
        guard case .taskCancelled? = error(.cancelled) else {
            Issue.record("another error for a cancelled task")
            return
        }
        #expect("\(HostError.unknownMethod)".contains("ChannelService"))
    }
}
