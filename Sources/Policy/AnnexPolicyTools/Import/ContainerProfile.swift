internal import AnnexPolicy

/// A seccomp profile of Docker or OCI container runtimes, reduced to the entries that apply in one world.
struct ContainerProfile: Sendable {
    /// The action of an entry for its calls.
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
        /// Lists of conditions. Each list is a rule of its own, over all 64 bits of its registers. Without lists the
        /// entry always applies.
        let alternatives: [[CallCondition]]
        /// The profile's own comment on the entry.
        let comment: String?
        /// The entry's demands on the world, for example `with CAP_SYS_ADMIN`.
        let asks: [String]
        let place: PolicyPlace
        let path: String
    }

    let defaultAction: Action
    let entries: [Entry]
    let world: ProfileWorld
    /// The file's name, without its folder.
    let file: String
    /// Statements of the profile that a policy cannot express, in sentences.
    let notes: [String]
    /// The start of the profile, which errors about the whole profile name.
    let place: PolicyPlace
}
