import AnnexExtension
import Dispatch
import Synchronization

/// Principal objects for tests. Each is named after its conduct.
final class Shouting: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let text = context.inputItems.first?.contentText ?? ""
        context.completeRequest(returning: [ExtensionItem(contentText: text.uppercased())])
    }
}

final class ReturningWithoutAnswer: AppExtension {
    func beginRequest(with context: ExtensionContext) {}
}

final class AnsweringTwice: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: "first")])
        context.completeRequest(returning: [ExtensionItem(contentText: "second")])
        context.cancelRequest(with: ExtensionError.userCancelled)
    }
}

final class Cancelling: AppExtension {
    struct Reason: Error, CustomStringConvertible {
        let description = "no\u{1B}[31m reason"
    }

    func beginRequest(with context: ExtensionContext) {
        context.completeRequest { throw Reason() }
    }
}

final class TalkingTooMuch: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest(returning: [ExtensionItem(contentText: String(repeating: "x", count: 1 << 20))])
    }
}

final class CancellingAtLength: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        let text = String(repeating: "ü", count: 1 << 20)
        context.cancelRequest(with: ExtensionError(code: 9, domain: text, localizedDescription: text))
    }
}

/// Returns every attachment unchanged. The attachments are files, which are not sealed memory.
final class GivingBack: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        context.completeRequest(returning: context.inputItems)
    }
}

final class Counting: AppExtension {
    private var requests = 0

    func beginRequest(with context: ExtensionContext) {
        requests += 1
        context.completeRequest(returning: [ExtensionItem(contentText: "\(requests)")])
    }
}

/// Works until its request is cancelled.
final class WorkingUntilCancelled: AppExtension {
    func beginRequest(with context: ExtensionContext) {
        while !context.isCancelled {}
        context.cancelRequest(with: ExtensionError.userCancelled)
    }
}

/// A photo editor that reverses the bytes and records its calls.
final class TurningAround: PhotoEditingExtension {
    private var bytes: [UInt8] = []
    private var note = "new"

    func canHandle(_ adjustmentData: AdjustmentData) -> Bool {
        adjustmentData.formatIdentifier == "com.example.turning"
    }

    func startContentEditing(with input: ContentEditingInput) throws {
        bytes = try input.loadPicture(limit: 1 << 20)
        if let earlier = input.adjustmentData { note = "again after \(earlier.formatVersion)" }
        if bytes.isEmpty { throw ExtensionError(code: 5, domain: "com.example", localizedDescription: "empty") }
    }

    func finishContentEditing() throws -> ContentEditingOutput {
        let recipe = AdjustmentData(formatIdentifier: "com.example.turning", formatVersion: "2", data: Array(note.utf8))
        return try ContentEditingOutput(type: .png, adjustmentData: recipe, bytes: bytes.reversed())
    }
}

/// Awaits the cancellation of its task. It then ends without a further frame from the host.
final class AwaitingItsCancel: AppExtension {
    /// Signalled when the task awaits.
    static let awaits = DispatchSemaphore(value: 0)

    func respond(to items: [ExtensionItem], context: ExtensionContext) async throws -> [ExtensionItem] {
        let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0 = continuation }
                Self.awaits.signal()
            }
        } onCancel: {
            waiting.withLock { $0.take() }?.resume()
        }
        throw CancellationError()
    }
}
