extension PathRule {
    /// Every path that a call names, one path in each line: `call place need link …`.
    ///
    /// - Place: the register that points at the path. After `@` comes the register of the directory from which a
    ///   relative path starts. `address:A:S` is a socket address in register A, and register S holds its size.
    /// - Need: `exists`, a right, or the register with the flags that state the right. `load` means the rights to read
    ///   and execute.
    /// - Link: whether the call follows a link as the last component. `follow:R:BITS` follows the link only if register
    ///   R has one of these bits. `keep:R:BITS` follows it only if register R has none of these bits.
    /// - `makes`: the call may create the file. `if:R:MASK:VALUE`: the line applies only if register R has this value
    ///   within MASK.
    ///
    /// The table lacks the paths in the messages of sendmsg. The socket addresses of these messages lie in memory, and
    /// sendmsg is called too often to inspect each message.
    static let table: String = """
        open 0 open:1 follow
        creat 0 write follow makes
        openat 1@0 open:2 follow
        openat2 1@0 how:2 follow
        name_to_handle_at 1@0 exists follow:4:0x400
        stat 0 exists follow
        lstat 0 exists keep
        newfstatat 1@0 exists keep:3:0x100
        statx 1@0 exists keep:2:0x100
        statfs 0 exists follow
        access 0 access:1 follow
        faccessat 1@0 access:2 follow
        faccessat2 1@0 access:2 keep:3:0x100
        readlink 0 exists keep
        readlinkat 1@0 exists keep
        execve 0 execute follow
        execveat 1@0 execute keep:4:0x100
        uselib 0 load follow
        chdir 0 exists follow
        chroot 0 exists follow
        truncate 0 write follow
        mkdir 0 write keep makes
        mkdirat 1@0 write keep makes
        mknod 0 write keep makes
        mknodat 1@0 write keep makes
        rmdir 0 write keep
        unlink 0 write keep
        unlinkat 1@0 write keep
        rename 0 write keep
        rename 1 write keep makes
        renameat 1@0 write keep
        renameat 3@2 write keep makes
        renameat2 1@0 write keep
        renameat2 3@2 write keep makes
        link 0 write keep
        link 1 write keep makes
        linkat 1@0 write follow:4:0x400
        linkat 3@2 write keep makes
        symlink 1 write keep makes
        symlinkat 2@1 write keep makes
        chmod 0 write follow
        fchmodat 1@0 write follow
        fchmodat2 1@0 write keep:3:0x100
        chown 0 write follow
        lchown 0 write keep
        fchownat 1@0 write keep:4:0x100
        utime 0 write follow
        utimes 0 write follow
        futimesat 1@0 write follow
        utimensat 1@0 write keep:3:0x100
        setxattr 0 write follow
        lsetxattr 0 write keep
        setxattrat 1@0 write keep:2:0x100
        getxattr 0 read follow
        lgetxattr 0 read keep
        getxattrat 1@0 read keep:2:0x100
        listxattr 0 read follow
        llistxattr 0 read keep
        listxattrat 1@0 read keep:2:0x100
        removexattr 0 write follow
        lremovexattr 0 write keep
        removexattrat 1@0 write keep:2:0x100
        file_getattr 1@0 read keep:4:0x100
        file_setattr 1@0 write keep:4:0x100
        inotify_add_watch 1 read keep:2:0x2000000
        fanotify_mark 4@3 read keep:1:4
        bind address:1:2 write keep makes
        connect address:1:2 write follow
        sendto address:4:5 write follow
        mount 0 exists follow if:3:0x1000:0x1000
        mount 0 exists follow if:3:0x3000:0x2000
        mount 1 write follow
        umount2 0 write keep:1:8
        pivot_root 0 write follow
        pivot_root 1 write follow
        open_tree 1@0 exists keep:2:0x100
        open_tree_attr 1@0 exists keep:2:0x100
        move_mount 1@0 exists follow:4:1
        move_mount 3@2 write follow:4:0x10
        fspick 1@0 exists keep:2:2
        fsconfig 3@4 exists follow if:1:0xffffffff:3
        fsconfig 3@4 exists follow if:1:0xffffffff:4
        mount_setattr 1@0 write keep:2:0x100
        swapon 0 write follow
        swapoff 0 write follow
        acct 0 write follow
        quotactl 1 read follow
        """
}
