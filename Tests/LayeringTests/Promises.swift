/// The promises of `Docs/SPECIFICATION.md`, the tests of each, and the page that shows these tests.
struct Promises {
    /// What proves one promise: the names of its tests, and notes about them.
    struct Proof {
        var tests: [String] = []
        var notes: [String] = []

        var isMissing: Bool { tests.isEmpty && !notes.contains { $0.hasPrefix("no test") } }
    }

    /// The numbers of the promises below each heading of the specification.
    let sections: [(heading: String, numbers: [String])]
    private(set) var proofs: [String: Proof] = [:]

    var numbers: [String] { sections.flatMap(\.numbers) }
    /// The rule of each number: the part before its dot.
    var rules: Set<String> { Set(numbers.map(Self.rule)) }

    init(of page: String, provenBy list: String = Self.list) {
        sections = page.split(separator: "\n## ").dropFirst().map { section in
            let lines = section.split(separator: "\n")
            let rows = lines.compactMap { $0.prefixMatch(of: /\| ([A-Z]+-?[0-9]+(?:\.[0-9]+)?) \| ./) }
            return (String(lines.first ?? ""), rows.map { String($0.1) })
        }
        var number = ""
        for line in list.split(separator: "\n") {
            if line.hasPrefix("  - ") {
                proofs[number, default: Proof()].notes.append(String(line.dropFirst(4)))
            } else if line.hasPrefix("  ") {
                proofs[number, default: Proof()].tests.append(String(line.dropFirst(2)))
            } else {
                number = String(line)
            }
        }
    }

    /// The rules that a test's name begins with: A1 and A2 of `A1, A2: …`.
    static func rules(of test: String) -> [String] {
        guard let match = test.prefixMatch(of: /([A-Z]+-?[0-9]+(?:, [A-Z]+-?[0-9]+)*):/) else { return [] }
        return match.1.split(separator: ", ").map(String.init)
    }

    static func rule(of number: String) -> String { number.split(separator: ".").first.map(String.init) ?? number }

    /// The page of tests. Below the promises of a rule stand the tests that are named after it and belong to no promise by name.
    func document(of tests: [String]) -> String {
        let named = Set(proofs.values.flatMap(\.tests))
        var others: [String: [String]] = [:]
        for test in tests.sorted() where !named.contains(test) {
            for rule in Self.rules(of: test) { others[rule, default: []].append(test) }
        }
        var text = Self.introduction
        for section in sections {
            text += "\n## \(section.heading)\n\n| # | tests |\n|---|---|\n"
            for (index, number) in section.numbers.enumerated() {
                let proof = proofs[number] ?? Proof()
                text += "| \(number) | \((proof.tests.map { "`\($0)`" } + proof.notes).joined(separator: ", ")) |\n"
                let rule = Self.rule(of: number)
                let isLast = !section.numbers.dropFirst(index + 1).contains { Self.rule(of: $0) == rule }
                guard isLast, let further = others[rule] else { continue }
                text += "| \(rule), more | \(further.map { "`\($0)`" }.joined(separator: ", ")) |\n"
            }
        }
        return text
    }

    private static let introduction = """
        # The tests of each promise

        This page lists the tests that check each promise of the [specification](../SPECIFICATION.md), as they are named in `Tests/`. A row
        such as *P1, more* lists the other tests that are named after the rule P1. `make promises-page` makes this page from
        `Tests/LayeringTests/Promises.swift` and the tests. A test compares the page with both, and checks that each promise has a test.

        ```sh
        grep -rn 'P7: only a link out of the bundle is refused' Tests     # finds a test
        ```

        """

