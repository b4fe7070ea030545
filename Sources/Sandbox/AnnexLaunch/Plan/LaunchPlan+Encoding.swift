internal import AnnexLinux
internal import AnnexWarden
internal import Glibc

extension LaunchPlan {
    /// The plan in the form that the warden reads.
    /// - Throws: a failure of the step `plan`, if the plan is too large or if a text in it contains a NUL byte.
    borrowing func encoded(launch: UInt64) throws(LaunchFailure) -> [UInt8] {
        var encoder = PlanEncoder()
        var header = annex_plan()
        header.magic = ANNEX_PLAN_MAGIC
        header.version = ANNEX_WARDEN_VERSION
        header.layers = layers.rawValue
        header.launch = launch
        fillIdentity(&header)
        fillConduct(&header)
        try fillFiles(&header, with: &encoder)
        try fillProcess(&header, with: &encoder)
        try fillConfinement(&header, with: &encoder)
        let bytes = encoder.finish(header)
        guard bytes.count <= Int(ANNEX_PLAN_LARGEST), descriptors.count <= Int(ANNEX_PLAN_DESCRIPTORS) else {
            throw tooLarge(bytes.count)
        }
        return bytes
    }

    /// The failure that says which bound the plan exceeds, and how to stay within it.
    private borrowing func tooLarge(_ size: Int) -> LaunchFailure {
        guard descriptors.count <= Int(ANNEX_PLAN_DESCRIPTORS) else {
            return LaunchFailure(
                .plan, errno: E2BIG, subject: "\(binds.count) places to bind",
                remedy:
                    "a sandbox takes at most \(ANNEX_PLAN_DESCRIPTORS) places and descriptors together: hand over a "
                    + "directory in place of the files in it")
        }
        return LaunchFailure(
            .plan, errno: E2BIG, subject: "\(argumentBytes.count) arguments and \(binds.count) places, \(size) bytes",
            remedy: LaunchFailure.remedyOfManyArguments)
    }

    /// Refuses a text that the kernel takes neither as an argument nor in the environment.
    private borrowing func checkTexts() throws(LaunchFailure) {
        for (kind, list) in [("argument", argumentBytes), ("entry of the environment", environmentBytes)] {
            guard let long = list.first(where: { $0.count > Int(ANNEX_PLAN_TEXT_LARGEST) }) else { continue }
            throw LaunchFailure(
                .plan, errno: E2BIG, subject: "an \(kind) of \(long.count) bytes",
                remedy: "the kernel takes at most \(ANNEX_PLAN_TEXT_LARGEST) bytes in one: hand them over in a file")
        }
    }

    private borrowing func fillIdentity(_ header: inout annex_plan) {
        header.inside_user = insideUser
        header.inside_group = insideGroup
        header.outside_user = outsideUser
        header.outside_group = outsideGroup
        if let fault {
            header.fault_step = fault.step.rawValue
            header.fault_errno = UInt32(clamping: fault.errno)
        }
    }

    private borrowing func fillConduct(_ header: inout annex_plan) {
        if hasReaper { header.flags |= UInt32(ANNEX_PLAN_REAPER) }
        if hasProc { header.flags |= UInt32(ANNEX_PLAN_PROC) }
        if hasKernelFiles { header.flags |= UInt32(ANNEX_PLAN_KERNEL_FILES) }
        if hasLoopback { header.flags |= UInt32(ANNEX_PLAN_LOOPBACK) }
        if hasWriteXorExecute { header.flags |= UInt32(ANNEX_PLAN_WRITE_XOR_EXECUTE) }
        if name?.isExecuted == true { header.flags |= UInt32(ANNEX_PLAN_BY_NAME) }
        if isNice { header.flags |= UInt32(ANNEX_PLAN_NICE) }
        if yields { header.flags |= UInt32(ANNEX_PLAN_YIELDS) }
        header.file_mask = fileMask
        header.kept_scratch = keptScratch.map { Int32(clamping: $0) } ?? -1
        header.ignored_signals = signals.ignored
        header.blocked_signals = signals.blocked
        if let watchBounds { (header.watch_queues, header.watches) = (watchBounds.queues, watchBounds.watches) }
        header.into_cgroup = controlGroup.map { Int32(clamping: $0) } ?? -1
        header.terminal = terminal.map { Int32(clamping: $0) } ?? -1
    }

    private borrowing func fillFiles(_ header: inout annex_plan, with encoder: inout PlanEncoder) throws(LaunchFailure)
    {
        header.root_size = rootSize
        header.root_inodes = rootInodes
        var binds: [annex_bind] = []
        for bind in self.binds {
            binds.append(
                annex_bind(
                    source: try encoder.text(bind.source), target: try encoder.text(bind.target), device: bind.device,
                    inode: bind.inode, descriptor: UInt32(clamping: bind.descriptor), flags: bind.access.rawValue,
                    map: bind.map.map { Int32(clamping: $0) } ?? -1, reserved: 0))
        }
        header.binds = encoder.records(binds)
        var scratches: [annex_scratch] = []
        for scratch in self.scratches {
            scratches.append(
                annex_scratch(
                    target: try encoder.text(scratch.target), size: scratch.size, inodes: scratch.inodes,
                    mode: scratch.mode, executable: scratch.isExecutable ? 1 : 0))
        }
        header.scratches = encoder.records(scratches)
        var links: [annex_link] = []
        for link in self.links {
            links.append(annex_link(target: try encoder.text(link.target), contents: try encoder.text(link.contents)))
        }
        header.links = encoder.records(links)
        var files: [annex_file] = []
        for file in self.files {
            files.append(
                annex_file(
                    target: try encoder.text(file.target), contents: try encoder.text(file.contents ?? ""),
                    directory: file.contents == nil ? 1 : 0, reserved: 0))
        }
        header.files = encoder.records(files)
        try fillParts(&header, with: &encoder)
        header.executable = try encoder.text(executable.path)
        header.executable_device = executable.device
        header.executable_inode = executable.inode
        header.removals = try encoder.texts(removals.map { Array($0.utf8) })
    }

