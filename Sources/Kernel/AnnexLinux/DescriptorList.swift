internal import Glibc

/// Several owned descriptors in order. The list closes those that were not taken when it ends.
public struct DescriptorList: ~Copyable, Sendable {
    /// The numbers. They are valid for as long as the list lives.
    package private(set) var numbers: [Int32]

    /// An empty list.
    public init() {
        numbers = []
    }

    /// Takes ownership of open descriptors.
    package init(owning numbers: [Int32]) {
        self.numbers = numbers
    }

    /// A list of one.
    public init(_ descriptor: consuming Descriptor) {
        numbers = [descriptor.release()]
    }

    deinit {
        for number in numbers { _ = Glibc.close(number) }
    }

    public var count: Int { numbers.count }
    public var isEmpty: Bool { numbers.isEmpty }

    public mutating func append(_ descriptor: consuming Descriptor) {
        numbers.append(descriptor.release())
    }

    /// Takes the first descriptor out of the list; nil if the list is empty.
    public mutating func takeFirst() -> Descriptor? {
        numbers.isEmpty ? nil : Descriptor(owning: numbers.removeFirst())
    }

    /// Closes the remaining descriptors.
    package mutating func closeAll() {
        for number in numbers { _ = Glibc.close(number) }
        numbers = []
    }
}
