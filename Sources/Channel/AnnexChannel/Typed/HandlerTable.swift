/// Handlers by their method. Small methods, which are the usual ones, are found without hashing.
struct HandlerTable {
    private static let direct = 256

    private var small: [ChannelService.Handler?] = []
    private var others: [UInt16: ChannelService.Handler] = [:]

    subscript(_ method: UInt16) -> ChannelService.Handler? {
        get {
            let place = Int(method)
            return place < small.count ? small[place] : others[method]
        }
        set {
            let place = Int(method)
            guard place < HandlerTable.direct else { return others[method] = newValue }
            if small.count <= place {
                small += [ChannelService.Handler?](repeating: nil, count: place + 1 - small.count)
            }
            small[place] = newValue
        }
    }
}
