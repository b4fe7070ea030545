internal import AnnexLinux

extension ItemContents {
    /// Copies bytes into memory that no process can change any more.
    public convenience init(bytes: [UInt8]) throws(ItemFailure) {
        let memory = try ItemFailure.wrapping { () throws(SystemError) in
            let memory = try Descriptor.memfd("annex-item", size: 0)
            try memory.writeAll(bytes)
            try memory.addSeals(.immutable)
            return memory
        }
        self.init(regular: memory)
    }

    /// Contents that a closure writes straight into memory. The memory is sealed when the closure returns.
    ///
    /// - Parameter write: receives the number of an open file. Write to it from its start, and do not close it.
    public static func sealing(_ write: (_ file: Int32) throws -> Void) throws -> ItemContents {
        let memory = try Descriptor.memfd("annex-item", size: 0)
        try write(memory.number)
        try memory.addSeals(.immutable)
        return ItemContents(regular: memory)
    }
}
