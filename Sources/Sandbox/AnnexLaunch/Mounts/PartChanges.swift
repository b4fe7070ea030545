internal import AnnexLinux
internal import AnnexPolicy
internal import Glibc

/// What changed in the hidden and protected parts since a launch began. No link is followed. Behind a link that the program
/// made, and in a directory that the program closed, anything may be. So such a part counts as made. The program made
/// nothing below a mount that appeared meanwhile, because the sandbox does not show it.
package struct PartChanges: Sendable {
    /// The parts that are there now and were not.
    package let made: [PartFacts.Protected]
    /// The directories whose entries could be listed, and now cannot. There may be more parts in them.
    package let unlistable: [String]

    package init(since facts: PartFacts) {
        let automounts = Automounts.read()
        var listings = PartListings(automounts: automounts)
        let more = facts.listed.flatMap { one in
            listings.names(one.parts, in: one.root, besidesLinks: false).map { one.root + "/" + $0 }.filter {
                !one.before.contains(Array($0.utf8))
            }.map { PartFacts.Protected(path: $0, group: one.group, isFile: one.isFile) }
        }
        let repositories = facts.bare.filter { bare in
            !automounts.lead(to: bare.root + "/HEAD") && Self.isRepository(bare.root)
        }.flatMap(\.parts)
        made = (facts.absent + more + repositories).filter { part in
            if automounts.lead(to: part.path) { return false }
            do throws(SystemError) {
                let flags = Descriptor.pathOnly | O_NOFOLLOW
                let kind = try Descriptor.open(withoutLinks: part.path, flags).status().kind
                return !part.isFile || kind != .directory
            } catch {
                switch error.errno {
                case ENOENT, ENOTDIR: return false
                // The program makes no directory of another user.
                case EACCES: return PartSearch.isOpenToProgram(part.path)
                default: return true
                }
            }
        }
        let places = listings.unlistable.filter { place, lack in facts.unlistable[place].map { $0 < lack } ?? true }
        // If the mounts are unknown now, nothing was looked at.
        let roots = automounts.areKnown ? [] : facts.roots.map { Array($0.utf8) }
        unlistable = Set(Array(places.keys) + roots).map { PathText.text($0) }.sorted()
    }

    /// Whether git takes a directory for a repository without a working tree.
    static func isRepository(_ directory: String) -> Bool {
        guard let opened = try? Descriptor.open(withoutLinks: directory, Descriptor.pathOnly | O_DIRECTORY) else {
            return false
        }
        func has(_ name: String) -> Bool { PartSearch.find(name, in: opened) != ENOENT }
        // With `commondir`, everything else may lie in another directory.
        return has("HEAD") && (has("commondir") || has("objects") && has("refs"))
    }
}
