/// A seccomp profile of container runtimes, Docker's or OCI's: the entries that apply in one world.
struct ContainerProfile: Sendable {
    /// What an entry does with its calls.
    enum Action: Sendable, Hashable {
        case allow
        case errno(Int32)
        /// The thread or the process is killed.
        case kill
    }

    /// One entry of `syscalls`.
    struct Entry: Sendable {
        let names: [String]
        let action: Action
        /// Each list of conditions is a rule of its own, over all 64 bits of its registers; none at all: always.
        let alternatives: [[CallCondition]]
        /// The profile's own words about it.
        let comment: String?
        /// What it asks of the world, for example `with CAP_SYS_ADMIN`.
        let asks: [String]
        let place: PolicyPlace
        let path: String
    }

    let defaultAction: Action
    let entries: [Entry]
    let world: ProfileWorld
    /// The file's name, without its folder.
    let file: String
    /// What the profile says beyond this policy's reach, in sentences.
    let notes: [String]
    /// Where the profile starts: what concerns the whole is said there.
    let place: PolicyPlace
}
