internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

/// The outcome of a request.
enum Answer: Sendable {
    case items([ExtensionItem])
    case error(HostError)
    /// The extension has ended or is ending. Its end tells the caller more than the failed call.
    case end

    /// Decodes an extension's answer; nil if it is malformed. An error of this process, such as a lack of descriptors,
    /// is not counted against the extension.
    init?(_ reply: Reply) {
        var contents: [ItemContents] = []
        do {
            for sealed in reply.sealed { contents.append(try ItemContents(sealed.descriptor.duplicate())) }
        } catch {
            self = .error(.invalidRequest("its answer's contents cannot be taken: \(error)"))
            return
        }
        do {
            switch try ReplyMessage(decoding: reply.payload).result(with: ContentsList(contents)) {
            case .success(let items): self = .items(items)
            case .failure(let error): self = .error(.cancelled(error))
            }
        } catch {
            return nil
        }
    }

    init(_ failure: CallFailure) {
        switch failure {
        case .ended, .violated: self = .end
        case .failed(HandlerFailure.unknownMethodCode, _): self = .error(.unknownMethod)
        case .failed(let code, let text):
            let isAnnexs = code >= HandlerFailure.firstReservedCode
            let domain = isAnnexs ? ExtensionError.annexDomain : ExtensionError.handlerDomain
            self = .error(.cancelled(ExtensionError(code: Int64(code), domain: domain, localizedDescription: text)))
        // Only the calling task has this call, so the cancelled task is the caller's.
        case .cancelled: self = .error(.taskCancelled)
        case .deadlineExceeded: self = .error(.timedOut)
        default: self = .error(.invalidRequest("\(failure)"))
        }
    }
}
