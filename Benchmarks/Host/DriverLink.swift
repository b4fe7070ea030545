import CBenchDriver

/// The driver's own questions to the extension: for its warm-up, its processor time and its own count.
final class DriverLink {
    private let way: any Way

    init(_ way: any Way) {
        self.way = way
    }

    /// The pointer is valid for as long as this object lives.
    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let call: bench_call = { link, request, size, reply, room in
        guard let link else { return 0 }
        return Unmanaged<DriverLink>.fromOpaque(link).takeUnretainedValue().way.call(
            UnsafeRawBufferPointer(start: request, count: size),
            into: UnsafeMutableRawBufferPointer(start: reply, count: room))
    }

    static let place: bench_place = { link in
        guard let link else { return nil }
        return Unmanaged<DriverLink>.fromOpaque(link).takeUnretainedValue().way.place
    }
}
