/// What the misbehaving extension can be told to try; the request names one of these words.
enum Conduct: String, CaseIterable {
    case readsHostFiles
    case opensSocket
    case forks
    case executes
    case takesTooMuchMemory
    case hoardsNamelessFiles
    case neverAnswers
    case sendsMalformedMessage
    case floods
    case floodsOutput
    case crashes
    case aborts
    case traps
    case handsOverDescriptor
}
