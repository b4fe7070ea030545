internal import AnnexChannel
internal import AnnexLinux
internal import AnnexModel

extension ExtensionSession {
    /// Contents of at most this many bytes travel as a sealed copy rather than as the file itself.
    static let smallContents = 64 << 10

    static func encode(_ items: [ExtensionItem], _ acceptance: Acceptance) throws(HostError) -> Request {
        var contents = ContentsList()
        var encoder = MessageEncoder()
        RequestMessage(items, collecting: &contents).encode(into: &encoder)
        let payload: [UInt8]
        do throws(EncodingFailure) {
            payload = try encoder.finish()
        } catch {
            throw .invalidRequest("\(error)")
        }
        var descriptors = DescriptorList()
        for content in contents.contents { descriptors.append(try handOver(content)) }
        return Request(
            method: RequestMessage.method, payload: payload, descriptors: descriptors,
            accepts: acceptance.allowance, mostReply: MessageLimits.standard.bytes)
    }

    /// A small one as a sealed copy, which also spares the extension the file's own moods; a large one through an open
    /// file description of its own, so that nothing of the host's is shared.
    private static func handOver(_ contents: ItemContents) throws(HostError) -> Descriptor {
        do throws(ItemFailure) {
            if try contents.count <= smallContents { return try sealedCopy(of: contents) }
            do throws(SystemError) {
                return try contents.descriptor.reopenedReadOnly()
            } catch {
                throw .system(error)
            }
        } catch {
            throw .invalidRequest("an attachment cannot be read: \(error)")
        }
    }

    private static func sealedCopy(of contents: ItemContents) throws(ItemFailure) -> Descriptor {
        let bytes = try contents.load(limit: smallContents)
        do throws(SystemError) {
            let memory = try Descriptor.memfd("annex-contents", size: 0)
            try memory.writeAll(bytes)
            try memory.addSeals(.immutable)
            return memory
        } catch {
            throw .system(error)
        }
    }
}
