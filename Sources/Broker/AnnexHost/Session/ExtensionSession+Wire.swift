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

    /// Small contents are handed over as a sealed copy, so a slow or changing file cannot affect the extension. Large
    /// contents are handed over through a newly opened file description, so that the extension does not share the
    /// host's.
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
