internal import AnnexNames
internal import AnnexPolicy

extension InternetAddress {
    /// How a held call uses the address that it names. The address is read from the memory of the calling process, so
    /// the result is for the report only. nil for a call without an address, or with an address of another family.
    static func use(by call: HeldCall) -> Recording.AddressUse? {
        let name = SystemCall(number: call.number)?.name
        guard let address = InternetAddress(namedBy: call, named: name) else { return nil }
        return address.isLoopback ? name == "bind" ? .bound : .loopback : .beyond
    }

    private init?(namedBy call: HeldCall, named name: String?) {
        let place: (pointer: UInt64, size: UInt64)?
        switch name {
        case "connect", "bind": place = (call.arguments[1], call.arguments[2])
        case "sendto": place = (call.arguments[4], call.arguments[5])
        case "sendmsg": place = Self.header(at: call.arguments[1], of: call)
        default: return nil
        }
        guard let place, place.pointer != 0, (2...UInt64(Self.longest)).contains(place.size & 0xFFFF_FFFF),
            let bytes = call.memory(at: place.pointer, count: Int(place.size & 0xFFFF_FFFF))
        else { return nil }
        self.init(bytes)
    }

    /// `msg_name` and `msg_namelen` of a `struct msghdr`.
    private static func header(at pointer: UInt64, of call: HeldCall) -> (pointer: UInt64, size: UInt64)? {
        guard let bytes = call.memory(at: pointer, count: 16), bytes.count == 16 else { return nil }
        let numbers = LittleEndian(bytes)
        guard let name = numbers.number(UInt64.self, at: 0), let size = numbers.number(UInt32.self, at: 8) else {
            return nil
        }
        return (name, UInt64(size))
    }
}
