package import AnnexChannel
package import AnnexLinux

/// The contents of a message's attachments, in order and without repetitions. Some contents are sent beside the
/// message, as descriptors. For all other contents, the message carries only an offer: a number by which the receiver
/// can load them.
package struct ContentsList: Sendable {
    /// How the receiver gets the contents of a representation: beside the message, or by loading an offer.
    package enum Delivery: Sendable, Hashable {
        case beside(UInt32)
        case offered(UInt64)
    }

    package private(set) var contents: [ItemContents]
    /// The contents that the message only offers, in the order of their numbers.
    package private(set) var offered: [Offer] = []
    private var deliveries: [ObjectIdentifier: Delivery] = [:]
    /// A function that returns the number of the next offer. There is no function (nil) if all contents are sent
    /// beside the message.
    private let nextNumber: (@Sendable () -> UInt64)?
    /// A function that makes an item from an offer in a received message. There is no function (nil) if the message
    /// may contain no offers.
    private let remote: (@Sendable (ItemOffer) -> any RemoteItem)?

    /// Offered contents, and the number by which the receiver loads them.
    package struct Offer: Sendable {
        package let number: UInt64
        package let contents: ItemContents
    }

    /// The most contents that are sent beside a message, if the message can offer all further contents. A message may
    /// carry one more descriptor: the memory that holds a long list of items (`ItemPages`).
    private static let mostBeside = 15

    package init(_ contents: [ItemContents] = []) {
        self.contents = contents
        nextNumber = nil
        remote = nil
    }

    /// Creates an empty list for a message that can offer contents. Contents that are not open from the start are
    /// offered, and not sent beside the message. When `mostBeside` contents are already sent beside the message, all
    /// further contents are offered too.
    package init(offering nextNumber: @escaping @Sendable () -> UInt64) {
        contents = []
        self.nextNumber = nextNumber
        remote = nil
    }

    private init(
        _ contents: [ItemContents], offers remote: @escaping @Sendable (ItemOffer) -> any RemoteItem
    ) {
        self.contents = contents
        nextNumber = nil
        self.remote = remote
    }

    /// How the receiver gets these contents. If the contents are not in the list yet, they are added.
    package mutating func delivery(of wanted: ItemContents) -> Delivery {
        if let known = deliveries[ObjectIdentifier(wanted)] { return known }
        let delivery: Delivery
        if let nextNumber, !wanted.isOpenFromStart || contents.count >= Self.mostBeside {
            let number = nextNumber()
            offered.append(Offer(number: number, contents: wanted))
            delivery = .offered(number)
        } else {
            delivery = .beside(append(wanted))
        }
        deliveries[ObjectIdentifier(wanted)] = delivery
        return delivery
    }

    /// Appends contents that are always sent beside the message.
    package mutating func append(_ wanted: ItemContents) -> UInt32 {
        contents.append(wanted)
        return UInt32(clamping: contents.count - 1)
    }

    /// The contents at an index that the peer sent; nil if the list has no such index.
    package subscript(_ number: UInt32) -> ItemContents? {
        guard let index = Int(exactly: number), contents.indices.contains(index) else { return nil }
        return contents[index]
    }

    /// The contents that the peer has offered; nil if this process accepts no offers.
    func contents(of offer: ItemOffer) -> ItemContents? {
        remote.map { ItemContents(.remote($0(offer))) }
    }
}

extension ContentsList {
    /// Wraps the descriptors that arrived with a message. The call throws an error if a descriptor is neither a file
    /// nor memory.
    package init(
        taking descriptors: consuming DescriptorList,
        offers remote: (@Sendable (ItemOffer) -> any RemoteItem)? = nil
    ) throws(ItemFailure) {
        var contents: [ItemContents] = []
        while let descriptor = descriptors.takeFirst() { contents.append(try ItemContents(descriptor)) }
        if let remote { self.init(contents, offers: remote) } else { self.init(contents) }
    }

    /// Wraps the memory that an extension sent with its answer. The channel has checked that this memory is sealed.
    package init(_ sealed: [SealedBytes]) throws(ItemFailure) {
        var contents: [ItemContents] = []
        for bytes in sealed {
            let descriptor = try ItemFailure.wrapping { () throws(SystemError) in try bytes.descriptor.duplicate() }
            contents.append(try ItemContents(descriptor))
        }
        self.init(contents)
    }

    /// The descriptors to send. Each descriptor is reopened, so that the recipient gets a read-only file description
    /// of its own.
    package func readOnlyDescriptors() throws -> DescriptorList {
        var descriptors = DescriptorList()
        for contents in contents { descriptors.append(try contents.open().descriptor.reopenedReadOnly()) }
        return descriptors
    }
}

extension ItemContents {
    fileprivate var isOpenFromStart: Bool {
        if case .opened = source { true } else { false }
    }
}