    private borrowing func fillParts(_ header: inout annex_plan, with encoder: inout PlanEncoder) throws(LaunchFailure)
    {
        var parts: [annex_part] = []
        for part in self.parts {
            parts.append(
                annex_part(
                    target: try encoder.text(part.target), device: part.device, inode: part.inode,
                    kind: part.kind.rawValue, reserved: 0))
        }
        header.parts = encoder.records(parts)
    }

    private borrowing func fillProcess(_ header: inout annex_plan, with encoder: inout PlanEncoder)
        throws(LaunchFailure)
    {
        try checkTexts()
        header.hostname = try encoder.text(hostname)
        header.directory = try encoder.text(directory)
        header.arguments = try encoder.texts(argumentBytes)
        header.environment = try encoder.texts(environmentBytes)
        if let name {
            header.name = try encoder.text(name.path)
            (header.name_device, header.name_inode) = (name.device, name.inode)
            header.name_argument = UInt32(clamping: name.argument)
        }
        header.exec_nonce = execNonce
        header.descriptors = encoder.records(
            gifts.map { annex_descriptor(index: UInt32(clamping: $0.index), number: $0.number) })
        header.limits = encoder.records(
            limits.map { annex_limit(resource: $0.resource, reserved: 0, soft: $0.soft, hard: $0.hard) })
        header.sockets = encoder.records(
            sockets.map {
                annex_socket(
                    family: UInt32(clamping: $0.kind.family), type: UInt32(clamping: $0.kind.type),
                    port: UInt32($0.kind.port), count: UInt32(clamping: $0.kind.count),
                    optional: $0.kind.isOptional ? 1 : 0, channel: UInt32(clamping: $0.channel),
                    mark: UInt32(clamping: $0.mark), reserved: 0)
            })
        header.groups = encoder.records(groups.map { annex_group(index: UInt32(clamping: $0), reserved: 0) })
    }

    private borrowing func fillConfinement(
        _ header: inout annex_plan, with encoder: inout PlanEncoder
    ) throws(LaunchFailure) {
        var rules: [annex_landlock_rule] = []
        for rule in landlock.rules {
            rules.append(annex_landlock_rule(path: try encoder.text(rule.path), access: rule.access))
        }
        header.landlock = encoder.records(rules)
        header.port_rules = encoder.records(
            landlock.ports.map { annex_port_rule(access: $0.access, port: UInt64($0.port)) })
        header.landlock_files = landlock.files
        header.landlock_network = landlock.network
        header.landlock_scopes = landlock.scopes
        header.filter = encoder.blob(filter)
        header.filter_flags = filterFlags
    }
}

/// Encodes a plan in the form that the warden reads: the header, then texts, blobs and lists of records. Each blob
/// and each list begins at a multiple of 8.
struct PlanEncoder {
    private(set) var bytes = [UInt8](repeating: 0, count: MemoryLayout<annex_plan>.size)

    private mutating func align() {
        while bytes.count % 8 != 0 { bytes.append(0) }
    }

    private var offset: UInt32 { UInt32(clamping: bytes.count) }

    /// Appends a text and its NUL byte.
    mutating func text(_ text: String) throws(LaunchFailure) -> annex_bytes {
        try self.text(Array(text.utf8))
    }

    mutating func text(_ characters: [UInt8]) throws(LaunchFailure) -> annex_bytes {
        guard !characters.contains(0) else {
            throw LaunchFailure(
                .plan, errno: LaunchFailure.invalid, subject: String(decoding: characters, as: UTF8.self),
                remedy: "a text must not hold a NUL byte")
        }
        let place = annex_bytes(offset: offset, length: UInt32(clamping: characters.count))
        bytes += characters
        bytes.append(0)
        return place
    }

    mutating func texts(_ list: [[UInt8]]) throws(LaunchFailure) -> annex_records {
        var places: [annex_bytes] = []
        for item in list { places.append(try text(item)) }
        return records(places)
    }

    /// Appends bytes without a NUL byte at the end.
    mutating func blob(_ contents: [UInt8]) -> annex_bytes {
        align()
        defer { bytes += contents }
        return annex_bytes(offset: offset, length: UInt32(clamping: contents.count))
    }

    mutating func records<Record: BitwiseCopyable>(_ list: [Record]) -> annex_records {
        align()
        let place = annex_records(offset: offset, count: UInt32(clamping: list.count))
        // SAFETY: the records have types of annex_warden.h. In these types all padding consists of named fields, which
        // are set.
        unsafe list.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return place
    }

    /// The whole message, with the final header.
    consuming func finish(_ header: annex_plan) -> [UInt8] {
        var header = header
        align()
        header.size = offset
        // SAFETY: see `records`. `bytes` begins with room for the header.
        unsafe withUnsafeBytes(of: header) { unsafe bytes.replaceSubrange(0..<$0.count, with: $0) }
        return bytes
    }
}
