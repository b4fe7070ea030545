internal import AnnexLinux
internal import Glibc

/// Where one launcher makes its control groups.
struct GroupPlace {
    let hierarchy: ControlGroupHierarchy
    /// The group that bounds all of them together, where there is one.
    let node: ControlGroupNode?

    /// Within a delegated group: below a node there, where the unit's own limits hold. Else in the first place that
    /// takes a group, as before there were such.
    /// - Parameter share: what all launches may have together; nil: in a delegated group they have less than the host.
    /// - Returns: nil where no group with a memory limit can be made.
    static func find(_ share: GroupShare?) throws(SystemError) -> GroupPlace? {
        if let unit = delegated() {
            return try GroupPlace(in: unit, named: (share ?? ofHost).name, share ?? ofHost)
        }
        guard let hierarchy = ControlGroupHierarchy.find() else { return nil }
        guard let share else { return GroupPlace(hierarchy: hierarchy, node: nil) }
        return try GroupPlace(in: hierarchy, named: OwnedName.next(), share)
    }

    private static let ofHost = GroupShare(name: "extensions")

    private init(hierarchy: ControlGroupHierarchy, node: ControlGroupNode?) {
        self.hierarchy = hierarchy
        self.node = node
    }

    private init(in above: ControlGroupHierarchy, named name: String, _ share: GroupShare) throws(SystemError) {
        let node = try ControlGroupNode(in: above, named: name, share)
        self.init(hierarchy: node.hierarchy, node: node)
    }

    /// The group that was left to this program, with the program in its leaf; nil where there is none with memory limits.
    private static func delegated() -> ControlGroupHierarchy? {
        guard let own = ControlGroupHierarchy.ownUnified(), let unit = DelegatedGroup(own: own) else { return nil }
        do throws(SystemError) {
            try unit.settle()
        } catch {
            return nil
        }
        let hierarchy = ControlGroupHierarchy(version: .two, memory: unit.path, processes: nil)
        return ControlGroupHierarchy.find(among: [hierarchy])
    }
}