    /// The tests of each promise, below its number. A line that begins with a dash is a note. A promise without a test has a note that
    /// begins with "no test".
    static let list = """
        P1.1
          P1: a directory without the app suffix is no app
          a whole app gives its extensions
          P1: shared frameworks are refused
          P1: code among the shared resources is a warning
          P1: a file beside the extensions is a warning
          P1: an extension outside PlugIns is a warning with its remedy
          P1: an app without an extension is a warning
        P1.2
          P1: an extension reads the shared resources of its app and changes nothing
          P1: without shared resources the extension has none
          P1: shared resources are read and neither changed nor executed
          P1: a file in place of Frameworks and what a group can change in it refuse the app
          P1: a link from the shared resources to elsewhere in the app is a warning
          SEAL-09: a link in place of Frameworks is refused wherever it leads
          SEAL-09: Frameworks that were changed or exchanged after the installation are not shown
          SEAL-09: apps that are exchanged during launches never show the other Frameworks
        P2.1
          P2: real property lists are read as Foundation reads them
          every element of a property list is read
          the binary form gives the same values
          P2: every real property list has the outcome of the table
          P2: a storyboard is kept and reported as unsupported
        P2.2
          P2: a key at a place where nothing reads it is a warning with the right place
          P2: a placeholder of a build setting is reported
          P2: a missing key is named with its file
          P2: placeholders that Annex does not read are warnings, and others are errors
          P2: URL types that are not well-formed are refused
          P2: the URL schemes of an app are read
        P2.3
          P2: placeholders are filled in
          P2: an app is made with its placeholders filled in
          an app that is there is replaced only if asked, and never a folder that is no app
          a fault on the way leaves the old app and nothing else
        P3
          P3: the identifier of an extension starts with that of its app and a dot
          P3: no app takes over an extension of another one
          P3: the second of two extensions with one identifier is refused
          identifiers that differ only in capitals are one
        P4
          P4: an app without a program of its own is refused
        P5.1
          P5: an app is installed, listed, switched off and on, and removed
          P5: an extension whose app is removed ends
          an extension that breaks a rule is refused alone
          an extension that breaks a rule is rejected alone
          P5: an extension that is switched off ends and starts only after it is on again
          P5: a parked extension that is switched off is not offered
          P5: a switch that the disk does not take has no effect
        P5.2
          P5: keyboards and Today widgets are off until the user turns them on
          P5: an extension of a point that is off by default waits for its user
          P5: the choices of the user outlast the daemon, on and off
          P5: installed apps and switches outlast the daemon
          P5: an index of version 1 keeps every extension as it was
        P6.1
          P6: an extension without any name is refused
          P6: a name with letters that pose as others is a warning
          P6: advice asks for a short name that names the app
        P6.2
          P6: the first of the languages of the user that has a name counts
          P6: an extension without a name has that of its app in each language
          P6: the old form of translations is read
          P6: a translation with a fault is a finding, and the name of Info plist stands
          BOMB-16: languages and their names are bounded
          BOMB-16: the translations of a bundle are read up to a limit
          P6: a host gets names and summaries in its languages
          P6: annex list shows names in the languages of its user
          P6: a translation with control characters is not shown
          P6: the list of languages comes before the locale
        P6.3
          P6: the icon of an extension is an open file with its size
          P6: an icon that claims too many pixels is a finding, and is not offered
          P6: a share extension shows the icon of its app, and an action shows it in one colour
          P6: an icon comes in memory that nothing can change
          P6: an icon that was changed into a bad one is refused
          P6: the parts of two icons are never joined
          P6: a part that no icon can have is refused
        P7
          P7: a program for another machine is refused and the machine named
          P7: a program that all users can write or none can run is refused
          P7: a program that is a link inside or outside the bundle is refused
          P7: a file that its group or every user may change is refused
          P7: only a link out of the bundle is refused
          P7: an extension whose directory is a link is refused
          P7: a file with a second name is refused
          P7: a pipe anywhere in an extension refuses the extension alone
          START-07: a program that was overwritten is noticed even with its old times
          START-07: an executable that was swapped is refused
          a program that was replaced is rejected
        P8.1
          P8: a change after signing is refused and named
          P8: every difference is reported and not only the first
          SEAL-01: an app with one changed byte is refused at its installation
          P8: the example Pictures is signed and refused after one byte of a file changed
          SEAL-02: an app with an added or a missing file is refused
          SEAL-01: an extension with one changed byte is refused at its launch
          P8: one changed byte of program, Info plist or seal is refused at launch
        P8.2
          P8: a changed extension of an unsigned app is refused at its launch
          P8: a changed unsigned app is refused at its first launch after a restart
          P8: program and Info plist of an unsigned app are checked at launch
          P8: a changed unsigned app stays refused without another reading
          P8: an unsigned app that was replaced before it was read is refused
        P8.3
          P8: no change of a signed seal is ever accepted
          P8: another key, name or signature in the seal is refused
          P8: a seal has one spelling only
        P8.4
          SEAL-03: an update by another team is refused until the user allows it
          SEAL-04: an unsigned update of a signed app is refused
          SEAL-05: a replayed older version is refused
        P8.5
          P8: a killed daemon keeps its pins and its signed apps
          P8: without its list of teams a daemon serves nothing to that user
          P8: a key is written for its user alone and read again
          P8: a key is never overwritten
          P8: a secret key that others can read is refused
        P9
          P9: a bundle that requires a later Annex is refused and both versions named
          P9: a bundle that this Annex satisfies is accepted
        P10
          P10: every finding is reported at once with file, key, rule and remedy
          P10: the number of findings is bounded and the rest counted
          P10: all errors of several apps are printed with file, key, rule and remedy
          P10: each entitlement that the point does not allow is an error
          P10: the points of a folder decide about its extensions
          a function that every sandbox denies is a warning that names it
        P11
          P11: a program in the directory of this processor is the one that runs
          P11: an extension without a program for a processor of its app is a finding
        P12.1
          P12: versions compare number by number
          P12: a bundle states its version, and the version of its app counts if it does not
          P12: a version that cannot be compared is refused
          P12: the highest version is used and a replayed older one is only kept
          P12: the highest version is used and an older one that comes later is only kept
          P12: the same version replaces its files
          P12: a pinned version is used until it is unpinned
          P12: an unpinned app goes back to its highest version
          P12: versions, a pin and switches outlast the daemon
        P12.2
          P12: an update ends parked extensions and the next request gets the new version
          P12: an extension at work finishes after an update and is then not kept
          P12: an extension that the new version dropped ends as removed
        P12.3
          a host hears of each change and the news ends with its connection
          P12: each installation is another instance and names the dropped ones
        E1
          the entitlements of an app and of an extension are read
          an entitlement with a wrong value refuses the extension
          an entitlement that the point does not allow is refused with entitlement and point named
          an extension that asks for more than its point allows is broken and its app is not
        E2
          an entitlement is in force only if it is allowed and granted
          an extension has an entitlement from its grant to its revocation and can ask for it
          grants outlast the daemon and end with the app
          a joined policy adds the statements of fragments and keeps its own
          every shipped combination weakens nothing that it does not name
        E3
          a grant reaches parked extensions at once and running ones at their end
        E4
          a new team of an app gets no grants of the former team
          grants end with another team also if its version was only kept at first
          a decision about an extension ends with its extension point
        E5
          a keyboard without open access has neither network nor shared container
        E6
          a shipped point is read, has a policy of its own, and states everything
          a host with a point of its own calls the extension for it
          annexd offers the points of its folders
          a shipped point is replaced only if the file says so
          two files for one point are refused, also if only capitals differ
        E7
          a bundle that names a policy in place of a point is rejected
          a bundle gets no policy by naming it as its point
          a host that names the expected point gets no other
        S6.1
          S6: a widget opens an app only after the user has acted in it
          the add button of ToDoList opens its app, which adds an entry
          S6: only Today widgets and iMessage may open a URL
          S6: a point decides which apps its extensions open
          S6: an extension opens ten URLs in a minute, and no more
          requests to open beyond the budget are refused while the first ones wait
        S6.2
          S6: an extension opens its app outside of the sandbox, and only the URL comes from it
          S6: a scheme of two apps opens the own app, and else neither
        S6.3
          S6: a text that is no URL of an app opens nothing
          S6: an app whose program was replaced or changed is not started
          S6: annex open starts the app through a daemon, which it outlives
        A1
          A1: a rule of nine pictures takes nine and neither ten nor a page nor a file
          A1: version 1 needs one attachment that matches and version 2 needs all
          A1: strict matching needs each type of an attachment
          A1: attachments are counted in all, at most and at least
          A1: a rule with a wrong value offers nothing and names the key
          A1, A2: each real rule is read and decides about typical items
          A1: offered extensions are printed and each other one with its reason
        A2
          A2: each operator of the language
          A2: what is outside the language is an error with its column and a remedy
          A2: ten thousand brackets are an error and no stack
          A2: a predicate that takes exponential time is not offered and says why
          A2: no pattern is slow on purpose
          A1, A2: a fault of an activation rule is a warning with its place
          A2: a rule that offers the extension for everything is a warning
        A3
          A3: a type conforms to itself and to its kinds
          A3: file names and MIME types map to types by the built-in table
          A3: a MIME database adds names and kinds
        A4
          A4: a photo editor takes one medium that it names
          a whole app gives its extensions
          A4: a host gets all attributes of an extension
          A4: attributes that no packet can carry are refused alike
        I1
          items and their contents cross the wire
          a list of items that is longer than a message travels both ways
          a long list in broken pages is refused
        I2
          attachments enter as files and leave as sealed memory
          IPC-02, IPC-03, IPC-04, FD-05: the host maps only sealed memory with all its pages
        I3
          a file that shrinks or grows while it is read is an error
          FD-02: only a regular file can be granted by path
          FD-02: an open directory or pipe cannot be granted
          FD-06: a granted file has an offset of its own and cannot be written
        I4
          1,000 files offered and three loaded: three opened
          the first representation that conforms is loaded and no other is opened
          a loader reports progress and delivers large contents
          a load that the extension gives up cancels the loader
          a loader that never answers ends by its own time limit or that of the reader
          the reason of a loader that fails reaches the extension escaped
          a file that vanished before it is loaded is an error with its reason
          the next load after the request fails as withdrawn
          nine loads have all begun before one of them ends
          a host runs sixteen loads at once and the others in turn
          loads that are given up cancel their loaders and leave nothing open
          the end of the extension cancels its loaders and closes what they made
          a sheet that is cancelled while nine attachments load cancels the loaders
          an extension that asks for what it was never offered, or without end, is ended
        I5
          a committed version replaces the file with its mode, and no later write reaches it
          a file that changed meanwhile is named and kept
          a version that is not committed leaves the file as it was
          a file without the grant cannot be edited
        V1
          a view crosses the wire as it was made
          random views are read as they were made
          a node of a later version is left out, and its neighbours stay
          a field of a later version is skipped
        V2
          a view may have as many nodes as the limit and no more
          a view may be as deep as the limit and no deeper
          a text may have as many bytes and lines as the limit and no more
          a choice has at least one option, at most the limit, and a chosen one that exists
          an action has as many letters as the limit and no other characters
          a picture may be as large as the limits and no larger
          all pictures of a view together have at most as many pixels as the limit
          an encoded view may have as many bytes as the limit and no more
          an error names the node with the limit and the remedy
          IPC-09: random bytes and changed views never trap
          BOMB-16: a view of a million nodes is refused before its nodes are read
          BOMB-16: a view of ten thousand levels is refused at the first level beyond the limit
          TTY-03: characters of a view that could control or deceive are replaced
          TTY-03: the words of every kind of node are harmless, and titles are one line
          TTY-03: no control character of a view reaches the terminal
        S1.1
          S1: a member finds its group, and what another member wrote
          annex group lists and shows the groups, and names what is missing
          S1: a member reaches no other group, and no file of the broker
        S1.2
          S1: without a signature, a declaration of both or a grant, there is no group
          S1: a grant that was revoked ends the use of the services at once
          an entitlement is checked at each request
        S1.3
          S1: an app of another team has a group of its own under the same name
          S1: a stranger cannot tell a group that exists from one that does not
        S1.4
          S1: an app and its extension share a group of the daemon of the machine
          S1: another program is not taken for the installed app
          S1: an app that the daemon does not know uses the own groups of its user
          S1: an app reaches the files of its group at the daemon of the machine by their paths
        S1.5
          S1: deep folders, links and pipes in a container hold up nothing
        S1.6
          S1: a member of a group that is too large is ended, and its files stay
          FS-41: fast members together exceed the limit of their group by a quarter at most
        S1.7
          bytes that are no message end the portal
          random bytes end the portal or get an error and nothing else
          a request that is too large ends the portal
          a member that reads no answer is ended and named
          a member that floods its portal waits, and the others do not
          a member that asks as fast as it can is never ended
          more tasks than a broker reads at once wait for one item, and all go on
        S2.1
          S2: every kind of value comes back as it was
          S2: a value that one member sets is read by another, and outlives the broker
          S2: registered values show where no value is set
          S2: a typed key has its default if there is no value of its type
          S2: a change beyond the limits fails, and changes nothing
          S2: a key without a name and a value that is too large change nothing
          S2: a store of other bytes is an error, and stays as it is
        S2.2
          S2: a read after a change by another process finds it
          S2: after the kill of a writer the store is whole and the others go on
          S2: updates by the app, its extension and another app at the same time lose nothing
          S2: ToDoList is used through its app, its action and annex group defaults at once, and nothing is lost
        S2.3
          S2: a member hears of a change that another broker made
          S2: the app and its extension hear of each other and of the command line
          S2: the stream names the keys that changed in another process
          S2: a read of unchanged values makes no system call
        S3.1
          S3: many read an item at the same time, and one writes it
          S3: a folder stands for everything in it
          S3: a call waits until it may go on
          S3: random accesses of three processes are granted as a simple reference grants them
          S3: extensions of two brokers take turns, and lose no update
          S3: a member that locks everything is named to the others
          S3: after the time limit the caller learns which member holds the item
          S3: a member learns neither the number nor the name of a process that holds the item
          S3: random processes are never in one item together, and a kill frees what was held
          S3: others learn which extension holds an item, and go on when it is killed
        S3.2
          S3: a presenter hears of writes, moves and deletes by others, in their order
          S3: a presenter hears nothing of its own changes and of reads
          S3: uncoordinated changes and bodies that fail to move are not told
          S3: a presenter in an extension hears of a change through another broker
          S3: a coordinator with its presenter does not wait for it, and neither does another
          S3: a coordinator does not wait for itself, but another of its process does
        S3.3
          S3: locks are for the given descriptors alone, and no other file gets such a number
          S3: a member that takes too many locks is ended, with the reason
        S4
          S4: two extensions and the app write one SQLite database at the same time
          S4: Ledger is used through its app and its two actions at once, and the sum is right
          S4: writers that are killed at random moments leave a whole database
        S5
          S5: what one member copies is pasted by another, and expires
          S5: a secret is shared by the members, and is not readable on disk
        T1.1
          T1: an upload, a form and a download go on after their extension, in a sandbox
          an upload goes on without its extension, and the app is started once and takes note
          transfers go on after the daemon is killed, and before a host connects
          a form arrives with its texts and files in their order
        T1.2
          an upload takes its files before the answer, and its outcome is delivered once
          a descriptor that a member kept open does not change a staged file
          a mapping that a member kept does not change a staged file
          a download comes to its place as a whole, and replaces the file that has its name
          without the grant of the network, nothing is transferred
        T1.3
          a session belongs to one process at a time, and the other learns which one holds it
        T2.1
          T2: the agent has the files of its jobs, no path to them, and the lowest priority
          the agent carries out jobs in its sandbox, and is denied nothing that it needs
          an agent runs only while there is work, and moves the bytes of each task
        T2.2
          NET-20: a server leads no transfer to this machine or its neighbours
        T3
          T3: after kills each task has one outcome, each download its bytes, and nothing is left
          each task ends once, after whatever step the broker is killed
          a download that the server breaks off resumes where it ended
        T4
          the app is started once, when all tasks have ended and no process holds the session
          an app that crashes on its outcomes is started three times at most
        T5
          a host learns by a receipt how a transfer ended, and nothing else
        T6
          the user lists, hurries and cancels transfers
          a revoked grant ends the transfers that it allowed
        Q1
          one extension answers items and typed requests and streams
          notices that an items request sends arrive before its answer
          a number of Annex stops the extension with a message
          a number of Annex stops the host with a message
          a number that is used twice stops the program with a message
        Q2
          cancelling the host task cancels the task of the extension
          a typed handler sees that its call is cancelled
          a principal that stays answers requests later and in any order
        Q3
          progress arrives in order and in bounds and before the answer
          a flood of progress is thinned and its last report arrives
          a progress that is no number ends the extension
        Q4
          200 sessions that begin at once wait and all of them begin
          requests beyond the window wait in line and each of them gets an answer or an error
        Q5
          the children, signals, mask and descriptors of the host stay its own
          the host sees no signal and no child of the warden
        W1
          a sheet opens with placeholder, text, count and settings
          each edit is checked, and only a valid text is posted
          a setting pushes its options, and the choice comes back
          what the extension changes by itself reaches the host
          an extension draws a view of its own and answers from it
        W2
          an extension may answer while the user still types
          a cancelled sheet ends the extension, also one that lingers
          a sheet that breaks a limit ends its extension
          texts of a sheet hold no terminal escapes
          hostile texts stay inside the frame
        W3
          a widget appears, updates, acts and disappears
          a widget learns its display mode and its largest size
          a widget changes its view by itself
          the height of a widget stays within the limits of its surface
        W4
          the widgets of an app are drawn as cards
          a widget is told the size of its card
          a widget that cannot be launched has a card with the reason
          the live view shows widgets, takes keys and gives the terminal back
          a number presses a button of the chosen card
          a click presses the button under it, and chooses the card under it
          any keys on any cards give a screen that fits the terminal
          a key that was meant for a card that goes does not act on the next one
        W5
          the last content of a widget is shown before the fresh one, and marked as old
          a snapshot comes back as it was, for the same build alone
          a snapshot with any changed byte is whole, or counts as absent
          a snapshot of an impossible date counts as absent
          a widget that hangs or crashes keeps its last content, and holds up no other one
          a widget that fails keeps its last view
          a widget that hangs or crashes ends alone and keeps its last view
        W6
          any order of events keeps the rules
          a view that is opened and closed all the time uses up the budget of its widgets
          an hour of idle view wakes the process for the schedule alone
          an answer to an earlier update does not count for the present one
          a crash during an update counts once
          a widget without content, as its app says, does not run before the app says otherwise
          an app says that its widget has no content, and the widget ends until the app says otherwise
        W7
          a lock screen shows no widget that has not said so, and adds, moves and removes none
          a tap on a lock screen, and one that waited too long, opens no app
          each surface shows the widgets of News that are meant for it
          lists of quick actions show the widget that the app names, or its only one
        W8
          a view of some widgets leaves the order of the others as it is
          the user removes and adds a widget, and each open view follows
          the user orders widgets, and the next view has the same order
          the user expands a widget, and it learns its size
          a list of quick actions shows widgets compact only
        W9
          a path without the token is refused
          a host that is not this server is refused
          another origin is refused
          the site that the browser names counts
          the port of HTTP may be left out
          the kernel knows the user of a connection, and of none that was closed
          no text of a widget becomes markup
          - `make browser` tries this in a real browser too
        L1.1
          L1: the launch limit runs from the start of the process to its hello
          L6: each limit ends an extension under its own name
          L2: widgets get the least memory and every point starts within a second
        L1.2
          L1: waiting for a slot is bounded and has a reason of its own
          L1: one extension beyond the limit waits for a slot and reports the time
          L1: a parked extension gives its slot to a session that finds none
          L1: a launch ahead of need takes no slot that is taken
        L2.1
          the launch report names the mechanism that holds each limit
          a whole control group holds memory and processes
          a death near the limit of watched memory has memory as its reason
        L2.2
          L2: a point changes the limits of its policy and nothing else
          L2: widgets get the least memory and every point starts within a second
        L2.3
          L2: an extension is warned before its memory runs out
          L2: an extension is warned of its memory once each time that it runs out
        L3.1
          L3: an extension without a sign of life at work is ended
          L3: a hung extension is ended and others are not delayed
          L3: a busy extension that answers the watchdog lives on
          L3: time in which the host stood still does not count against the extension
        L3.2
          L3: an extension whose task awaits answers the watchdog
          several requests are open at once while their tasks await
          tasks and actors and groups run on the one thread
        L4.1
          L4: a killed host leaves no process and the next start sweeps the rest
          L4: a host that is killed ends its extensions even if a child holds its socket
          L4: dropping a session ends its extension
          L4: a killed daemon ends its extensions and its hosts learn of it
          START-03: a killed warden ends its sandboxes and is reported
        L4.2
          LIFE-05: launches leave every count as it was
          L6: the reason of an end is right for any accident and nothing is left
        L5
          L5: completion leaves a grace with a warning near its end
          L5: work of an extension after its answer may end in its grace
          L5: an extension that works beyond its grace ends as graceExpired
        L6.1
          L6: every life has one end in bounded time and leaves nothing
          L6: the first cause is the reason
          L6: during the grace only a fault of the extension changes the reason
        L6.2
          L6: each end has a report on disk that agrees with the host
          L6: the reasons are spelled as in reports
          L6: a crash names its function and the callers
          DEPUTY-07: false crash reports of an extension change no reason
          L6: each failed request leaves exactly one report with its reason
          L6: failed requests through a daemon leave exactly one report each
          L6: a host that exits with running extensions loses no report
          L6: a host that is released has the reports of all its extensions
          L6: a request that a signal ends leaves a report
          L6: a daemon that restarts or ends loses no report
        L6.3
          L6: each request has its own time limit however many others are answered
          L2: each queued request gets the full time limit
        L7
          L7: a closed channel of a living extension blocks no asynchronous caller
          L7: a closed channel of a living extension blocks no blocking caller
          BOMB-11: callers get a named error when a peer never reads
          a blocking call on the thread of the event loop is refused
        L8.1
          a sandbox without a weighted group has a lower priority than its host
          the real-time and disk priority of a host are not passed on
          the higher priority of a host is not passed on
          a host without random addresses does not pass that on
          a sandbox ends before its host when memory runs out
        L8.2
          memory is short below a tenth and also if the kernel does not say
          an emptied pool is filled again only on demand or after a quiet period
          - no test with a whole machine under pressure
        L9.1
          SIG-07: an extension that never becomes ready waits longer and others do not
          SIG-07: an extension that never becomes ready has to pause
          a launch that becomes ready clears all failed launches
          L9: another instance of an extension has no failures
        L9.2
          L9: twelve inputs that end an extension at once keep no other origin from it
          L9: inputs without an origin that end an extension delay nobody
          L9: ends by requests delay no session without their origin
          L9: a flood of origins takes bounded memory and clears no failed launches
          L9: an answered request counts as life
          L9: an extension that answers before it fails is not held back
        L9.3
          L9: a busy machine blames no extension for its launch limit but only so often
          a process that waited for a processor was starved
          a process that slept on an idle machine is to blame
        L10
          L10: the input of keyboards and notifications and messages and intents is private
          L10: nothing that an extension of a point with private input prints or names is kept
          L10: at another point the last output is in the report
          L10: the channel of an extension with private input is not recorded
          L10: output of private input is counted and not kept
        FS-34
          FS-34: nothing of another directory can be reached
          each user of the machine has separate directories with owners that no user is
        FS-36
          FS-36: an extension that fills its directory ends and is not launched again until there is room
          FS-36: bytes count as they lie on the disk
        FS-37
          FS-37: whatever an extension left goes with its app and nothing else does
          a directory in use is removed when its last instance has ended
          an update that drops an extension removes its directory
          the next broker finishes a removal that a kill interrupted
          a removal that a kill interrupted after the index was written is finished
        FS-41
          FS-41: a fast writer exceeds the limit of its directory by a quarter at most
          FS-41: a directory that reaches its limit is looked at without a check
          FS-41: space on the disk is not reserved by a call
        B1
          an extension finds what it kept at its next launch, after an update and with another broker
          files have the same owner on disk at each launch
          the private files outlive the daemon and an update, and are removed with the app
          another team starts with an empty directory
          a new team of an app finds nothing of the former team
        B2
          no attack gets through under a shipped policy
          each layer stops exactly the attacks that the table predicts
        B3
          the new root holds only the binds of the plan
          a bind is read-only unless the plan says otherwise
          START-08: a program has an unprivileged user and no capabilities
          on the host the sandbox is never root
        B4
          SEC-13: the kernel answers every call as the policy says
          SEC-13: the filter of a thousand rules answers as its policy says
          a carried filter answers every call as its policy says
          only the exec with the nonce of the launch passes the filter
        B5
          SEC-07: the listener arrives before the program runs and gets its calls
          SEC-05: a program gains nothing by changing a path during the decision
        B6
          PROC-05: no shipped policy lets memory be writable and executable
          PROC-05: the kernel denies memory that is both writable and executable
        B7
          a missing layer that the host does not waive fails with cause and remedy
          a missing layer that the host waives is named in the launch report
        B8
          names and files show nothing of the machine
          no clock shows when the machine was started
          mounts show only the listed facts about the host
        B9
          a remedy allows its call
          DEPUTY-03: a remedy allows its path and is missing if none may
        B10
          the exit status is that of the program
          an end by Annex has status 125 and its reason comes first
          a program that is not started has status 126 and a missing one 127
        IPC-01
          IPC-01: a header that changes while the host reads it never passes with another value
          IPC-01: a piece that changes while it is read becomes one stable copy
        IPC-05
          BOMB-09, IPC-05: a length beyond half the ring is refused before memory is taken
          IPC-05: every claim about pieces and places is checked before memory is touched
        IPC-06
          IPC-06, SIG-04: calls end in time and nothing leaks if an extension stops at any step
          IPC-06: a peer that moves a sleeping host to its own word cannot keep it asleep
        IPC-07
          IPC-07: the bytes between a payload and the next frame are zero
        IPC-08
          IPC-08: an answer to a call that was never made is refused
          IPC-08: late and double answers are harmless and counted
        IPC-09
          IPC-09: random bytes never trap
          IPC-09: changed messages never trap and read the same twice
          any bytes in a ring give frames or a named violation
        BOMB-08
          BOMB-08: a flood of events ends at the budget
          BOMB-08: the flood of one extension leaves the calls of another alone
        BOMB-11
          BOMB-11: unread answers are bounded
          BOMB-11: messages without credit are refused
        FD-03
          FD-03: the kernel refuses descriptors at their sender unless a call accepts some
          FD-03: an open call accepts its descriptors only once
        C1
          no order of the shipped steps loses a wake-up or takes an old frame
          no order of the shipped steps loses a wake-up or takes a frame twice or never
          an idle channel causes no wake-ups
        C2
          a task gets its answer only after the events that were sent before it
          a thread gets its answer only after the events that were sent before it
          a cancel behind 64 MiB waits for no more than the pieces of one arena
          unread streams and pieces leave room for a call and its cancel
        D1
          a request is answered and the launch report is complete
          - the rest of its suite runs against both kinds of broker too
        D2
          each user has separate apps, extensions and limits
          a user at its limits takes nothing of another
          invalid packets end only their own connection
          a client cannot end the extension of another
          a flood is read at a limited rate and delays no other client
        D3
          a daemon that is killed during an installation leaves the old app or the new
          a daemon that starts anew keeps its socket, its process and its apps
        H1
          the package has exactly the targets, folders and arrows of the house plan
          an extension links nothing that imports Foundation
          an example program needs no other file
          no library target uses unsafe flags
        H2
          the ten-line host calls the ten-line extension
        """
}
