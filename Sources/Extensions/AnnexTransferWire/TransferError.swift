internal import AnnexMessages

/// Why an attempt failed. The list is closed: it is what the broker stores, and what apps and commands can name.
package enum TransferError: UInt16, Error, FieldValue, Hashable, CaseIterable {
    /// The URL cannot be used: it does not parse, has another scheme than http or https, or holds credentials.
    case badURL = 1
    /// The broker found no address for the server's name.
    case nameNotResolved
    /// The server's addresses are not allowed: those of this machine, and those that the policy leaves out.
    case refusedAddress
    /// No connection to the server was made.
    case connectFailed
    /// TLS failed, or no authority of this system vouches for the server.
    case tlsFailed
    /// The server broke the connection, or the network failed.
    case connectionLost
    /// The bytes of the server are no HTTP.
    case badAnswer
    /// The connection or the whole attempt took longer than its time limit.
    case timedOut
    /// For the job's idle time, less than one byte per second moved.
    case tooSlow
    /// A redirect leads to another scheme, from https to http, or holds credentials.
    case redirectRefused
    /// More than five redirects followed each other.
    case tooManyRedirects
    /// The server sent more header bytes than the agent reads.
    case headersTooLarge
    /// A body is longer or shorter than its stated size, or a part of a file is not the part that was asked for.
    case bodyMismatch
    /// A file of an upload changed its size, or could not be read.
    case fileChanged
    /// The download is larger than the job allows.
    case tooLarge
    /// The destination has no room, or could not be written.
    case diskFull
    /// The broker cancelled the job.
    case cancelled
    /// The broker suspended the job.
    case suspended
    /// The agent holds as many jobs as it can, or holds this task already.
    case busy
    /// The agent lacks memory, or failed in another way.
    case agentFailed

    /// The name by which commands, books and apps show the error.
    package var name: String { "\(self)" }
}
