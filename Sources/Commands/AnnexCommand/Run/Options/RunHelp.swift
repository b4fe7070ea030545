/// Parts of the help of `annex run` that are no options. The manual is made from them too.
enum RunHelp {
    /// What a user must know before the first run.
    static let differences = RunOption.list(
        [
            (
                "HOME",
                "/tmp, the program's own directory. What it writes there is gone at the end, and a note names it. To show "
                    + "it settings of yours: --env HOME --read ~/.config/app. To give it a home that stays: mkdir DIR, and "
                    + "--env HOME=DIR --write DIR."
            ),
            (
                "paths",
                "What is handed over must exist: mkdir out, then --write out. Your home, / and /tmp are not handed over "
                    + "for writing as a whole: name a directory in them. The working directory is empty for the program "
                    + "unless it is handed over (--read .)."
            ),
            (
                "--write FILE",
                "Not enough for a program that replaces the file or makes another beside it (editors, sqlite, git config): "
                    + "hand over the directory around it."
            ),
            (
                "never",
                "No option gives more privileges (sudo, su), set-user-ID modes, files to other users (chown), new "
                    + "pseudo-terminals (tmux, script), mounts, namespaces, extended attributes, or processes that outlive "
                    + "the run (nohup)."
            ),
            (
                "descriptors",
                "Those above 2 are closed, except those that an argument names as /dev/fd/N."
            ),
            (
                "owners",
                "Files of all other users, also root's, look like those of nobody, and archives record that: "
                    + "tar --owner=0 --group=0, dpkg-deb --root-owner-group."
            ),
            (
                "root",
                "If root calls, the program is another user (annex, 65533), and root's files in what is handed over "
                    + "are its own. Among files of services (--read /etc, /var, /usr …) it reads only what every user may, "
                    + "and what you name by itself. New files in --write, also copies and files that an editor replaces, "
                    + "belong to root, with a group of Annex's own."
            ),
            (
                "machine",
                "The host name is annex, and the niceness up to 5 more than yours. All other differences: "
                    + "Docs/Guide/Differences.md."
            ),
        ], column: 16)

    static let exitStatus = RunOption.list(
        [
            ("N", "the status of the program, which ended by itself"),
            (
                "128+N",
                "signal N ended the program, or arrived while its remaining output waited to be read. If it is SIGINT or "
                    + "SIGQUIT from outside, annex itself ends by it, so that Ctrl-C ends a loop of a shell"
            ),
            (
                "125",
                "Annex ended the program, its output was not read in time, or its report could not be written; stderr "
                    + "gives the reason"
            ),
            ("126", "the program could not be started; stderr names the step, the cause and the remedy"),
            ("127", "there is no such program"),
            ("64", "the command line is not understood, or an option names a path at which there is nothing"),
        ], column: 9)
}
