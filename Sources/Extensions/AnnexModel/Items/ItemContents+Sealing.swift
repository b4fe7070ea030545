internal import AnnexLinux

extension ItemContents {
    /// Contents in memory that nobody can change any more: a copy of the bytes.
    public convenience init(bytes: [UInt8]) throws(ItemFailure) {
        let memory = try ItemFailure.wrapping { () throws(SystemError) in
            let memory = try Descriptor.memfd("annex-item", size: 0)
            try memory.writeAll(bytes)
            try memory.addSeals(.immutable)
            return memory
        }
        self.init(regular: memory)
    }

    /// Contents that a closure writes straight into memory, which is sealed when it returns.
    ///
    /// - Parameter write: gets the number of an open file, to be written from its start and not closed.
    public static func sealing(_ write: (_ file: Int32) throws -> Void) throws -> ItemContents {
        let memory = try Descriptor.memfd("annex-item", size: 0)
        try write(memory.number)
        try memory.addSeals(.immutable)
        return ItemContents(regular: memory)
    }
}
