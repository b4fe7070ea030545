/// The attempts of the misbehaving extension. A request names one of these words.
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
