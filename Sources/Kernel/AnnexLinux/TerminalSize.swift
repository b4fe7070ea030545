internal import CAnnexLinux

/// The columns and rows of a terminal.
package struct TerminalSize: Sendable, Hashable {
    package let columns: Int
    package let rows: Int

    /// Nil if the descriptor is not a terminal, or the terminal does not report a size.
    package init?(of descriptor: Int32) {
        var columns: Int32 = 0
        var rows: Int32 = 0
        // SAFETY: the call writes one number through each pointer and keeps neither.
        guard unsafe annex_terminal_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else { return nil }
        self.columns = Int(columns)
        self.rows = Int(rows)
    }
}
