public import AnnexLinux
internal import Glibc

/// A request from the host to its extension.
public struct Request: ~Copyable, Sendable {
    /// The method to call, in the numbering of the host and its extensions. The answer repeats this number.
    public var method: UInt16
    /// The request's bytes, at most the endpoint's `largestPayload`. For large data, hand over a file or sealed memory
    /// instead.
    public var payload: [UInt8]
    /// Descriptors to hand over, at most 16. After the request was sent, this side's copies are closed.
    package var descriptors: DescriptorList
    /// The descriptors that the answer may hand over.
    public var accepts: DescriptorAllowance
    /// The most bytes of the answer; nil: as many as one frame of the extension's ring carries. If the answer is
    /// larger, the call fails with `CallFailure.payloadTooLarge` before the host allocates memory for the answer. The
    /// channel's `largestMessage` limits every answer.
    public var mostReply: Int?

    /// - Parameters:
    ///   - method: the kind of request, in the numbering of the host and its extensions.
    ///   - payload: the bytes of the request.
    ///   - grants: the files and the memory to hand over, at most `Grants.most`.
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

    /// This initializer is for callers in this package that have checked the descriptors themselves.
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

    /// Whether both request and answer consist only of bytes.
    var isBare: Bool { descriptors.isEmpty && accepts == .none }
}

/// An extension's answer.
public struct Reply: Sendable {
    /// The answer's bytes, copied. They come from untrusted code; only their number is checked.
    public let payload: [UInt8]
    /// Memory that the extension handed over. This memory cannot change any more, and its size is within the call's
    /// allowance.
    public let sealed: [SealedBytes]
}

/// The longest wait of a caller, which is not sent to the extension. The value is stored in nanoseconds, because
/// converting a `Duration` takes a noticeable part of a call's time.
public struct CallPatience: Sendable, Hashable {
    let nanoseconds: UInt64

    /// - Parameter duration: the longest wait. A duration below zero counts as zero.
    public init(_ duration: Duration) {
        nanoseconds = MonotonicClock.nanoseconds(duration)
    }
}

/// The files and the memory that a request hands over to the extension besides its payload. The files can only be read,
/// and the memory cannot change. A request can hand over nothing but files and memory. In particular, it cannot hand
/// over a directory.
public struct Grants: ~Copyable, Sendable {
    /// The most files and pieces of memory that one request can carry.
    public static let most = ControlSocket.mostDescriptors

    private var descriptors = DescriptorList()

    /// Creates an empty value, which hands over nothing.
    public init() {}

    public init(_ file: consuming ReadOnlyFile) {
        append(file)
    }

    /// The number of files and pieces of memory. One request can carry at most `most`.
    public var count: Int { descriptors.count }

    public mutating func append(_ file: consuming ReadOnlyFile) {
        descriptors.append(file.takeDescriptor())
    }

    /// Adds sealed memory that another extension handed over or that this process sealed.
    public mutating func append(_ memory: SealedBytes) throws(SystemError) {
        descriptors.append(try memory.descriptor.reopenedReadOnly())
    }

    consuming func takeDescriptors() -> DescriptorList { descriptors }
}

/// A regular file to hand over, opened for reading only, with an open file description of its own.
///
/// Only regular files are accepted. With a directory, the extension could open everything beneath it. With a device or
/// a socket, the extension could do more than read.
public struct ReadOnlyFile: ~Copyable, Sendable {
    let descriptor: Descriptor

    /// Opens a file by its path, following links as open(2) does.
    /// - Throws: `EISDIR` for a directory, `EINVAL` for any other file that is not regular, or the error of opening the
    ///   file.
    public init(path: String) throws(SystemError) {
        // O_NONBLOCK is set, because opening a pipe for reading would otherwise wait for a writer.
        let opened = try Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        try ReadOnlyFile.check(opened, path: path)
        descriptor = opened
    }

    /// Opens an open file again, so that the new description shares neither offset nor flags with the old description.
    public init(reopening file: borrowing Descriptor) throws(SystemError) {
        // The file is checked before it is opened again, because opening a device can already have an effect.
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
