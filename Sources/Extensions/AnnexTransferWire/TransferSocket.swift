package import AnnexLinux
package import AnnexMessages

/// One end of the connection between the broker and the agent: a Unix socket that preserves message boundaries.
///
/// `Sent` is what this end sends, and `Received` is what it receives.
package struct TransferSocket<Sent: TransferMessage, Received: TransferMessage>: ~Copyable, Sendable {
    package let socket: ControlSocket

    package init(owning descriptor: consuming Descriptor) {
        socket = ControlSocket(owning: descriptor)
    }

    /// Sends one message. The caller keeps its own descriptors.
    /// - Throws: `unfit` if the message breaks a limit, `system` with `EAGAIN` if the queue is full. Nothing was sent then.
    package func send(
        _ message: Sent, with descriptors: borrowing DescriptorList = DescriptorList()
    ) throws(TransferSocketError) {
        guard message.descriptors == descriptors.count else { throw .wrongDescriptors(descriptors.count) }
        let bytes: [UInt8]
        do throws(EncodingFailure) {
            bytes = try message.encoded(within: TransferLimits.message)
        } catch {
            throw .unencodable(error)
        }
        // A message that the peer would reject is not sent. So a bug of this end does not end the connection.
        do throws(DecodingFailure) {
            _ = try Sent(decoding: bytes, within: TransferLimits.message)
        } catch {
            throw .unfit(error)
        }
        do throws(SystemError) { try socket.send(bytes, descriptors) } catch { throw .system(error) }
    }

    /// Receives the next message, without waiting.
    /// - Throws: `unfit` or `wrongDescriptors` if the peer breaks a rule. The caller then ends the connection.
    package func receive() throws(TransferSocketError) -> TransferReception<Received> {
        let reception: ControlReception
        do throws(SystemError) {
            reception = try socket.receive(atMost: TransferLimits.message.bytes)
        } catch {
            throw .system(error)
        }
        switch consume reception {
        case .nothing: return .nothing
        case .end: return .end
        case .message(var message):
            guard !message.bytesWereCut, !message.descriptorsWereCut else { throw .cut }
            let decoded: Received
            do throws(DecodingFailure) {
                decoded = try Received(decoding: message.bytes, within: TransferLimits.message)
            } catch {
                throw .unfit(error)
            }
            let descriptors = message.takeDescriptors()
            guard decoded.descriptors == descriptors.count else { throw .wrongDescriptors(descriptors.count) }
            return .message(decoded, descriptors)
        }
    }
}

/// The broker's end.
package typealias TransferBrokerSocket = TransferSocket<TransferOrder, TransferNews>
/// The agent's end.
package typealias TransferAgentSocket = TransferSocket<TransferNews, TransferOrder>

/// A message that states how many descriptors travel with it.
package protocol TransferMessage: Message {
    var descriptors: Int { get }
}

extension TransferOrder: TransferMessage {}

extension TransferNews: TransferMessage {
    package var descriptors: Int { 0 }
}

/// The result of one attempt to receive.
package enum TransferReception<Received: TransferMessage>: ~Copyable, Sendable {
    case message(Received, DescriptorList)
    /// No message is waiting.
    case nothing
    /// The peer is gone.
    case end
}

/// Why a message could not be sent, or what the peer did wrong.
package enum TransferSocketError: Error, Hashable, CustomStringConvertible {
    case system(SystemError)
    /// The message exceeds a limit of the encoding.
    case unencodable(EncodingFailure)
    /// The message breaks a rule.
    case unfit(DecodingFailure)
    /// The message came with another number of descriptors than it states.
    case wrongDescriptors(Int)
    /// The message is longer than any that the peer may send, or some of its descriptors were lost.
    case cut

    package var description: String {
        switch self {
        case .system(let error): error.description
        case .unencodable(let failure): failure.description
        case .unfit(let failure): failure.description
        case .wrongDescriptors(let count): "the message came with \(count) descriptors, which is not what it states"
        case .cut: "the message is longer than its limit, or descriptors of it were lost"
        }
    }

    /// Whether the queue was full, so that the same message can be sent later.
    package var isLackOfRoom: Bool { if case .system(let error) = self { error.isLackOfRoom } else { false } }
}
