import ArgumentParser

/// What the misbehaving extension tries. The raw values are the words of its request.
enum Conduct: String, CaseIterable, ExpressibleByArgument {
    case readsHostFiles
    case opensSocket
    case forks
    case executes
    case takesTooMuchMemory
    case hoardsNamelessFiles
    case neverAnswers
    case neverSaysHello
    case sendsMalformedMessage
    case floods
    case floodsOutput
    case crashes
    case aborts
    case traps
    case handsOverDescriptor

    /// A description of the attempt, for a person.
    var text: String {
        switch self {
        case .readsHostFiles: "reads files of the host"
        case .opensSocket: "opens a network socket"
        case .forks: "starts a process of its own"
        case .executes: "executes /bin/sh"
        case .takesTooMuchMemory: "takes all the memory it can get"
        case .hoardsNamelessFiles: "hides memory in files without a name"
        case .neverAnswers: "never answers"
        case .neverSaysHello: "never says hello"
        case .sendsMalformedMessage: "writes nonsense into the channel"
        case .floods: "floods the host with messages"
        case .floodsOutput: "floods its output"
        case .crashes: "writes through a null pointer"
        case .aborts: "calls abort()"
        case .traps: "runs into a Swift trap"
        case .handsOverDescriptor: "hands over a descriptor nobody asked for"
        }
    }

    /// The identifier of the extension that does it. Silence needs a program of its own; the request names all others.
    var `extension`: String {
        self == .neverSaysHello ? ExampleApp.silent : ExampleApp.misbehaver
    }
}
