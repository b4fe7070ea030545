/// What a filter returns for a call.
enum FilterAnswer: Sendable, Hashable {
    case allow
    case errno(Int32)
    case notify
    case killProcess
    /// An action that Annex never asks for.
    case other(UInt32)

    /// Reads the 32 bits of `SECCOMP_RET_*`.
    init(action: UInt32) {
        switch action & 0xFFFF_0000 {
        case 0x7FFF_0000: self = .allow
        case 0x7FC0_0000: self = .notify
        case 0x0005_0000: self = .errno(Int32(action & 0xFFFF))
        case 0x8000_0000: self = .killProcess
        default: self = .other(action)
        }
    }
}
