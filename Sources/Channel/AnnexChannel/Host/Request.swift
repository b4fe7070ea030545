public import AnnexLinux
internal import Glibc

/// A request from the host to its extension.
public struct Request: ~Copyable, Sendable {
    /// The method to call; the caller's own numbering. The answer repeats it.
    public var method: UInt16
    /// The request's bytes, at most the endpoint's `largestPayload`. Hand bulk data over as a file or sealed memory.
    public var payload: [UInt8]
    /// Descriptors to hand over, at most 16. This side's copies are closed after they were sent.
    package var descriptors: DescriptorList
    /// The descriptors that the answer may hand over.
    public var accepts: DescriptorAllowance
    /// The most bytes of the answer; nil: as many as one frame of the extension's ring carries. A larger answer fails
    /// the call with `CallFailure.payloadTooLarge` before the host allocates memory for it. The channel's
    /// `largestMessage` limits every answer.
    public var mostReply: Int?

    /// - Parameters:
    ///   - method: the kind of request, in the numbering of the host and its extensions.
    ///   - payload: the bytes of the request.
    ///   - grants: files and memory to hand over; at most `Grants.most`.
    ///   - accepts: the descriptors that the answer may hand over; none by default.
    ///   - mostReply: the most bytes of the answer; nil: one frame.
    public init(
        method: UInt16, payload: [UInt8] = [], granting grants: consuming Grants = Grants(),
        accepts: DescriptorAllowance = .none, mostReply: Int? = nil
    ) {
        self.init(
            method: method, payload: payload, descriptors: grants.takeDescriptors(), accepts: accepts,
            mostReply: mostReply)
    }

    /// For callers in this package, which have checked the descriptors themselves.
    package init(
        method: UInt16, payload: [UInt8] = [], descriptors: consuming DescriptorList,
        accepts: DescriptorAllowance = .none, mostReply: Int? = nil
    ) {
        self.method = method
        self.payload = payload
        self.descriptors = descriptors
        self.accepts = accepts
        self.mostReply = mostReply
    }

    /// Whether request and answer consist of bytes alone.
    var isBare: Bool { descriptors.isEmpty && accepts == .none }
}

/// An extension's answer.
public struct Reply: Sendable {
    /// The answer's bytes, copied. They come from untrusted code; only their number is checked.
    public let payload: [UInt8]
    /// Memory that the extension handed over. It cannot change any more, and its size is within the call's allowance.
    public let sealed: [SealedBytes]
}

/// The longest wait of a caller, which the extension does not learn. It is kept in nanoseconds, because converting a
/// `Duration` takes a noticeable part of a call.
public struct CallPatience: Sendable, Hashable {
    let nanoseconds: UInt64

    /// - Parameter duration: less than zero counts as zero.
    public init(_ duration: Duration) {
        nanoseconds = MonotonicClock.nanoseconds(duration)
    }
}

/// The files and the memory that a request hands over to the extension besides its payload. The files can only be read,
/// and the memory cannot change. Nothing else can be handed over, and no directory in particular.
public struct Grants: ~Copyable, Sendable {
    /// The most files and pieces of memory that one request can carry.
    public static let most = ControlSocket.mostDescriptors

    private var descriptors = DescriptorList()

    /// Creates an empty value, which hands over nothing.
    public init() {}

    public init(_ file: consuming ReadOnlyFile) {
        append(file)
    }

    /// The number of files and pieces of memory; one request can carry at most `most`.
    public var count: Int { descriptors.count }

    public mutating func append(_ file: consuming ReadOnlyFile) {
        descriptors.append(file.takeDescriptor())
    }

    /// Adds sealed memory, which another extension handed over or this process sealed.
    public mutating func append(_ memory: SealedBytes) throws(SystemError) {
        descriptors.append(try memory.descriptor.reopenedReadOnly())
    }

    consuming func takeDescriptors() -> DescriptorList { descriptors }
}

/// A regular file to hand over, opened for reading only, with an open file description of its own.
///
/// Only regular files are accepted. A directory would let the extension open everything beneath it, and devices and
/// sockets can do more than be read.
public struct ReadOnlyFile: ~Copyable, Sendable {
    let descriptor: Descriptor

    /// Opens a file by its path, following links as open(2) does.
    /// - Throws: `EISDIR` for a directory, `EINVAL` for another file that is not regular, or the error of opening it.
    public init(path: String) throws(SystemError) {
        // O_NONBLOCK, because opening a pipe for reading would wait for a writer.
        let opened = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        try ReadOnlyFile.check(opened, path: path)
        descriptor = opened
    }

    /// Opens an open file again, so that the new description shares neither offset nor flags with it.
    public init(reopening file: borrowing Descriptor) throws(SystemError) {
        // Checked before opening, because opening a device can already have an effect.
        try ReadOnlyFile.check(file)
        descriptor = try file.reopenedReadOnly()
    }

    consuming func takeDescriptor() -> Descriptor { descriptor }

    private static func check(_ file: borrowing Descriptor, path: String? = nil) throws(SystemError) {
        switch try file.status().kind {
        case .regular: return
        case .directory:
            throw SystemError(
                "grant", errno: EISDIR, path: path, remedy: "hand over the directory's files one by one")
        default: throw SystemError("grant", errno: EINVAL, path: path, remedy: "hand over a regular file")
        }
    }
}
