// The products that users would take instead of Annex.
extension Catalogue {
    /// If a peer can look for messages instead of sleeping, it does so in the scene `awake`.
    public static let peers: [Peer] = [
        Peer("iceoryx", spins: true, packages: ["iceoryx", "libiceoryx-posh-dev", "libiceoryx-hoofs-dev"]),
        Peer("sd-bus", spins: true, packages: ["libsystemd-dev"]),
        // These peers receive messages in a separate thread. If the caller looked for messages all the time, it would
        // take the processor from that thread.
        Peer("zeromq", spins: false, packages: ["libzmq3-dev"]),
        Peer("nng", spins: false, packages: ["libnng-dev"]),
        Peer("capnp", spins: true, packages: ["capnproto", "libcapnp-dev"]),
        Peer("grpc", spins: true, packages: ["libgrpc++-dev", "protobuf-compiler-grpc", "libprotobuf-dev"]),
        Peer("multiprocessing", spins: true, packages: ["python3"]),
    ]

    /// This peer is shown beside the others but not judged, because authors of Python programs do not choose by
    /// nanoseconds.
    private static let notJudged = "multiprocessing"

    static let judgedPeers = peers.map(\.name).filter { $0 != notJudged }
    static let judgedSpinningPeers = peers.filter(\.spins).map(\.name).filter { $0 != notJudged }

    static let peerScenes: [Scene] = [
        Scene(
            "peers-awake", topic: .peers, title: "64 B round trip beside what others offer, both awake on two cores",
            setting: awake.with { $0.batch = 32 },
            contestants: peers.filter(\.spins).map { .peer($0.name) } + [.ours("annex-raw")]),
        Scene(
            "peers-asleep-one-core", topic: .peers,
            title: "64 B round trip beside what others offer, blocking, on one core",
            setting: blocking.with { $0.placement = .sameCore },
            contestants: peers.map { .peer($0.name) } + [.ours("annex-raw")]),
        Scene(
            "peers-asleep-two-cores", topic: .peers,
            title: "64 B round trip beside what others offer, blocking, on two cores",
            setting: blocking, contestants: peers.map { .peer($0.name) } + [.ours("annex-raw")]),
    ]
}
