import AnnexBrokerAPI
import AnnexModel
import AnnexTransferWire

@testable import AnnexChannel

/// A message from an extension, or from a daemon's client. Any bytes give a value or a failure. If a value is decoded,
/// encoded, decoded and encoded again, both encodings have the same bytes.
enum FuzzMessage {
    static func main() {
        Fuzzer.run { start, count in
            let bytes = Fuzzer.bytes(start, count)
            FuzzMessage.read(Everything.self, bytes)
            FuzzMessage.read(ItemValue.self, bytes)
            FuzzMessage.read(HostPacketMessage.self, bytes)
            FuzzMessage.joinIcon(bytes)
            _ = try? ReplyMessage(decoding: bytes).result(with: ContentsList())
            FuzzMessage.read(LoadMessage.self, bytes)
            FuzzMessage.readItems(bytes)
            FuzzMessage.read(ComposeEvent.self, bytes)
            FuzzMessage.readSheet(bytes)
            FuzzMessage.read(EditingEvent.self, bytes)
            FuzzMessage.readEdit(bytes)
            _ = StreamFrame.opening(bytes)
            _ = StreamFrame.reset(bytes)
            FuzzMessage.readPacket(bytes)
            FuzzMessage.readTag(bytes)
            FuzzMessage.read(TransferOrder.self, bytes)
            FuzzMessage.read(TransferNews.self, bytes)
            return 0
        }
    }

    /// An answer whose items are in pages, and offers. Only an extension accepts offers.
    private static func readItems(_ bytes: [UInt8]) {
        _ = try? LoadReply(decoding: bytes)
        guard let contents = try? ItemContents(bytes: bytes) else { return }
        let list = ContentsList([contents])
        _ = try? ReplyMessage(decoding: pagesOfTheFirst).result(with: list)
        guard let items = try? RequestMessage(decoding: bytes).inputItems(with: list) else { return }
        for item in items {
            for provider in item.attachments { Fuzzer.expect(!provider.representations.isEmpty, "an empty attachment") }
        }
    }

    /// The content that an extension shows in a compose sheet.
    private static func readSheet(_ bytes: [UInt8]) {
        guard let answer = try? ComposeAnswer(decoding: bytes) else { return }
        var (state, applied) = (ComposeState(), AppliedChanges())
        state.apply(answer.change, after: &applied)
        Fuzzer.expect(state.configurationItems.count <= ComposeLimits.items, "a sheet with too many settings")
        guard let options = answer.options else { return }
        Fuzzer.expect(options.titles.count <= ComposeLimits.options, "a setting with too many options")
        Fuzzer.expect(
            options.chosen.map(options.titles.indices.contains) ?? true, "a chosen option that does not exist")
    }

    /// The content that a photo-editing extension shows, and its answers.
    private static func readEdit(_ bytes: [UInt8]) {
        if let answer = try? EditingAnswer(decoding: bytes) {
            Fuzzer.expect((answer.view == nil) == (answer.tree == nil), "a view that was not checked")
        }
        guard let data = try? AdjustmentData(archive: bytes) else { return }
        Fuzzer.expect(AdjustmentData(data.itemValue) == data, "adjustment data reads differently as a value")
        guard let contents = try? ItemContents(bytes: bytes) else { return }
        let list = ContentsList([contents])
        if let answer = try? ReplyMessage(decoding: bytes).result(with: list), case .success(let items) = answer,
            let output = ContentEditingOutput(items)
        {
            Fuzzer.expect(output.type.conforms(to: .image), "an edited picture that is no picture")
        }
    }

    /// The answer "completed, with the items in the pages at index 0".
    private static let pagesOfTheFirst: [UInt8] = {
        var contents = ContentsList()
        let long = ExtensionItem(contentText: "a")
        let message = try? ReplyMessage([long], collecting: &contents).paged(collecting: &contents)
        return (try? message?.encoded()) ?? []
    }()

    /// Packets from a socket. If a packet is valid, the reader must use all its bytes.
    private static func readPacket(_ bytes: [UInt8]) {
        guard let (header, payload) = try? SocketPacket.read(bytes) else { return }
        Fuzzer.expect(payload.count + SocketPacket.headerSize == bytes.count, "a packet of another length was read")
        let frame = Frame(
            kind: header.kind, descriptors: 0, isAttended: false, method: header.method, call: header.call,
            terms: RequestTerms(), payload: payload)
        _ = try? Hello(frame)
        if header.kind != .request {
            Fuzzer.expect(SocketPacket.bytes(frame) == bytes, "a packet reads differently the second time")
        }
    }

    /// The answer of a daemon. No part of an icon may extend beyond the largest icon.
    private static func joinIcon(_ bytes: [UInt8]) {
        guard case .answer(_, .icon(let part?)) = try? DaemonPacketMessage(decoding: bytes).packet else { return }
        var assembly = IconAssembly()
        for _ in 0..<3 {
            switch assembly.add(part) {
            case .next(let offset): Fuzzer.expect(offset < part.size, "a part beyond the end of its icon")
            case .complete(let picture):
                return Fuzzer.expect(picture.bytes.count <= 1 << 20, "an icon that is too large")
            case .changed: return Fuzzer.expect(false, "a part does not belong to its own icon")
            case .malformed: return
            }
        }
    }

    private static func readTag(_ bytes: [UInt8]) {
        guard let tag = DescriptorTag(bytes) else { return }
        Fuzzer.expect(tag.encoded() == bytes, "a tag reads differently the second time")
    }

    private static func read<Value: Message>(_: Value.Type, _ bytes: [UInt8]) {
        let checked = Result {
            var decoder = try MessageDecoder(bytes.span.bytes)
            return try Value(from: &decoder).encoded()
        }
        let quick = Result { try Value(decoding: bytes).encoded() }
        Fuzzer.expect((try? checked.get()) == (try? quick.get()), "the assumed order changed a message")
        guard let value = try? Value(decoding: bytes), let written = try? value.encoded() else { return }
        let again = try? Value(decoding: written).encoded()
        Fuzzer.expect(again == written, "a message reads differently the second time")
    }
}

/// A message with a field of every kind. It also accepts fields out of order.
private struct Everything: Message {
    let small: UInt8?
    let wide: Int64?
    let real: Double?
    let truth: Bool?
    let text: String?
    let bytes: [UInt8]?
    let inner: [Everything]
    let texts: [String]

    func encode(into encoder: inout MessageEncoder) {
        encoder.encode(small, as: 1)
        encoder.encode(wide, as: 2)
        encoder.encode(real, as: 3)
        encoder.encode(truth, as: 4)
        encoder.encode(text, as: 5)
        encoder.encode(bytes, as: 6)
        encoder.encode(list: inner, as: 7)
        encoder.encode(list: texts, as: 8)
    }

    init(from decoder: inout MessageDecoder) throws(DecodingFailure) {
        texts = try decoder.decodeList(8)
        small = try decoder.decodeIfPresent(1)
        wide = try decoder.decodeIfPresent(2)
        real = try decoder.decodeIfPresent(3)
        truth = try decoder.decodeIfPresent(4)
        text = try decoder.decodeIfPresent(5)
        bytes = try decoder.decodeIfPresent(6)
        inner = try decoder.decodeList(7)
    }
}
