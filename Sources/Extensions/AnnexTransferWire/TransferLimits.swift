package import AnnexMessages

/// The limits of what the broker and the transfer agent say to each other. Each end checks them when it sends and when it
/// receives, because the other end may have been taken over.
package enum TransferLimits {
    /// One message, in either direction.
    package static let message = MessageLimits(bytes: 160 << 10, fields: 1024, depth: 6)
    /// How many jobs the agent holds at once. The broker keeps further tasks in its book.
    package static let jobs = 64
    /// How many connections the agent has at once, and how many of them to one server.
    package static let connections = 6
    package static let connectionsToServer = 2
    /// How many redirects the agent follows in one attempt.
    package static let redirects = 5
    /// The characters of a URL.
    package static let url = 8 << 10
    /// How many headers a request may have, and all their bytes.
    package static let headers = 64
    package static let headerBytes = 16 << 10
    /// How many parts a body may have, how many of them may be files, and all bytes of the texts.
    package static let parts = 64
    package static let files = 16
    package static let textBytes = 64 << 10
    /// The bytes of a part's name, file name or type.
    package static let partName = 255
    /// The bytes of a validator, and of a server's name.
    package static let validator = 512
    package static let host = 255
    /// How many addresses of one server the agent tries.
    package static let addresses = 16
    /// All header bytes that the agent reads from one server for one attempt. A server that sends more is refused.
    package static let headerBytesRead = 64 << 10
    /// The bytes of the answer's headers, and of the answer's body, that the broker learns. Bytes that follow are cut.
    package static let answerHeaders = 16 << 10
    package static let answerBody = 64 << 10
    /// The longest time limit of a job.
    package static let longestSeconds: UInt32 = 7 * 24 * 3600
    /// The shortest time between two reports of one task's progress, which makes ten a second.
    package static let progressInterval = Duration.milliseconds(100)
}
