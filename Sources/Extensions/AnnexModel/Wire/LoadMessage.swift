package import AnnexChannel
internal import AnnexLinux

/// A request of an extension about an item that its host has offered under a number.
package struct LoadMessage: Message {
    /// The extension wants the contents. The host answers within a tenth of a second. The answer carries the
    /// contents, or says that they are not ready yet.
    package static let loadMethod: UInt16 = 0xFEF0
    /// The extension does not want the contents any longer.
    package static let cancelMethod: UInt16 = 0xFEF1
    /// The extension wants to make a new version of the file. The answer carries a new, empty file to write.
    package static let writeMethod: UInt16 = 0xFEF2
    /// The extension has completed the new version. The host replaces its file by this version.
    package static let commitMethod: UInt16 = 0xFEF3
    /// The methods that are reserved for items on demand.
    package static let methods = ReservedMethods.itemLoads

    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    package func encode(into encoder: inout MessageEncoder) { encoder.encode(number, as: 1) }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) { number = try decoder.decode(1) }
}

/// The host's answer to a `LoadMessage`.
package enum LoadReply: Message {
    /// The request is done. The answer carries a descriptor if the request asked for one.
    case done
    /// The loader is still working. The value is its progress in millionths.
    case pending(progress: UInt32)
    case refused(LoadRefusal)

    private enum Tag {
        static let pending: UInt16 = 1
        static let refusal: UInt16 = 2
        static let reason: UInt16 = 3
    }

    package func encode(into encoder: inout MessageEncoder) {
        switch self {
        case .done: break
        case .pending(let progress): encoder.encode(progress, as: Tag.pending)
        case .refused(let refusal):
            encoder.encode(refusal.code, as: Tag.refusal)
            if case .failed(let text) = refusal { encoder.encode(text, as: Tag.reason) }
        }
    }

    package init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        if let code = try decoder.decodeIfPresent(Tag.refusal, as: UInt32.self) {
            let text = try decoder.decode(Tag.reason, default: "")
            self = .refused(LoadRefusal(code: code, text: text))
        } else if let progress = try decoder.decodeIfPresent(Tag.pending, as: UInt32.self) {
            self = .pending(progress: progress)
        } else {
            self = .done
        }
    }
}

/// The reason why a host refuses contents.
package enum LoadRefusal: Sendable, Hashable {
    case withdrawn
    case timedOut
    /// The loader or the file failed.
    case failed(String)

    fileprivate var code: UInt32 {
        switch self {
        case .withdrawn: 1
        case .timedOut: 2
        case .failed: 3
        }
    }

    fileprivate init(code: UInt32, text: String) {
        switch code {
        case 1: self = .withdrawn
        case 2: self = .timedOut
        default: self = .failed(text)
        }
    }

    /// The most bytes of a reason that the host sends. Further bytes are cut off.
    private static let longestReason = 512

    package init(_ error: any Error) {
        switch error {
        case ItemFailure.withdrawn: self = .withdrawn
        case ItemFailure.timedOut: self = .timedOut
        // The reason that the host sends names no path, because the extension must not learn where the host keeps its
        // files.
        case ItemFailure.system(let error): self.init(SystemError(error.call, errno: error.errno).cause)
        case let error as SystemError: self.init(SystemError(error.call, errno: error.errno).cause)
        default: self.init("\(error)")
        }
    }

    private init(_ reason: String) {
        self = .failed(String(decoding: reason.utf8.prefix(Self.longestReason), as: UTF8.self))
    }

    package var failure: ItemFailure {
        switch self {
        case .withdrawn: .withdrawn
        case .timedOut: .timedOut
        case .failed(let text): .failed(text)
        }
    }
}
